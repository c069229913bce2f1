//go:build race

package main

// raceEnabled skips long tests of the program, which is built without the race detector.
const raceEnabled = true

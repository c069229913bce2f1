//go:build race

package cpu

// raceEnabled leaves the large graphs out: the race detector is ten times slower.
const raceEnabled = true

//go:build race

package kronecker

// raceEnabled reduces tests that are slow under the race detector.
const raceEnabled = true

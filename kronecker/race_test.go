//go:build race

package kronecker

// raceEnabled shortens the tests that the race detector makes slow.
const raceEnabled = true

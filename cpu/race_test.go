//go:build race

package cpu

// raceEnabled disables tests of large graphs: the race detector is ten times
// slower.
const raceEnabled = true

//go:build race

package parallel

// spinRounds is small, because an iteration takes a hundred times as long under the race
// detector: workers of several teams would wait for each other's busy waits.
const spinRounds = 400

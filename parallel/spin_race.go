//go:build race

package parallel

// The rounds are few, because one takes a hundred times as long under the race detector: workers of
// several teams would wait for each other's busy waits.
const (
	mostRounds  = 400
	leastRounds = 400
)

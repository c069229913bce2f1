//go:build cuda

package bfs

import (
	"testing"

	"graph500/device/devicetest"
	"graph500/engine"
)

// rowsOfManyLengths returns a graph of rows of many lengths, with so many pairs of vertices that a
// search from the roots stays top-down: while the arcs of its frontier are a small part of
// the unexplored arcs. So it visits long rows by the block, by warps and in parts.
func rowsOfManyLengths(pairs int) (tuples []engine.Edge, vertices int, roots []engine.Label) {
	const leaves, hubs, each = 10000, 80, 160
	next := engine.Label(0)
	spread := func(from engine.Label, n int) {
		for range n {
			tuples = append(tuples, engine.Edge{U: from, V: next})
			next++
		}
	}
	long := next
	next++
	spread(long, leaves)
	centre := next
	next++
	spread(centre, hubs)
	for h := range engine.Label(hubs) {
		spread(centre+1+h, each)
	}
	last := next
	for range pairs {
		next++
		spread(next-1, 1)
	}
	return tuples, int(next), []engine.Label{long, long + 1, centre, last - 1}
}

func TestSearchOfLongRowsTopDown(t *testing.T) {
	tuples, vertices, roots := rowsOfManyLengths(devicetest.Sized(200000, 50000))
	c := newSearchCase(t, devicetest.Open(t), vertices, tuples)
	defer c.close(t)
	for _, root := range roots {
		c.search(t, root)
	}
}

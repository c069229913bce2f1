//go:build cuda

package bfs

import (
	"testing"

	"graph500/device/devicetest"
	"graph500/engine"
)

// A search stays top-down while the arcs of its frontier are a small part of the
// unexplored arcs. The graph has many pairs of vertices, so the search visits long
// rows top-down: by the block, by warps and in parts.
func TestSearchOfLongRowsTopDown(t *testing.T) {
	const pairs, leaves, hubs, each = 200000, 10000, 80, 160
	var tuples []engine.Edge
	next := engine.Local(0)
	spread := func(from engine.Local, n int) {
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
	for h := range engine.Local(hubs) {
		spread(centre+1+h, each)
	}
	last := next
	for range pairs {
		next++
		spread(next-1, 1)
	}
	c := newSearchCase(t, devicetest.Open(t), int(next), tuples)
	defer c.close(t)
	for _, root := range []engine.Local{long, long + 1, centre, last - 1} {
		c.search(t, root)
	}
}

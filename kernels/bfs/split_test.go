//go:build cuda

package bfs

import (
	"math/rand/v2"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/construct"
)

// leastWords returns the least words of device memory for the rows of the tuples.
func leastWords(vertices int, tuples []engine.Edge) (words uint64) {
	start, _ := adjacency(vertices, tuples)
	for v := range vertices {
		words += uint64(min(start[v+1]-start[v], construct.LeastPrefix+1))
	}
	return words
}

// checkSplit searches a graph with split rows from the roots, or from random ones.
func checkSplit(t *testing.T, d *device.Device, r *rand.Rand, vertices int, tuples []engine.Edge, words uint64, roots ...engine.Label) {
	t.Helper()
	c := newSplitCase(t, d, vertices, tuples, words)
	defer c.close(t)
	if len(roots) == 0 {
		roots = c.anyRoots(t, r, 3)
	}
	for i, root := range roots {
		if i > 0 {
			c.packWithFewHubs(t, r)
		}
		c.search(t, root)
	}
}

func TestSearchOfSplitRowsOnRandomGraphs(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(31, 4))
	for i := range devicetest.Sized(40, 6) {
		vertices := 2 + r.IntN(1<<(1+r.IntN(14)))
		tuples := devicetest.RandomTuples(r, vertices)
		checkSplit(t, d, r, vertices, tuples, leastWords(vertices, tuples)+uint64(r.IntN(1+len(tuples))))
		if t.Failed() {
			t.Fatalf("graph %d, of %d vertices", i, vertices)
		}
	}
}

// Rows of all lengths are searched top-down, from their beginning and their end.
func TestSearchOfSplitRowsOnNastyGraphs(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(31, 6))
	leaves := devicetest.Sized(1<<20, 3000)
	checkSplit(t, d, r, leaves, star(leaves, 700), uint64(leaves)+10, 700, 0)
	long, vertices, roots := rowsOfManyLengths(devicetest.Sized(200000, 5000))
	checkSplit(t, d, r, vertices, long, leastWords(vertices, long)+10000, roots...)
}

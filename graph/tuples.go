package graph

import (
	"errors"

	"graph500/engine"
	"graph500/memory"
)

// TupleArrays declares n tuples, with or without weights, with labels of 48 bits or of 32.
func TupleArrays(t *engine.Tuples, n uint64, weighted, wide bool) memory.Group {
	g := memory.Group{Arrays: []memory.Declared{memory.Of(&t.Edges, "tuples", n)}}
	if wide {
		g.Arrays[0] = memory.Of(&t.Wide, "tuples", n)
	}
	if weighted {
		g.Arrays = append(g.Arrays, memory.Of(&t.Weights, "weights", n))
	}
	return g
}

// FreeTuples frees tuples that memory.Alloc allocated.
func FreeTuples(t engine.Tuples) error {
	return errors.Join(memory.Free(t.Edges), memory.Free(t.Wide), memory.Free(t.Weights))
}

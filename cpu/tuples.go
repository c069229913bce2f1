package cpu

import (
	"errors"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

// tupleArrays declares tuples, with labels of 48 bits or of 32.
func tupleArrays(t *engine.Tuples, n uint64, weighted, wide bool) memory.Group {
	g := memory.Group{Arrays: []memory.Declared{memory.Of(&t.Edges, "tuples", n)}}
	if wide {
		g.Arrays[0] = memory.Of(&t.Wide, "tuples", n)
	}
	if weighted {
		g.Arrays = append(g.Arrays, memory.Of(&t.Weights, "weights", n))
	}
	return g
}

// freeTuples frees the memory of tuples.
func freeTuples(t engine.Tuples) error {
	return errors.Join(memory.Free(t.Edges), memory.Free(t.Wide), memory.Free(t.Weights))
}

// widen returns the tuples with labels of 48 bits. It frees the edges of 32 bits.
func widen(team *parallel.Team, t engine.Tuples) (engine.Tuples, error) {
	wide, err := memory.Alloc[engine.Edge48](len(t.Edges))
	if err != nil {
		return t, err
	}
	team.Run(func(worker int) {
		lo, hi := parallel.Split(len(wide), team.Size(), worker)
		engine.Widen(wide[lo:hi], t.Edges[lo:hi])
	})
	return engine.Tuples{Wide: wide, Weights: t.Weights}, memory.Free(t.Edges)
}

package cpu

import (
	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

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

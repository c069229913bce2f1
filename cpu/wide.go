package cpu

import (
	"context"
	"errors"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

// isWide reports whether the jobs need labels of 48 bits in the tuples, and parents of 64
// bits.
func isWide(jobs []engine.Job) bool { return len(jobs) > 0 && jobs[0].Wide }

// tupleBytes returns the bytes of a tuple without its weight.
func tupleBytes(wide bool) uint64 {
	if wide {
		return 12
	}
	return 8
}

// allocTuples allocates edges without weights.
func allocTuples(n uint64, wide bool) (t engine.Tuples, err error) {
	if wide {
		t.Wide, err = memory.Alloc[engine.Edge48](int(n))
		return t, err
	}
	t.Edges, err = memory.Alloc[engine.Edge](int(n))
	return t, err
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

// wideParents are the parents of a search as results of 64 bits, -1 for an unvisited vertex.
// The search works with parents of 32 bits. A nil slice: the results have 32 bits, and nothing
// is converted.
type wideParents []int64

// search searches by a method, which sets parents. With results of 64 bits, it clears parents
// before, and converts them at the end.
func (w wideParents) search(ctx context.Context, team *parallel.Team, m method, root engine.Local, parents []engine.Local) error {
	if w == nil {
		return m.search(ctx, root)
	}
	clearResults(team, engine.Results{Parents: parents})
	if err := m.search(ctx, root); err != nil {
		return err
	}
	w.take(team, parents)
	return nil
}

// clear sets all entries to -1.
func (w wideParents) clear(team *parallel.Team) {
	if w == nil {
		return
	}
	team.Run(func(worker int) {
		lo, hi := parallel.Split(len(w), team.Size(), worker)
		fill(w[lo:hi], -1)
	})
}

// take sets the entries to those of a search.
func (w wideParents) take(team *parallel.Team, from []engine.Local) {
	if w == nil {
		return
	}
	team.Run(func(worker int) {
		lo, hi := parallel.Split(len(w), team.Size(), worker)
		to := w[lo:hi]
		for i, p := range from[lo:hi] {
			wide := int64(p)
			if p == engine.None {
				wide = -1
			}
			to[i] = wide
		}
	})
}

// give sets the entries of to, engine.Beyond for one that is no label of 32 bits.
func (w wideParents) give(team *parallel.Team, to []engine.Local) {
	if w == nil {
		return
	}
	team.Run(func(worker int) {
		lo, hi := parallel.Split(len(w), team.Size(), worker)
		for i, p := range w[lo:hi] {
			narrow := engine.Local(p)
			switch {
			case p == -1:
				narrow = engine.None
			case uint64(p) >= uint64(engine.Beyond):
				narrow = engine.Beyond
			}
			to[lo+i] = narrow
		}
	})
}

package validate

import (
	"context"
	"math"
	"sync/atomic"

	"graph500/engine"
)

// relaxer examines up to block tuples for all trees of a batch of SSSP.
type relaxer struct {
	simd bool

	outside [BatchSize]uint32 // by tree: tuples outside it, including self loops
	loops   [BatchSize]uint32 // by tree: self loops inside
	// shorter has a bit for each tree in which a tuple leads out of the tree or
	// shortens a distance.
	shorter uint8
}

// relaxTuples examines every tuple once, for the rules Tight and Relaxed and for the
// counts. After an unusual tuple, all trees are unconfirmed.
func (b *batch) relaxTuples(ctx context.Context, tuples engine.Tuples) error {
	edges := tuples.Edges
	return b.team.For(ctx, len(edges), tupleGrain, func(number, lo, hi int) {
		w := &b.workers[number]
		r := &w.relaxer
		for lo < hi {
			end := min(lo+block, hi)
			next := min(lo+prefetchDistance, len(edges)-(end-lo))
			done := r.relax(b.rows, engine.Tuples{Edges: edges[lo:end], Weights: tuples.Weights[lo:end]}, edges[next:next+end-lo])
			if done == 0 {
				w.unconfirmed = b.all()
				return
			}
			w.unconfirmed |= r.shorter & b.all()
			for t := range b.searches {
				w.inside[t] += int64(done) - int64(r.outside[t])
				w.loops[t] += int64(r.loops[t])
			}
			lo += done
		}
	})
}

// relaxGo is relax, in Go. It returns false if a tuple is unusual: an end is out of
// range, or the weight is not a number from 0 to maxSummand.
//
// A tuple that leads out of a tree needs no test of its own: the distance outside is
// +Inf, and every sum inside is less. With a sum of two such infinities, nothing can be
// closed, because there is no parent outside.
func (r *relaxer) relaxGo(rows []row, tuples engine.Tuples) bool {
	r.outside, r.loops, r.shorter = [BatchSize]uint32{}, [BatchSize]uint32{}, 0
	inf := math.Float32frombits(infinite)
	for i, e := range tuples.Edges {
		w := tuples.Weights[i]
		if uint64(e.U) >= uint64(len(rows)) || uint64(e.V) >= uint64(len(rows)) || math.Float32bits(w) > maxSummand {
			return false
		}
		u, v := &rows[e.U], &rows[e.V]
		for t := range BatchSize {
			a, b := u.distances[t], v.distances[t]
			switch {
			case a == inf:
				r.outside[t]++
			case e.U == e.V:
				r.loops[t]++
			}
			viaU, viaV := float32(a+w), float32(b+w)
			if viaU < b || viaV < a {
				r.shorter |= 1 << t
			}
			if viaU == b && e.U != e.V {
				closeChild(&v.parents[t], e.U)
			}
			if viaV == a && e.U != e.V {
				closeChild(&u.parents[t], e.V)
			}
		}
	}
	return true
}

// closeChild closes a vertex if its parent is the given one, while other workers read
// and close it.
func closeChild(place *engine.Local, parent engine.Local) {
	if atomic.LoadUint32(place) == parent {
		atomic.StoreUint32(place, engine.None)
	}
}

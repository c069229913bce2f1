package validate

import (
	"context"
	"math"
	"sync/atomic"

	"graph500/engine"
	"graph500/vector"
)

// relaxer examines up to block tuples for all trees of a batch of SSSP.
type relaxer struct {
	form vector.Form

	outside [MinBatch]uint32 // by tree: tuples outside it, including self loops
	loops   [MinBatch]uint32 // by tree: self loops inside
	// shorter has a bit for each tree in which a tuple leads out of the tree or
	// shortens a distance.
	shorter uint64
	touched float32 // stores a sum of loaded distances, so that the compiler does not remove the loads
}

// relaxTuples examines every tuple once, for the rules Tight and Relaxed and for the
// counts. After an unusual tuple, all trees are unconfirmed.
func (b *batch) relaxTuples(ctx context.Context, tuples engine.Tuples) error {
	return pass{most: block, examine: b.relaxPiece, finish: func(*batchWorker) {}}.run(ctx, b, tuples)
}

// relaxPiece relaxes tuples. It returns false if one is unusual.
func (b *batch) relaxPiece(w *batchWorker, tuples engine.Tuples, next []engine.Edge) bool {
	r := &w.relaxer
	for lo, n := 0, tuples.Len(); lo < n; {
		done := r.relax(b.paths, tuples.Slice(lo, n), next[lo:])
		if done == 0 {
			return false
		}
		w.unconfirmed |= r.shorter & b.all()
		for t := range b.searches {
			w.inside[t] += int64(done) - int64(r.outside[t])
			w.loops[t] += int64(r.loops[t])
		}
		lo += done
	}
	return true
}

// relaxGo is relax, in Go. It returns false if a tuple is unusual: an end is out of
// range, or the weight is not a number from 0 to maxSummand.
//
// A tuple that leads out of a tree needs no test of its own: the distance outside is
// +Inf, and every sum inside is less.
func (r *relaxer) relaxGo(rows []row, tuples engine.Tuples) bool {
	r.outside, r.loops, r.shorter = [MinBatch]uint32{}, [MinBatch]uint32{}, 0
	for lo := 0; lo < len(tuples.Edges); lo += loadAhead {
		hi := min(lo+loadAhead, len(tuples.Edges))
		edges, weights := tuples.Edges[lo:hi], tuples.Weights[lo:hi]
		if !r.load(rows, edges, weights) {
			return false
		}
		for i, e := range edges {
			w, u, v := weights[i], &rows[e.U], &rows[e.V]
			if e.U == e.V {
				r.countLoop(u)
				continue
			}
			for t := range MinBatch {
				a, b := u.distances[t], v.distances[t]
				if float32(a+w) <= b || float32(b+w) <= a { // seldom
					r.examine(t, e, w, u, v)
				}
			}
		}
	}
	return true
}

// loadAhead is the number of tuples whose rows are loaded before they are examined.
const loadAhead = 32

// load loads the rows of the tuples into the caches, many at the same time. It returns
// false if a tuple is unusual.
func (r *relaxer) load(rows []row, edges []engine.Edge, weights []float32) bool {
	touched := float32(0)
	for i, e := range edges {
		if uint64(e.U) >= uint64(len(rows)) || uint64(e.V) >= uint64(len(rows)) || math.Float32bits(weights[i]) > maxSummand {
			return false
		}
		touched += rows[e.U].distances[0] + rows[e.V].distances[0]
	}
	r.touched = touched
	return true
}

// countLoop counts a self loop of the vertex with row u.
func (r *relaxer) countLoop(u *row) {
	for t, d := range u.distances {
		if d < math.Float32frombits(infinite) {
			r.loops[t]++
		} else {
			r.outside[t]++
		}
	}
}

// examine examines a tuple in tree t that may be outside, shorten a distance or close a
// vertex. With a sum of two infinities, nothing is closed, because there is no parent
// outside.
func (r *relaxer) examine(t int, e engine.Edge, w float32, u, v *row) {
	a, b := u.distances[t], v.distances[t]
	viaU, viaV := float32(a+w), float32(b+w)
	if a == math.Float32frombits(infinite) {
		r.outside[t]++
	}
	if viaU < b || viaV < a {
		r.shorter |= 1 << t
	}
	if viaU == b {
		closeChild(&v.parents[t], e.U)
	}
	if viaV == a {
		closeChild(&u.parents[t], e.V)
	}
}

// closeChild closes a vertex if its parent is the given one, while other workers read
// and close it.
func closeChild(place *engine.Label, parent engine.Label) {
	if atomic.LoadUint32(place) == parent {
		atomic.StoreUint32(place, engine.None)
	}
}

package validate

import (
	"context"
	"math"

	"graph500/engine"
)

// row holds what the pass over the tuples needs of one vertex in all trees of a batch
// of SSSP. It fills one cache line, so that one miss serves all trees.
type row struct {
	distances [MinBatch]float32 // +Inf outside the tree
	// None if the vertex is closed: it is the root, or outside the tree, or a tuple
	// has been found that joins it to its parent as rule Tight demands.
	parents [MinBatch]engine.Label
}

const (
	infinite  = engine.InfiniteBits
	unreached = engine.UnreachedBits
	// maxSummand is 2^126 as bits: the sum of two such numbers is less than +Inf. A
	// tree with a larger distance is not confirmed. The bits of negative numbers and of
	// NaN are larger too.
	maxSummand = 0x7e800000
)

// fillPaths sets the rows of all vertices and checks rule Distance. A tree that breaks
// it, or with a distance above maxSummand, becomes unconfirmed.
func (b *batch) fillPaths(ctx context.Context) error {
	return b.team.For(ctx, len(b.paths), vertexGrain, func(number, lo, hi int) {
		w := &b.workers[number]
		for ; lo < hi; lo += fillBlock {
			rows := b.paths[lo:min(lo+fillBlock, hi)]
			for t := range MinBatch {
				if t >= len(b.searches) {
					closeTree(rows, t)
					continue
				}
				s := &b.searches[t]
				farthest, fits := fillTree(rows, t, s.Parents[lo:lo+len(rows)], s.Distances[lo:lo+len(rows)])
				w.farthest[t] = max(w.farthest[t], farthest)
				if root := int(s.Root) - lo; root >= 0 && root < len(rows) {
					rows[root].parents[t] = engine.None
					fits = fits && math.Float32bits(rows[root].distances[t]) == 0
				}
				if !fits {
					w.unconfirmed |= 1 << t
				}
			}
		}
	})
}

// fillTree sets tree t of the rows. It returns the bits of the largest distance and
// whether the vertices in the tree have distances up to maxSummand and those outside
// have none. It has no branches on the data.
func fillTree(rows []row, t int, parents []engine.Label, distances []float32) (farthest uint32, fits bool) {
	wrong := uint32(0)
	for i := range rows {
		p, d := parents[i], math.Float32bits(distances[i])
		outside := uint32(0)
		if p == engine.None {
			outside = 1<<32 - 1
		}
		wrong |= (d ^ unreached) & outside
		d &^= outside
		farthest = max(farthest, d)
		rows[i].distances[t&(MinBatch-1)] = math.Float32frombits(d | infinite&outside)
		rows[i].parents[t&(MinBatch-1)] = p
	}
	return farthest, wrong == 0 && farthest <= maxSummand
}

// closeTree sets a tree of the rows that the batch does not have.
func closeTree(rows []row, t int) {
	for i := range rows {
		rows[i].distances[t] = math.Float32frombits(infinite)
		rows[i].parents[t] = engine.None
	}
}

// findOpenPaths looks for open vertices: no tuple fits between them and their parents.
func (b *batch) findOpenPaths(ctx context.Context) error {
	return b.team.For(ctx, len(b.paths), vertexGrain, func(number, lo, hi int) {
		var left [MinBatch]engine.Label // bits in which a parent differs from None
		for i := lo; i < hi; i++ {
			for t, p := range &b.paths[i].parents {
				left[t] |= ^p
			}
		}
		for t, bits := range left {
			if bits != 0 {
				b.workers[number].unconfirmed |= 1 << t
			}
		}
	})
}

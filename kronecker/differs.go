package kronecker

import (
	"context"
	"slices"
	"sync/atomic"

	"graph500/engine"
	"graph500/parallel"
)

// Differs reports whether the edges of tuples, or else their weights, differ from those of the
// generator for the spec, from tuple first on.
func Differs(ctx context.Context, team *parallel.Team, spec Spec, tuples engine.Tuples, first uint64) (edges, weights bool, err error) {
	const piece = 1 << 16
	g := New(spec)
	buffers, views := make([]engine.Tuples, team.Size()), make([][]engine.Edge, team.Size())
	var otherEdges, otherWeights atomic.Bool
	err = team.For(ctx, tuples.Len(), piece, func(worker, lo, hi int) {
		if otherEdges.Load() {
			return
		}
		buffer := &buffers[worker]
		if buffer.Edges == nil {
			buffer.Edges = make([]engine.Edge, piece)
			if tuples.Weights != nil {
				buffer.Weights = make([]float32, piece)
			}
		}
		want := engine.Tuples{Edges: buffer.Edges[:hi-lo]}
		if tuples.Weights != nil {
			want.Weights = buffer.Weights[:hi-lo]
		}
		g.Tuples(want, first+uint64(lo))
		view, from := tuples.View(lo, hi, &views[worker])
		if !slices.Equal(want.Edges, view[lo-from:hi-from]) {
			otherEdges.Store(true)
		} else if want.Weights != nil && !slices.Equal(want.Weights, tuples.Weights[lo:hi]) {
			otherWeights.Store(true)
		}
	})
	return otherEdges.Load(), otherWeights.Load() && !otherEdges.Load(), err
}

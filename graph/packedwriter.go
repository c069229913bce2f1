package graph

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"graph500/cluster"
	"graph500/engine"
)

// fillPiece is the number of self loops that are written at a time.
const fillPiece = 1 << 20

// PackedSize is the size of a packed edge file that holds a
type PackedSize struct {
	Scale, EdgeFactor int
	Tuples            uint64
	Fill              uint64       // number of the last tuples, self loops of Spare that fill up the file
	Spare             engine.Label // a vertex without edges
}

// WritePacked writes a graph to a packed edge file, whose number of tuples is a multiple of the
// number of vertices, a power of two: self loops of a vertex without edges, which no search counts,
// fill it up.
func WritePacked(ctx context.Context, out string, f *File) (size PackedSize, err error) {
	if slices.ContainsFunc(f.Weights, func(w float32) bool { return w > 1 }) {
		return size, fmt.Errorf("%s: the weights beside a packed edge file are at most 1, and those of this graph are not: choose .wsg, .mtx or .wel", out)
	}
	scale := max(1, bits.Len64(f.Vertices-1))
	tuples := uint64(len(f.Tuples))
	spare, found := engine.Label(f.Vertices), f.Vertices < 1<<scale
	if tuples%(1<<scale) > 0 && !found {
		if spare, found, err = f.Unconnected(ctx); err != nil {
			return size, err
		}
		if !found {
			spare = engine.Label(f.Vertices)
			scale++
		}
	}
	if scale > engine.MaxScale {
		return size, fmt.Errorf("%s: %d vertices, an edge file has at most 2^%d", out, f.Vertices, engine.MaxScale)
	}
	factor := max(1, (tuples+1<<scale-1)>>scale)
	all := factor << scale
	w, err := CreateEdges(ctx, cluster.Alone(), out, Whole(all), f.Weights != nil)
	if err != nil {
		return size, err
	}
	defer w.Abort()
	if err := w.Write(engine.Tuples{Edges: f.Tuples, Weights: f.Weights}); err != nil {
		return size, err
	}
	fill := engine.Tuples{Edges: make([]engine.Edge, min(all-tuples, fillPiece))}
	for i := range fill.Edges {
		fill.Edges[i] = engine.Edge{U: spare, V: spare}
	}
	if f.Weights != nil {
		fill.Weights = make([]float32, len(fill.Edges))
	}
	for left := all - tuples; left > 0; left -= uint64(len(fill.Edges)) {
		n := min(left, uint64(len(fill.Edges)))
		fill.Edges = fill.Edges[:n]
		if f.Weights != nil {
			fill.Weights = fill.Weights[:n]
		}
		if err := w.Write(fill); err != nil {
			return size, err
		}
	}
	if err := w.Close(); err != nil {
		return size, err
	}
	return PackedSize{Scale: scale, EdgeFactor: int(factor), Tuples: all, Fill: all - tuples, Spare: spare}, nil
}

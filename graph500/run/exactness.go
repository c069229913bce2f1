package run

import (
	"context"
	"fmt"
	"math"

	"graph500/cluster"
	"graph500/engine"
	"graph500/report"
)

// exactWhole is the largest whole number up to which float32 holds all of them.
const exactWhole = 1 << 24

// warnOfRounding warns if a search for shortest paths with whole weights, search i of the
// batch, found distances that float32 may have rounded. It warns once.
func (b *Bench) warnOfRounding(ctx context.Context, s kernelSearcher, i int, search report.Search) error {
	if s.kernel != engine.SSSP || !b.wholeWeights || b.Integers() || b.rounded || !b.SkipValidation && search.MaxDistance < exactWhole {
		return nil
	}
	results, err := s.Results(ctx, i)
	if err != nil {
		return err
	}
	var own struct {
		Vertices int
		Largest  float32
	}
	for _, d := range results.Distances {
		if d >= exactWhole && !math.IsInf(float64(d), 0) {
			own.Vertices++
			own.Largest = max(own.Largest, d)
		}
	}
	all, err := cluster.Values(ctx, b.World, own)
	if err != nil {
		return err
	}
	vertices, largest := 0, float32(0)
	for _, rank := range all {
		vertices, largest = vertices+rank.Vertices, max(largest, rank.Largest)
	}
	if vertices > 0 {
		b.rounded = true
		b.Warn(fmt.Sprintf("distances from vertex %d reach %.0f: float32 holds all whole numbers up to %d only, so the distances of %d vertices may be rounded; -weights=integer searches exactly, on the cores",
			search.Root, largest, exactWhole, vertices))
	}
	return nil
}

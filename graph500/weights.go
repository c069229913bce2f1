package main

import (
	"context"
	"errors"

	"graph500/engine"
	"graph500/kronecker"
	"graph500/memory"
	"graph500/parallel"
)

// makeWeights returns weights for this rank's tuples of a file whose weights the run does not
// take, or that has none: those of a generated graph, or 1.
func (b *bench) makeWeights(ctx context.Context, team *parallel.Team, path string) ([]float32, error) {
	part := b.part(b.tuples)
	weights, err := memory.Alloc[float32](int(part.Count))
	if err != nil {
		return nil, err
	}
	b.record.Input.Weights = drawnWeights
	phase, fill := "drawing weights", func() error {
		spec := b.spec
		spec.Scale = max(1, spec.Scale) // of a graph with one vertex
		return kronecker.New(spec).FillFrom(ctx, team, engine.Tuples{Weights: weights}, part.First, nil)
	}
	switch b.Weights {
	case unitWeights:
		b.record.Input.Weights = unitWeights
		phase, fill = "setting weights", func() error {
			return team.For(ctx, len(weights), 1<<16, func(_, lo, hi int) {
				for i := lo; i < hi; i++ {
					weights[i] = 1
				}
			})
		}
		b.console.printf("%s: every edge has the weight 1 (-weights=%s)", path, unitWeights)
	case autoWeights:
		b.console.printf("%s has no weights: they are drawn as those of a generated graph, with seeds %d and %d", path, b.spec.Seed1, b.spec.Seed2)
	default:
		b.console.printf("%s: weights are drawn as those of a generated graph, with seeds %d and %d (-weights=%s)", path, b.spec.Seed1, b.spec.Seed2, b.Weights)
	}
	if err := b.phase(ctx, phase, b.tuples, fill); err != nil {
		return nil, errors.Join(err, memory.Free(weights))
	}
	b.record.Generation += b.lastSeconds()
	return weights, nil
}

package run

import (
	"context"
	"errors"

	"graph500/engine"
	"graph500/graph500/commandline"
	"graph500/kronecker"
	"graph500/memory"
	"graph500/parallel"
)

// makeWeights returns weights for this rank's tuples of a file whose weights the run does not
// take, or that has none: those of a generated graph, or 1.
func (b *Bench) makeWeights(ctx context.Context, team *parallel.Team, path string) ([]float32, error) {
	part := b.part(b.tuples)
	weights, err := memory.Alloc[float32](int(part.Count))
	if err != nil {
		return nil, err
	}
	b.Record.Input.Weights = commandline.DrawnWeights
	phase, fill := "drawing weights", func() error {
		spec := b.spec
		spec.Scale = max(1, spec.Scale) // of a graph with one vertex
		return kronecker.New(spec).FillFrom(ctx, team, engine.Tuples{Weights: weights}, part.First, nil)
	}
	switch b.Weights {
	case commandline.UnitWeights:
		b.Record.Input.Weights = commandline.UnitWeights
		phase, fill = "setting weights", func() error {
			return team.For(ctx, len(weights), 1<<16, func(_, lo, hi int) {
				for i := lo; i < hi; i++ {
					weights[i] = 1
				}
			})
		}
		b.Console.Printf("%s: every edge has the weight 1 (-weights=%s)", path, commandline.UnitWeights)
	case commandline.AutoWeights:
		b.Console.Printf("%s has no weights: they are drawn as those of a generated graph, with seeds %d and %d", path, b.spec.Seed1, b.spec.Seed2)
	default:
		b.Console.Printf("%s: weights are drawn as those of a generated graph, with seeds %d and %d (-weights=%s)", path, b.spec.Seed1, b.spec.Seed2, b.Weights)
	}
	if err := b.Phase(ctx, phase, b.tuples, fill); err != nil {
		return nil, errors.Join(err, memory.Free(weights))
	}
	b.Record.Generation += b.LastSeconds()
	return weights, nil
}

package kronecker

import (
	"context"
	"testing"

	"graph500/engine"
	"graph500/parallel"
)

func TestDiffers(t *testing.T) {
	spec := Spec{Scale: 6, EdgeFactor: 16, Seed1: 2, Seed2: 3}
	tuples := engine.Tuples{Edges: make([]engine.Edge, spec.Tuples()), Weights: make([]float32, spec.Tuples())}
	New(spec).Tuples(tuples, 0)
	team := parallel.NewTeam(2)
	defer team.Close()
	want := func(want string, spec Spec, tuples engine.Tuples) {
		t.Helper()
		edges, weights, err := Differs(t.Context(), team, spec, tuples, 0)
		if edges != (want == "edges") || weights != (want == "weights") || err != nil {
			t.Errorf("edges %v, weights %v, not %q, error %v", edges, weights, want, err)
		}
	}
	want("", spec, tuples)
	want("", spec, engine.Tuples{Edges: tuples.Edges})
	wide := make([]engine.Edge48, len(tuples.Edges))
	engine.Widen(wide, tuples.Edges)
	want("", spec, engine.Tuples{Wide: wide, Weights: tuples.Weights})
	for _, i := range []int{0, 333, len(wide) - 1} {
		wide[i].High = 1
		want("edges", spec, engine.Tuples{Wide: wide})
		wide[i].High = 0
	}
	other := spec
	other.Seed1++
	want("edges", other, tuples)
	for _, i := range []int{0, 333, len(tuples.Edges) - 1} {
		tuples.Edges[i].U ^= 1
		want("edges", spec, tuples)
		want("edges", spec, engine.Tuples{Edges: tuples.Edges})
		tuples.Edges[i].U ^= 1
		tuples.Weights[i] += 0.25
		want("weights", spec, tuples)
		tuples.Weights[i] = weightOf(spec, i)
	}
	want("", spec, tuples)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Differs(ctx, team, spec, tuples, 0); err == nil {
		t.Error("no error after the end of the context")
	}
}

// weightOf returns the weight of tuple i of a generated graph.
func weightOf(spec Spec, i int) float32 {
	var weight [1]float32
	New(spec).Weights(weight[:], uint64(i))
	return weight[0]
}

package scaling

import (
	"context"
	"testing"

	"graph500/engine"
	"graph500/kronecker"
	"graph500/parallel"
)

// The simulated imbalance is that of the official graph in contiguous ranges of labels.
func TestImbalanceOfOfficialGraph(t *testing.T) {
	const scale, parts = 16, 64
	team := parallel.NewTeam(1)
	defer team.Close()
	tuples := make([]engine.Edge, 16<<scale)
	g := kronecker.New(kronecker.Spec{Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3})
	if err := g.Fill(context.Background(), team, engine.Tuples{Edges: tuples}, nil); err != nil {
		t.Fatal(err)
	}
	var arcs [parts]float64
	largest := 0.0
	for _, e := range tuples {
		for _, v := range []engine.Label{e.U, e.V} {
			part := int(v) * parts >> scale
			arcs[part]++
			largest = max(largest, arcs[part])
		}
	}
	counted := largest * parts / (32 << scale)
	var simulated float64
	for seed := range uint64(8) {
		simulated += Imbalance(scale, parts, seed) / 8
	}
	if ratio := simulated / counted; ratio < 0.8 || ratio > 1.25 {
		t.Errorf("simulated %.3f, counted %.3f", simulated, counted)
	}
	t.Logf("simulated %.3f, counted %.3f", simulated, counted)
}

package graph

import (
	"context"
	"math/rand/v2"
	"testing"

	"graph500/engine"
	"graph500/parallel"
)

// widened returns edges with labels of 48 bits.
func widened(edges []engine.Edge) []engine.Edge48 {
	wide := make([]engine.Edge48, len(edges))
	engine.Widen(wide, edges)
	return wide
}

// TestBuildWide builds graphs of tuples with labels of 48 bits, of several blocks too.
func TestBuildWide(t *testing.T) {
	team := parallel.NewTeam(2)
	defer team.Close()
	r := rand.New(rand.NewPCG(5, 6))
	random := make([]engine.Edge, block+17)
	for i := range random {
		random[i] = engine.Edge{U: engine.Label(r.IntN(300)), V: engine.Label(r.IntN(3000))}
	}
	for _, edges := range [][]engine.Edge{{}, {{U: 0, V: 0}}, {{U: 3, V: 2}, {U: 2, V: 3}, {U: 2, V: 2999}}, random} {
		const vertices = 3000
		tuples := engine.Tuples{Wide: widened(edges), Weights: someWeights(len(edges))}
		g, err := Build(t.Context(), team, WholeGraph(vertices), tuples)
		if err != nil {
			t.Fatal(err)
		}
		check(t, g, vertices, edges)
		w, err := BuildWeighted(t.Context(), team, WholeGraph(vertices), tuples)
		if err != nil {
			t.Fatal(err)
		}
		checkWeighted(t, w, vertices, engine.Tuples{Edges: edges, Weights: tuples.Weights})
		for _, close := range []func() error{g.Close, w.Close} {
			if err := close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A label whose low 32 bits are those of a vertex is out of range.
func TestBuildRefusesWideLabels(t *testing.T) {
	team := parallel.NewTeam(2)
	defer team.Close()
	for _, high := range []uint32{1, 1 << 15, 1 << 16, 1 << 31} {
		wide := widened([]engine.Edge{{U: 1, V: 2}, {U: 3, V: 4}})
		wide[1].High = high
		if _, err := Build(context.Background(), team, WholeGraph(10), engine.Tuples{Wide: wide}); err == nil {
			t.Errorf("high bits %#x are accepted", high)
		}
	}
}

package graph

import (
	"math/rand/v2"
	"testing"

	"graph500/engine"
	"graph500/parallel"
)

// The checksum of a graph changes with each end and each weight, but not with the order of
// the tuples or of their ends, and is the sum of those of its parts.
func TestChecksum(t *testing.T) {
	team := parallel.NewTeam(2)
	defer team.Close()
	sum := func(tuples engine.Tuples) uint64 {
		s, err := Checksum(t.Context(), team, tuples)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	random := rand.New(rand.NewPCG(1, 2))
	edges := make([]engine.Edge, 100000)
	weights := make([]float32, len(edges))
	for i := range edges {
		edges[i] = engine.Edge{U: engine.Label(random.Uint32N(1 << 20)), V: engine.Label(random.Uint32N(1 << 20))}
		weights[i] = random.Float32()
	}
	plain, weighted := sum(engine.Tuples{Edges: edges}), sum(engine.Tuples{Edges: edges, Weights: weights})
	if plain == weighted {
		t.Error("weights do not count")
	}
	cut := 77777
	parts := sum(engine.Tuples{Edges: edges[:cut], Weights: weights[:cut]}) + sum(engine.Tuples{Edges: edges[cut:], Weights: weights[cut:]})
	if parts != weighted {
		t.Error("the parts do not add up")
	}
	random.Shuffle(len(edges), func(i, j int) {
		edges[i], edges[j] = edges[j], edges[i]
		weights[i], weights[j] = weights[j], weights[i]
	})
	for i := range edges {
		if i%3 == 0 {
			edges[i].U, edges[i].V = edges[i].V, edges[i].U
		}
	}
	if sum(engine.Tuples{Edges: edges}) != plain || sum(engine.Tuples{Edges: edges, Weights: weights}) != weighted {
		t.Error("the order counts")
	}
	edges[5].U++
	if sum(engine.Tuples{Edges: edges}) == plain {
		t.Error("an end does not count")
	}
	edges[5].U--
	weights[5] += 1
	if sum(engine.Tuples{Edges: edges, Weights: weights}) == weighted {
		t.Error("a weight does not count")
	}
	if sum(engine.Tuples{}) != 0 {
		t.Error("no tuples have a checksum")
	}
}

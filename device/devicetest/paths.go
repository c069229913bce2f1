//go:build cuda

package devicetest

import (
	"math"
	"math/rand/v2"

	"graph500/engine"
	"graph500/kronecker"
)

// HasEdge reports whether a vertex has an edge to another one.
func HasEdge(edges []engine.Edge, v engine.Label) bool {
	for _, e := range edges {
		if e.U != e.V && (e.U == v || e.V == v) {
			return true
		}
	}
	return false
}

// SmallGraphs returns graphs that expose typical errors of searches.
func SmallGraphs() map[string][]engine.Edge {
	g := map[string][]engine.Edge{
		"one edge":   {{U: 0, V: 1}},
		"duplicates": {{U: 1, V: 2}, {U: 2, V: 1}, {U: 1, V: 2}, {U: 1, V: 1}, {U: 0, V: 0}},
	}
	for i := engine.Label(1); i < 700; i++ {
		g["star"] = append(g["star"], engine.Edge{U: 5, V: i - 1 + i/6})
		g["path"] = append(g["path"], engine.Edge{U: i - 1, V: i})
		g["pairs"] = append(g["pairs"], engine.Edge{U: 2 * i, V: 2*i + 1})
		g["stars in a row"] = append(g["stars in a row"], engine.Edge{U: i / 100 * 100, V: i}, engine.Edge{U: i / 100 * 100, V: (i/100 + 1) * 100})
	}
	for i := range engine.Label(90) {
		for j := range i {
			g["complete"] = append(g["complete"], engine.Edge{U: i, V: j})
		}
	}
	for i := range engine.Label(30) {
		for j := range engine.Label(30) {
			g["grid"] = append(g["grid"], engine.Edge{U: 30*i + j, V: 30*i + (j+1)%30}, engine.Edge{U: 30*i + j, V: 30*((i+1)%30) + j})
		}
	}
	return g
}

// Weightings returns weights of n tuples by kind.
func Weightings(n int, r *rand.Rand) map[string][]float32 {
	w := map[string][]float32{}
	for i := range n {
		u := r.Float32()
		w["uniform"] = append(w["uniform"], u)
		w["zero"] = append(w["zero"], 0)
		w["equal"] = append(w["equal"], 0.5)
		w["tiny"] = append(w["tiny"], u*math.SmallestNonzeroFloat32*100)
		w["largest"] = append(w["largest"], u*engine.LargestWeight(uint64(n)+1))
		w["absorbed"] = append(w["absorbed"], []float32{1e9, 1, 0, 30}[i%4])
	}
	return w
}

// OfficialWeighted generates the tuples of Official, with their weights, on the host.
func OfficialWeighted(scale int) engine.Tuples {
	spec := Official(scale)
	tuples := engine.Tuples{Edges: make([]engine.Edge, spec.Tuples()), Weights: make([]float32, spec.Tuples())}
	kronecker.New(spec).Tuples(tuples, 0)
	return tuples
}

// HubTuples returns n random tuples, of which the first ends at low labels are many.
func HubTuples(r *rand.Rand, vertices, n int) []engine.Edge {
	tuples := make([]engine.Edge, n)
	for i := range tuples {
		tuples[i] = engine.Edge{U: engine.Label(r.IntN(vertices) * r.IntN(vertices) / vertices), V: engine.Label(r.IntN(vertices))}
	}
	return tuples
}

// Spread gives the vertices of a graph labels in many ranges.
func Spread(tuples []engine.Edge, vertices int) []engine.Edge {
	to := make([]engine.Edge, len(tuples))
	for i, e := range tuples {
		to[i] = engine.Edge{U: e.U * 2741 % engine.Label(vertices), V: e.V * 2741 % engine.Label(vertices)}
	}
	return to
}

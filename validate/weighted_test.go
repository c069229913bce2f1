package validate

import (
	"math"
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

	"graph500/conformance"
	"graph500/engine"
)

// A weightedGraph is a testGraph with a weight per tuple.
type weightedGraph struct {
	testGraph
	weights []float32
}

func (g weightedGraph) all() engine.Tuples {
	return engine.Tuples{Edges: g.tuples, Weights: g.weights}
}

// add appends a tuple.
func (g *weightedGraph) add(u, v int, w float32) {
	g.tuples, g.weights = append(g.tuples, edge(u, v)), append(g.weights, w)
}

// kroneckerWeights returns an official graph.
func kroneckerWeights(scale int) weightedGraph {
	g := conformance.Official(scale)
	return weightedGraph{testGraph{g.Vertices, g.Tuples.Edges}, g.Tuples.Weights}
}

// graph is the same in terms of conformance.
func (g weightedGraph) graph() conformance.Graph {
	return conformance.Graph{Vertices: g.n, Tuples: g.all()}
}

// shortest returns a right search.
func (g weightedGraph) shortest(root engine.Label) Search {
	a := conformance.AnswerOf(g.n, g.all(), root)
	return Search{Root: engine.Vertex(root), Parents: a.Paths, Distances: a.Distances}
}

// clone returns a copy of a search.
func clone(s Search) Search {
	return Search{Root: s.Root, Parents: slices.Clone(s.Parents), Distances: slices.Clone(s.Distances)}
}

// factsOf returns the facts of a correct search.
func (g weightedGraph) factsOf(s Search) engine.Tree {
	t := conformance.AnswerOf(g.n, g.all(), engine.Label(s.Root)).Tree
	levels, _ := levels(s.Parents, engine.Label(s.Root))
	t.Depth = int64(slices.Max(levels))
	return t
}

// isShortest reports whether s is a correct search by definition, with finite distances.
func (g weightedGraph) isShortest(s Search) bool {
	a := conformance.AnswerOf(g.n, g.all(), engine.Label(s.Root))
	return !math.IsInf(float64(a.Tree.MaxDistance), 1) && a.Judge(engine.SSSP, s.Parents, s.Distances) == nil
}

// firstBrokenSSSP applies the rules literally, one after the other. It returns the
// first broken rule and the smallest vertex or tuple that breaks it; ok is true if the
// search is valid.
func (g weightedGraph) firstBrokenSSSP(s Search) (rule Rule, place int, ok bool) {
	if len(s.Parents) != g.n || len(s.Distances) != g.n {
		return Size, 0, false
	}
	root := int(s.Root)
	if root >= g.n || engine.Vertex(s.Parents[root]) != s.Root {
		return Root, root, false
	}
	for v, p := range s.Parents {
		if p != engine.None && (int(p) >= g.n || int(p) == v && v != root) {
			return Entry, v, false
		}
	}
	if _, lost := levels(s.Parents, engine.Label(s.Root)); lost >= 0 {
		return Path, lost, false
	}
	for v, d := range s.Distances {
		fits := d >= 0 && d <= math.MaxFloat32 && !math.Signbit(float64(d))
		if v == root {
			fits = math.Float32bits(d) == 0
		}
		if s.Parents[v] == engine.None {
			fits = d == -1
		}
		if !fits {
			return Distance, v, false
		}
	}
	arcs := g.graph().Rows()
	for v, p := range s.Parents {
		if p != engine.None && v != root &&
			!slices.ContainsFunc(arcs[v], func(a conformance.Arc) bool { return a.To == p && s.Distances[p]+a.Weight == s.Distances[v] }) {
			return Tight, v, false
		}
	}
	for i, e := range g.tuples {
		a, b := s.Distances[e.U], s.Distances[e.V]
		if (a < 0) != (b < 0) || a >= 0 && (a+g.weights[i] < b || b+g.weights[i] < a) {
			return Relaxed, i, false
		}
	}
	return 0, 0, true
}

// drawWeighted draws a graph of drawGraph with weights of one of several kinds, and
// adds duplicates with other weights.
func drawWeighted(t *rapid.T) weightedGraph {
	g := weightedGraph{testGraph: drawGraph(t)}
	for range min(len(g.tuples), rapid.IntRange(0, 5).Draw(t, "duplicates")) {
		g.tuples = append(g.tuples, rapid.SampledFrom(g.tuples).Draw(t, "duplicate"))
	}
	some := []float32{0, 1, 0.5, 0.25, 0.1, 1e-9, 1.0 / (1 << 24), 3e-8}
	huge := []float32{0, 1, 1e-45, 1e9, 1e37, 9e37, 1.2e38}
	kind := rapid.IntRange(0, 4).Draw(t, "weights")
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	for range g.tuples {
		w := float32(kind) / 2
		switch kind {
		case 2:
			w = r.Float32()
		case 3:
			w = some[r.IntN(len(some))]
		case 4:
			w = huge[r.IntN(len(huge))]
		}
		g.weights = append(g.weights, w)
	}
	return g
}

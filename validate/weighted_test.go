package validate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

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

// kroneckerWeights returns an official graph with random weights.
func kroneckerWeights(tb testing.TB, scale int) weightedGraph {
	tb.Helper()
	g := weightedGraph{testGraph: kroneckerGraph(tb, scale)}
	r := rand.New(rand.NewPCG(1, uint64(scale)))
	for range g.tuples {
		g.weights = append(g.weights, r.Float32())
	}
	return g
}

// An arc leads to a vertex.
type arc struct {
	to     engine.Label
	weight float32
}

// arcs lists the arcs of every vertex, without self loops.
func (g weightedGraph) arcs() [][]arc {
	arcs := make([][]arc, g.n)
	for i, e := range g.tuples {
		if e.U != e.V {
			arcs[e.U] = append(arcs[e.U], arc{e.V, g.weights[i]})
			arcs[e.V] = append(arcs[e.V], arc{e.U, g.weights[i]})
		}
	}
	return arcs
}

// shortest is Dijkstra's serial search with a binary heap.
func (g weightedGraph) shortest(root engine.Label) Search {
	s := Search{
		Root:      engine.Vertex(root),
		Parents:   slices.Repeat([]engine.Label{engine.None}, g.n),
		Distances: slices.Repeat([]float32{engine.Unreached}, g.n),
	}
	arcs := g.arcs()
	s.Parents[root], s.Distances[root] = root, 0
	heap := []arc{{root, 0}} // with the distances at which the vertices were added
	swap := func(i, j int) { heap[i], heap[j] = heap[j], heap[i] }
	for len(heap) > 0 {
		least := heap[0]
		swap(0, len(heap)-1)
		heap = heap[:len(heap)-1]
		for i, child := 0, 1; child < len(heap); i, child = child, 2*child+1 {
			if child+1 < len(heap) && heap[child+1].weight < heap[child].weight {
				child++
			}
			if heap[i].weight <= heap[child].weight {
				break
			}
			swap(i, child)
		}
		u, d := least.to, least.weight
		if d != s.Distances[u] {
			continue
		}
		for _, a := range arcs[u] {
			via := d + a.weight
			if old := s.Distances[a.to]; old >= 0 && old <= via {
				continue
			}
			s.Parents[a.to], s.Distances[a.to] = u, via
			heap = append(heap, arc{a.to, via})
			for i := len(heap) - 1; i > 0 && heap[i].weight < heap[(i-1)/2].weight; i = (i - 1) / 2 {
				swap(i, (i-1)/2)
			}
		}
	}
	return s
}

// clone returns a copy of a search.
func clone(s Search) Search {
	return Search{Root: s.Root, Parents: slices.Clone(s.Parents), Distances: slices.Clone(s.Distances)}
}

// factsOf returns the facts of a correct search.
func (g weightedGraph) factsOf(s Search) engine.Tree {
	levels, _ := g.levels(s)
	t := g.facts(levels)
	t.MaxDistance = slices.Max(s.Distances)
	return t
}

// levels returns the number of steps from each vertex to the root along the parents,
// -1 outside the tree, and the smallest vertex whose parents do not lead to the root,
// or -1. The parents must satisfy rule Entry.
func (g weightedGraph) levels(s Search) (levels []int, lost int) {
	levels, lost = make([]int, g.n), -1
	for v := range levels {
		u := engine.Label(v)
		for ; u != engine.None && engine.Vertex(u) != s.Root && levels[v] <= g.n; u = s.Parents[u] {
			levels[v]++
		}
		if s.Parents[v] == engine.None {
			levels[v] = -1
		} else if (u == engine.None || levels[v] > g.n) && lost < 0 {
			lost = v
		}
	}
	return levels, lost
}

// isShortest reports whether s is a correct search by definition: the distances are
// those of Dijkstra's search, and the path along the parents of each vertex has this
// length.
func (g weightedGraph) isShortest(s Search) bool {
	if len(s.Parents) != g.n || len(s.Distances) != g.n || int(s.Root) >= g.n {
		return false
	}
	arcs := g.arcs()
	for v, want := range g.shortest(engine.Label(s.Root)).Distances {
		if math.Float32bits(want) != math.Float32bits(s.Distances[v]) || math.IsInf(float64(want), 0) {
			return false
		}
		p := s.Parents[v]
		switch {
		case want == engine.Unreached:
			if p != engine.None {
				return false
			}
		case engine.Vertex(v) == s.Root:
			if engine.Vertex(p) != s.Root {
				return false
			}
		case int(p) >= g.n || !slices.ContainsFunc(arcs[p], func(a arc) bool { return int(a.to) == v && s.Distances[p]+a.weight == want }):
			return false
		}
	}
	_, lost := g.levels(s)
	return lost < 0
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
	if _, lost := g.levels(s); lost >= 0 {
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
	arcs := g.arcs()
	for v, p := range s.Parents {
		if p != engine.None && v != root &&
			!slices.ContainsFunc(arcs[v], func(a arc) bool { return a.to == p && s.Distances[p]+a.weight == s.Distances[v] }) {
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

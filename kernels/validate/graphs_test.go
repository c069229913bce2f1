//go:build cuda

package validate

import (
	"math"
	"math/rand/v2"
	"slices"

	"graph500/conformance"
	"graph500/device/devicetest"
	"graph500/engine"
	cores "graph500/validate"
)

// testGraph is a list of tuples over n vertices, with weights for SSSP.
type testGraph struct {
	n int
	engine.Tuples
}

func joined(u, v int) engine.Edge { return engine.Edge{U: engine.Label(u), V: engine.Label(v)} }

// unweighted returns the graph of these tuples.
func unweighted(n int, edges ...engine.Edge) testGraph {
	return testGraph{n, engine.Tuples{Edges: edges}}
}

// add appends a tuple with a weight.
func (g *testGraph) add(u, v int, w float32) {
	g.Edges, g.Weights = append(g.Edges, joined(u, v)), append(g.Weights, w)
}

// of returns the graph for a kernel: with weights for SSSP, by default of several kinds.
func (g testGraph) of(k engine.Kernel) testGraph {
	if k == engine.BFS {
		g.Weights = nil
	} else if g.Weights == nil {
		g.Weights = make([]float32, len(g.Edges))
		for i := range g.Weights {
			g.Weights[i] = float32(i%7) / 8
		}
	}
	return g
}

// officialGraph is the Kronecker graph of edge factor 16 with its weights.
func officialGraph(scale int) testGraph {
	return testGraph{1 << scale, devicetest.OfficialWeighted(scale)}
}

// starGraph joins vertex 0 twice with each of the others.
func starGraph(n int) testGraph {
	g := testGraph{n: n}
	for v := 1; v < n; v++ {
		g.Edges = append(g.Edges, joined(v, 0), joined(0, v))
	}
	return g
}

// pathGraph joins each vertex with the one before it.
func pathGraph(n int) testGraph {
	g := testGraph{n: n}
	for v := 1; v < n; v++ {
		g.Edges = append(g.Edges, joined(v-1, v))
	}
	return g
}

// nastyGraphs lists graphs that expose typical errors: without edges, of self loops, of equal
// tuples, of several components, stars, paths, and trees too deep for a table of bytes.
func nastyGraphs() map[string]testGraph {
	star, zeros, tuple := testGraph{n: devicetest.Sized(int(1e5), 500)}, testGraph{n: 300}, testGraph{n: 40}
	for v := 1; v < star.n; v++ {
		star.add(v, 0, float32(v%7)/8)
		star.add(0, v, float32(v%5)/4)
	}
	for v := 1; v < zeros.n; v++ {
		zeros.add(v, v/2, 0)
	}
	for i := range 2000 {
		tuple.add(7+26*(i%2), 33-26*(i%2), 1+float32(i%3))
	}
	loop := pathGraph(301)
	loop.Edges = append(loop.Edges, joined(299, 299))
	shuffled := testGraph{n: devicetest.Sized(int(2e5), 300) + 3}
	order := rand.New(rand.NewPCG(1, 2)).Perm(shuffled.n)
	for i := 1; i < shuffled.n; i++ {
		shuffled.Edges = append(shuffled.Edges, joined(order[i], order[i-1]))
	}
	return map[string]testGraph{
		"one vertex":            {n: 1},
		"no tuples":             {n: 33},
		"one vertex with loops": unweighted(1, joined(0, 0), joined(0, 0), joined(0, 0)),
		"loops only":            unweighted(70, joined(3, 3), joined(69, 69), joined(3, 3)),
		"isolated vertex":       unweighted(3, joined(0, 1)),
		"duplicates":            unweighted(65, joined(0, 64), joined(64, 0), joined(0, 64), joined(64, 64)),
		"one tuple many times":  tuple,
		"two components":        unweighted(6, joined(0, 1), joined(1, 2), joined(3, 4), joined(4, 4)),
		"traps":                 trapGraph(),
		"star":                  star,
		"path":                  pathGraph(devicetest.Sized(int(1e5), 300)),
		"shuffled path":         shuffled,
		"path with a loop":      loop,
		"zero weights":          zeros,
	}
}

// trapGraph returns the graph of the traps of SSSP.
func trapGraph() testGraph {
	g := conformance.TrapGraph()
	return testGraph{g.Vertices, g.Tuples}
}

// randomGraph returns a small graph with loops, duplicate tuples and several components, or a
// deep one, with weights of one of several kinds.
func randomGraph(r *rand.Rand) testGraph {
	g := testGraph{n: 1 + r.IntN(100)}
	if r.IntN(4) == 0 { // a path with chords, with a depth near the limits of the tables
		g = pathGraph(2 + r.IntN(300))
		for range r.IntN(5) {
			u := r.IntN(g.n)
			g.Edges = append(g.Edges, joined(u, min(g.n-1, u+r.IntN(6))))
		}
	} else {
		for range r.IntN(200) {
			g.Edges = append(g.Edges, joined(r.IntN(g.n), r.IntN(g.n)))
		}
	}
	for range min(len(g.Edges), r.IntN(6)) {
		g.Edges = append(g.Edges, g.Edges[r.IntN(len(g.Edges))])
	}
	some := []float32{0, 1, 0.5, 0.25, 0.1, 1e-9, 1.0 / (1 << 24), 3e-8}
	huge := []float32{0, 1, 1e-45, 1e9, 1e37, 9e37, 1.2e38}
	kind := r.IntN(5)
	g.Weights = make([]float32, len(g.Edges))
	for i := range g.Weights {
		switch g.Weights[i] = float32(kind) / 2; kind {
		case 2:
			g.Weights[i] = r.Float32()
		case 3:
			g.Weights[i] = some[r.IntN(len(some))]
		case 4:
			g.Weights[i] = huge[r.IntN(len(huge))]
		}
	}
	return g
}

// rows lists the arcs of every vertex, without self loops.
func (g testGraph) rows() [][]conformance.Arc {
	return conformance.Graph{Vertices: g.n, Tuples: g.Tuples}.Rows()
}

// search returns a right result from a root, without distances if the graph has no weights.
func (g testGraph) search(root engine.Label) cores.Search {
	a := conformance.AnswerOf(g.n, g.Tuples, root)
	if g.Weights == nil {
		return cores.Search{Root: engine.Vertex(root), Parents: a.Parents}
	}
	return cores.Search{Root: engine.Vertex(root), Parents: a.Paths, Distances: a.Distances}
}

// unsearched is the result of a search that reaches only the root.
func (g testGraph) unsearched(root engine.Label) cores.Search {
	s := cores.Search{Root: engine.Vertex(root), Parents: slices.Repeat([]engine.Label{engine.None}, g.n)}
	s.Parents[root] = root
	if g.Weights != nil {
		s.Distances = slices.Repeat([]float32{engine.Unreached}, g.n)
		s.Distances[root] = 0
	}
	return s
}

// with returns a copy of a search with other parents: vertex, parent, ...
func with(s cores.Search, set ...engine.Label) cores.Search {
	s.Parents, s.Distances = slices.Clone(s.Parents), slices.Clone(s.Distances)
	for i := 0; i < len(set); i += 2 {
		s.Parents[set[i]] = set[i+1]
	}
	return s
}

// corrupt changes a search at one random vertex. It may remain right.
func (g testGraph) corrupt(r *rand.Rand, s cores.Search, rows [][]conformance.Arc) {
	v := engine.Label(r.IntN(g.n))
	near := rows[v]
	if g.Weights != nil && r.IntN(2) == 0 {
		g.corruptDistance(r, s, v, near)
		return
	}
	switch kind := r.IntN(8); {
	case kind < 4 && len(near) > 0: // another neighbour, often right
		s.Parents[v] = near[r.IntN(len(near))].To
	case kind < 5:
		s.Parents[v] = engine.Label(r.IntN(g.n))
	case kind < 6:
		s.Parents[v] = engine.None
	case kind < 7 && r.IntN(4) == 0:
		s.Parents[v] = []engine.Label{engine.Label(g.n + r.IntN(3)), engine.Beyond}[r.IntN(2)]
	case r.IntN(4) == 0:
		s.Parents[v] = v
	}
}

// corruptDistance changes the distance of a vertex, and perhaps its parent.
func (g testGraph) corruptDistance(r *rand.Rand, s cores.Search, v engine.Label, near []conformance.Arc) {
	inf := float32(math.Inf(1))
	values := []float32{0, float32(math.Copysign(0, -1)), 1e-45, 0.5, 1, 1e9, math.MaxFloat32, inf, -inf, float32(math.NaN()), -1, -1e-45}
	switch kind := r.IntN(5); {
	case kind == 0:
		s.Parents[v], s.Distances[v] = engine.None, engine.Unreached
	case kind == 1:
		s.Distances[v] = values[r.IntN(len(values))]
	case kind == 2:
		s.Distances[v] = math.Nextafter32(s.Distances[v], inf*float32(2*r.IntN(2)-1))
	case len(near) == 0:
	case kind == 3: // another neighbour that fits, if any
		for _, a := range near {
			if s.Distances[a.To]+a.Weight == s.Distances[v] {
				s.Parents[v] = a.To
			}
		}
	default: // a detour
		a := near[r.IntN(len(near))]
		s.Parents[v], s.Distances[v] = a.To, s.Distances[a.To]+a.Weight
	}
}

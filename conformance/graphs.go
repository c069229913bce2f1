// Package conformance is the suite that every engine passes in each of its forms (Form.Check):
// small graphs (Graphs, Random) with the answers of plain searches, and the checks of everything
// that an engine says about them. Tests of single searches compare theirs with the same answers
// (AnswerOf). It also has wrong results that every checker must refuse (Traps). Only tests use it. It
// must not know any engine or checker.
package conformance

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"graph500/engine"
	"graph500/kronecker"
)

// Graph is a weighted graph, and vertices to search from, which have an edge to another vertex.
type Graph struct {
	Name     string
	Vertices int
	Tuples   engine.Tuples
	Roots    []engine.Label
	Spec     kronecker.Spec // engines generate the tuples by it; zero: they load them
}

// Loaded reports whether engines load the tuples.
func (g Graph) Loaded() bool { return g.Spec.Scale == 0 }

// Graphs lists graphs that expose typical errors of construction and searches, with weights of
// one kind each. A graph of fewer vertices than least has its labels spread over more.
func Graphs(least int) (list []Graph) {
	edge := func(u, v int) engine.Edge { return engine.Edge{U: engine.Label(u), V: engine.Label(v)} }
	add := func(name string, vertices int, edges []engine.Edge) {
		kinds := weightings(len(edges))
		g := Graph{Name: name, Vertices: vertices, Tuples: engine.Tuples{Edges: edges, Weights: kinds[len(list)%len(kinds)].weights}}
		list = append(list, g.spread(least))
	}
	add("no vertex", 0, nil)
	add("one vertex with a loop", 1, []engine.Edge{edge(0, 0)})
	add("no tuples", 65, nil)
	add("loops only", 9, []engine.Edge{edge(3, 3), edge(8, 8), edge(3, 3)})
	add("one edge", 2, []engine.Edge{edge(1, 0)})
	add("four vertices", 4, []engine.Edge{edge(0, 1), edge(1, 2), edge(2, 0), edge(2, 3), edge(3, 3)})
	add("ends of the labels", 1025, []engine.Edge{edge(1024, 0), edge(64, 63), edge(500, 500)})
	add("duplicates", 65, []engine.Edge{edge(0, 64), edge(64, 0), edge(0, 64), edge(64, 64), edge(63, 64)})
	var path, back, star, pairs, islands, stars, complete, lollipop, grid, chain, sparse, hubs []engine.Edge
	for v := 1; v < 70; v++ {
		path, back = append(path, edge(v-1, v)), append(back, edge(70-v, 69-v))
	}
	for v := 1; v < 700; v++ {
		star = append(star, edge(5, v-1+v/6), edge(v, v))
		pairs = append(pairs, edge(2*v, 2*v+1))
		stars = append(stars, edge(v/100*100, v), edge(v/100*100, (v/100+1)*100))
	}
	for v := 0; v < 500; v += 5 {
		islands = append(islands, edge(v, v+1), edge(v+1, v+2), edge(v, v+1), edge(v+3, v+3))
	}
	for u := range 70 {
		for v := range u {
			complete, lollipop = append(complete, edge(u, v)), append(lollipop, edge(u, v))
		}
	}
	for v := 70; v < 120; v++ {
		lollipop = append(lollipop, edge(v, v-1))
	}
	for y := range 20 {
		for x := range 20 {
			grid = append(grid, edge(20*y+x, 20*y+(x+1)%20), edge(20*y+x, 20*((y+1)%20)+x))
		}
	}
	for level := range 6 { // dense levels
		for u := range 30 {
			for v := range 30 {
				chain = append(chain, edge(30*level+u, 30*(level+1)+v))
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 900 {
		sparse = append(sparse, edge(r.IntN(777), r.IntN(777)))
	}
	for range 12_000 { // the products turn low labels into hubs
		hubs = append(hubs, edge(r.IntN(2000)*r.IntN(2000)/2000, r.IntN(1500)*r.IntN(1500)/1500))
	}
	add("path", 70, path)
	add("reversed path", 70, back)
	add("star", 816, star)
	add("pairs", 1400, pairs)
	add("islands", 503, islands)
	add("stars in a row", 701, stars)
	add("complete", 70, complete)
	add("lollipop", 120, lollipop)
	add("grid", 400, grid)
	add("dense levels", 210, chain)
	add("sparse", 777, sparse)
	add("hubs", 2000, hubs)
	return append(list, Official(5).spread(least), Official(10).spread(least), HubsFirst(10, 8*max(least, 512)))
}

// Random returns that many random graphs, sparse and dense, evenly distributed and with hubs.
func Random(count, least int) (list []Graph) {
	r := rand.New(rand.NewPCG(5, uint64(count)))
	for i := range count {
		vertices := 2 + r.IntN(1<<(1+r.IntN(12)))
		edges := make([]engine.Edge, 1+r.IntN(8*vertices))
		skew := 1 + r.IntN(3)
		draw := func() engine.Label { // powers of a uniform number turn low labels into hubs
			return engine.Label(math.Pow(r.Float64(), float64(skew)) * float64(vertices))
		}
		for k := range edges {
			edges[k] = engine.Edge{U: draw(), V: draw()}
		}
		kinds := weightings(len(edges))
		g := Graph{Name: fmt.Sprint("random ", i), Vertices: vertices, Tuples: engine.Tuples{Edges: edges, Weights: kinds[i%len(kinds)].weights}}
		list = append(list, g.spread(least))
	}
	return list
}

// Official returns an official graph, which engines generate.
func Official(scale int) Graph {
	g := Generated(kronecker.Spec{Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3})
	g.Name = fmt.Sprint("official ", scale)
	return g
}

// Generated returns the Kronecker graph of a spec, which engines generate.
func Generated(spec kronecker.Spec) Graph {
	n := spec.Tuples()
	g := Graph{Name: fmt.Sprintf("generated %+v", spec), Spec: spec, Vertices: int(spec.Vertices()), Tuples: engine.Tuples{Edges: make([]engine.Edge, n), Weights: make([]float32, n)}}
	kronecker.New(spec).Tuples(g.Tuples, 0)
	return g.spread(0)
}

// AsLoaded returns the graph with tuples that engines load.
func (g Graph) AsLoaded() Graph {
	g.Name, g.Spec = g.Name+" loaded", kronecker.Spec{}
	return g
}

// HubsFirst returns an official graph whose vertices are renamed by falling degree: most arcs are
// at the lowest of at least that many labels. Equally long ranges of them have very different
// numbers of arcs.
func HubsFirst(scale, least int) Graph {
	g := Official(scale)
	degree, byDegree := make([]int, g.Vertices), make([]engine.Label, g.Vertices)
	for _, e := range g.Tuples.Edges {
		degree[e.U]++
		degree[e.V]++
	}
	for v := range byDegree {
		byDegree[v] = engine.Label(v)
	}
	slices.SortStableFunc(byDegree, func(u, v engine.Label) int { return degree[v] - degree[u] })
	apart := max(1, 1<<bits.Len(uint(least-1))>>scale)
	to := make([]engine.Label, g.Vertices)
	for place, v := range byDegree {
		to[v] = engine.Label(place * apart)
	}
	for i, e := range g.Tuples.Edges {
		g.Tuples.Edges[i] = engine.Edge{U: to[e.U], V: to[e.V]}
	}
	g.Name, g.Vertices, g.Spec = fmt.Sprint("hubs first ", scale), apart*g.Vertices, kronecker.Spec{}
	return g.spread(0)
}

// spread gives the vertices labels in many ranges if there are fewer than least, and finds the
// roots.
func (g Graph) spread(least int) Graph {
	if g.Vertices < least {
		mask := engine.Label(1)<<bits.Len(uint(least-1)) - 1
		to := func(v engine.Label) engine.Label { return v * 2741 & mask } // one to one: 2741 is odd
		spread := make([]engine.Edge, len(g.Tuples.Edges))
		for i, e := range g.Tuples.Edges {
			spread[i] = engine.Edge{U: to(e.U), V: to(e.V)}
		}
		g.Vertices, g.Tuples.Edges, g.Spec = int(mask)+1, spread, kronecker.Spec{}
	}
	g.Roots = nil
	edges := g.Tuples.Edges
	for _, i := range []int{0, len(edges) / 2, len(edges) - 1} {
		if i >= 0 && i < len(edges) && edges[i].U != edges[i].V {
			g.Roots = append(g.Roots, []engine.Label{edges[i].U, edges[i].V}[len(g.Roots)%2])
		}
	}
	return g
}

// A weighting is the weights of the tuples of a graph.
type weighting struct {
	kind    string
	weights []float32
}

// weightings returns weights of n tuples of each kind.
func weightings(n int) []weighting {
	r := rand.New(rand.NewPCG(3, uint64(n)))
	kinds := []struct {
		name   string
		weight func(i int, u float32) float32
	}{
		{"uniform", func(_ int, u float32) float32 { return u }},
		{"zero", func(int, float32) float32 { return 0 }},
		{"mixed", func(_ int, u float32) float32 { return float32(math.Exp(80*float64(u) - 60)) }},
		{"equal", func(int, float32) float32 { return 0.5 }},
		{"tiny", func(_ int, u float32) float32 { return u * math.SmallestNonzeroFloat32 * 100 }},
		{"absorbed", func(i int, _ float32) float32 { return []float32{1e9, 1, 0, 30}[i%4] }}, // sums of large weights absorb the others
		{"largest", func(_ int, u float32) float32 { return u * engine.LargestWeight(uint64(n)+1) }},
		{"huge", func(_ int, u float32) float32 { return u * 1e30 }},
	}
	list := make([]weighting, len(kinds))
	for k, kind := range kinds {
		list[k] = weighting{kind.name, make([]float32, n)}
		for i := range n {
			list[k].weights[i] = kind.weight(i, r.Float32())
		}
	}
	return list
}

// Weightings returns the graph with weights of each kind.
func (g Graph) Weightings() (list []Graph) {
	for _, w := range weightings(len(g.Tuples.Edges)) {
		other := g
		other.Name, other.Tuples.Weights, other.Spec = g.Name+" "+w.kind, w.weights, kronecker.Spec{}
		list = append(list, other)
	}
	return list
}

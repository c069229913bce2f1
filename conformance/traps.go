package conformance

import (
	"math"

	"graph500/engine"
)

// TrapGraph is a graph with root 0 whose trees and distances have every trap for a checker:
//
//	0 -.5- 1 -.25- 2 -.125- 3      and 0 -.9- 2, three tuples of other weights for 1-2
//	0 -1- 4, 0 -1- 5, 4 -1e-9- 5   absorbed weight
//	3 -0- 6, 6 -0- 7, 7 -0- 6      zero weights
//	0 -0- 8                        a second vertex at distance 0
//	1 -.3- 13 -.3- 14 -.7- 15      and 0 -1.9- 15, sums that float32 rounds
//	9 -.5- 10 -1e-9- 11 -.5- 9     another component
//	12                             isolated, with a self loop of weight 0
//	0 -.5- 34                      on the level of 2, whose label has the same low bits
func TrapGraph() Graph {
	g := Graph{Name: "traps", Vertices: 70, Roots: []engine.Label{0, 9, 3}} // more than a block
	for _, t := range []struct {
		u, v   engine.Label
		weight float32
	}{
		{0, 1, .5}, {2, 1, .75}, {1, 2, .25}, {1, 2, .5}, {2, 3, .125}, {0, 2, .9},
		{0, 4, 1}, {5, 0, 1}, {4, 5, 1e-9}, {3, 6, 0}, {6, 7, 0}, {7, 6, 0}, {8, 0, 0},
		{9, 10, .5}, {10, 11, 1e-9}, {9, 11, .5}, {12, 12, 0}, {0, 0, 0},
		{1, 13, .3}, {14, 13, .3}, {14, 15, .7}, {0, 15, 1.9}, {0, 34, .5},
	} {
		g.Tuples.Edges, g.Tuples.Weights = append(g.Tuples.Edges, engine.Edge{U: t.u, V: t.v}), append(g.Tuples.Weights, t.weight)
	}
	return g
}

// Results are parents of a search, and the distances of SSSP.
type Results struct {
	Parents   []engine.Label
	Distances []float32
}

// Trap is a change of the results of a search of TrapGraph from vertex 0 that breaks the rule of
// that name first.
type Trap struct {
	Name, Rule string
	Change     func(s Results)
}

// Hang gives a vertex another parent and distance, and those below it the distances that follow.
func (g Graph) Hang(s Results, v, parent engine.Label, distance float32) {
	s.Parents[v], s.Distances[v] = parent, distance
	rows := g.Rows()
	least := func(row []Arc, to engine.Label) float32 {
		w := float32(math.Inf(1))
		for _, a := range row {
			if a.To == to {
				w = min(w, a.Weight)
			}
		}
		return w
	}
	queue := []engine.Label{v}
	for steps := 0; steps < len(queue) && steps < g.Vertices; steps++ {
		u := queue[steps]
		for _, a := range rows[u] {
			if s.Parents[a.To] == u {
				s.Distances[a.To] = s.Distances[u] + least(rows[u], a.To)
				queue = append(queue, a.To)
			}
		}
	}
}

// Traps lists the changes for a kernel on TrapGraph, or on a graph with more below its vertices.
func Traps(k engine.Kernel, g Graph) []Trap {
	if k == engine.BFS {
		return treeTraps()
	}
	return pathTraps(g)
}

// treeTraps lists changes of the tree, of which 1, 2, 4, 5, 8, 15 and 34 are at depth 1, 3, 13 and
// 14 at depth 2, and 6 and 7 below 3.
func treeTraps() []Trap {
	const none = engine.None
	set := func(pairs ...engine.Label) func(Results) { // vertex, parent, ...
		return func(s Results) {
			for i := 0; i < len(pairs); i += 2 {
				s.Parents[pairs[i]] = pairs[i+1]
			}
		}
	}
	return []Trap{
		{"root without parent", "root", set(0, none)},
		{"root with a parent", "root", set(0, 8)},
		{"root out of range, and another error", "root", set(0, 70, 5, 5)},
		{"parent out of range", "entry", set(8, 70)},
		{"parent far out of range", "entry", set(3, none-1)},
		{"leaf its own parent", "entry", set(5, 5)},
		{"inner vertex its own parent", "entry", set(3, 3)},
		{"isolated vertex its own parent", "entry", set(12, 12)},
		{"other component with a root of its own", "entry", set(9, 9, 10, 9, 11, 9)},
		{"other component, cycle of two", "path", set(9, 10, 10, 9)},
		{"other component, cycle of three", "path", set(9, 10, 10, 11, 11, 9)},
		{"other component, chain", "path", set(9, 10)},
		{"isolated vertices, cycle of two", "path", set(20, 21, 21, 20)},
		{"isolated vertices, chain", "path", set(20, 21)},
		{"child as parent", "path", set(3, 6)},
		{"cut off from the root", "path", set(3, none)},
		{"other component hung on the root", "edge", set(9, 0, 10, 9, 11, 9)},
		{"isolated vertex claimed", "edge", set(12, 0)},
		{"level skipped without an edge", "edge", set(7, 0)},
		{"vertex of the parent's level", "edge", set(3, 8)},
		{"vertex of the parent's level whose label has the same low bits", "edge", set(3, 34)},
		{"unreached leaf", "level", set(5, none)},
		{"nothing but the root", "level", func(s Results) {
			for v := 1; v < len(s.Parents); v++ {
				s.Parents[v] = none
			}
		}},
		{"parent on the same level", "level", set(5, 4)},
		{"parent on the same level, far from the root", "level", set(14, 13)},
		{"parent on the same level, above others", "level", set(2, 1)},
	}
}

// pathTraps lists changes of parents and distances.
func pathTraps(g Graph) []Trap {
	const none, unreached = engine.None, engine.Unreached
	inf, nan, minus0 := float32(math.Inf(1)), float32(math.NaN()), float32(math.Copysign(0, -1))
	type entry struct {
		v, parent engine.Label
		distance  float32
	}
	set := func(entries ...entry) func(Results) {
		return func(s Results) {
			for _, e := range entries {
				s.Parents[e.v], s.Distances[e.v] = e.parent, e.distance
			}
		}
	}
	to := func(v int, d float32) func(Results) { return func(s Results) { s.Distances[v] = d } }
	hang := func(v, parent engine.Label, distance float32) func(Results) {
		return func(s Results) { g.Hang(s, v, parent, distance) }
	}
	next := func(v engine.Label, direction float32) func(Results) { // along the whole subtree
		return func(s Results) { g.Hang(s, v, s.Parents[v], math.Nextafter32(s.Distances[v], direction)) }
	}
	return []Trap{
		{"other component at 1e9, cycle of two", "path", set(entry{9, 10, 1e9}, entry{10, 9, 1e9}, entry{11, 9, 1e9})},
		{"other component at 1e9, cycle of three", "path", set(entry{9, 10, 1e9}, entry{10, 11, 1e9}, entry{11, 9, 1e9})},
		{"other component at infinite distances, cycle", "path", set(entry{9, 10, inf}, entry{10, 9, inf}, entry{11, 9, inf})},
		{"other component hung on the root at infinite distances", "distance", set(entry{9, 0, inf}, entry{10, 9, inf}, entry{11, 9, inf})},
		{"other component hung on the root at 1e9", "tight", set(entry{9, 0, 1e9}, entry{10, 9, 1e9}, entry{11, 9, 1e9})},
		{"other component with a root of its own", "entry", set(entry{9, 9, 0}, entry{10, 9, .5}, entry{11, 9, .5})},
		{"cycle of zero weights at distance 0 outside", "path", set(entry{10, 11, 0}, entry{11, 10, 0})},
		{"cycle of absorbed weights", "path", set(entry{4, 5, 1}, entry{5, 4, 1})},
		{"cycle of zero weights", "path", set(entry{6, 7, .875}, entry{7, 6, .875})},
		{"NaN", "distance", to(5, nan)},
		{"NaN at the root", "distance", to(0, nan)},
		{"NaN outside", "distance", to(20, nan)},
		{"-0 at distance 0", "distance", to(8, minus0)},
		{"-0 at the root", "distance", to(0, minus0)},
		{"-0 outside", "distance", to(20, minus0)},
		{"negative", "distance", to(4, -.5)},
		{"infinite", "distance", to(7, inf)},
		{"negative infinite", "distance", to(7, -inf)},
		{"root at 1", "distance", to(0, 1)},
		{"root at the smallest distance", "distance", to(0, 1e-45)},
		{"all distances larger", "distance", func(s Results) {
			for v, d := range s.Distances {
				if d >= 0 {
					s.Distances[v] = d + 1
				}
			}
		}},
		{"root unreached", "distance", to(0, unreached)},
		{"reached without distance", "distance", to(3, unreached)},
		{"outside with a distance", "distance", to(20, 1)},
		{"outside with distance 0", "distance", to(69, 0)},
		{"outside almost unreached", "distance", to(69, math.Nextafter32(-1, 0))},
		{"without parent, with a distance", "distance", set(entry{15, none, 1.8})},
		{"isolated vertex its own parent", "entry", set(entry{12, 12, 0})},
		{"isolated vertex claimed", "tight", set(entry{12, 0, 0})},
		{"parent is no neighbour", "tight", set(entry{5, 8, 1})},
		{"parent is no neighbour, at a distance that another tuple gives", "tight", set(entry{3, 13, .875})},
		{"parent whose weight does not fit", "tight", set(entry{2, 0, .75})},
		{"distance of another weight", "tight", set(entry{2, 0, .8})},
		{"distance between those of duplicates", "tight", set(entry{2, 1, .8})},
		{"distance of no weight", "tight", set(entry{13, 1, .9})},
		{"child as parent", "path", set(entry{1, 2, .5})},
		{"leaf one ulp too long", "tight", next(15, inf)},
		{"leaf one ulp too short", "tight", next(15, 0)},
		{"subtree one ulp too long", "tight", next(1, inf)},
		{"subtree one ulp too short", "tight", next(1, 0)},
		{"below the root one ulp too short", "tight", next(4, 0)},
		{"larger duplicate weight", "relaxed", hang(2, 1, 1)},
		{"detour", "relaxed", hang(2, 0, .9)},
		{"detour of a leaf", "relaxed", set(entry{15, 0, 1.9})},
		{"unreached leaf", "relaxed", set(entry{15, none, unreached})},
		{"unreached leaf at distance 0", "relaxed", set(entry{8, none, unreached})},
		{"nothing but the root", "relaxed", func(s Results) {
			for v := 1; v < g.Vertices; v++ {
				s.Parents[v], s.Distances[v] = none, unreached
			}
		}},
		{"root without parent", "root", set(entry{0, none, unreached})},
		{"root with a parent", "root", set(entry{0, 8, 0})},
		{"parent out of range", "entry", set(entry{3, 70, .875})},
		{"parent far out of range", "entry", set(entry{3, none - 1, .875})},
	}
}

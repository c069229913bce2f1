package validate

import (
	"graph500/conformance"
	"graph500/engine"
)

// A testGraph is a list of tuples over n vertices.
type testGraph struct {
	n      int
	tuples []engine.Edge
}

func edge(u, v int) engine.Edge { return engine.Edge{U: engine.Label(u), V: engine.Label(v)} }

// kroneckerGraph returns the official graph with edge factor 16.
func kroneckerGraph(scale int) testGraph {
	g := conformance.Official(scale)
	return testGraph{g.Vertices, g.Tuples.Edges}
}

// answer is what a search must find.
func (g testGraph) answer(root engine.Label) conformance.Answer {
	return conformance.AnswerOf(g.n, engine.Tuples{Edges: g.tuples}, root)
}

// rows lists the arcs of every vertex, without self loops.
func (g testGraph) rows() [][]conformance.Arc {
	return conformance.Graph{Vertices: g.n, Tuples: engine.Tuples{Edges: g.tuples}}.Rows()
}

// search returns the parents and depths of a right search; the depth of an unvisited vertex is -1.
func (g testGraph) search(root engine.Label) (parents []engine.Label, depths []int) {
	a := g.answer(root)
	return a.Parents, a.Depths
}

// levels returns the number of steps from each vertex to the root along the parents, -1 outside the
// tree, and the smallest vertex whose parents do not lead to the root, or -1. The parents must
// satisfy rule Entry.
func levels(parents []engine.Label, root engine.Label) (levels []int, lost int) {
	levels = make([]int, len(parents))
	state := make([]int, len(parents)) // 0 unknown, 1 on the current path, 2 leads to the root, 3 does not
	state[root] = 2
	for v := range parents {
		if parents[v] == engine.None {
			levels[v], state[v] = -1, 3
		}
	}
	for v := range parents {
		var path []int
		u := v
		for state[u] == 0 {
			state[u] = 1
			path = append(path, u)
			u = int(parents[u])
		}
		for i := len(path) - 1; i >= 0; i-- {
			if state[u] == 2 {
				levels[path[i]] = levels[parents[path[i]]] + 1
				state[path[i]] = 2
			} else {
				state[path[i]] = 3
			}
		}
	}
	for v, p := range parents {
		if p != engine.None && state[v] != 2 {
			return levels, v
		}
	}
	return levels, -1
}

// firstBroken applies the rules literally, one after the other. It returns the
// first broken rule and the smallest vertex or tuple that breaks it; ok is true if
// the tree is valid.
func (g testGraph) firstBroken(parents []engine.Label, root engine.Label) (rule Rule, place int, ok bool) {
	if len(parents) != g.n {
		return Size, 0, false
	}
	if int(root) >= g.n || parents[root] != root {
		return Root, int(root), false
	}
	for v, p := range parents {
		if p != engine.None && (int(p) >= g.n || int(p) == v && p != root) {
			return Entry, v, false
		}
	}
	levels, lost := levels(parents, root)
	if lost >= 0 {
		return Path, lost, false
	}
	joined := make(map[engine.Edge]bool)
	for _, e := range g.tuples {
		joined[engine.Edge{U: min(e.U, e.V), V: max(e.U, e.V)}] = true
	}
	for v, p := range parents {
		u := engine.Label(v)
		if p != engine.None && u != root && !joined[engine.Edge{U: min(u, p), V: max(u, p)}] {
			return Edge, v, false
		}
	}
	for i, e := range g.tuples {
		if a, b := levels[e.U], levels[e.V]; (a < 0) != (b < 0) || a-b > 1 || b-a > 1 {
			return Level, i, false
		}
	}
	return 0, 0, true
}

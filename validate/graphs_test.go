package validate

import (
	"context"
	"testing"

	"graph500/engine"
	"graph500/kronecker"
	"graph500/memory"
	"graph500/parallel"
)

// A testGraph is a list of tuples over n vertices.
type testGraph struct {
	n      int
	tuples []engine.Edge
}

func edge(u, v int) engine.Edge { return engine.Edge{U: engine.Label(u), V: engine.Label(v)} }

// kroneckerGraph returns the official graph with edge factor 16.
func kroneckerGraph(tb testing.TB, scale int) testGraph {
	tb.Helper()
	spec := kronecker.Spec{Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3}
	tuples, err := memory.Alloc[engine.Edge](int(spec.Tuples()))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = memory.Free(tuples) })
	team := parallel.NewTeam(0)
	defer team.Close()
	if err := kronecker.New(spec).Fill(context.Background(), team, engine.Tuples{Edges: tuples}, nil); err != nil {
		tb.Fatal(err)
	}
	return testGraph{int(spec.Vertices()), tuples}
}

// neighbours lists the neighbours of every vertex v in list[start[v]:start[v+1]].
func (g testGraph) neighbours() (start []int, list []engine.Label) {
	start = make([]int, g.n+2)
	for _, e := range g.tuples {
		start[e.U+2]++
		start[e.V+2]++
	}
	for i := 2; i < len(start); i++ {
		start[i] += start[i-1]
	}
	list = make([]engine.Label, 2*len(g.tuples))
	for _, e := range g.tuples {
		list[start[e.U+1]] = e.V
		start[e.U+1]++
		list[start[e.V+1]] = e.U
		start[e.V+1]++
	}
	return start[:g.n+1], list
}

// search is a serial breadth-first search. It returns parents and depths; the
// depth of an unvisited vertex is -1.
func (g testGraph) search(root engine.Label) (parents []engine.Label, depths []int) {
	start, list := g.neighbours()
	parents = make([]engine.Label, g.n)
	depths = make([]int, g.n)
	for v := range parents {
		parents[v], depths[v] = engine.None, -1
	}
	parents[root], depths[root] = root, 0
	queue := []engine.Label{root}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		for _, v := range list[start[u]:start[u+1]] {
			if depths[v] < 0 {
				parents[v], depths[v] = u, depths[u]+1
				queue = append(queue, v)
			}
		}
	}
	return parents, depths
}

// facts returns the facts of a correct tree with the given depths.
func (g testGraph) facts(depths []int) engine.Tree {
	var t engine.Tree
	for _, d := range depths {
		if d >= 0 {
			t.Visited++
			t.Depth = max(t.Depth, int64(d))
		}
	}
	for _, e := range g.tuples {
		switch {
		case depths[e.U] < 0:
		case e.U == e.V:
			t.SelfLoops++
		default:
			t.Edges++
		}
	}
	return t
}

// isTree reports whether parents is a breadth-first tree of root by definition: a
// search reaches the same vertices, and every parent is a neighbour in the
// previous level.
func (g testGraph) isTree(parents []engine.Label, root engine.Label) bool {
	if len(parents) != g.n || int(root) >= g.n || parents[root] != root {
		return false
	}
	near := make([]map[engine.Label]bool, g.n)
	for v := range near {
		near[v] = map[engine.Label]bool{}
	}
	for _, e := range g.tuples {
		near[e.U][e.V] = true
		near[e.V][e.U] = true
	}
	_, depths := g.search(root)
	for v, p := range parents {
		switch {
		case engine.Label(v) == root:
		case depths[v] < 0:
			if p != engine.None {
				return false
			}
		case !near[v][p] || depths[p] != depths[v]-1:
			return false
		}
	}
	return true
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
	levels := make([]int, g.n) // -1 outside the tree
	state := make([]int, g.n)  // 0 unknown, 1 on the current path, 2 leads to the root, 3 does not
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
			return Path, v, false
		}
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

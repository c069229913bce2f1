package conformance

import (
	"container/heap"
	"fmt"
	"math"
	"slices"

	"graph500/engine"
)

// Arc leads to a vertex.
type Arc struct {
	To     engine.Label
	Weight float32
}

// Rows lists the arcs of every vertex, without self loops.
func (g Graph) Rows() [][]Arc {
	rows := make([][]Arc, g.Vertices)
	for i, e := range g.Tuples.Edges {
		w := float32(0)
		if g.Tuples.Weights != nil {
			w = g.Tuples.Weights[i]
		}
		if e.U != e.V {
			rows[e.U], rows[e.V] = append(rows[e.U], Arc{e.V, w}), append(rows[e.V], Arc{e.U, w})
		}
	}
	return rows
}

// info returns the facts of the graph of a kernel: that of SSSP has the arcs of all tuples.
func (g Graph) info(k engine.Kernel) engine.Graph {
	info := engine.Graph{Vertices: int64(g.Vertices), Tuples: int64(len(g.Tuples.Edges))}
	for _, row := range g.Rows() {
		near := map[engine.Label]bool{}
		for _, a := range row {
			near[a.To] = true
		}
		if len(near) > 0 {
			info.Connected++
		}
		degree := int64(len(near))
		if k == engine.SSSP {
			degree = int64(len(row))
		}
		info.Arcs, info.MaxDegree = info.Arcs+degree, max(info.MaxDegree, degree)
	}
	for _, e := range g.Tuples.Edges {
		if e.U == e.V {
			info.SelfLoops++
		}
	}
	info.Duplicates = info.Tuples - info.SelfLoops - info.Arcs/2
	return info
}

// Answer is what a search from a root must find. Distances are of tuples with weights.
type Answer struct {
	Root      engine.Label
	Depths    []int     // -1: unreached
	Distances []float32 // engine.Unreached: unreached
	Sizes     []int64   // vertices of each depth
	Tree      engine.Tree
	Parents   []engine.Label // one of the right trees
	Paths     []engine.Label // one of the right trees of shortest paths
	rows      [][]Arc
}

// AnswerOf searches a graph of that many vertices.
func AnswerOf(vertices int, tuples engine.Tuples, root engine.Label) Answer {
	g := Graph{Vertices: vertices, Tuples: tuples}
	return g.answer(g.Rows(), root)
}

type nearest []Arc

func (q nearest) Len() int           { return len(q) }
func (q nearest) Less(i, j int) bool { return q[i].Weight < q[j].Weight }
func (q nearest) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *nearest) Push(x any)        { *q = append(*q, x.(Arc)) }
func (q *nearest) Pop() any {
	x := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return x
}

// answer searches from a root with a queue, and with Dijkstra's algorithm.
func (g Graph) answer(rows [][]Arc, root engine.Label) Answer {
	n := g.Vertices
	a := Answer{Root: root, Depths: make([]int, n), Distances: make([]float32, n), Parents: make([]engine.Label, n), Paths: make([]engine.Label, n), rows: rows}
	for v := range rows {
		a.Depths[v], a.Distances[v], a.Parents[v], a.Paths[v] = -1, engine.Unreached, engine.None, engine.None
	}
	a.Depths[root], a.Distances[root], a.Parents[root], a.Paths[root] = 0, 0, root, root
	for queue := []engine.Label{root}; len(queue) > 0; queue = queue[1:] {
		u := queue[0]
		if len(a.Sizes) == a.Depths[u] {
			a.Sizes = append(a.Sizes, 0)
		}
		a.Sizes[a.Depths[u]]++
		for _, to := range rows[u] {
			if a.Depths[to.To] < 0 {
				a.Depths[to.To], a.Parents[to.To] = a.Depths[u]+1, u
				queue = append(queue, to.To)
			}
		}
	}
	for q := (nearest{{root, 0}}); g.Tuples.Weights != nil && len(q) > 0; {
		x := heap.Pop(&q).(Arc)
		if a.Distances[x.To] != x.Weight {
			continue
		}
		for _, to := range rows[x.To] {
			if d := x.Weight + to.Weight; a.Distances[to.To] < 0 || d < a.Distances[to.To] {
				a.Distances[to.To], a.Paths[to.To] = d, x.To
				heap.Push(&q, Arc{to.To, d})
			}
		}
	}
	for v, d := range a.Depths {
		if d >= 0 {
			a.Tree.Visited++
			a.Tree.MaxDistance = max(a.Tree.MaxDistance, a.Distances[v])
		}
	}
	for _, e := range g.Tuples.Edges {
		switch {
		case a.Depths[e.U] < 0:
		case e.U == e.V:
			a.Tree.SelfLoops++
		default:
			a.Tree.Edges++
		}
	}
	a.Tree.Depth = int64(len(a.Sizes) - 1)
	return a
}

// Judge requires that parents, and the distances of SSSP, are right by the definition: the parent
// of a vertex is a neighbour one level, or one least weight, nearer to the root, and parents lead
// to the root.
func (a Answer) Judge(k engine.Kernel, parents []engine.Label, distances []float32) error {
	rows := a.rows
	if len(parents) != len(rows) || k == engine.SSSP && len(distances) != len(rows) {
		return fmt.Errorf("root %d: %d parents and %d distances of %d vertices", a.Root, len(parents), len(distances), len(rows))
	}
	for v, p := range parents {
		reached := a.Depths[v] >= 0
		if reached != (p != engine.None) || reached && int(p) >= len(rows) || (engine.Label(v) == a.Root) != (reached && engine.Label(v) == p) {
			return fmt.Errorf("root %d: vertex %d of depth %d has parent %d", a.Root, v, a.Depths[v], p)
		}
		if k == engine.SSSP && math.Float32bits(distances[v]) != math.Float32bits(a.Distances[v]) {
			return fmt.Errorf("root %d: vertex %d has distance %v, want %v", a.Root, v, distances[v], a.Distances[v])
		}
		if !reached || engine.Label(v) == a.Root {
			continue
		}
		fits := false
		for _, to := range rows[v] {
			fits = fits || to.To == p && (k == engine.BFS && a.Depths[p] == a.Depths[v]-1 || k == engine.SSSP && a.Distances[p]+to.Weight == a.Distances[v])
		}
		if !fits {
			return fmt.Errorf("root %d: vertex %d of depth %d and distance %v has parent %d of depth %d and distance %v", a.Root, v, a.Depths[v], a.Distances[v], p, a.Depths[p], a.Distances[p])
		}
		steps := 0
		for u := p; k == engine.SSSP && u != a.Root && a.Distances[u] == a.Distances[v]; u = parents[u] { // they could form a cycle
			if steps++; steps > len(rows) || int(parents[u]) >= len(rows) {
				return fmt.Errorf("root %d: the parents of vertex %d do not lead to the root", a.Root, v)
			}
		}
	}
	return nil
}

// JudgeLevels requires that the levels of a BFS have the vertices of the answer, and others none.
func (a Answer) JudgeLevels(p engine.Profile) error {
	if p.LevelCount < int64(len(a.Sizes)-1) {
		return fmt.Errorf("root %d: %d levels, the vertices of each depth are %d", a.Root, p.LevelCount, a.Sizes)
	}
	sizes := append(slices.Clone(a.Sizes), make([]int64, len(p.Levels)+1)...)
	for i, l := range p.Levels {
		if l.Frontier != sizes[i] || l.Found != sizes[i+1] {
			return fmt.Errorf("root %d: level %d is %+v, the vertices of each depth are %d", a.Root, i, l, a.Sizes)
		}
	}
	return nil
}

package conformance

import (
	"container/heap"
	"fmt"
	"math"

	"graph500/engine"
)

// arc leads to a vertex.
type arc struct {
	to     engine.Label
	weight float32
}

// rows lists the arcs of every vertex, without self loops.
func (g Graph) rows() [][]arc {
	rows := make([][]arc, g.Vertices)
	for i, e := range g.Tuples.Edges {
		if w := g.Tuples.Weights[i]; e.U != e.V {
			rows[e.U], rows[e.V] = append(rows[e.U], arc{e.V, w}), append(rows[e.V], arc{e.U, w})
		}
	}
	return rows
}

// info returns the facts of the graph of a kernel: that of SSSP has the arcs of all tuples.
func (g Graph) info(k engine.Kernel) engine.Graph {
	info := engine.Graph{Vertices: int64(g.Vertices), Tuples: int64(len(g.Tuples.Edges))}
	for _, row := range g.rows() {
		near := map[engine.Label]bool{}
		for _, a := range row {
			near[a.to] = true
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

// answer is what a search from a root must find.
type answer struct {
	root      engine.Label
	depths    []int     // -1: unreached
	distances []float32 // engine.Unreached: unreached
	sizes     []int64   // vertices of each depth
	tree      engine.Tree
}

type nearest []arc

func (q nearest) Len() int           { return len(q) }
func (q nearest) Less(i, j int) bool { return q[i].weight < q[j].weight }
func (q nearest) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *nearest) Push(x any)        { *q = append(*q, x.(arc)) }
func (q *nearest) Pop() any {
	x := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return x
}

// answer searches from a root with a queue, and with Dijkstra's algorithm.
func (g Graph) answer(rows [][]arc, root engine.Label) answer {
	a := answer{root: root, depths: make([]int, g.Vertices), distances: make([]float32, g.Vertices)}
	for v := range rows {
		a.depths[v], a.distances[v] = -1, engine.Unreached
	}
	a.depths[root], a.distances[root] = 0, 0
	for queue := []engine.Label{root}; len(queue) > 0; queue = queue[1:] {
		u := queue[0]
		if len(a.sizes) == a.depths[u] {
			a.sizes = append(a.sizes, 0)
		}
		a.sizes[a.depths[u]]++
		for _, to := range rows[u] {
			if a.depths[to.to] < 0 {
				a.depths[to.to] = a.depths[u] + 1
				queue = append(queue, to.to)
			}
		}
	}
	for q := (nearest{{root, 0}}); len(q) > 0; {
		x := heap.Pop(&q).(arc)
		if a.distances[x.to] != x.weight {
			continue
		}
		for _, to := range rows[x.to] {
			if d := x.weight + to.weight; a.distances[to.to] < 0 || d < a.distances[to.to] {
				a.distances[to.to] = d
				heap.Push(&q, arc{to.to, d})
			}
		}
	}
	for v, d := range a.depths {
		if d >= 0 {
			a.tree.Visited++
			a.tree.MaxDistance = max(a.tree.MaxDistance, a.distances[v])
		}
	}
	for _, e := range g.Tuples.Edges {
		switch {
		case a.depths[e.U] < 0:
		case e.U == e.V:
			a.tree.SelfLoops++
		default:
			a.tree.Edges++
		}
	}
	a.tree.Depth = int64(len(a.sizes) - 1)
	return a
}

// judge requires that parents, and the distances of SSSP, are right by the definition: the parent
// of a vertex is a neighbour one level, or one least weight, nearer to the root, and parents lead
// to the root.
func (a answer) judge(rows [][]arc, k engine.Kernel, parents []engine.Label, distances []float32) error {
	if len(parents) != len(rows) || k == engine.SSSP && len(distances) != len(rows) {
		return fmt.Errorf("root %d: %d parents and %d distances of %d vertices", a.root, len(parents), len(distances), len(rows))
	}
	for v, p := range parents {
		reached := a.depths[v] >= 0
		if reached != (p != engine.None) || reached && int(p) >= len(rows) || (engine.Label(v) == a.root) != (reached && engine.Label(v) == p) {
			return fmt.Errorf("root %d: vertex %d of depth %d has parent %d", a.root, v, a.depths[v], p)
		}
		if k == engine.SSSP && math.Float32bits(distances[v]) != math.Float32bits(a.distances[v]) {
			return fmt.Errorf("root %d: vertex %d has distance %v, want %v", a.root, v, distances[v], a.distances[v])
		}
		if !reached || engine.Label(v) == a.root {
			continue
		}
		fits := false
		for _, to := range rows[v] {
			fits = fits || to.to == p && (k == engine.BFS && a.depths[p] == a.depths[v]-1 || k == engine.SSSP && a.distances[p]+to.weight == a.distances[v])
		}
		if !fits {
			return fmt.Errorf("root %d: vertex %d of depth %d and distance %v has parent %d of depth %d and distance %v", a.root, v, a.depths[v], a.distances[v], p, a.depths[p], a.distances[p])
		}
		steps := 0
		for u := p; u != a.root; u = parents[u] { // parents of distance 0 could form a cycle
			if steps++; steps > len(rows) || int(parents[u]) >= len(rows) {
				return fmt.Errorf("root %d: the parents of vertex %d do not lead to the root", a.root, v)
			}
		}
	}
	return nil
}

// profile requires that the levels of a BFS have the vertices of the answer.
func (a answer) profile(p engine.Profile) error {
	if n := int64(len(a.sizes)); p.LevelCount != n && p.LevelCount != n-1 {
		return fmt.Errorf("root %d: %d levels, the vertices of each depth are %d", a.root, p.LevelCount, a.sizes)
	}
	for i, l := range p.Levels {
		found := int64(0)
		if i+1 < len(a.sizes) {
			found = a.sizes[i+1]
		}
		if l.Frontier != a.sizes[i] || l.Found != found {
			return fmt.Errorf("root %d: level %d is %+v, the vertices of each depth are %d", a.root, i, l, a.sizes)
		}
	}
	return nil
}

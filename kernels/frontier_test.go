//go:build cuda

package kernels

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/engine"
	"graph500/kronecker"
)

// frontierCase is a graph to search, and what is constructed of it.
type frontierCase struct {
	device   *Device
	vertices int
	tuples   []engine.Edge
	graph    *Graph
	parents  *Array[engine.Vertex]
}

func newFrontierCase(t *testing.T, vertices int, tuples []engine.Edge) *frontierCase {
	t.Helper()
	c := &frontierCase{device: testDevice(t), vertices: vertices, tuples: tuples}
	onDevice, err := Alloc[engine.Edge](c.device, "tuples", len(tuples))
	if err != nil {
		t.Fatal(err)
	}
	if err := onDevice.Write(0, tuples); err != nil {
		t.Fatal(err)
	}
	if c.graph, err = Construct(t.Context(), c.device, uint64(vertices), onDevice); err != nil {
		t.Fatal(err)
	}
	if c.parents, err = Alloc[engine.Vertex](c.device, "parents", vertices); err != nil {
		t.Fatal(err)
	}
	return c
}

// distances is a plain serial search of the tuples: -1 for unreached vertices.
func (c *frontierCase) distances(root engine.Vertex) (depth []int, neighbors []map[engine.Vertex]bool) {
	neighbors = make([]map[engine.Vertex]bool, c.vertices)
	for v := range neighbors {
		neighbors[v] = map[engine.Vertex]bool{}
	}
	for _, e := range c.tuples {
		neighbors[e.U][e.V] = true
		neighbors[e.V][e.U] = true
	}
	depth = slices.Repeat([]int{-1}, c.vertices)
	depth[root] = 0
	for queue := []engine.Vertex{root}; len(queue) > 0; queue = queue[1:] {
		for w := range neighbors[queue[0]] {
			if depth[w] < 0 {
				depth[w] = depth[queue[0]] + 1
				queue = append(queue, w)
			}
		}
	}
	return depth, neighbors
}

// search searches from root and checks parents and levels.
func (c *frontierCase) search(t *testing.T, f *Frontier, root engine.Vertex) {
	t.Helper()
	if err := c.parents.Fill(0xFF); err != nil {
		t.Fatal(err)
	}
	if err := f.Search(t.Context(), root); err != nil {
		t.Fatal(err)
	}
	parents := make([]engine.Vertex, c.vertices)
	if err := c.parents.Read(0, parents); err != nil {
		t.Fatal(err)
	}
	depth, neighbors := c.distances(root)
	found := make([]int64, c.vertices+2)
	for v, p := range parents {
		switch {
		case depth[v] < 0 && p != engine.None:
			t.Fatalf("root %d: vertex %d is out of reach but has parent %d", root, v, p)
		case depth[v] < 0:
		case p == engine.None:
			t.Fatalf("root %d: vertex %d was not reached", root, v)
		case depth[v] == 0 && p != root:
			t.Fatalf("root %d has parent %d", root, p)
		case depth[v] > 0 && (!neighbors[v][p] || depth[p] != depth[v]-1):
			t.Fatalf("root %d: vertex %d at depth %d has parent %d at depth %d", root, v, depth[v], p, depth[p])
		}
		if depth[v] >= 0 {
			found[depth[v]]++
		}
	}
	levels, err := f.Levels()
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range levels {
		if l.Frontier != found[i] || l.Found != found[i+1] || l.Examined < l.Found || l.Bytes <= 0 {
			t.Fatalf("root %d: level %d is %+v, want %d to %d vertices", root, i, l, found[i], found[i+1])
		}
	}
	if found[len(levels)] != 0 {
		t.Fatalf("root %d: %d levels, but there are vertices beyond", root, len(levels))
	}
	if took, err := f.DeviceTime(); err != nil || took <= 0 {
		t.Fatalf("%v by the device's clock, %v", took, err)
	}
}

// run searches from the given roots, in turn with the same state.
func (c *frontierCase) run(t *testing.T, roots ...engine.Vertex) {
	t.Helper()
	f, err := NewFrontier(c.device, c.graph, c.parents)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range f.queues {
		if err := q.Fill(0xA5); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.counts.Fill(0xA5); err != nil {
		t.Fatal(err)
	}
	for _, root := range roots {
		c.search(t, f, root)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestFrontierOnNastyGraphs(t *testing.T) {
	var star, complete, grid []engine.Edge
	for v := range engine.Vertex(5000) {
		star = append(star, engine.Edge{U: 2500, V: v})
	}
	for u := range engine.Vertex(70) {
		for v := range engine.Vertex(70) {
			complete = append(complete, engine.Edge{U: u, V: v})
		}
	}
	const side = 40
	for y := range engine.Vertex(side) {
		for x := range engine.Vertex(side - 1) {
			grid = append(grid, engine.Edge{U: y*side + x, V: y*side + x + 1}, engine.Edge{U: x*side + y, V: (x+1)*side + y})
		}
	}
	for _, c := range []struct {
		name     string
		vertices int
		tuples   []engine.Edge
		roots    []engine.Vertex
	}{
		{"one edge", 2, []engine.Edge{{U: 0, V: 1}}, []engine.Vertex{0, 1}},
		{"one edge among many vertices", 1000, []engine.Edge{{U: 999, V: 31}, {U: 31, V: 999}, {U: 5, V: 5}}, []engine.Vertex{31, 999}},
		{"two components", 70, []engine.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 64, V: 69}}, []engine.Vertex{1, 69}},
		{"path", 1000, path(1000), []engine.Vertex{0, 500, 999}},
		{"star", 5000, star, []engine.Vertex{0, 2500}},
		{"complete", 70, complete, []engine.Vertex{0, 69}},
		{"grid", side * side, grid, []engine.Vertex{0, side*side/2 + side/2}},
	} {
		t.Run(c.name, func(t *testing.T) { newFrontierCase(t, c.vertices, c.tuples).run(t, c.roots...) })
	}
}

func TestFrontierOnRandomGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range sized(20, 4) {
		vertices := 2 + r.IntN(3000)
		tuples := make([]engine.Edge, 1+r.IntN(3*vertices))
		for i := range tuples {
			tuples[i] = engine.Edge{U: engine.Vertex(r.IntN(vertices)), V: engine.Vertex(r.IntN(vertices))}
		}
		tuples[0] = engine.Edge{U: 0, V: 1}
		newFrontierCase(t, vertices, tuples).run(t, 0, 1)
	}
}

func TestFrontierOnOfficialGraphs(t *testing.T) {
	for _, scale := range sized([]int{5, 10, 14}, []int{5, 10}) {
		spec := kronecker.Spec{Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3}
		tuples := officialTuples(scale)
		c := newFrontierCase(t, int(spec.Vertices()), tuples)
		roots := kronecker.Sample(spec, 4, c.graph.Info.Connected, func(v engine.Vertex) bool {
			return slices.ContainsFunc(tuples, func(e engine.Edge) bool { return e.U != e.V && (e.U == v || e.V == v) })
		})
		c.run(t, roots...)
	}
}

func TestFrontierStopsWithItsContext(t *testing.T) {
	c := newFrontierCase(t, 2, []engine.Edge{{U: 0, V: 1}})
	f, err := NewFrontier(c.device, c.graph, c.parents)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	if err := f.Search(ctx, 0); err != stop {
		t.Errorf("err = %v", err)
	}
	c.search(t, f, 1)
}

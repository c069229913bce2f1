package graph

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/engine"
	"graph500/parallel"
)

// reference returns the set of neighbours of every vertex.
func reference(vertices int, tuples []engine.Edge) []map[engine.Label]bool {
	sets := make([]map[engine.Label]bool, vertices)
	for _, e := range tuples {
		if e.U == e.V {
			continue
		}
		for _, a := range [][2]engine.Label{{e.U, e.V}, {e.V, e.U}} {
			if sets[a[0]] == nil {
				sets[a[0]] = map[engine.Label]bool{}
			}
			sets[a[0]][a[1]] = true
		}
	}
	return sets
}

// check compares all parts of g with the sets of reference.
func check(t *testing.T, g *CSR, vertices int, tuples []engine.Edge) {
	t.Helper()
	sets := reference(vertices, tuples)
	info := engine.Graph{Vertices: int64(vertices), Tuples: int64(len(tuples))}
	kept := int64(0)
	for _, e := range tuples {
		if e.U == e.V {
			info.SelfLoops++
		}
	}
	for v, set := range sets {
		row := g.NeighborsOf(engine.Label(v))
		if len(row) != len(set) || !slices.IsSorted(row) {
			t.Fatalf("vertex %d has row %v, want the elements of %v", v, row, set)
		}
		if g.Has(engine.Label(v)) != (len(set) > 0) {
			t.Fatalf("Has(%d) is wrong", v)
		}
		if len(set) == 0 {
			continue
		}
		for _, w := range row {
			if !set[w] {
				t.Fatalf("vertex %d has no neighbour %d", v, w)
			}
		}
		info.Connected++
		kept += int64(len(set))
		info.MaxDegree = max(info.MaxDegree, int64(len(set)))
	}
	info.Arcs = kept
	info.Duplicates = info.Tuples - info.SelfLoops - kept/2
	if g.Info != info {
		t.Fatalf("Info = %+v, want %+v", g.Info, info)
	}
}

// asShare returns a graph as one of two shares, and its arcs.
func asShare(vertices int, tuples []engine.Edge) (of Share, arcs []engine.Edge) {
	n := uint64(vertices)
	of = Share{
		Vertices: n, Shares: 2, Owned: n, Tuples: int64(len(tuples)),
		Gather: func(own, all []uint32) error { copy(all, own); return nil },
		Sum:    func([]int64) error { return nil },
		Max:    func([]int64) error { return nil },
	}
	for _, e := range tuples {
		if e.U == e.V {
			of.SelfLoops++
			continue
		}
		arcs = append(arcs, e, engine.Edge{U: e.V, V: e.U})
	}
	return of, arcs
}

func build(t *testing.T, workers, vertices int, tuples []engine.Edge) {
	t.Helper()
	team := parallel.NewTeam(workers)
	defer team.Close()
	for name, arena := range map[string]func(uint64) uint64{
		"as Build":       nil,
		"several passes": func(arcs uint64) uint64 { return arcs + arcs/3 },
		"least arena":    func(arcs uint64) uint64 { return arcs },
	} {
		b := newBuilder(context.Background(), team, WholeGraph(uint64(vertices)), engine.Tuples{Edges: tuples})
		if arena != nil { // arcs of one word need one pass
			b.use(arcForm{2, 32})
			b.form.arena = arena
		}
		g, err := b.build()
		if err != nil {
			t.Fatal(name, err)
		}
		check(t, g, vertices, tuples)
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
	of, arcs := asShare(vertices, tuples)
	g, err := Build(t.Context(), team, of, engine.Tuples{Edges: arcs})
	if err != nil {
		t.Fatal(err)
	}
	check(t, g, vertices, tuples)
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	buildWeighted(t, team, vertices, tuples)
}

func TestBuildSmallGraphs(t *testing.T) {
	star := []engine.Edge{}
	path := []engine.Edge{}
	for i := engine.Label(1); i < 1000; i++ {
		star = append(star, engine.Edge{U: 7, V: i})
		path = append(path, engine.Edge{U: i - 1, V: i})
	}
	for name, c := range map[string]struct {
		vertices int
		tuples   []engine.Edge
	}{
		"nothing":         {0, nil},
		"one vertex":      {1, nil},
		"loops only":      {3, []engine.Edge{{U: 1, V: 1}, {U: 2, V: 2}, {U: 2, V: 2}}},
		"one edge":        {2, []engine.Edge{{U: 1, V: 0}}},
		"one edge often":  {70, []engine.Edge{{U: 69, V: 0}, {U: 0, V: 69}, {U: 69, V: 0}, {U: 69, V: 69}}},
		"star":            {1000, star},
		"path":            {1000, path},
		"two components":  {200, []engine.Edge{{U: 1, V: 2}, {U: 2, V: 3}, {U: 198, V: 199}}},
		"isolated at end": {129, []engine.Edge{{U: 0, V: 64}}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, workers := range []int{1, 2, 5} {
				build(t, workers, c.vertices, c.tuples)
			}
		})
	}
}

func TestBuildRandomGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		vertices := 1 + r.IntN(1<<r.IntN(13))
		tuples := make([]engine.Edge, r.IntN(1<<r.IntN(14)))
		for i := range tuples { // the product turns low labels into hubs
			tuples[i].U = engine.Label(r.IntN(vertices) * r.IntN(vertices) / vertices)
			tuples[i].V = engine.Label(r.IntN(vertices))
		}
		build(t, 1+r.IntN(4), vertices, tuples)
	}
}

// TestBuildManyWindows builds graphs with several windows. With a small arena,
// construction needs several passes over the tuples.
func TestBuildManyWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	graphs := 3
	if testing.Short() {
		graphs = 1
	}
	for range graphs {
		vertices := 3000 + r.IntN(3000)
		tuples := make([]engine.Edge, 150000)
		for i := range tuples {
			tuples[i].U = engine.Label(r.IntN(vertices) * r.IntN(vertices) / vertices)
			tuples[i].V = engine.Label(r.IntN(vertices))
		}
		build(t, 3, vertices, tuples)
	}
}

// TestCountWindowsOfWideRanges tests the widest windows: labels of nearly 32 bits
// and few tuples.
func TestCountWindowsOfWideRanges(t *testing.T) {
	team := parallel.NewTeam(2)
	defer team.Close()
	const vertices = 1<<32 - 2
	tuples := []engine.Edge{{U: 0, V: 1}, {U: 0, V: 2}, {U: 0, V: vertices - 1}}
	b := newBuilder(context.Background(), team, WholeGraph(vertices), engine.Tuples{Edges: tuples})
	if err := b.countWindows(); err != nil {
		t.Fatal(err)
	}
	last := len(b.size) - 1
	if last != 1<<16-1 || b.size[0] != 5 || b.size[last] != 1 {
		t.Fatalf("%d windows of 2^%d labels, %d arcs in the first and %d in the last, want 2^16, 5 and 1", last+1, b.shift, b.size[0], b.size[last])
	}
}

func TestBuildRefusesLabelsOutOfRange(t *testing.T) {
	team := parallel.NewTeam(2)
	defer team.Close()
	if _, err := Build(context.Background(), team, WholeGraph(0), engine.Tuples{Edges: []engine.Edge{{U: 0, V: 0}}}); err == nil {
		t.Fatal("a tuple in a graph without vertices is accepted")
	}
	_, err := Build(context.Background(), team, WholeGraph(10), engine.Tuples{Edges: []engine.Edge{{U: 1, V: 2}, {U: 3, V: 10}}})
	if err == nil || err.Error() != "graph: tuple 1 (3, 10) names a vertex beyond the last one, 9" {
		t.Fatalf("err = %v", err)
	}
}

func TestBuildStopsWithItsContext(t *testing.T) {
	team := parallel.NewTeam(2)
	defer team.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Build(ctx, team, WholeGraph(10), engine.Tuples{Edges: []engine.Edge{{U: 1, V: 2}}}); err != context.Canceled {
		t.Fatalf("err = %v", err)
	}
}

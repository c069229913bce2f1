package cpu

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"graph500/cluster"
	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

// ownPart returns a rank's part of tuples, in memory of memory.Alloc.
func ownPart(w *cluster.World, all engine.Tuples) (own engine.Tuples, err error) {
	lo, hi := parallel.Split(len(all.Edges), w.Size(), w.Rank())
	if own.Edges, err = memory.Alloc[engine.Edge](hi - lo); err != nil {
		return own, err
	}
	copy(own.Edges, all.Edges[lo:hi])
	if all.Weights != nil {
		if own.Weights, err = memory.Alloc[float32](hi - lo); err != nil {
			return own, err
		}
		copy(own.Weights, all.Weights[lo:hi])
	}
	return own, nil
}

// loadedGraph is a graph whose breadth-first search over ranks is compared with that of one
// engine.
type loadedGraph struct {
	vertices uint64
	edges    []engine.Edge
	root     engine.Vertex
}

// job is that of the search.
func (g loadedGraph) job() engine.Job {
	return engine.Job{Vertices: g.vertices, Tuples: uint64(len(g.edges)), Loaded: true, Strategies: []engine.Strategy{{Kernel: engine.BFS, Name: "default"}}}
}

// onRank loads and searches the graph as one of several ranks. It compares the facts with
// those of one engine, and copies the parents of its own vertices.
func (g loadedGraph) onRank(ctx context.Context, w *cluster.World, info engine.Graph, tree engine.Tree, parents []engine.Local) (err error) {
	e := New(w, 1)
	defer func() { err = errors.Join(err, e.Close()) }()
	own, err := ownPart(w, engine.Tuples{Edges: g.edges})
	if err != nil {
		return err
	}
	if err := errors.Join(e.Prepare(ctx, []engine.Job{g.job()}), e.Load(ctx, g.vertices, own)); err != nil {
		return err
	}
	var passed []engine.Edge
	if err := e.Tuples(ctx, func(piece engine.Tuples) error {
		passed = append(passed, piece.Edges...)
		return nil
	}); err != nil || !slices.Equal(passed, own.Edges) {
		return fmt.Errorf("other tuples (%w)", err)
	}
	if got, err := e.Construct(ctx); err != nil || got != info {
		return fmt.Errorf("%+v instead of %+v (%w)", got, info, err)
	}
	s, err := e.NewSearcher(ctx, g.job().Strategies[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := errors.Join(s.Clear(), s.Search(ctx, g.root), s.Keep()); err != nil {
		return err
	}
	if trees, err := s.Check(ctx); err != nil || trees[0] != tree {
		return fmt.Errorf("%+v instead of %+v (%w)", trees, tree, err)
	}
	results, err := s.Results(ctx, 0)
	copy(parents[results.First:], results.Parents)
	return err
}

// onOne searches the graph with one engine. It returns the facts and the parents.
func (g loadedGraph) onOne(t *testing.T) (info engine.Graph, tree engine.Tree, parents []engine.Local) {
	t.Helper()
	e := New(cluster.Alone(), 1)
	defer e.Close()
	own, err := ownPart(cluster.Alone(), engine.Tuples{Edges: g.edges})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(e.Prepare(t.Context(), []engine.Job{g.job()}), e.Load(t.Context(), g.vertices, own)); err != nil {
		t.Fatal(err)
	}
	if info, err = e.Construct(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := e.NewSearcher(t.Context(), g.job().Strategies[0])
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := errors.Join(s.Clear(), s.Search(t.Context(), g.root), s.Keep()); err != nil {
		t.Fatal(err)
	}
	trees, err := s.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	results, err := s.Results(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return info, trees[0], slices.Clone(results.Parents)
}

// Ranks find in a loaded graph of any size what one engine finds.
func TestRanksOfLoadedGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(vertices, edges int, label func() engine.Local) loadedGraph {
		g := loadedGraph{vertices: uint64(vertices), edges: []engine.Edge{{U: 0, V: engine.Local(vertices) - 1}}}
		for range edges {
			g.edges = append(g.edges, engine.Edge{U: label(), V: label()})
		}
		return g
	}
	for name, g := range map[string]loadedGraph{
		"one edge":           {vertices: 2, edges: []engine.Edge{{U: 0, V: 1}}},
		"fewer than ranks":   {vertices: 65, edges: []engine.Edge{{U: 64, V: 64}, {U: 64, V: 0}}},
		"last word not full": random(777, 900, func() engine.Local { return engine.Local(r.IntN(777)) }),
		"low labels only":    random(5000, 3000, func() engine.Local { return engine.Local(r.IntN(60)) }),
		"few connected":      random(100_001, 300, func() engine.Local { return engine.Local(r.IntN(300)) * 333 }),
	} {
		info, tree, want := g.onOne(t)
		for ranks := 2; ranks <= 4; ranks++ {
			got, errs := make([]engine.Local, g.vertices), make([]error, ranks)
			ctx, cancel := context.WithCancelCause(t.Context())
			var all sync.WaitGroup
			for rank, w := range cluster.InProcess(ranks) {
				all.Go(func() {
					if errs[rank] = g.onRank(ctx, w, info, tree, got); errs[rank] != nil {
						cancel(errs[rank])
					}
				})
			}
			all.Wait()
			cancel(nil)
			if err := errors.Join(errs...); err != nil {
				t.Fatalf("%s, %d ranks: %v", name, ranks, err)
			}
			for v := range want {
				if a, b := depthOf(want, v), depthOf(got, v); a != b {
					t.Fatalf("%s, %d ranks: vertex %d has depth %d instead of %d", name, ranks, v, b, a)
				}
			}
		}
	}
}

// A rank takes its own part only.
func TestRanksRefuseOtherParts(t *testing.T) {
	w := cluster.InProcess(2)[1]
	e := &Engine{world: w, team: parallel.NewTeam(1)}
	defer e.Close()
	g := loadedGraph{vertices: 4, edges: make([]engine.Edge, 5)} // 2 and 3 tuples
	three := engine.Tuples{Edges: make([]engine.Edge, 3)}
	if err := e.Load(t.Context(), 4, three); err == nil {
		t.Error("loads without a job")
	}
	weighted := g.job()
	weighted.Strategies[0].Kernel = engine.SSSP
	for want, c := range map[string]struct {
		job      engine.Job
		vertices uint64
		tuples   engine.Tuples
	}{
		"2 tuples for a part of 3": {g.job(), 4, engine.Tuples{Edges: three.Edges[:2]}},
		"0 weights for 3 tuples":   {weighted, 4, three},
		"vertices need labels":     {g.job(), 1 << 40, three},
	} {
		err := errors.Join(e.Prepare(t.Context(), []engine.Job{c.job}), e.Load(t.Context(), c.vertices, c.tuples))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %s", err, want)
		}
	}
}

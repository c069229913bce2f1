package cpu

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"graph500/cluster"
	"graph500/engine"
	"graph500/kronecker"
	"graph500/validate"
)

// prepareWide prepares an engine for labels of 48 bits.
func prepareWide(t *testing.T, e *Engine, of engine.Strategy, searches int) {
	t.Helper()
	if err := e.Prepare(t.Context(), []engine.Plan{{Job: engine.Job{Strategies: []engine.Strategy{of}, Searches: searches, Delta: 0.1, Wide: true}}}); err != nil {
		t.Fatal(err)
	}
}

// TestWideOfficial compares the facts of official searches with the known ones.
func TestWideOfficial(t *testing.T) {
	e := New(cluster.Alone(), 2)
	prepareWide(t, e, engine.Strategy{Kernel: engine.BFS, Name: "default"}, 5)
	spec := kronecker.Spec{Scale: 10, EdgeFactor: 16, Seed1: 2, Seed2: 3}
	if err := e.Generate(t.Context(), spec, nil); err != nil {
		t.Fatal(err)
	}
	want := make([]engine.Edge, spec.Tuples())
	kronecker.New(spec).Edges(want, 0)
	var got []engine.Edge
	if err := e.Tuples(t.Context(), func(piece engine.Tuples) error {
		got = append(got, piece.Edges...)
		return nil
	}); err != nil || !slices.Equal(got, want) || e.tuples.Edges != nil || len(e.tuples.Wide) != len(want) {
		t.Fatalf("%d tuples, %v", len(got), err)
	}
	if _, err := e.Construct(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := searchOf(t, e, "default")
	defer s.Close()
	for _, f := range readFacts[keyFacts](t, 10)[:5] {
		if err := errors.Join(s.Clear(), s.Search(t.Context(), engine.Vertex(f.Root)), s.Keep()); err != nil {
			t.Fatal(err)
		}
	}
	trees, err := s.Check(t.Context())
	if err != nil || len(trees) != 5 {
		t.Fatal(trees, err)
	}
	for i, f := range readFacts[keyFacts](t, 10)[:5] {
		if want := (engine.Tree{Visited: f.Visited, Edges: f.Edges, SelfLoops: f.SelfLoops, Depth: f.Depth}); trees[i] != want {
			t.Errorf("root %d: %+v, want %+v", f.Root, trees[i], want)
		}
	}
}

// TestWrongWideParents: no wrong entry of the results of 64 bits is valid because of its low
// 32 bits.
func TestWrongWideParents(t *testing.T) {
	for _, searches := range []int{1, 3} {
		e := New(cluster.Alone(), 2)
		prepareWide(t, e, engine.Strategy{Kernel: engine.BFS, Name: "default"}, searches)
		s := loadInto(t, e, "default", 8, []engine.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}})
		for _, c := range []struct {
			vertex int
			parent int64
			want   string
		}{
			{2, 1<<33 + 1, "vertex 2 has a parent of more than 32 bits"},
			{2, 1<<32 + 1, "vertex 2 has a parent of more than 32 bits"},
			{2, -1<<32 + 1, "vertex 2 has a parent of more than 32 bits"},
			{3, -2, "vertex 3 has a parent of more than 32 bits"},
			{5, 1<<32 - 1, "vertex 5 has a parent of more than 32 bits"},
			{0, 1 << 33, "vertex 0 has a parent of more than 32 bits"},
			{2, 9, "vertex 2 has parent 9, the graph has 8 vertices"},
			{3, -1, ""}, // rule Level
		} {
			for at := range searches {
				s.Drop()
				for i := range searches {
					if err := errors.Join(s.Clear(), s.Search(t.Context(), 0)); err != nil {
						t.Fatal(err)
					}
					if i == at {
						s.results.wide[c.vertex] = c.parent
					}
					if err := s.Keep(); err != nil {
						t.Fatal(err)
					}
				}
				trees, err := s.Check(t.Context())
				var broken *validate.Error
				if !errors.As(err, &broken) || !strings.Contains(err.Error(), c.want) || len(trees) != at {
					t.Errorf("parent %d, search %d of %d: %v", c.parent, at, searches, err)
				}
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestWidePlan: the plan of a rank has 12 bytes for a tuple, 8 for an own parent, and the tuples
// as read.
func TestWidePlan(t *testing.T) {
	job := engine.Job{Vertices: 1 << 20, Tuples: 16 << 20, Searches: 1, Strategies: []engine.Strategy{{Kernel: engine.BFS, Name: "default"}, {Kernel: engine.SSSP, Name: "default"}}}
	for _, ranks := range []int{1, 3, 4} {
		w := cluster.Alone()
		if ranks > 1 {
			w = cluster.InProcess(ranks)[ranks/2]
		}
		e := New(w, 2)
		defer e.Close()
		bytesOf := func() map[string]uint64 {
			plan := map[string]uint64{}
			for _, a := range e.Plan(job).Memory {
				plan[a.Name] += a.Bytes
			}
			return plan
		}
		for _, job.Loaded = range []bool{false, true} {
			job.Wide = false
			want := bytesOf()
			z := largest(job, w.Size())
			job.Wide = true
			want["tuples"] = 12 * z.tuples
			want["parents of 64 bits (bfs)"], want["parents of 64 bits (sssp)"] = 8*z.owned, 8*z.owned
			if job.Loaded {
				want["tuples, as read"] = 8 * z.tuples
			}
			if got := bytesOf(); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%d ranks, loaded %v: %v, want %v", w.Size(), job.Loaded, got, want)
			}
		}
		read := job
		read.Wide, read.LoadedWide = true, true // those of a file with 48 bits
		for _, a := range e.Plan(read).Memory {
			if a.Name == "tuples, as read" {
				t.Errorf("tuples are planned twice: %+v", a)
			}
		}
	}
}

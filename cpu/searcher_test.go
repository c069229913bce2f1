package cpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"graph500/cluster"
	"graph500/engine"
	"graph500/memory"
	"graph500/validate"
)

// TestCapacityFollowsTheJob uses a small graph, for which the amount of free
// memory matters only if it is 0.
func TestCapacityFollowsTheJob(t *testing.T) {
	for _, c := range []struct {
		searches int
		free     uint64
		want     int
	}{
		{0, 1 << 40, 1}, {1, 1 << 40, 1}, {3, 1 << 40, 3}, {64, 1 << 40, validate.MaxBatch}, {64, 0, 1},
	} {
		e := New(cluster.Alone(), 2)
		e.free = memory.Limit{Bytes: c.free, Source: "a test"}
		if err := e.Prepare(t.Context(), []engine.Plan{{Job: engine.Job{Searches: c.searches}}, {Job: engine.Job{Searches: c.searches}}}, nil); err != nil {
			t.Fatal(err)
		}
		s := loadInto(t, e, "default", 200000, []engine.Edge{{U: 0, V: 1}})
		if got := s.Capacity(); got != c.want {
			t.Errorf("%d searches, %d bytes free: %d are kept", c.searches, c.free, got)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// keepAll searches from the roots and keeps the searches. It returns copies of
// the parents.
func keepAll(t *testing.T, s testSearch, roots []engine.Vertex) (parents [][]engine.Label) {
	t.Helper()
	for _, root := range roots {
		if err := errors.Join(s.Clear(), s.Search(t.Context(), root), s.Keep()); err != nil {
			t.Fatal(err)
		}
		parents = append(parents, slices.Clone(s.results.Parents))
	}
	return parents
}

// TestKeptSearchesWithoutRoom searches a complete graph, in which all vertices have another parent in each
// search. The searcher keeps fewer searches than it usually can, right ones, and as many again after Drop.
func TestKeptSearchesWithoutRoom(t *testing.T) {
	const searches, vertices = 40, 200
	_, tuples := corePath(vertices, 0)
	e := New(cluster.Alone(), 2)
	if err := e.Prepare(t.Context(), []engine.Plan{{Job: engine.Job{Searches: searches}}, {Job: engine.Job{Searches: searches}}}, nil); err != nil {
		t.Fatal(err)
	}
	s := loadInto(t, e, "push", vertices, tuples)
	defer s.Close()
	for range 2 {
		if s.Capacity() != searches {
			t.Fatalf("%d searches can be kept, want %d", s.Capacity(), searches)
		}
		var parents [][]engine.Label
		for len(parents) < s.Capacity() {
			parents = append(parents, keepAll(t, s, []engine.Vertex{engine.Vertex(len(parents))})...)
		}
		if n := len(parents); n < 4 || n > searches/2 {
			t.Fatalf("%d searches are kept", n)
		}
		if s.Keep() == nil {
			t.Fatal("more searches are kept than the capacity")
		}
		trees, err := s.Check(t.Context())
		if err != nil || len(trees) != len(parents) {
			t.Fatalf("%d trees of %d searches, %v", len(trees), len(parents), err)
		}
		for i := range parents {
			if r, err := s.Results(t.Context(), i); err != nil || !slices.Equal(r.Parents, parents[i]) {
				t.Fatalf("search %d: other parents are kept, %v", i, err)
			}
			if want := (engine.Tree{Visited: vertices, Edges: vertices * (vertices - 1) / 2, Depth: 1}); trees[i] != want {
				t.Fatalf("search %d: %+v, want %+v", i, trees[i], want)
			}
		}
		s.Drop()
	}
}

// TestWrongTreeAmongKept sets a wrong tree at each position of a batch.
func TestWrongTreeAmongKept(t *testing.T) {
	facts := readFacts[keyFacts](t, 10)[:6]
	s := official(t, 10, "default", len(facts))
	defer s.Close()
	for wrong, f := range facts {
		for i, f := range facts {
			if i != wrong {
				keepAll(t, s, []engine.Vertex{engine.Vertex(f.Root)})
				continue
			}
			if err := s.Clear(); err != nil {
				t.Fatal(err)
			}
			if err := s.Set(engine.Vertex(f.Root), func(r engine.Results) error {
				r.Parents[f.Root] = f.Root
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		trees, err := s.Check(t.Context())
		var broken *validate.Error
		if len(trees) != wrong || !errors.As(err, &broken) || broken.Rule != validate.Level || broken.Root != engine.Vertex(f.Root) {
			t.Errorf("tree %d is wrong: %d trees, %v", wrong, len(trees), err)
		}
		s.Drop()
	}
}

// TestCheckStopsWithItsContext cancels the context before a batch is checked.
func TestCheckStopsWithItsContext(t *testing.T) {
	s := official(t, 10, "default", 3)
	defer s.Close()
	keepAll(t, s, []engine.Vertex{engine.Vertex(readFacts[keyFacts](t, 10)[0].Root)})
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	for name, check := range map[string]func(context.Context) ([]engine.Tree, error){"check": s.Check, "count": s.CountEdges} {
		if trees, err := check(ctx); err != stop || len(trees) > 0 {
			t.Errorf("%s: %+v, %v", name, trees, err)
		}
	}
}

// TestConversions converts a frontier queue to a bitmap and back, on a graph with
// more words and vertices than a worker takes at a time.
func TestConversions(t *testing.T) {
	const vertices = 9*convertGrain*64 + 100
	steps := []engine.Label{0, 1, 2, 5, 11, 40}
	if testing.Short() {
		steps = []engine.Label{1, 11}
	}
	tuples := make([]engine.Edge, vertices/2)
	for i := range tuples {
		tuples[i] = engine.Edge{U: engine.Label(2 * i), V: engine.Label(2*i + 1)}
	}
	for _, threads := range []int{1, 3} {
		if testing.Short() && threads == 1 {
			continue
		}
		e := load(t, threads, "direction", vertices, tuples)
		s := e.method.(*switching)
		for _, step := range steps {
			name := fmt.Sprintf("%d threads, every vertex in %d", threads, step*step+1)
			s.queue = s.queue[:0]
			for v := engine.Label(0); v < vertices; v += step*step + 1 {
				s.queue = append(s.queue, vertices-1-v)
			}
			want := slices.Sorted(slices.Values(s.queue))
			s.frontier[len(s.frontier)/2] = 1<<64 - 1 // of another frontier
			if err := s.toBitmap(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.queue = s.queue[:1]
			if err := s.toQueue(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := slices.Sorted(slices.Values(s.queue)); !slices.Equal(got, want) {
				t.Fatalf("%s: %d vertices, want %d", name, len(got), len(want))
			}
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

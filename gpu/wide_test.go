//go:build cuda

package gpu

import (
	"errors"
	"strings"
	"testing"

	"graph500/device"
	"graph500/engine"
	"graph500/kronecker"
	"graph500/memory"
	"graph500/validate"
)

// startWide is startWith for labels of 48 bits.
func startWide(t *testing.T, of engine.Strategy, limit, part uint64) *testEngine {
	t.Helper()
	e := startWith(t, of, limit, part)
	e.wide = true
	return e
}

// widened returns tuples with labels of 48 bits. It frees those of 32.
func widened(t *testing.T, tuples engine.Tuples) engine.Tuples {
	t.Helper()
	wide, err := memory.Alloc[engine.Edge48](tuples.Len())
	if err != nil {
		t.Fatal(err)
	}
	engine.Widen(wide, tuples.Edges)
	if err := memory.Free(tuples.Edges); err != nil {
		t.Fatal(err)
	}
	return engine.Tuples{Wide: wide, Weights: tuples.Weights}
}

// checkWideParents requires that the results of 64 bits are the parents of the last search,
// of which some vertices are reached.
func checkWideParents(t *testing.T, e *testEngine) {
	t.Helper()
	got := make([]int64, e.vertices)
	if err := e.searcher.members[0].wide.parents.Read(0, got); err != nil {
		t.Fatal(err)
	}
	for v, p := range e.parentsOf(t) {
		want := int64(p)
		if p == engine.None {
			want = -1
		}
		if got[v] != want {
			t.Fatalf("vertex %d has parent %d, want %d", v, got[v], want)
		}
	}
}

// TestWrongWideParents: no wrong entry of the results of 64 bits is valid because of its low
// 32 bits.
func TestWrongWideParents(t *testing.T) {
	for _, of := range []engine.Strategy{named("default"), shortestPaths()} {
		e := startWide(t, of, 0, regeneratedPart)
		tuples := engine.Tuples{Edges: []engine.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}}, Weights: []float32{0.5, 0.5, 0.5}}
		if err := e.Load(t.Context(), 8, owned(t, tuples)); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Construct(t.Context()); err != nil {
			t.Fatal(err)
		}
		const beyond = "has a parent of more than 32 bits"
		for _, c := range []struct {
			vertex int
			parent int64
			want   string
		}{
			{2, 1<<33 + 1, beyond}, {2, 1<<32 + 1, beyond}, {2, -1<<32 + 1, beyond}, {3, -2, beyond}, {5, 1<<32 - 1, beyond},
			{0, 1 << 33, beyond}, {2, 9, "vertex 2 has parent 9, the graph has 8 vertices"}, {3, -1, ""},
		} {
			if err := errors.Join(e.Clear(), e.Search(t.Context(), 0), e.searcher.members[0].wide.parents.Write(c.vertex, []int64{c.parent})); err != nil {
				t.Fatal(err)
			}
			_, err := e.check(t.Context())
			var broken *validate.Error
			if !errors.As(err, &broken) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: parent %d of vertex %d: %v", of.Kernel, c.parent, c.vertex, err)
			}
		}
	}
}

// TestWideCounted keeps a counted search, and one that is set.
func TestWideCounted(t *testing.T) {
	e := startWide(t, named("default"), 0, regeneratedPart)
	spec := kronecker.Spec{Scale: 8, EdgeFactor: 16, Seed1: 2, Seed2: 3}
	if err := e.Generate(t.Context(), spec, nil); err != nil {
		t.Fatal(err)
	}
	root := constructed(t, e, spec)
	if _, err := e.searcher.CountWork(t.Context(), engine.Vertex(root)); err != nil {
		t.Fatal(err)
	}
	checkWideParents(t, e)
	counted, err := e.check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	parents := e.parentsOf(t)
	if err := e.Clear(); err != nil {
		t.Fatal(err)
	}
	if err := e.searcher.Set(engine.Vertex(root), func(r engine.Results) error {
		copy(r.Parents, parents)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	defer e.searcher.Drop()
	if set, err := e.searcher.Check(t.Context()); err != nil || set[0] != counted {
		t.Errorf("%+v, want %+v (%v)", set, counted, err)
	}
}

// The plan equals the memory in use.
func TestWidePlanIsWhatIsTaken(t *testing.T) {
	checkTaken(t, startWide(t, named("default"), 0, regeneratedPart))
}

// Loaded tuples are left in host memory only with the labels of the device, of either width.
func TestTuplesOfAnotherWidthAreOnTheDevice(t *testing.T) {
	tuples := engine.Tuples{Edges: make([]engine.Edge, 1<<16)}
	for _, residency := range []engine.Residency{engine.Resident, engine.AutoResidency, engine.Prefix, engine.ZeroCopy} {
		p := planner{limit: device.Alignment, part: hostPart, residency: residency}
		for _, c := range []struct{ wide, loadedWide bool }{{false, false}, {true, false}, {true, true}} {
			job := loadedJob(named("default"), 1<<12, tuples)
			job.Wide, job.LoadedWide = c.wide, c.loadedWide
			if l := p.layoutOf(job); (l.capacity == job.Tuples) != (c.wide != c.loadedWide) {
				t.Errorf("%s, %+v: %d tuples on the device", residency, c, l.capacity)
			}
		}
	}
}

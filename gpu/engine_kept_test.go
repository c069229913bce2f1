//go:build cuda

package gpu

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"graph500/engine"
	"graph500/kernels"
	"graph500/kronecker"
	"graph500/validate"
)

// regenerating returns an engine with the graph of the official tuples, of which
// it makes so many at a time.
func regenerating(t *testing.T, spec kronecker.Spec, part uint64) (*testEngine, engine.Graph) {
	t.Helper()
	e := open(t, "default")
	e.free, e.part = 1<<10, part
	if err := e.Generate(t.Context(), spec, nil); err != nil {
		t.Fatal(err)
	}
	info, err := e.Construct(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	keepMany(e)
	return e, info
}

// keepMany gives the search room for as many trees as there can be, whatever
// the plan says.
func keepMany(e *testEngine) {
	e.searcher.room, e.searcher.trees = mostKept, kernels.NewKeptTrees(e.device, e.vertices)
}

// keepSearches searches from every root, has each tree validated alone, and
// keeps it. It returns what is said of each.
func keepSearches(t *testing.T, e *testEngine, roots []engine.Local) (trees, counted []engine.Tree) {
	t.Helper()
	e.searcher.Drop()
	for _, root := range roots {
		if err := errors.Join(e.Clear(), e.Search(t.Context(), root)); err != nil {
			t.Fatal(err)
		}
		tree, err := e.Validate(t.Context(), root)
		if err != nil {
			t.Fatal(err)
		}
		count, err := e.CountEdges(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := e.searcher.Keep(); err != nil {
			t.Fatal(err)
		}
		trees, counted = append(trees, tree), append(counted, count)
	}
	return trees, counted
}

// checkKept compares what is said of trees together and of each alone.
func checkKept(t *testing.T, e *testEngine, roots []engine.Local) {
	t.Helper()
	want, _ := keepSearches(t, e, roots)
	if err := e.Clear(); err != nil { // the kept ones stay
		t.Fatal(err)
	}
	if got, err := e.searcher.Check(t.Context()); err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v (%v)", got, want, err)
	}
	_, want = keepSearches(t, e, roots)
	if got, err := e.searcher.CountEdges(t.Context()); err != nil || !slices.Equal(got, want) {
		t.Errorf("counted %+v, want %+v (%v)", got, want, err)
	}
}

func TestSearchesValidatedTogether(t *testing.T) {
	for scale, part := range map[int]uint64{4: 7, 9: 1000} {
		spec := kronecker.Spec{Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3}
		e, info := regenerating(t, spec, part)
		roots := e.keys(t, spec, mostKept, info)
		for _, n := range []int{3, mostKept, 1, 2} {
			checkKept(t, e, roots[:n])
		}
		results, err := e.searcher.Results(t.Context(), 1)
		if err != nil || results.Parents[roots[1]] != roots[1] {
			t.Errorf("%+v, %v", results, err)
		}
	}
}

// Deep trees, shallow ones and lonely roots, validated together.
func TestSearchesOfNastyGraphsValidatedTogether(t *testing.T) {
	var path, star []engine.Edge
	for v := range engine.Local(139) {
		path = append(path, engine.Edge{U: v + 1, V: v})
	}
	for v := range engine.Local(2001) {
		star = append(star, engine.Edge{U: 333, V: v}, engine.Edge{U: v, V: v})
	}
	for _, c := range []struct {
		vertices int
		tuples   []engine.Edge
		roots    []engine.Local
	}{
		{6, []engine.Edge{{U: 0, V: 1}, {U: 1, V: 0}, {U: 3, V: 4}, {U: 4, V: 4}}, []engine.Local{0, 4, 1, 3}},
		{142, path, []engine.Local{0, 70, 138, 139}},
		{2001, star, []engine.Local{333, 0, 333, 2000}},
	} {
		e, _, _ := loaded(t, "default", c.vertices, c.tuples)
		if n := e.searcher.Room(); n != 1 {
			t.Errorf("%d searches together, though the tuples are there", n)
		}
		keepMany(e)
		checkKept(t, e, c.roots)
		checkKept(t, e, c.roots[1:2])
	}
}

// A wrong tree among right ones is found, whichever it is.
func TestWrongTreeAmongOthers(t *testing.T) {
	spec := kronecker.Spec{Scale: 8, EdgeFactor: 16, Seed1: 2, Seed2: 3}
	e, info := regenerating(t, spec, 1000)
	roots := e.keys(t, spec, 4, info)
	for wrong := range roots {
		for rule, bend := range map[validate.Rule]func(parents []engine.Local, root engine.Local){
			validate.Root:  func(parents []engine.Local, root engine.Local) { parents[root] = engine.None },
			validate.Entry: func(parents []engine.Local, _ engine.Local) { parents[lastOf(parents)] = 1 << 8 },
			validate.Level: func(parents []engine.Local, root engine.Local) {
				for v := range parents {
					parents[v] = engine.None
				}
				parents[root] = root
			},
		} {
			var want error
			before, _ := keepSearches(t, e, roots[:wrong])
			for i, root := range roots[wrong:] {
				if err := errors.Join(e.Clear(), e.Search(t.Context(), root)); err != nil {
					t.Fatal(err)
				}
				if i == 0 || i == 2 { // the second wrong one is not asked about
					bent := e.parentsOf(t)
					bend(bent, root)
					if err := e.on("copying", func() error { return e.searcher.parents.Write(0, bent) }); err != nil {
						t.Fatal(err)
					}
				}
				if i == 0 {
					_, want = e.Validate(t.Context(), root)
				}
				if err := e.searcher.Keep(); err != nil {
					t.Fatal(err)
				}
			}
			got, err := e.searcher.Check(t.Context())
			var broken *validate.Error
			if !slices.Equal(got, before) || !reflect.DeepEqual(err, want) || !errors.As(err, &broken) || broken.Rule != rule || broken.Root != engine.Vertex(roots[wrong]) {
				t.Errorf("tree %d, rule %v: %d trees, %v; want %v", wrong, rule, len(got), err, want)
			}
		}
	}
	checkKept(t, e, roots)
}

// lastOf returns the last vertex of a tree.
func lastOf(parents []engine.Local) int {
	v := len(parents) - 1
	for parents[v] == engine.None || int(parents[v]) == v {
		v--
	}
	return v
}

func TestContextEndsValidationTogether(t *testing.T) {
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	spec := kronecker.Spec{Scale: 7, EdgeFactor: 16, Seed1: 2, Seed2: 3}
	e, info := regenerating(t, spec, 100)
	roots := e.keys(t, spec, 3, info)
	for _, work := range []func(context.Context) ([]engine.Tree, error){e.searcher.Check, e.searcher.CountEdges} {
		keepSearches(t, e, roots)
		if _, err := work(ctx); !errors.Is(err, stop) {
			t.Error(err)
		}
	}
	checkKept(t, e, roots[:2])
}

// How many searches are validated together goes by the memory.
func TestRoom(t *testing.T) {
	spec := kronecker.Spec{Scale: 7, EdgeFactor: 16, Seed1: 2, Seed2: 3}
	for free, want := range map[uint64]int{1 << 10: 1, 1 << 30: mostKept} {
		e := open(t, "default")
		e.free, e.part = 1<<10, 100
		if err := e.Generate(t.Context(), spec, nil); err != nil {
			t.Fatal(err)
		}
		e.free = free
		if _, err := e.Construct(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := e.searcher.Room(); n != want {
			t.Errorf("%d bytes: %d searches, want %d", free, n, want)
		}
	}
}

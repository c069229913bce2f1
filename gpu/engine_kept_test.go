//go:build cuda

package gpu

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"graph500/engine"
	"graph500/kronecker"
	"graph500/validate"
)

// regenerating returns an engine with the graph of the official tuples, of which
// it makes so many at a time.
func regenerating(t *testing.T, spec kronecker.Spec, part uint64) (*Engine, engine.Graph) {
	t.Helper()
	e := open(t, DefaultStrategy)
	e.free, e.part = 1<<10, part
	if err := e.Generate(t.Context(), spec, nil); err != nil {
		t.Fatal(err)
	}
	info, err := e.Construct(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return e, info
}

// keepSearches searches from every root, has each tree validated alone, and
// keeps it. It returns what is said of each.
func keepSearches(t *testing.T, e *Engine, roots []engine.Vertex) (trees, counted []engine.Tree) {
	t.Helper()
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
		if err := e.Keep(root); err != nil {
			t.Fatal(err)
		}
		trees, counted = append(trees, tree), append(counted, count)
	}
	return trees, counted
}

// checkKept compares what is said of trees together and of each alone.
func checkKept(t *testing.T, e *Engine, roots []engine.Vertex) {
	t.Helper()
	want, _ := keepSearches(t, e, roots)
	if err := e.Clear(); err != nil { // the kept ones stay
		t.Fatal(err)
	}
	if got, err := e.ValidateKept(t.Context()); err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v (%v)", got, want, err)
	}
	_, want = keepSearches(t, e, roots)
	if got, err := e.CountKept(t.Context()); err != nil || !slices.Equal(got, want) {
		t.Errorf("counted %+v, want %+v (%v)", got, want, err)
	}
}

func TestSearchesValidatedTogether(t *testing.T) {
	for scale, part := range map[int]uint64{4: 7, 9: 1000} {
		spec := kronecker.Spec{Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3}
		e, info := regenerating(t, spec, part)
		roots := kronecker.Sample(spec, 9, info.Connected, e.Usable)
		for _, n := range []int{3, 9, 1, 2} {
			checkKept(t, e, roots[:n])
		}
		parents, err := e.Parents(t.Context())
		if err != nil || len(parents) != 1<<scale {
			t.Errorf("%d parents, %v", len(parents), err)
		}
	}
}

// Deep trees, shallow ones and lonely roots, validated together.
func TestSearchesOfNastyGraphsValidatedTogether(t *testing.T) {
	var path, star []engine.Edge
	for v := range engine.Vertex(139) {
		path = append(path, engine.Edge{U: v + 1, V: v})
	}
	for v := range engine.Vertex(2001) {
		star = append(star, engine.Edge{U: 333, V: v}, engine.Edge{U: v, V: v})
	}
	for _, c := range []struct {
		vertices int
		tuples   []engine.Edge
		roots    []engine.Vertex
	}{
		{1, nil, []engine.Vertex{0, 0}},
		{3, []engine.Edge{{U: 1, V: 1}, {U: 1, V: 1}}, []engine.Vertex{1, 0, 2}},
		{6, []engine.Edge{{U: 0, V: 1}, {U: 1, V: 0}, {U: 3, V: 4}, {U: 4, V: 4}}, []engine.Vertex{0, 4, 5, 3}},
		{142, path, []engine.Vertex{0, 70, 141, 139}},
		{2001, star, []engine.Vertex{333, 0, 333, 2000}},
	} {
		e, _, _ := loaded(t, DefaultStrategy, c.vertices, c.tuples)
		checkKept(t, e, c.roots)
		checkKept(t, e, c.roots[1:2])
		if n := e.Batch(); n != 1 {
			t.Errorf("%d searches together, though the tuples are there", n)
		}
	}
}

// A wrong tree among right ones is found, whichever it is.
func TestWrongTreeAmongOthers(t *testing.T) {
	spec := kronecker.Spec{Scale: 8, EdgeFactor: 16, Seed1: 2, Seed2: 3}
	e, info := regenerating(t, spec, 1000)
	roots := kronecker.Sample(spec, 4, info.Connected, e.Usable)
	for wrong := range roots {
		for rule, bend := range map[validate.Rule]func(parents []engine.Vertex, root engine.Vertex){
			validate.Root:  func(parents []engine.Vertex, root engine.Vertex) { parents[root] = engine.None },
			validate.Entry: func(parents []engine.Vertex, _ engine.Vertex) { parents[lastOf(parents)] = 1 << 8 },
			validate.Level: func(parents []engine.Vertex, root engine.Vertex) {
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
					right, err := e.Parents(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					bent := slices.Clone(right)
					bend(bent, root)
					if err := e.SetParents(func(parents []engine.Vertex) error { copy(parents, bent); return nil }); err != nil {
						t.Fatal(err)
					}
				}
				if i == 0 {
					_, want = e.Validate(t.Context(), root)
				}
				if err := e.Keep(root); err != nil {
					t.Fatal(err)
				}
			}
			got, err := e.ValidateKept(t.Context())
			var broken *validate.Error
			if !slices.Equal(got, before) || !reflect.DeepEqual(err, want) || !errors.As(err, &broken) || broken.Rule != rule || broken.Root != roots[wrong] {
				t.Errorf("tree %d, rule %v: %d trees, %v; want %v", wrong, rule, len(got), err, want)
			}
		}
	}
	checkKept(t, e, roots)
}

// lastOf returns the last vertex of a tree.
func lastOf(parents []engine.Vertex) int {
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
	roots := kronecker.Sample(spec, 3, info.Connected, e.Usable)
	for _, work := range []func(context.Context) ([]engine.Tree, error){e.ValidateKept, e.CountKept} {
		keepSearches(t, e, roots)
		if _, err := work(ctx); !errors.Is(err, stop) {
			t.Error(err)
		}
	}
	checkKept(t, e, roots[:2])
}

// How many searches are validated together goes by the memory.
func TestBatch(t *testing.T) {
	spec := kronecker.Spec{Scale: 7, EdgeFactor: 16, Seed1: 2, Seed2: 3}
	e, _ := regenerating(t, spec, 100)
	if n := e.Batch(); n != 1 {
		t.Errorf("%d searches where there is no room", n)
	}
	e.free = 1 << 30
	if n := e.Batch(); n != mostKept {
		t.Errorf("%d searches where there is room for all", n)
	}
	whole := open(t, DefaultStrategy)
	if err := whole.Generate(t.Context(), spec, nil); err != nil {
		t.Fatal(err)
	}
	if n := whole.Batch(); n != 1 {
		t.Errorf("%d searches, though the tuples are there", n)
	}
}

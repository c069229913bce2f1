//go:build cuda

package gpu

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kronecker"
	"graph500/validate"
)

// keeping is an engine that keeps several searches for one validation, as it makes
// the tuples again for it, and the CPU's that each is compared with.
type keeping struct {
	*testEngine
	other engine.Searcher
	roots []engine.Local
	kept  []claim
}

// claim is what a search is said to have found.
type claim struct {
	root    engine.Local
	parents []engine.Local
}

// room returns an engine with the graph of the official tuples and room for
// mostKept searches, but not for the tuples.
func room(t *testing.T, scale int) *keeping {
	t.Helper()
	const part = 1000
	spec := kronecker.Spec{Scale: scale, EdgeFactor: 100, Seed1: 2, Seed2: 3}
	job := engine.Job{Vertices: spec.Vertices(), Tuples: spec.Tuples(), Strategy: named("default"), Searches: mostKept}
	p := planned(0)
	most := engine.Peak(p.needed(job, layout{part, construct.MostGroups, mostKept}), engine.DeviceMemory)
	e := startWith(t, "default", most, part)
	if err := e.Generate(t.Context(), spec, nil); err != nil {
		t.Fatal(err)
	}
	info, err := e.Construct(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := e.searcher.Capacity(); n != mostKept || e.layout.room != part {
		t.Fatalf("%d searches together in %+v", n, e.layout)
	}
	tuples := make([]engine.Edge, spec.Tuples())
	kronecker.New(spec).Edges(tuples, 0)
	_, c, _ := onCPU(t, int(spec.Vertices()), tuples)
	return &keeping{e, c, e.keys(t, spec, mostKept, info), nil}
}

// keep keeps a search from root, whose parents bend may make wrong, on both engines.
func (e *keeping) keep(t *testing.T, root engine.Local, bend func(parents []engine.Local, root engine.Local)) {
	t.Helper()
	if err := errors.Join(e.Clear(), e.Search(t.Context(), root)); err != nil {
		t.Fatal(err)
	}
	c := claim{root, e.parentsOf(t)}
	keep := e.searcher.Keep
	if bend != nil {
		bend(c.parents, root)
		keep = func() error { return e.searcher.Set(engine.Vertex(root), c.write) }
	}
	if err := keep(); err != nil {
		t.Fatal(err)
	}
	e.kept = append(e.kept, c)
}

func (c claim) write(r engine.Results) error {
	copy(r.Parents, c.parents)
	return nil
}

// judge compares what both engines say of the searches that are kept, and forgets
// them.
func (e *keeping) judge(t *testing.T) error {
	t.Helper()
	defer func() { e.kept = nil }()
	defer e.searcher.Drop()
	if err := e.Clear(); err != nil { // the kept ones stay
		t.Fatal(err)
	}
	got, err := e.searcher.CountEdges(t.Context())
	if want, wantErr := e.others(t, e.other.CountEdges); err != nil || wantErr != nil || !slices.Equal(got, want) {
		t.Errorf("counted %+v, want %+v (%v, %v)", got, want, err, wantErr)
	}
	got, err = e.searcher.Check(t.Context())
	if want, wantErr := e.others(t, e.other.Check); !slices.Equal(got, want) || !reflect.DeepEqual(err, wantErr) {
		t.Errorf("%+v, want %+v (%v, want %v)", got, want, err, wantErr)
	}
	return err
}

// others asks the CPU about one search after the other, until one is wrong.
func (e *keeping) others(t *testing.T, ask func(context.Context) ([]engine.Tree, error)) (trees []engine.Tree, err error) {
	t.Helper()
	for _, c := range e.kept {
		e.other.Drop()
		if err := e.other.Set(engine.Vertex(c.root), c.write); err != nil {
			t.Fatal(err)
		}
		tree, err := ask(t.Context())
		if err != nil {
			return trees, err
		}
		trees = append(trees, tree...)
	}
	return trees, nil
}

func TestSearchesValidatedTogether(t *testing.T) {
	e := room(t, 8)
	for _, n := range []int{3, mostKept, 1, 2} {
		for _, root := range e.roots[:n] {
			e.keep(t, root, nil)
		}
		if err := e.judge(t); err != nil {
			t.Error(err)
		}
	}
	for _, root := range e.roots[:2] {
		e.keep(t, root, nil)
	}
	results, err := e.searcher.Results(t.Context(), 1)
	if err != nil || results.Parents[e.roots[1]] != e.roots[1] {
		t.Errorf("%+v, %v", results, err)
	}
}

// Where the tuples are there, nothing is saved by keeping searches.
func TestSearchesValidatedAlone(t *testing.T) {
	e, _, _ := loaded(t, "default", 6, []engine.Edge{{U: 0, V: 1}, {U: 1, V: 0}, {U: 3, V: 4}, {U: 4, V: 4}})
	if n := e.searcher.Capacity(); n != 1 {
		t.Errorf("%d searches together, though the tuples are there", n)
	}
}

// A wrong tree among right ones is found, whichever it is.
func TestWrongTreeAmongOthers(t *testing.T) {
	e := room(t, 8)
	roots := e.roots[:4]
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
			for i, root := range roots {
				if i == wrong || i == wrong+2 { // the second wrong one is not asked about
					e.keep(t, root, bend)
				} else {
					e.keep(t, root, nil)
				}
			}
			var broken *validate.Error
			if err := e.judge(t); !errors.As(err, &broken) || broken.Rule != rule || broken.Root != engine.Vertex(roots[wrong]) {
				t.Errorf("tree %d, rule %v: %v", wrong, rule, err)
			}
		}
	}
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
	e := room(t, 8)
	for _, root := range e.roots[:3] {
		e.keep(t, root, nil)
	}
	for _, work := range []func(context.Context) ([]engine.Tree, error){e.searcher.Check, e.searcher.CountEdges} {
		if _, err := work(ctx); !errors.Is(err, stop) {
			t.Error(err)
		}
	}
	if err := e.judge(t); err != nil {
		t.Error(err)
	}
}

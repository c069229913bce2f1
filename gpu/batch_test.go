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

// batchEngine is an engine with a validation batch of several searches, because it
// regenerates the tuples, and the CPU searcher for comparison.
type batchEngine struct {
	*testEngine
	other engine.Searcher
	roots []engine.Label
	batch []claim
}

// claim is a parent tree, right or wrong.
type claim struct {
	root    engine.Label
	parents []engine.Label
}

// startBatch returns an engine with an official graph and a validation batch of
// maxBatch searches. Its memory does not hold all tuples.
func startBatch(t *testing.T, scale int) *batchEngine {
	t.Helper()
	const part = 1000
	spec := kronecker.Spec{Scale: scale, EdgeFactor: 100, Seed1: 2, Seed2: 3}
	job := engine.Job{Vertices: spec.Vertices(), Tuples: spec.Tuples(), Connected: spec.MaxConnected(), Strategies: []engine.Strategy{named("default")}, Searches: maxBatch}
	p := planned(0)
	limit := engine.Peak(p.required(job, whole(part, construct.MostGroups, maxBatch)), engine.DeviceMemory)
	e := startWith(t, named("default"), limit, part)
	if err := e.Generate(t.Context(), spec, nil); err != nil {
		t.Fatal(err)
	}
	info, err := e.Construct(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := e.searcher.Capacity(); n != maxBatch || e.layout.capacity != part {
		t.Fatalf("%d searches together in %+v", n, e.layout)
	}
	tuples := make([]engine.Edge, spec.Tuples())
	kronecker.New(spec).Edges(tuples, 0)
	_, c, _ := onCPU(t, int(spec.Vertices()), tuples)
	return &batchEngine{e, c, e.keys(t, spec, maxBatch, info), nil}
}

// keep adds a search from root to the batch. corrupt, unless nil, changes its
// parents.
func (e *batchEngine) keep(t *testing.T, root engine.Label, corrupt func(parents []engine.Label, root engine.Label)) {
	t.Helper()
	if err := errors.Join(e.Clear(), e.Search(t.Context(), root)); err != nil {
		t.Fatal(err)
	}
	c := claim{root, e.parentsOf(t)}
	keep := e.searcher.Keep
	if corrupt != nil {
		corrupt(c.parents, root)
		keep = func() error { return e.searcher.Set(engine.Vertex(root), c.write) }
	}
	if err := keep(); err != nil {
		t.Fatal(err)
	}
	e.batch = append(e.batch, c)
}

func (c claim) write(r engine.Results) error {
	copy(r.Parents, c.parents)
	return nil
}

// validateBatch compares the results of both engines for the batch, and empties it.
// It returns the error of the validation.
func (e *batchEngine) validateBatch(t *testing.T) error {
	t.Helper()
	defer func() { e.batch = nil }()
	defer e.searcher.Drop()
	if err := e.Clear(); err != nil { // the batch stays
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

// others validates or counts the searches of the batch one by one on the CPU, up to
// the first wrong one.
func (e *batchEngine) others(t *testing.T, work func(context.Context) ([]engine.Tree, error)) (trees []engine.Tree, err error) {
	t.Helper()
	for _, c := range e.batch {
		e.other.Drop()
		if err := e.other.Set(engine.Vertex(c.root), c.write); err != nil {
			t.Fatal(err)
		}
		tree, err := work(t.Context())
		if err != nil {
			return trees, err
		}
		trees = append(trees, tree...)
	}
	return trees, nil
}

func TestSearchesValidatedTogether(t *testing.T) {
	e := startBatch(t, 8)
	for _, n := range []int{3, maxBatch, 1, 2} {
		for _, root := range e.roots[:n] {
			e.keep(t, root, nil)
		}
		if err := e.validateBatch(t); err != nil {
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

// With all tuples in memory a batch saves nothing, so it has one search.
func TestSearchesValidatedAlone(t *testing.T) {
	e, _, _ := loaded(t, "default", 6, []engine.Edge{{U: 0, V: 1}, {U: 1, V: 0}, {U: 3, V: 4}, {U: 4, V: 4}})
	if n := e.searcher.Capacity(); n != 1 {
		t.Errorf("%d searches together, though all tuples are in memory", n)
	}
}

// Validation finds a wrong tree at any position of the batch.
func TestWrongTreeAmongOthers(t *testing.T) {
	e := startBatch(t, 8)
	roots := e.roots[:4]
	for wrong := range roots {
		if testing.Short() && wrong%2 != 0 {
			continue
		}
		for rule, corrupt := range map[validate.Rule]func(parents []engine.Label, root engine.Label){
			validate.Root:  func(parents []engine.Label, root engine.Label) { parents[root] = engine.None },
			validate.Entry: func(parents []engine.Label, _ engine.Label) { parents[lastOf(parents)] = 1 << 8 },
			validate.Level: func(parents []engine.Label, root engine.Label) {
				for v := range parents {
					parents[v] = engine.None
				}
				parents[root] = root
			},
		} {
			for i, root := range roots {
				if i == wrong || i == wrong+2 { // the second wrong tree is not validated
					e.keep(t, root, corrupt)
				} else {
					e.keep(t, root, nil)
				}
			}
			var broken *validate.Error
			if err := e.validateBatch(t); !errors.As(err, &broken) || broken.Rule != rule || broken.Root != engine.Vertex(roots[wrong]) {
				t.Errorf("tree %d, rule %v: %v", wrong, rule, err)
			}
		}
	}
}

// lastOf returns the largest vertex of a tree other than its root.
func lastOf(parents []engine.Label) int {
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
	e := startBatch(t, 8)
	for _, root := range e.roots[:3] {
		e.keep(t, root, nil)
	}
	for _, work := range []func(context.Context) ([]engine.Tree, error){e.searcher.Check, e.searcher.CountEdges} {
		if _, err := work(ctx); !errors.Is(err, stop) {
			t.Error(err)
		}
	}
	if err := e.validateBatch(t); err != nil {
		t.Error(err)
	}
}

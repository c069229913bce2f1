//go:build cuda

package gpu

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"graph500/cluster"
	"graph500/cpu"
	"graph500/device"
	"graph500/engine"
	"graph500/kronecker"
	"graph500/memory"
	"graph500/validate"
)

// testEngine is an engine with a Searcher for its graph.
type testEngine struct {
	*Engine
	*member
	strategy engine.Strategy
	wide     bool // labels of 48 bits
	searcher *Searcher
}

// start returns an engine on GPU 0. Without a GPU it skips the test.
func start(t *testing.T, strategy string) *testEngine {
	if strategy != byHubs {
		return startWith(t, named(strategy), 0, regeneratedPart)
	}
	e := startWith(t, named(defaultStrategy), 0, regeneratedPart)
	e.planner.hubsFrom = 1
	return e
}

// byHubs stands for the default strategy of BFS by the depths of hubs, on graphs of any size.
const byHubs = "default by hubs"

// minimalMemory is a memory limit that makes an engine choose its smallest layout.
const minimalMemory = 1

// startWith returns an engine with a memory limit in bytes, without driverBytes, and
// a number of tuples per regenerated part.
func startWith(t *testing.T, strategy engine.Strategy, limit, part uint64) *testEngine {
	t.Helper()
	if err := Available(); err != nil {
		t.Skip(err)
	}
	if limit > 0 {
		limit += driverBytes
	}
	e, err := New(t.Context(), cluster.Alone(), []int{0}, Options{MaxBytes: limit, part: part, device: device.Options{LockPiece: 1 << 16}})
	if err != nil {
		t.Fatal(err)
	}
	test := &testEngine{Engine: e, member: e.members[0], strategy: strategy}
	t.Cleanup(func() {
		if err := errors.Join(test.closeSearcher(), e.Close()); err != nil {
			t.Error(err)
		}
	})
	return test
}

// named returns the strategy of BFS of that name.
func named(name string) engine.Strategy {
	s, _ := lookUp(engine.Strategy{Kernel: engine.BFS, Name: name})
	return s.Strategy
}

// strategiesOf lists the strategies of a kernel.
func strategiesOf(k engine.Kernel) []engine.Strategy {
	return slices.DeleteFunc(Strategies(), func(s engine.Strategy) bool { return s.Kernel != k })
}

// closeSearcher closes the Searcher, if there is one.
func (e *testEngine) closeSearcher() (err error) {
	if e.searcher != nil {
		err = e.searcher.Close()
	}
	e.searcher = nil
	return err
}

// prepare is Prepare for one job on the graph of the given one.
func (e *testEngine) prepare(job engine.Job) error {
	job.Strategies, job.Searches, job.Delta, job.Wide = []engine.Strategy{e.strategy}, 64, 0.1, e.wide
	return e.Prepare(context.Background(), []engine.Plan{e.Plan(job)})
}

// generated returns a job on the graph of a spec without strategies.
func generated(spec kronecker.Spec) engine.Job {
	return engine.Job{Vertices: spec.Vertices(), Tuples: spec.Tuples(), Connected: spec.MaxConnected()}
}

// Generate prepares the engine and generates the tuples.
func (e *testEngine) Generate(ctx context.Context, spec kronecker.Spec, progress func(done, total int64)) error {
	if err := e.prepare(generated(spec)); err != nil {
		return err
	}
	return e.Engine.Generate(ctx, spec, progress)
}

// Load prepares the engine and loads the tuples.
func (e *testEngine) Load(ctx context.Context, vertices uint64, tuples engine.Tuples) error {
	if err := e.prepare(engine.Job{Vertices: vertices, Tuples: uint64(tuples.Len()), Loaded: true, LoadedWide: tuples.Wide != nil}); err != nil {
		return err
	}
	return e.Engine.Load(ctx, vertices, tuples)
}

// Construct builds the graph and creates the Searcher.
func (e *testEngine) Construct(ctx context.Context) (engine.Graph, error) {
	info, err := e.Engine.Construct(ctx)
	if err != nil {
		return info, err
	}
	return info, e.use(ctx, e.strategy)
}

// use replaces the Searcher by one for another strategy.
func (e *testEngine) use(ctx context.Context, strategy engine.Strategy) error {
	if err := e.closeSearcher(); err != nil {
		return err
	}
	s, err := e.NewSearcher(ctx, strategy)
	if err == nil {
		e.searcher = s.(*Searcher)
	}
	return err
}

// has reports whether a vertex is usable.
func (e *testEngine) has(t *testing.T, v engine.Label) bool {
	t.Helper()
	usable, err := e.Usable(t.Context(), []engine.Vertex{engine.Vertex(v)})
	if err != nil {
		t.Fatal(err)
	}
	return usable[0]
}

func (e *testEngine) Clear() error { return e.searcher.Clear() }

func (e *testEngine) Search(ctx context.Context, root engine.Label) error {
	return e.searcher.Search(ctx, engine.Vertex(root))
}

// check validates the last search.
func (e *testEngine) check(ctx context.Context) (engine.Tree, error) {
	if err := e.searcher.Keep(); err != nil {
		return engine.Tree{}, err
	}
	defer e.searcher.Drop()
	trees, err := e.searcher.Check(ctx)
	if err != nil {
		return engine.Tree{}, err
	}
	return trees[0], nil
}

// parentsOf returns a copy of the parents of the last search.
func (e *testEngine) parentsOf(t *testing.T) []engine.Label {
	t.Helper()
	parents := make([]engine.Label, e.vertices)
	if err := e.inPhase("copying", func() error { return e.searcher.members[0].parents.Read(0, parents) }); err != nil {
		t.Fatal(err)
	}
	return parents
}

// keys returns the first search keys of an official graph.
func (e *testEngine) keys(t *testing.T, spec kronecker.Spec, want int, info engine.Graph) (roots []engine.Label) {
	t.Helper()
	keys, err := kronecker.Sample(t.Context(), spec, want, info.Connected, e.Usable)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		roots = append(roots, engine.Label(key))
	}
	return roots
}

// inMemory returns the tuples in an array that an engine may take over.
func inMemory(t *testing.T, tuples []engine.Edge) engine.Tuples {
	t.Helper()
	own, err := memory.Alloc[engine.Edge](len(tuples))
	if err != nil {
		t.Fatal(err)
	}
	copy(own, tuples)
	return engine.Tuples{Edges: own}
}

// onCPU returns a CPU engine with the graph of the tuples, its Searcher and the facts
// of the graph.
func onCPU(t *testing.T, vertices int, tuples []engine.Edge) (*cpu.Engine, engine.Searcher, engine.Graph) {
	t.Helper()
	e := cpu.New(cluster.Alone(), 0)
	if err := e.Load(t.Context(), uint64(vertices), inMemory(t, tuples)); err != nil {
		t.Fatal(err)
	}
	info, err := e.Construct(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.NewSearcher(t.Context(), engine.Strategy{Kernel: engine.BFS, Name: "default"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(s.Close(), e.Close()) })
	return e, s, info
}

// depths counts the ancestors of every vertex of a valid tree, -1 for vertices
// outside.
func depths(parents []engine.Label, root engine.Label) []int {
	d := make([]int, len(parents))
	for v, p := range parents {
		if p == engine.None {
			d[v] = -1
			continue
		}
		for u := engine.Label(v); u != root; u = parents[u] {
			d[v]++
		}
	}
	return d
}

// compare searches from root on both engines and compares trees, facts and the
// depth of every vertex.
func compare(t *testing.T, e *testEngine, c engine.Searcher, root engine.Label) {
	t.Helper()
	c.Drop()
	for _, step := range []func() error{
		e.Clear, c.Clear,
		func() error { return e.Search(t.Context(), root) },
		func() error { return c.Search(t.Context(), engine.Vertex(root)) },
		e.searcher.Keep, c.Keep,
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	defer e.searcher.Drop()
	got, err := e.searcher.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want, err := c.Check(t.Context())
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("root %d: %+v, want %+v (%v)", root, got, want, err)
	}
	want[0].Depth = 0
	if counted, err := e.searcher.CountEdges(t.Context()); err != nil || !slices.Equal(counted, want) {
		t.Fatalf("root %d: counted %+v, want %+v (%v)", root, counted, want, err)
	}
	theirs, err := c.Results(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := e.searcher.Results(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	a, b := depths(ours.Parents, root), depths(theirs.Parents, root)
	for v := range a {
		if a[v] != b[v] {
			t.Fatalf("root %d: vertex %d has depth %d, want %d", root, v, a[v], b[v])
		}
	}
	p, err := e.searcher.Profile()
	if err != nil || p.DeviceSeconds <= 0 {
		t.Fatalf("root %d: %v s by the device's clock, %v", root, p.DeviceSeconds, err)
	}
	sizes := make([]int64, got[0].Depth+2)
	for _, d := range a {
		if d >= 0 {
			sizes[d]++
		}
	}
	if e.layout.byHubs { // its profile lists steps, without leaves
		p.Levels = nil
	}
	for i, l := range p.Levels {
		if i > int(got[0].Depth) || l.Frontier != sizes[i] || l.Found != sizes[i+1] {
			t.Fatalf("root %d: level %d is %+v, the sizes are %v", root, i, l, sizes)
		}
	}
}

func eachStrategy(t *testing.T, f func(t *testing.T, strategy string)) {
	for _, s := range strategiesOf(engine.BFS) {
		t.Run(s.Name, func(t *testing.T) { f(t, s.Name) })
	}
}

// constructed builds the graph of the tuples that the engine has generated and
// returns its first key.
func constructed(t *testing.T, e *testEngine, spec kronecker.Spec) engine.Label {
	t.Helper()
	info, err := e.Construct(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return e.keys(t, spec, 1, info)[0]
}

// loaded returns an engine with the graph of the tuples, and the CPU's.
func loaded(t *testing.T, strategy string, vertices int, tuples []engine.Edge) (*testEngine, engine.Searcher, engine.Graph) {
	t.Helper()
	e := start(t, strategy)
	if err := e.Load(t.Context(), uint64(vertices), inMemory(t, tuples)); err != nil {
		t.Fatal(err)
	}
	info, err := e.Construct(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, c, facts := onCPU(t, vertices, tuples)
	if info != facts {
		t.Fatalf("%+v, want %+v", info, facts)
	}
	return e, c, info
}

func TestTupleBeyondTheVertices(t *testing.T) {
	e := start(t, "default")
	if err := e.Load(t.Context(), 3, inMemory(t, []engine.Edge{{U: 0, V: 1}, {U: 3, V: 1}})); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Construct(t.Context()); err == nil || !strings.Contains(err.Error(), "tuple 1 (3, 1)") {
		t.Error(err)
	}
}

// A caller may validate parents of its own.
func TestParentsFromElsewhere(t *testing.T) {
	tuples := []engine.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}, {U: 3, V: 0}}
	e, _, _ := loaded(t, "default", 5, tuples)
	s := e.searcher
	set := func(parents ...engine.Label) error {
		s.Drop()
		return s.Set(0, func(r engine.Results) error {
			copy(r.Parents, parents)
			return nil
		})
	}
	if err := set(0, 0, 1, 0, engine.None); err != nil {
		t.Fatal(err)
	}
	if trees, err := s.Check(t.Context()); err != nil || !slices.Equal(trees, []engine.Tree{{Visited: 4, Edges: 4, Depth: 2}}) {
		t.Errorf("%+v, %v", trees, err)
	}
	if r, err := s.Results(t.Context(), 0); err != nil || !slices.Equal(r.Parents, []engine.Label{0, 0, 1, 0, engine.None}) {
		t.Error(r, err)
	}
	if err := s.Keep(); err == nil {
		t.Error("more searches in the batch than its capacity")
	}
	if err := set(0, 0, 1, 2, engine.None); err != nil {
		t.Fatal(err)
	}
	var broken *validate.Error
	if _, err := s.Check(t.Context()); !errors.As(err, &broken) {
		t.Error(err)
	}
	s.Drop()
	refusal := errors.New("refusal")
	if err := s.Set(0, func(engine.Results) error { return refusal }); err != refusal {
		t.Error(err)
	}
	if trees, err := s.Check(t.Context()); err != nil || len(trees) > 0 {
		t.Errorf("%+v, %v", trees, err)
	}
}

func TestContextEndsEveryPhase(t *testing.T) {
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	spec := kronecker.Spec{Scale: 8, EdgeFactor: 16, Seed1: 2, Seed2: 3}
	empty := start(t, "default")
	if err := empty.Generate(ctx, spec, nil); !errors.Is(err, stop) {
		t.Errorf("generation: %v", err)
	}
	for _, s := range strategiesOf(engine.BFS) {
		e := start(t, s.Name)
		if err := e.Generate(t.Context(), spec, nil); err != nil {
			t.Fatal(err)
		}
		if err := e.Tuples(ctx, func(engine.Tuples) error { return nil }); !errors.Is(err, stop) {
			t.Errorf("tuples: %v", err)
		}
		if _, err := e.Construct(t.Context()); err != nil {
			t.Fatal(err)
		}
		root := engine.Label(0)
		for !e.has(t, root) {
			root++
		}
		if err := e.Clear(); err != nil {
			t.Fatal(err)
		}
		if err := e.Search(ctx, root); !errors.Is(err, stop) {
			t.Errorf("%s: search: %v", s.Name, err)
		}
		if err := e.Clear(); err != nil {
			t.Fatal(err)
		}
		if err := e.Search(t.Context(), root); err != nil {
			t.Errorf("%s: search after a stopped one: %v", s.Name, err)
		}
		if err := e.searcher.Keep(); err != nil {
			t.Fatal(err)
		}
		if _, err := e.searcher.Check(ctx); !errors.Is(err, stop) {
			t.Errorf("validation: %v", err)
		}
		if _, err := e.searcher.CountEdges(ctx); !errors.Is(err, stop) {
			t.Errorf("counting: %v", err)
		}
		if _, err := e.searcher.Check(t.Context()); err != nil {
			t.Errorf("%s: validation after a stopped one: %v", s.Name, err)
		}
		if _, err := e.searcher.Results(ctx, 0); !errors.Is(err, stop) {
			t.Errorf("parents: %v", err)
		}
	}
}

func TestContextEndsPhasesThatRegenerate(t *testing.T) {
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	spec := kronecker.Spec{Scale: 8, EdgeFactor: 16, Seed1: 2, Seed2: 3}
	e := startWith(t, named("default"), minimalMemory, 1000)
	if err := e.Generate(t.Context(), spec, nil); err != nil {
		t.Fatal(err)
	}
	if err := e.Tuples(ctx, func(engine.Tuples) error { return nil }); !errors.Is(err, stop) {
		t.Errorf("tuples: %v", err)
	}
	refusal := errors.New("refusal")
	if err := e.Tuples(t.Context(), func(engine.Tuples) error { return refusal }); err != refusal {
		t.Errorf("tuples: %v", err)
	}
	if _, err := e.Construct(ctx); !errors.Is(err, stop) {
		t.Errorf("construction: %v", err)
	}
	root := constructed(t, e, spec)
	if err := errors.Join(e.Clear(), e.Search(t.Context(), root)); err != nil {
		t.Fatal(err)
	}
	if err := e.searcher.Keep(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.searcher.Check(ctx); !errors.Is(err, stop) {
		t.Errorf("validation: %v", err)
	}
	if _, err := e.searcher.CountEdges(ctx); !errors.Is(err, stop) {
		t.Errorf("counting: %v", err)
	}
	if _, err := e.searcher.Check(t.Context()); err != nil {
		t.Errorf("validation after a stopped one: %v", err)
	}
}

func TestConstructionStops(t *testing.T) {
	e := start(t, "default")
	if err := e.Load(t.Context(), 2, inMemory(t, []engine.Edge{{U: 0, V: 1}})); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Construct(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestDeviceFacts(t *testing.T) {
	e := start(t, "default")
	info := e.Info()
	d := info.Device
	if d.Name == "" || d.Driver == "" || d.BusID == "" || d.Architecture == "" || d.Multiprocessors < 1 || d.ClockMHz < 1 || d.MemoryClockMHz < 1 {
		t.Errorf("%+v", d)
	}
	free := e.Memory().Bytes
	if free == 0 || free > d.Memory {
		t.Errorf("%d of %d bytes are free", free, d.Memory)
	}
	if err := e.prepare(engine.Job{Vertices: 2, Tuples: 1, Loaded: true}); err != nil {
		t.Fatal(err)
	}
	if rate, err := e.CopyBandwidth(); err != nil || rate <= 0 {
		t.Errorf("%g bytes a second, %v", rate, err)
	}
	if e.device.Free() != e.device.Reserved() {
		t.Errorf("%d of %d bytes are free after the measurement", e.device.Free(), e.device.Reserved())
	}
	if info.MaxVertices != 1<<30 || info.LabelBits != 30 {
		t.Errorf("at most %d vertices, labels of %d bits", info.MaxVertices, info.LabelBits)
	}
}

func TestRefusals(t *testing.T) {
	e := start(t, "default")
	for _, err := range []error{
		e.Engine.Load(t.Context(), 1<<30+1, engine.Tuples{}),
		e.Engine.Generate(t.Context(), kronecker.Spec{Scale: 31, EdgeFactor: 1, Seed1: 2, Seed2: 3}, nil),
	} {
		if err == nil || !strings.Contains(err.Error(), "need labels of more than 30 bits") {
			t.Error(err)
		}
	}
	if err := e.Load(t.Context(), 2, inMemory(t, []engine.Edge{{U: 0, V: 1}})); err != nil {
		t.Fatal(err)
	}
	if err := e.Engine.Load(t.Context(), 2, engine.Tuples{}); err == nil {
		t.Error("loaded twice")
	}
	if _, err := e.NewSearcher(t.Context(), engine.Strategy{Name: "sideways"}); err == nil {
		t.Error("no error for an unknown strategy")
	}
	if _, err := New(t.Context(), cluster.Alone(), []int{1000}, Options{}); err == nil || !strings.Contains(err.Error(), "GPU 1000: no such GPU") {
		t.Error(err)
	}
}

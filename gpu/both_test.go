//go:build cuda

package gpu

import (
	"errors"
	"slices"
	"testing"

	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/validate"
)

// bothKernels are the default strategies of BFS and SSSP.
func bothKernels() []engine.Strategy {
	return []engine.Strategy{named(defaultStrategy), shortestPaths()}
}

// openSearchers creates a searcher for each strategy. The test closes them in the reverse
// order.
func openSearchers(t *testing.T, e *testEngine, strategies []engine.Strategy) (list []*Searcher) {
	t.Helper()
	for _, of := range strategies {
		s, err := e.NewSearcher(t.Context(), of)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		list = append(list, s.(*Searcher))
	}
	return list
}

// The plan equals the memory in use to the byte, on a graph that has the maximum numbers
// of rows and arcs that the plan assumes, for SSSP and for both kernels.
func TestPlanIsWhatShortestPathsTake(t *testing.T) {
	const vertices = 300
	tuples := engine.Tuples{Weights: slices.Repeat([]float32{1}, vertices)}
	for v := range engine.Label(vertices) { // deep enough for the tables of deep trees
		tuples.Edges = append(tuples.Edges, engine.Edge{U: v, V: (v + 1) % vertices})
	}
	for _, strategies := range [][]engine.Strategy{{shortestPaths()}, bothKernels()} {
		e := startWith(t, shortestPaths(), 0, regeneratedPart)
		job := engine.Job{Vertices: vertices, Tuples: vertices, Loaded: true, Strategies: strategies, Searches: 64, Delta: 0.1}
		if err := e.Prepare(t.Context(), []engine.Plan{e.Plan(job)}); err != nil {
			t.Fatal(err)
		}
		if err := e.Engine.Load(t.Context(), vertices, owned(t, tuples)); err != nil {
			t.Fatal(err)
		}
		plan := slices.DeleteFunc(e.Plan(job).Memory, func(a engine.Allocation) bool {
			return a.Name == "exceptions" || a.Name == "minor exceptions" // as in TestPlanIsWhatIsTaken
		})
		of := func(phase engine.Phase) uint64 { return engine.PeakIn(plan, engine.DeviceMemory, phase) }
		if want := engine.Peak(e.Plan(job).Memory, engine.DeviceMemory); e.device.Reserved() != want {
			t.Errorf("%d bytes are reserved, %d planned", e.device.Reserved(), want)
		}
		if e.used() != of(engine.Loading) {
			t.Errorf("%d bytes after loading, %d planned", e.used(), of(engine.Loading))
		}
		if _, err := e.Engine.Construct(t.Context()); err != nil {
			t.Fatal(err)
		}
		if e.device.Peak() != of(engine.Loading|engine.Construction) {
			t.Errorf("%d bytes in construction, %d planned", e.device.Peak(), of(engine.Loading|engine.Construction))
		}
		searchers := openSearchers(t, e, strategies)
		deep := validate.DeepPlan(vertices)[0].Bytes * uint64(len(searchers)) // allocated at the first deep trees
		if e.used()+deep != of(engine.Search) {
			t.Errorf("%d bytes with the searchers, %d planned less %d", e.used(), of(engine.Search), deep)
		}
		for _, s := range searchers {
			for root := range s.Capacity() {
				if err := errors.Join(s.Clear(), s.Search(t.Context(), engine.Vertex(root)), s.Keep()); err != nil {
					t.Fatal(err)
				}
			}
			if trees, err := s.Check(t.Context()); err != nil || trees[0].Depth != vertices/2 {
				t.Fatalf("%+v, %v", trees, err)
			}
		}
		if e.used() != of(engine.Search) {
			t.Errorf("%d bytes in the search, %d planned", e.used(), of(engine.Search))
		}
		if all := of(engine.Loading | engine.Construction | engine.Searching); e.device.Peak() > all {
			t.Errorf("%d bytes at most, %d planned", e.device.Peak(), all)
		}
	}
}

// An official graph with the strategies uses at most the planned memory, for each memory
// limit, whatever the batch.
func TestLimitsOfShortestPaths(t *testing.T) {
	const part = 1 << 10
	spec := devicetest.Official(9)
	vertices, tuples := official(spec.Scale)
	for i, strategies := range [][]engine.Strategy{{shortestPaths()}, bothKernels()} {
		for k, l := range []layout{whole(tuples, 4, 1), whole(tuples, 6, maxBatch), whole(part, 4, 1), whole(part, 6, 3)} {
			if testing.Short() && k%2 != i {
				continue
			}
			job := engine.Job{Vertices: vertices, Tuples: tuples, Connected: spec.MaxConnected(), Strategies: strategies, Searches: maxBatch, Delta: 0.1}
			most := engine.Peak(planned(0).required(job, l), engine.DeviceMemory)
			e := startWith(t, shortestPaths(), most, part)
			if err := e.Prepare(t.Context(), []engine.Plan{e.Plan(job)}); err != nil {
				t.Fatal(err)
			}
			if err := e.Engine.Generate(t.Context(), spec, nil); err != nil {
				t.Fatal(err)
			}
			if e.tuples.Whole() != (l.capacity == tuples) {
				t.Errorf("%+v for %+v", e.layout, l)
			}
			info, err := e.Engine.Construct(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			root := engine.Vertex(e.keys(t, spec, 1, info)[0])
			for _, s := range openSearchers(t, e, strategies) {
				for range s.Capacity() {
					if err := errors.Join(s.Clear(), s.Search(t.Context(), root), s.Keep()); err != nil {
						t.Fatal(err)
					}
				}
				if trees, err := s.Check(t.Context()); err != nil || len(trees) != s.Capacity() {
					t.Fatalf("%d trees of %d, %v", len(trees), s.Capacity(), err)
				}
			}
			if e.device.Reserved() > most {
				t.Errorf("%+v: %d bytes are reserved of %d", l, e.device.Reserved(), most)
			}
		}
	}
}

// The batch of SSSP is the largest that fits, with all tuples in memory too. A run of BFS
// alone does not have one.
func TestBatchOfShortestPaths(t *testing.T) {
	for _, strategies := range [][]engine.Strategy{{shortestPaths()}, bothKernels()} {
		for _, loaded := range []bool{false, true} {
			job := officialJob(20, loaded)
			job.Strategies = strategies
			p := planned(1 << 40)
			l := p.layoutOf(job)
			if l.capacity != job.Tuples || p.together(engine.SSSP, job, l) != maxBatch || p.together(engine.BFS, job, l) != 1 {
				t.Errorf("loaded %v: %+v", loaded, l)
			}
			for most := engine.Peak(planned(0).required(job, l), engine.DeviceMemory); ; most -= most / 16 / 512 * 512 {
				p := planned(most)
				got := p.layoutOf(job)
				if !p.fits(job, got) {
					break
				}
				larger := got
				if larger.batch++; got.batch < maxBatch && p.fits(job, larger) {
					t.Errorf("%d bytes: %+v, though a larger batch fits", most, got)
				}
				if peak := engine.Peak(p.plan(job, got), engine.DeviceMemory); peak > most {
					t.Errorf("%d bytes: %+v takes %d", most, got, peak)
				}
			}
		}
	}
}

// The plan of both kernels has the arrays of each, and no array of the kernel that does
// not run.
func TestPlanNamesTheKernel(t *testing.T) {
	names := func(strategies ...engine.Strategy) map[string]int {
		job := officialJob(20, true)
		job.Strategies = strategies
		p, count := planned(1<<40), map[string]int{}
		for _, a := range append(p.plan(job, p.layoutOf(job)), onHost(job, false)...) {
			count[a.Name]++
		}
		return count
	}
	bfs, sssp, both := names(named(defaultStrategy)), names(shortestPaths()), names(bothKernels()...)
	for _, name := range []string{"parents", "parents, copied", "neighbours"} {
		if bfs[name] != 1 || sssp[name] != 0 || both[name] != 1 {
			t.Errorf("%s: %d, %d and %d times", name, bfs[name], sssp[name], both[name])
		}
	}
	for _, name := range []string{"parents of shortest paths", "parents of shortest paths, copied", "distances", "distances, copied", "arcs by weight"} {
		if bfs[name] != 0 || sssp[name] != 1 || both[name] != 1 {
			t.Errorf("%s: %d, %d and %d times", name, bfs[name], sssp[name], both[name])
		}
	}
	if deep := validate.DeepPlan(1)[0].Name; bfs[deep] != 1 || sssp[deep] != 1 || both[deep] != 2 {
		t.Errorf("%s: %d, %d and %d times", deep, bfs[deep], sssp[deep], both[deep])
	}
}

// The optional arrays of a BFS leave memory for the tables of deep trees, if they are
// planned, and for all that the searcher of SSSP takes after them.
func TestReserve(t *testing.T) {
	for _, loaded := range []bool{false, true} {
		job := officialJob(20, loaded)
		deep := validate.DeepPlan(job.Vertices)[0].Bytes
		p := planned(1 << 40)
		l := p.layoutOf(job)
		if got := p.reserve(p.planJob(job, l), engine.BFS); got != deep {
			t.Errorf("loaded %v, BFS alone: %d bytes, want %d", loaded, got, deep)
		}
		job.Strategies = bothKernels()
		l = p.layoutOf(job)
		var paths uint64
		for _, a := range p.searcher(job, l, engine.SSSP) {
			paths += a.Bytes
		}
		if !loaded {
			paths += deep
		}
		if got := p.reserve(p.planJob(job, l), engine.BFS); got != paths+deep {
			t.Errorf("loaded %v: %d bytes, want %d", loaded, got, paths+deep)
		}
	}
	job := officialJob(20, false)
	job.Strategies = []engine.Strategy{named("push")}
	p := planned(0)
	if got := p.reserve(p.planJob(job, p.layoutOf(job)), engine.BFS); got != 0 {
		t.Errorf("%d bytes for tables that are not planned", got)
	}
}

//go:build cuda

package gpu

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"graph500/cluster"
	"graph500/cpu"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kronecker"
	"graph500/memory"
	"graph500/validate"
)

// shortestPaths returns the default strategy of SSSP.
func shortestPaths() engine.Strategy {
	s, _ := lookUp(engine.Strategy{Kernel: engine.SSSP, Name: defaultStrategy})
	return s.Strategy
}

// owned returns tuples in arrays that an engine may take over.
func owned(t *testing.T, tuples engine.Tuples) engine.Tuples {
	t.Helper()
	own := inMemory(t, tuples.Edges)
	weights, err := memory.Alloc[float32](len(tuples.Weights))
	if err != nil {
		t.Fatal(err)
	}
	copy(weights, tuples.Weights)
	own.Weights = weights
	return own
}

// officialWeighted returns the tuples of an official graph with their weights.
func officialWeighted(spec kronecker.Spec) engine.Tuples {
	tuples := engine.Tuples{Edges: make([]engine.Edge, spec.Tuples()), Weights: make([]float32, spec.Tuples())}
	kronecker.New(spec).Edges(tuples.Edges, 0)
	kronecker.New(spec).Weights(tuples.Weights, 0)
	return tuples
}

// pathsOnCPU returns the CPU's searcher of shortest paths of the tuples, and the facts of
// its graph.
func pathsOnCPU(t *testing.T, vertices uint64, tuples engine.Tuples) (engine.Searcher, engine.Graph) {
	t.Helper()
	e := cpu.New(cluster.Alone(), 0)
	of := engine.Strategy{Kernel: engine.SSSP, Name: "default"}
	if err := e.Prepare(t.Context(), []engine.Plan{e.Plan(engine.Job{Strategies: []engine.Strategy{of}, Searches: 1})}); err != nil {
		t.Fatal(err)
	}
	if err := e.Load(t.Context(), vertices, owned(t, tuples)); err != nil {
		t.Fatal(err)
	}
	info, err := e.Construct(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.NewSearcher(t.Context(), of)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(s.Close(), e.Close()) })
	return s, info
}

// loadedPaths returns an engine with the weighted graph of the tuples for a strategy, and
// the CPU's searcher.
func loadedPaths(t *testing.T, of engine.Strategy, vertices int, tuples engine.Tuples) (*testEngine, engine.Searcher, engine.Graph) {
	t.Helper()
	e := startWith(t, of, 0, regeneratedPart)
	if err := e.Load(t.Context(), uint64(vertices), owned(t, tuples)); err != nil {
		t.Fatal(err)
	}
	info, err := e.Construct(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c, want := pathsOnCPU(t, uint64(vertices), tuples)
	if info != want {
		t.Fatalf("%+v, want %+v", info, want)
	}
	return e, c, info
}

// cloned returns a copy of results.
func cloned(r engine.Results) engine.Results {
	return engine.Results{Parents: slices.Clone(r.Parents), Distances: slices.Clone(r.Distances)}
}

// judged returns what the CPU says about results: the facts, or the error.
func judged(t *testing.T, c engine.Searcher, root engine.Label, r engine.Results) ([]engine.Tree, error) {
	t.Helper()
	c.Drop()
	if err := c.Set(engine.Vertex(root), func(to engine.Results) error {
		copy(to.Parents, r.Parents)
		copy(to.Distances, r.Distances)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return c.Check(t.Context())
}

// distancesOnCPU returns the distances from root.
func distancesOnCPU(t *testing.T, c engine.Searcher, root engine.Label) []float32 {
	t.Helper()
	c.Drop()
	if err := errors.Join(c.Clear(), c.Search(t.Context(), engine.Vertex(root)), c.Keep()); err != nil {
		t.Fatal(err)
	}
	r, err := c.Results(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(r.Distances)
}

// comparePaths searches from the roots in batches and compares distances with those of
// the CPU, and facts with the CPU's for the same results.
func comparePaths(t *testing.T, s *Searcher, c engine.Searcher, roots []engine.Label) {
	t.Helper()
	for batch := range slices.Chunk(roots, s.Capacity()) {
		for _, root := range batch {
			if err := errors.Join(s.Clear(), s.Search(t.Context(), engine.Vertex(root))); err != nil {
				t.Fatal(err)
			}
			if p, err := s.Profile(); err != nil || p.DeviceSeconds <= 0 || p.LevelCount < 1 {
				t.Fatalf("root %d: %+v, %v", root, p, err)
			}
			if err := s.Keep(); err != nil {
				t.Fatal(err)
			}
		}
		trees, err := s.Check(t.Context())
		if err != nil || len(trees) != len(batch) {
			t.Fatalf("%d trees of %d, %v", len(trees), len(batch), err)
		}
		counted, err := s.CountEdges(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i, root := range batch {
			r, err := s.Results(t.Context(), i)
			if err != nil {
				t.Fatal(err)
			}
			if !sameBits(r.Distances, distancesOnCPU(t, c, root)) {
				t.Fatalf("root %d, number %d of %d: other distances", root, i, len(batch))
			}
			want, err := judged(t, c, root, r)
			if err != nil || trees[i] != want[0] {
				t.Fatalf("root %d: %+v, want %+v (%v)", root, trees[i], want, err)
			}
			want[0].Depth, want[0].MaxDistance = 0, 0
			if counted[i] != want[0] {
				t.Fatalf("root %d: counted %+v, want %+v", root, counted[i], want[0])
			}
		}
		s.Drop()
	}
}

// eachPathStrategy runs f for every strategy of SSSP.
func eachPathStrategy(t *testing.T, f func(t *testing.T, of engine.Strategy)) {
	for _, of := range strategiesOf(engine.SSSP) {
		t.Run(of.Name, func(t *testing.T) { f(t, of) })
	}
}

// A batch of shortest paths in an engine that regenerates the tuples.
func TestShortestPathsRegeneratedTogether(t *testing.T) {
	const part = 500
	spec := devicetest.Official(8)
	job := engine.Job{Vertices: spec.Vertices(), Tuples: spec.Tuples(), Connected: spec.MaxConnected(), Strategies: []engine.Strategy{shortestPaths()}, Searches: 64}
	p := planned(0)
	l := whole(part, 64, maxBatch)
	e := startWith(t, shortestPaths(), engine.Peak(p.required(job, l), engine.DeviceMemory), part)
	if err := e.Generate(t.Context(), spec, nil); err != nil {
		t.Fatal(err)
	}
	if e.tuples.Whole() {
		t.Fatalf("all tuples are in memory in %+v", e.layout)
	}
	info, err := e.Construct(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := e.searcher.Capacity(); n < 2 {
		t.Fatalf("%d searches together in %+v", n, e.layout)
	}
	c, _ := pathsOnCPU(t, spec.Vertices(), officialWeighted(spec))
	comparePaths(t, e.searcher, c, e.keys(t, spec, maxBatch+2, info))
}

// weighted returns tuples with weights of a kind: equal, zero, random, or of very
// different sizes.
func weighted(r *rand.Rand, edges []engine.Edge, kind int) engine.Tuples {
	tuples := engine.Tuples{Edges: edges, Weights: make([]float32, len(edges))}
	for i := range edges {
		tuples.Weights[i] = [...]float32{0.5, 0, r.Float32(), float32(math.Exp(80*r.Float64() - 60))}[kind%4]
	}
	return tuples
}

func TestInvalidWeightEndsConstruction(t *testing.T) {
	e := startWith(t, shortestPaths(), 0, regeneratedPart)
	if err := e.Load(t.Context(), 3, owned(t, engine.Tuples{Edges: []engine.Edge{{U: 0, V: 1}, {U: 1, V: 2}}, Weights: []float32{1, -1}})); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Construct(t.Context()); err == nil || !strings.Contains(err.Error(), "tuple 1 has weight -1") {
		t.Error(err)
	}
}

// Validation finds wrong results at any position of a batch, and the results that a
// caller sets.
func TestWrongPathsAmongOthers(t *testing.T) {
	spec := devicetest.Official(8)
	e, c, info := loadedPaths(t, shortestPaths(), int(spec.Vertices()), officialWeighted(spec))
	const batch = 3
	roots := e.keys(t, spec, batch, info)
	var right []engine.Results
	for _, root := range roots {
		if err := errors.Join(e.Clear(), e.Search(t.Context(), root), e.searcher.Keep()); err != nil {
			t.Fatal(err)
		}
	}
	for i := range roots {
		r, err := e.searcher.Results(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		right = append(right, cloned(r))
	}
	for wrong := range roots {
		for rule, corrupt := range map[validate.Rule]func(engine.Results){
			validate.Root:     func(r engine.Results) { r.Parents[roots[wrong]] = engine.None },
			validate.Distance: func(r engine.Results) { r.Distances[lastOf(r.Parents)] = engine.Unreached },
			validate.Tight:    func(r engine.Results) { r.Distances[lastOf(r.Parents)] *= 2 },
		} {
			e.searcher.Drop()
			for i, root := range roots {
				r := cloned(right[i])
				if i == wrong {
					corrupt(r)
				}
				if err := e.searcher.Set(engine.Vertex(root), func(to engine.Results) error {
					copy(to.Parents, r.Parents)
					copy(to.Distances, r.Distances)
					return nil
				}); err != nil {
					t.Fatal(err)
				}
			}
			trees, err := e.searcher.Check(t.Context())
			r := cloned(right[wrong])
			corrupt(r)
			var broken *validate.Error
			if _, want := judged(t, c, roots[wrong], r); !reflect.DeepEqual(err, want) || !errors.As(err, &broken) || broken.Rule != rule || len(trees) != wrong {
				t.Errorf("search %d, rule %v: %v after %d trees, want %v", wrong, rule, err, len(trees), want)
			}
			got, err := e.searcher.Results(t.Context(), wrong)
			if err != nil || !slices.Equal(got.Parents, r.Parents) || !sameBits(got.Distances, r.Distances) {
				t.Errorf("search %d, rule %v: other results than those set (%v)", wrong, rule, err)
			}
		}
	}
}

func TestContextEndsPhasesOfShortestPaths(t *testing.T) {
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	spec := devicetest.Official(8)
	for _, strategies := range [][]engine.Strategy{{shortestPaths()}, {named("default"), shortestPaths()}} {
		e := startWith(t, shortestPaths(), 0, regeneratedPart)
		job := engine.Job{Vertices: spec.Vertices(), Tuples: spec.Tuples(), Connected: spec.MaxConnected(), Strategies: strategies, Searches: 64, Delta: 0.1}
		if err := e.Prepare(t.Context(), []engine.Plan{e.Plan(job)}); err != nil {
			t.Fatal(err)
		}
		if err := e.Engine.Generate(t.Context(), spec, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Engine.Construct(ctx); !errors.Is(err, stop) {
			t.Errorf("construction: %v", err)
		}
		info, err := e.Construct(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		root := e.keys(t, spec, 1, info)[0]
		if err := e.Clear(); err != nil {
			t.Fatal(err)
		}
		if err := e.Search(ctx, root); !errors.Is(err, stop) {
			t.Errorf("search: %v", err)
		}
		if err := errors.Join(e.Clear(), e.Search(t.Context(), root), e.searcher.Keep()); err != nil {
			t.Fatal(err)
		}
		if _, err := e.searcher.Check(ctx); !errors.Is(err, stop) {
			t.Errorf("validation: %v", err)
		}
		if _, err := e.searcher.CountEdges(ctx); !errors.Is(err, stop) {
			t.Errorf("counting: %v", err)
		}
		if _, err := e.searcher.Results(ctx, 0); !errors.Is(err, stop) {
			t.Errorf("results: %v", err)
		}
		if _, err := e.searcher.Check(t.Context()); err != nil {
			t.Errorf("validation after a stopped one: %v", err)
		}
	}
}

// Every strategy counts its work in a valid search, and searches as before afterwards.
func TestCountWorkOfShortestPaths(t *testing.T) {
	spec := devicetest.Official(8)
	eachPathStrategy(t, func(t *testing.T, of engine.Strategy) {
		e, c, info := loadedPaths(t, of, int(spec.Vertices()), officialWeighted(spec))
		root := e.keys(t, spec, 1, info)[0]
		stop := errors.New("stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(stop)
		if _, err := e.searcher.CountWork(ctx, engine.Vertex(root)); !errors.Is(err, stop) {
			t.Errorf("a stopped search: %v", err)
		}
		for range 2 {
			counts, err := e.searcher.CountWork(t.Context(), engine.Vertex(root))
			if err != nil {
				t.Fatal(err)
			}
			tree, err := e.check(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if counts.Examined < tree.Visited-1 || counts.Examined > 1000*info.Arcs || counts.Atomics < 1 || counts.Launches < 1 {
				t.Errorf("%+v for %+v", counts, tree)
			}
			comparePaths(t, e.searcher, c, []engine.Label{root})
		}
	})
}

// An engine that was prepared for one kernel has no searcher of the other.
func TestKernelOfNoJob(t *testing.T) {
	for _, c := range []struct{ prepared, other engine.Strategy }{{named("default"), shortestPaths()}, {shortestPaths(), named("default")}} {
		e := startWith(t, c.prepared, 0, regeneratedPart)
		if err := e.Load(t.Context(), 2, owned(t, engine.Tuples{Edges: []engine.Edge{{U: 0, V: 1}}, Weights: []float32{1}})); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Construct(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := e.NewSearcher(t.Context(), c.other); err == nil || !strings.Contains(err.Error(), "there is no graph for "+string(c.other.Kernel)) {
			t.Error(err)
		}
		if _, err := e.NewSearcher(t.Context(), engine.Strategy{Kernel: c.prepared.Kernel, Name: "sideways"}); err == nil {
			t.Error("no error for an unknown strategy")
		}
	}
}

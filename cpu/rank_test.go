package cpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"graph500/cluster"
	"graph500/engine"
	"graph500/kronecker"
	"graph500/partition"
)

// rankRun is what all ranks found.
type rankRun struct {
	tuples    []engine.Edge
	weights   []float32 // of SSSP
	info      engine.Graph
	usable    []bool
	parents   [][]engine.Label // by root
	distances [][]float32      // by root; of SSSP
	trees     []engine.Tree
	rates     [][]engine.Level // by root, without times
}

// defaultJob is a job of the default strategy of a kernel.
func defaultJob(k engine.Kernel) engine.Job {
	return engine.Job{Strategies: []engine.Strategy{{Kernel: k, Name: "default"}}}
}

// runRanks generates a graph and searches it with the strategy of a job from roots with ranks
// that are goroutines.
func runRanks(t *testing.T, job engine.Job, ranks, threads int, spec kronecker.Spec, roots []engine.Vertex) rankRun {
	t.Helper()
	runs := make([]rankRun, ranks)
	errs := make([]error, ranks)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var wait sync.WaitGroup
	for r, w := range cluster.InProcess(ranks) {
		wait.Go(func() {
			if errs[r] = runs[r].run(ctx, job, w, threads, spec, roots); errs[r] != nil {
				cancel(errs[r])
			}
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	all := runs[0]
	for r, run := range runs[1:] {
		if run.info != all.info || !slices.Equal(run.usable, all.usable) || !slices.Equal(run.trees, all.trees) || !cmp.Equal(run.rates, all.rates) {
			t.Fatalf("rank %d found other facts than rank 0: %+v and %+v", r+1, run, all)
		}
		all.tuples = append(all.tuples, run.tuples...)
		all.weights = append(all.weights, run.weights...)
		for i := range roots {
			all.parents[i] = append(all.parents[i], run.parents[i]...)
			all.distances[i] = append(all.distances[i], run.distances[i]...)
		}
	}
	return all
}

func (run *rankRun) run(ctx context.Context, job engine.Job, w *cluster.World, threads int, spec kronecker.Spec, roots []engine.Vertex) (err error) {
	e := New(w, threads)
	defer func() { err = errors.Join(err, e.Close()) }()
	if err := errors.Join(e.Prepare(ctx, []engine.Plan{{Job: job}}), e.Generate(ctx, spec, func(int64, int64) {})); err != nil {
		return err
	}
	if (e.tuples.Wide != nil) != job.Wide || (e.tuples.Edges != nil) == job.Wide {
		return errors.New("tuples of another width")
	}
	for i := range e.tuples.Len() {
		run.tuples = append(run.tuples, e.tuples.At(i))
	}
	run.weights = slices.Clone(e.tuples.Weights)
	if run.info, err = e.Construct(ctx); err != nil {
		return err
	}
	var vertices []engine.Vertex
	for v := range spec.Vertices() {
		vertices = append(vertices, engine.Vertex(v))
	}
	if run.usable, err = e.Usable(ctx, vertices); err != nil {
		return err
	}
	s, err := e.NewSearcher(ctx, job.Strategies[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for _, root := range roots {
		if err := errors.Join(s.Clear(), s.Search(ctx, root), s.Keep(), compareWide(job.Wide)(s)); err != nil {
			return err
		}
		trees, err := s.Check(ctx)
		if err != nil {
			return err
		}
		counted, err := s.CountEdges(ctx)
		if err != nil {
			return err
		}
		if counted[0].Depth, counted[0].MaxDistance = trees[0].Depth, trees[0].MaxDistance; counted[0] != trees[0] {
			return fmt.Errorf("counted %+v, checked %+v", counted[0], trees[0])
		}
		s.Drop()
		profile, err := s.Profile()
		if err != nil {
			return err
		}
		levels := slices.Clone(profile.Levels)
		for i := range levels {
			levels[i].Seconds = 0
		}
		run.rates = append(run.rates, levels)
		run.trees = append(run.trees, trees[0])
		results := s.(*Searcher).results
		run.parents = append(run.parents, slices.Clone(results.Parents))
		run.distances = append(run.distances, slices.Clone(results.Distances))
	}
	return nil
}

// Ranks find the same graph and the same depths as one engine.
func TestRanks(t *testing.T) {
	type ranksOf struct {
		spec           kronecker.Spec
		ranks, threads int
	}
	cases := []ranksOf{
		{kronecker.Spec{Scale: 1, EdgeFactor: 4, Seed1: 2, Seed2: 3}, 3, 1},
		{kronecker.Spec{Scale: 5, EdgeFactor: 16, Seed1: 2, Seed2: 3}, 4, 2},
		{kronecker.Spec{Scale: 9, EdgeFactor: 1, Seed1: 5, Seed2: 6}, 3, 2},
		{kronecker.Spec{Scale: 10, EdgeFactor: 16, Seed1: 2, Seed2: 3}, 1, 1},
		{kronecker.Spec{Scale: 13, EdgeFactor: 16, Seed1: 2, Seed2: 3}, 2, 1},
		{kronecker.Spec{Scale: 14, EdgeFactor: 16, Seed1: 2, Seed2: 3}, 3, 2},
		{kronecker.Spec{Scale: 14, EdgeFactor: 2, Seed1: 2, Seed2: 3}, 4, 1},
		{kronecker.Spec{Scale: 16, EdgeFactor: 16, Seed1: 2, Seed2: 3}, 2, 2},
	}
	if testing.Short() {
		cases = slices.DeleteFunc(cases, func(c ranksOf) bool { return c.spec.Tuples() > 1<<17 })
	}
	for _, c := range cases {
		t.Run(fmt.Sprintf("%v on %d ranks of %d threads", c.spec, c.ranks, c.threads), func(t *testing.T) {
			one := New(cluster.Alone(), 1)
			defer one.Close()
			if err := one.Generate(t.Context(), c.spec, nil); err != nil {
				t.Fatal(err)
			}
			info, err := one.Construct(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			roots, err := kronecker.Sample(t.Context(), c.spec, 8, info.Connected, one.Usable)
			if err != nil {
				t.Fatal(err)
			}
			got := runRanks(t, defaultJob(engine.BFS), c.ranks, c.threads, c.spec, roots)
			if !slices.Equal(got.tuples, one.tuples.Edges) {
				t.Error("other tuples")
			}
			if diff := cmp.Diff(info, got.info); diff != "" {
				t.Error(diff)
			}
			for v, usable := range got.usable {
				if usable != one.has(engine.Label(v)) {
					t.Fatalf("usable(%d) is %v", v, usable)
				}
			}
			compareSearches(t, one, roots, got)
		})
	}
}

// compareSearches compares depths and facts with those of one engine.
func compareSearches(t *testing.T, one *Engine, roots []engine.Vertex, got rankRun) {
	t.Helper()
	s, err := one.NewSearcher(t.Context(), engine.Strategy{Kernel: engine.BFS, Name: "default"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i, root := range roots {
		if err := errors.Join(s.Clear(), s.Search(t.Context(), root), s.Keep()); err != nil {
			t.Fatal(err)
		}
		trees, err := s.Check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if trees[0] != got.trees[i] {
			t.Errorf("root %d: facts %+v instead of %+v", root, got.trees[i], trees[0])
		}
		results, err := s.Results(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		for v := range results.Parents {
			if a, b := depthOf(results.Parents, v), depthOf(got.parents[i], v); a != b {
				t.Fatalf("root %d: vertex %d has depth %d instead of %d", root, v, b, a)
			}
		}
		s.Drop()
	}
}

// TestDividedOfficialGraphs searches official graphs of scale 10, and without -short of up to 16,
// on the parts of each policy: depths and distances are those of one process.
func TestDividedOfficialGraphs(t *testing.T) {
	scales := 7
	if testing.Short() {
		scales = 1
	}
	for i, p := range partition.Policies() {
		for k, kernel := range engine.Kernels() {
			if testing.Short() && (i+k)%2 > 0 {
				continue
			}
			spec := kronecker.Spec{Scale: 10 + (i+3*k)%scales, EdgeFactor: 16, Seed1: 2, Seed2: 3}
			ranks := 2 + (i+k)%3
			t.Run(fmt.Sprintf("%s, %s, %v on %d ranks", p.Name(), kernel, spec, ranks), func(t *testing.T) {
				edges := make([]engine.Edge, 4)
				kronecker.New(spec).Edges(edges, 0)
				var roots []engine.Vertex
				for _, e := range edges {
					if e.U != e.V {
						roots = append(roots, engine.Vertex(e.U))
					}
				}
				job := defaultJob(kernel)
				job.Delta = 0.1
				want := runRanks(t, job, 1, 2, spec, roots)
				job.Partition = p.Name()
				got := runRanks(t, job, ranks, 1, spec, roots)
				compareRuns(t, kernel, roots, got, want)
			})
		}
	}
}

// compareRuns requires that two runs found the same facts, depths and distances.
func compareRuns(t *testing.T, kernel engine.Kernel, roots []engine.Vertex, got, want rankRun) {
	t.Helper()
	for i, root := range roots {
		g, w := got.trees[i], want.trees[i]
		if kernel == engine.SSSP {
			g.Depth, w.Depth = 0, 0 // not unique
		}
		if g != w || !slices.Equal(got.distances[i], want.distances[i]) {
			t.Errorf("%s, root %d: %+v, want %+v, or other distances", kernel, root, g, w)
		}
		for v := range want.parents[i] {
			if a, b := depthOf(got.parents[i], v), depthOf(want.parents[i], v); a != b && kernel == engine.BFS {
				t.Fatalf("root %d: vertex %d has depth %d instead of %d", root, v, a, b)
			}
		}
	}
}

// depthOf returns the number of ancestors of v, -1 outside the tree.
func depthOf(parents []engine.Label, v int) int {
	if parents[v] == engine.None {
		return -1
	}
	depth := 0
	for u := engine.Label(v); parents[u] != u; u = parents[u] {
		depth++
	}
	return depth
}

func TestRanksRefuse(t *testing.T) {
	e := New(cluster.InProcess(2)[0], 1)
	defer e.Close()
	if err := e.Generate(t.Context(), kronecker.Spec{Scale: 32, EdgeFactor: 1}, nil); err == nil {
		t.Error("generates scale 32")
	}
	for _, s := range []engine.Strategy{{Kernel: engine.BFS, Name: "push"}, {Kernel: engine.SSSP, Name: "obim"}} {
		if _, err := e.NewSearcher(t.Context(), s); err == nil {
			t.Errorf("has a searcher for %v", s)
		}
	}
}

// A search ends soon after its context.
func TestRanksEndWithContext(t *testing.T) {
	cause := errors.New("cause")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	spec := kronecker.Spec{Scale: 10, EdgeFactor: 16, Seed1: 2, Seed2: 3}
	var wait sync.WaitGroup
	for r, w := range cluster.InProcess(2) {
		wait.Go(func() {
			if r == 1 { // never takes part
				cancel(cause)
				return
			}
			var run rankRun
			if err := run.run(ctx, defaultJob(engine.BFS), w, 1, spec, nil); !errors.Is(err, cause) {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}

package cpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"graph500/cluster"
	"graph500/conformance"
	"graph500/engine"
	"graph500/graph"
	"graph500/kronecker"
)

// rankPaths searches a weighted graph with ranks that are goroutines.
type rankPaths struct {
	ranks, threads int
	vertices       int
	tuples         engine.Tuples
	change         func(*bounded) // of the method before the searches; may be nil
	seen           func(*bounded) // of the method of rank 0 after each search; may be nil
}

// load gives a rank its part of the tuples.
func (x rankPaths) load(e *Engine) error {
	job := engine.Job{Vertices: uint64(x.vertices), Tuples: uint64(len(x.tuples.Edges)), Strategies: []engine.Strategy{{Kernel: engine.SSSP, Name: "default"}}}
	own, err := ownPart(e.world, x.tuples)
	return errors.Join(err, e.Prepare(context.Background(), []engine.Plan{{Job: job}}), e.Load(context.Background(), job.Vertices, own))
}

// check searches from the roots, compares the distances with the least ones and validates
// distances and parents on the tuples.
func (x rankPaths) check(t *testing.T, roots ...engine.Label) {
	t.Helper()
	want := make([][]float32, len(roots))
	for i, root := range roots {
		want[i] = conformance.AnswerOf(x.vertices, x.tuples, root).Distances
	}
	errs := make([]error, x.ranks)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var wait sync.WaitGroup
	for r, w := range cluster.InProcess(x.ranks) {
		wait.Go(func() {
			if errs[r] = x.run(ctx, w, roots, want); errs[r] != nil {
				cancel(errs[r])
			}
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatalf("%d ranks of %d threads: %v", x.ranks, x.threads, err)
	}
}

// run is check on one rank.
func (x rankPaths) run(ctx context.Context, w *cluster.World, roots []engine.Label, want [][]float32) (err error) {
	e := New(w, x.threads)
	defer func() { err = errors.Join(err, e.Close()) }()
	if err := x.load(e); err != nil {
		return err
	}
	if _, err := e.Construct(ctx); err != nil {
		return err
	}
	searcher, err := e.NewSearcher(ctx, engine.Strategy{Kernel: engine.SSSP, Name: "default"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, searcher.Close()) }()
	s := searcher.(*Searcher)
	if x.change != nil {
		x.change(s.method.(*bounded))
	}
	for i, root := range roots {
		if err := checkPaths(ctx, s, root, want[i]); err != nil {
			return fmt.Errorf("root %d: %w", root, err)
		}
		if x.seen != nil && w.Rank() == 0 {
			x.seen(s.method.(*bounded))
		}
	}
	return nil
}

// checkPaths searches from root and compares the own distances with the wanted ones.
func checkPaths(ctx context.Context, s *Searcher, root engine.Label, want []float32) error {
	err := errors.Join(s.Clear(), s.Search(ctx, engine.Vertex(root)))
	if slices.Contains(want, float32(math.Inf(1))) {
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("root %d: the sum of the weights", root)) {
			return fmt.Errorf("err = %v with infinite sums", err)
		}
		return nil
	}
	if err := errors.Join(err, s.Keep()); err != nil {
		return err
	}
	defer s.Drop()
	first, _ := s.engine.ranges.Range(s.engine.world.Rank())
	for v, d := range s.results.Distances {
		if w := want[int(first)+v]; math.Float32bits(d) != math.Float32bits(w) {
			return fmt.Errorf("vertex %d has distance %v, want %v", int(first)+v, d, w)
		}
	}
	trees, err := s.Check(ctx)
	if err != nil {
		return err
	}
	if trees[0].MaxDistance != slices.Max(want) {
		return fmt.Errorf("facts %+v, want the largest distance %v", trees[0], slices.Max(want))
	}
	return nil
}

// spread gives the vertices other labels, so that every rank owns some of them.
func spread(r *rand.Rand, vertices int, edges []engine.Edge) []engine.Edge {
	labels := r.Perm(vertices)
	renamed := make([]engine.Edge, len(edges))
	for i, e := range edges {
		renamed[i] = engine.Edge{U: engine.Label(labels[e.U]), V: engine.Label(labels[e.V])}
	}
	return renamed
}

// threadsOf returns the threads of each rank: two of two ranks. Many threads of one process
// wait for each other.
func threadsOf(ranks int) int {
	if ranks == 2 {
		return 2
	}
	return 1
}

// Every number of ranks finds the same distances of one graph with hubs, with limits that
// make every form of the search usual.
func TestRankPathsLimits(t *testing.T) {
	tuples := hubGraph(rand.New(rand.NewPCG(7, 8)), 3000)
	tuples.Edges = spread(rand.New(rand.NewPCG(9, 10)), 3000, tuples.Edges)
	for name, change := range map[string]func(*boundedLimits){
		"usual":           func(*boundedLimits) {},
		"rows are split":  func(l *boundedLimits) { l.longPush = 1 },
		"rounds by all":   func(l *boundedLimits) { l.serialPush, l.soloPush = 0, 0 },
		"always alone":    func(l *boundedLimits) { l.soloPush = math.MaxInt },
		"no second sweep": func(l *boundedLimits) { l.maxSweeps = 1 },
	} {
		for _, ranks := range []int{2, 3, 4} {
			toEnd, pulls := 0, 0 // searches whose tail pushes, and that have a pull
			x := rankPaths{ranks: ranks, threads: threadsOf(ranks), vertices: 3000, tuples: tuples}
			x.change = func(s *bounded) {
				change(&s.limits)
				if s.limits.longPush == 1 {
					s.settled.piece = s.settled.piece[:7] // of many
				}
			}
			x.seen = func(s *bounded) {
				if math.IsInf(float64(s.bound), 1) {
					toEnd++
				}
				if slices.ContainsFunc(s.profile.Levels, func(l engine.Level) bool { return l.Step == "pull" && l.Examined > 0 }) {
					pulls++
				}
			}
			x.check(t, 0, 1, 2, 3)
			if (name == "no second sweep") != (toEnd > 0) || pulls == 0 {
				t.Errorf("%s, %d ranks: %d searches push in the tail, %d pull", name, ranks, toEnd, pulls)
			}
		}
	}
}

// Ranks push whole rows where the pull would decide few vertices of a grid.
func TestRankPathsRefuseThePull(t *testing.T) {
	const side = 60
	r := rand.New(rand.NewPCG(11, 12))
	tuples := engine.Tuples{Edges: gridEdges(side)}
	for _, ranks := range []int{2, 3} {
		for kind, weights := range weightings(len(tuples.Edges), r) {
			tuples.Weights = weights
			x := rankPaths{ranks: ranks, threads: threadsOf(ranks), vertices: side * side, tuples: tuples}
			x.seen = func(s *bounded) {
				if kind == "uniform" && !s.pullRefused {
					t.Errorf("%d ranks: rounds %+v", ranks, s.profile.Levels)
				}
			}
			x.check(t, 0)
		}
	}
}

// Ranks find the official check sums of the distances, and the profile counts all ranks.
func TestRankPathsOfOfficialGraphs(t *testing.T) {
	scales := []int{8, 10, 14, 16}
	if testing.Short() {
		scales = scales[:2]
	}
	for _, scale := range scales {
		var roots []engine.Vertex
		var facts []pathFacts
		for _, f := range readFacts[pathFacts](t, scale) {
			if f.DistanceCheck != "" && len(facts) < 8 {
				facts, roots = append(facts, f), append(roots, engine.Vertex(f.Root))
			}
		}
		if len(facts) == 0 {
			t.Fatal("no check sums")
		}
		spec := kronecker.Spec{Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3}
		for ranks := 1; ranks <= 4; ranks++ {
			got := runRanks(t, defaultJob(engine.SSSP), ranks, threadsOf(ranks), spec, roots)
			for i, want := range facts {
				tree := got.trees[i]
				tree.Depth = 0 // not unique
				if want := (engine.Tree{Visited: want.Visited, Edges: want.Edges, SelfLoops: want.SelfLoops, MaxDistance: float32(want.MaxDistance)}); tree != want {
					t.Fatalf("scale %d, %d ranks: %+v, want %+v", scale, ranks, tree, want)
				}
				if check := fmt.Sprintf("%#016x", distanceCheck(got.distances[i])); check != want.DistanceCheck {
					t.Fatalf("scale %d, %d ranks, root %d: check sum %s of the distances, want %s", scale, ranks, want.Root, check, want.DistanceCheck)
				}
			}
		}
	}
}

// The shares of a weighted graph are its rows, whatever the number of ranks.
func TestRankWeightedShares(t *testing.T) {
	spec := kronecker.Spec{Scale: 9, EdgeFactor: 16, Seed1: 2, Seed2: 3}
	one := officialWeighted(t, spec.Scale, boundedOf(t)).engine
	defer one.Close()
	for ranks := 1; ranks <= 5; ranks++ {
		errs := make([]error, ranks)
		var wait sync.WaitGroup
		for r, w := range cluster.InProcess(ranks) {
			wait.Go(func() { errs[r] = compareShare(t.Context(), w, spec, one) })
		}
		wait.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Errorf("%d ranks: %v", ranks, err)
		}
	}
}

// compareShare compares the tuples and the rows of a rank with those of one engine, for a
// run of both kernels.
func compareShare(ctx context.Context, w *cluster.World, spec kronecker.Spec, one *Engine) (err error) {
	e := New(w, 2)
	defer func() { err = errors.Join(err, e.Close()) }()
	both := engine.Job{Strategies: []engine.Strategy{{Kernel: engine.BFS, Name: "default"}, {Kernel: engine.SSSP, Name: "default"}}}
	if err := errors.Join(e.Prepare(ctx, []engine.Plan{{Job: both}}), e.Generate(ctx, spec, func(int64, int64) {})); err != nil {
		return err
	}
	if !slices.Equal(e.tuples.Edges, one.tuples.Edges[e.first:][:len(e.tuples.Edges)]) || !slices.Equal(e.tuples.Weights, one.tuples.Weights[e.first:][:len(e.tuples.Edges)]) {
		return errors.New("other tuples")
	}
	info, err := e.Construct(ctx)
	if err != nil {
		return err
	}
	g, all := e.weightedGraph, one.weightedGraph
	if g.Info != all.Info || info.Arcs != e.info().Arcs || info.Connected != all.Info.Connected {
		return fmt.Errorf("facts %+v and %+v, instead of %+v", g.Info, info, all.Info)
	}
	byWeight := func(a, b graph.Arc) int { return cmp.Or(cmp.Compare(a.Weight, b.Weight), cmp.Compare(a.To, b.To)) }
	first, owned := e.ranges.Range(w.Rank())
	for v := range engine.Label(owned) {
		got, want := slices.Clone(g.ArcsOf(v)), slices.Clone(all.ArcsOf(engine.Label(first)+v))
		if !slices.IsSortedFunc(got, func(a, b graph.Arc) int { return cmp.Compare(a.Weight, b.Weight) }) {
			return fmt.Errorf("row %d is not in the order of the weights", v)
		}
		slices.SortFunc(got, byWeight)
		slices.SortFunc(want, byWeight)
		if !slices.Equal(got, want) {
			return fmt.Errorf("row %d from %d on: %v instead of %v", v, first, got, want)
		}
	}
	return nil
}

// endsLater is a context that ends with a cause after a number of looks at it by all ranks.
type endsLater struct {
	context.Context
	looks  *atomic.Int64
	cancel context.CancelCauseFunc
	cause  error
}

func (c endsLater) Err() error {
	if c.looks.Add(-1) < 0 {
		c.cancel(c.cause)
	}
	return c.Context.Err()
}

// A search and its validation end with the context, wherever they are.
func TestRankPathsEndWithContext(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	x := rankPaths{vertices: 3000, tuples: hubGraph(r, 3000)}
	cause := errors.New("cause")
	ended, finished := 0, 0
	for looks := int64(0); finished == 0 || looks < 64; looks += 1 + looks/4 {
		inner, cancel := context.WithCancelCause(t.Context())
		var left atomic.Int64
		left.Store(looks)
		for _, err := range x.searchUnder(t.Context(), endsLater{inner, &left, cancel, cause}, 3) {
			switch {
			case err == nil:
				finished++
			case errors.Is(err, cause):
				ended++
			default:
				t.Fatalf("after %d looks: %v", looks, err)
			}
		}
		cancel(nil)
	}
	if ended == 0 {
		t.Error("no search ended with its context")
	}
}

// searchUnder searches and validates with ranks under a context, after construction under
// another one. It returns the errors by rank. All ranks have ended before the first one frees
// its memory, which the others read.
func (x rankPaths) searchUnder(before, ctx context.Context, ranks int) []error {
	engines, searchers, errs := make([]*Engine, ranks), make([]engine.Searcher, ranks), make([]error, ranks)
	var wait sync.WaitGroup
	for r, w := range cluster.InProcess(ranks) {
		wait.Go(func() {
			engines[r] = New(w, 1)
			err := x.load(engines[r])
			if err == nil {
				_, err = engines[r].Construct(before)
			}
			if err == nil {
				searchers[r], err = engines[r].NewSearcher(before, engine.Strategy{Kernel: engine.SSSP, Name: "default"})
			}
			if s := searchers[r]; err == nil {
				err = errors.Join(s.Clear(), s.Search(ctx, 1), s.Keep())
				if err == nil {
					_, err = s.Check(ctx)
				}
			}
			errs[r] = err
		})
	}
	wait.Wait()
	for r, e := range engines {
		errs[r] = errors.Join(errs[r], searchers[r].Close(), e.Close())
	}
	return errs
}

// One rank has the hubs and light arcs, the others few and heavy ones: all must agree on
// bounds, which none can derive from its own rows.
func TestRankPathsOfUnequalShares(t *testing.T) {
	const vertices = 3000
	tuples := hubGraph(rand.New(rand.NewPCG(15, 16)), vertices)
	for i, e := range tuples.Edges {
		if max(e.U, e.V) > vertices/3 {
			tuples.Weights[i] *= 100
		}
	}
	for ranks := 2; ranks <= 4; ranks++ {
		x := rankPaths{ranks: ranks, threads: 1, vertices: vertices, tuples: tuples}
		x.check(t, 0, 1, vertices/2, vertices-1, vertices-2, vertices-3)
	}
}

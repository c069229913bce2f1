package cpu

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"graph500/cluster"
	"graph500/conformance"
	"graph500/engine"
)

// pathsOver returns the form of shortest paths over ranks. change changes the method of each rank before
// the searches; seen, unless nil, looks at that of rank 0 after each of them.
func pathsOver(ranks int, change, seen func(*bounded)) conformance.Form {
	f := form(ranks, threadsOf(ranks), false, defaults()[1:]...)
	f.Opened = func(s engine.Searcher) { change(s.(*Searcher).method.(*bounded)) }
	f.Searched = func(s engine.Searcher) error {
		if s := s.(*Searcher); seen != nil && s.engine.world.Rank() == 0 {
			seen(s.method.(*bounded))
		}
		return nil
	}
	return f
}

// threadsOf returns the threads of each rank: two of two ranks. Many threads of one process
// wait for each other.
func threadsOf(ranks int) int {
	if ranks == 2 {
		return 2
	}
	return 1
}

// Every number of ranks finds the distances of one graph with hubs, with limits that make every form of the
// search usual.
func TestRankPathsLimits(t *testing.T) {
	g := conformance.Graph{Name: "hubs", Vertices: 3000, Tuples: hubGraph(rand.New(rand.NewPCG(7, 8)), 3000), Roots: []engine.Label{0, 1, 2, 3}}
	labels := rand.New(rand.NewPCG(9, 10)).Perm(3000) // every rank owns some hubs
	for i, e := range g.Tuples.Edges {
		g.Tuples.Edges[i] = engine.Edge{U: engine.Label(labels[e.U]), V: engine.Label(labels[e.V])}
	}
	for name, change := range map[string]func(*boundedLimits){
		"usual":           func(*boundedLimits) {},
		"rows are split":  func(l *boundedLimits) { l.longPush = 1 },
		"rounds by all":   func(l *boundedLimits) { l.serialPush, l.soloPush = 0, 0 },
		"always alone":    func(l *boundedLimits) { l.soloPush = math.MaxInt },
		"no second sweep": func(l *boundedLimits) { l.maxSweeps = 1 },
	} {
		for _, ranks := range []int{2, 3, 4} {
			toEnd, pulls := 0, 0 // searches whose tail pushes, and that have a pull
			pathsOver(ranks, func(s *bounded) {
				change(&s.limits)
				if s.limits.longPush == 1 {
					s.settled.piece = s.settled.piece[:7] // of many
				}
			}, func(s *bounded) {
				if math.IsInf(float64(s.bound), 1) {
					toEnd++
				}
				if slices.ContainsFunc(s.profile.Levels, func(l engine.Level) bool { return l.Step == "pull" && l.Examined > 0 }) {
					pulls++
				}
			}).Check(t, g)
			if (name == "no second sweep") != (toEnd > 0) || pulls == 0 {
				t.Errorf("%s, %d ranks: %d searches push in the tail, %d pull", name, ranks, toEnd, pulls)
			}
		}
	}
}

// Ranks, or one, push whole rows where the pull would decide few vertices of a grid, as long as few are
// reached.
func TestBoundedRefusesThePull(t *testing.T) {
	for ranks, side := range map[int]engine.Label{1: 150, 2: 60, 3: 60} {
		g := conformance.Graph{Name: "grid", Vertices: int(side * side), Tuples: engine.Tuples{Edges: gridEdges(side)}, Roots: []engine.Label{0}}
		for i, g := range g.Weightings() {
			if i > 0 && testing.Short() {
				break
			}
			refused := false
			pathsOver(ranks, func(*bounded) {}, func(s *bounded) { refused = s.pullRefused }).Check(t, g)
			if i == 0 && !refused { // uniform weights
				t.Errorf("%d ranks: the pull is not refused", ranks)
			}
		}
	}
}

// One rank has the hubs and light arcs, the others few and heavy ones: all must agree on
// bounds, which none can derive from its own rows.
func TestRankPathsOfUnequalShares(t *testing.T) {
	const vertices = 3000
	g := conformance.Graph{Vertices: vertices, Tuples: hubGraph(rand.New(rand.NewPCG(15, 16)), vertices)}
	for _, e := range g.Tuples.Edges {
		if e.U != e.V && len(g.Roots) < 6 {
			g.Roots = append(g.Roots, e.U)
		}
	}
	for i, e := range g.Tuples.Edges {
		if max(e.U, e.V) > vertices/3 {
			g.Tuples.Weights[i] *= 100
		}
	}
	for ranks := 2; ranks <= 4; ranks++ {
		form(ranks, 1, false, defaults()[1:]...).Check(t, g)
	}
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
	tuples := hubGraph(r, 3000)
	cause := errors.New("cause")
	ended, finished := 0, 0
	for looks := int64(0); finished == 0 || looks < 64; looks += 1 + looks/4 {
		inner, cancel := context.WithCancelCause(t.Context())
		var left atomic.Int64
		left.Store(looks)
		for _, err := range searchUnder(t.Context(), tuples, endsLater{inner, &left, cancel, cause}, 3) {
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
func searchUnder(before context.Context, tuples engine.Tuples, ctx context.Context, ranks int) []error {
	engines, searchers, errs := make([]*Engine, ranks), make([]engine.Searcher, ranks), make([]error, ranks)
	var wait sync.WaitGroup
	for r, w := range cluster.InProcess(ranks) {
		wait.Go(func() {
			engines[r] = New(w, 1)
			err := provide(before, engines[r], 3000, tuples, defaultJob(engine.SSSP))
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

//go:build cuda

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"testing"

	"graph500/cluster"
	"graph500/conformance"
	"graph500/device"
	"graph500/device/devicetest"
	"graph500/device/nccl"
	"graph500/engine"
)

// arrangement says how the GPUs of a test work together.
type arrangement struct {
	ranks, each int // GPUs of each rank
	exchange    engine.Exchange
	wide        bool // labels of 48 bits
}

// one is a GPU alone.
var one = arrangement{ranks: 1, each: 1, exchange: engine.PeerExchange}

func (a arrangement) String() string {
	return fmt.Sprintf("%d ranks with %d GPUs by %s, 48 bits: %v", a.ranks, a.each, a.exchange, a.wide)
}

// distributed reports whether the GPUs do not access each other's memory.
func (a arrangement) distributed() bool { return a.exchange != engine.PeerExchange }

// arrangements lists all of several GPUs that are tested.
func arrangements() (list []arrangement) {
	for _, exchange := range []engine.Exchange{engine.PeerExchange, engine.HostExchange, engine.NCCLExchange} {
		for _, division := range [][2]int{{1, 2}, {1, 3}, {2, 1}, {3, 1}, {2, 2}} {
			for _, wide := range []bool{false, true} {
				list = append(list, arrangement{division[0], division[1], exchange, wide})
			}
		}
	}
	return list
}

// official returns the smallest official graph that all GPUs of the arrangement search together.
func (a arrangement) official() conformance.Graph {
	if a.ranks*a.each == 1 {
		return conformance.Official(8)
	}
	return conformance.Official(bits.Len(uint(leastLabels*a.ranks*a.each - 1)))
}

// job returns a job on a graph.
func (a arrangement) job(g conformance.Graph, searches int, strategies ...engine.Strategy) engine.Job {
	job := engine.Job{Vertices: uint64(g.Vertices), Tuples: uint64(len(g.Tuples.Edges)), Loaded: g.Loaded(), Wide: a.wide, Strategies: strategies, Searches: searches, Delta: 0.1}
	if !g.Loaded() {
		job.Connected = g.Spec.MaxConnected()
	}
	return job
}

// testTeam is the engines of ranks that are goroutines of this process, with their searchers.
type testTeam struct {
	arrangement
	engines   []*Engine
	searchers [][]*Searcher // by rank, in the order of the job's strategies
}

// startTeam starts the engines of all ranks. The memory limit of the options is without what is for the
// driver. With fewer GPUs, or without NCCL, it skips the test.
func startTeam(t *testing.T, a arrangement, o Options) *testTeam {
	t.Helper()
	count := a.ranks * a.each
	if there, err := Count(); err != nil || there < count {
		t.Skipf("%d GPUs, the test needs %d (%v)", there, count, err)
	}
	if a.exchange == engine.NCCLExchange {
		if err := nccl.Load(); err != nil {
			t.Skip(err)
		}
	}
	if o.MaxBytes > 0 {
		o.MaxBytes = a.withDriver(o.MaxBytes)
	}
	o.Exchange, o.device = a.exchange, device.Options{LockPiece: 1 << 16}
	r := &testTeam{arrangement: a, engines: make([]*Engine, a.ranks), searchers: make([][]*Searcher, a.ranks)}
	worlds, all := cluster.InProcess(a.ranks), ordinals(count)
	for _, w := range worlds {
		copy(w.Hosts(), slices.Repeat([]string{"host"}, a.ranks))
	}
	r.do(t, func(rank int) (err error) {
		r.engines[rank], err = New(t.Context(), worlds[rank], all[rank*a.each:(rank+1)*a.each], o)
		return err
	})
	var devices []*device.Device
	for _, e := range r.engines {
		devices = append(devices, e.team.Devices()...)
	}
	if !a.distributed() {
		devicetest.Team(t, devices)
	}
	t.Cleanup(func() {
		r.closeSearchers(t)
		r.do(t, func(rank int) error { return r.engines[rank].Close() })
		for _, d := range devices { // that ranks leave to the end of their process
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return r
}

// withDriver returns the least memory of a GPU of which so much is not for the driver.
func (a arrangement) withDriver(limit uint64) uint64 {
	opened := uint64(a.each * (a.ranks - 1))
	if a.distributed() {
		opened = 0
	}
	for all := limit; ; {
		with := limit + driverBytes + tableBytes(all)*opened
		if with == all {
			return all
		}
		all = with
	}
}

// ordinals returns the first count ordinals.
func ordinals(count int) (list []int) {
	for i := range count {
		list = append(list, i)
	}
	return list
}

// do calls work for all ranks at the same time. It tells of an error at once, because the other
// ranks can wait for a rank that has failed.
func (r *testTeam) do(t *testing.T, work func(rank int) error) {
	t.Helper()
	errs := make([]error, len(r.engines))
	var all sync.WaitGroup
	for rank := range r.engines {
		all.Go(func() {
			if errs[rank] = work(rank); errs[rank] != nil {
				t.Errorf("rank %d: %v", rank, errs[rank])
			}
		})
	}
	all.Wait()
	if errors.Join(errs...) != nil {
		t.FailNow()
	}
}

// closeSearchers closes the searchers in the reverse order of their creation.
func (r *testTeam) closeSearchers(t *testing.T) {
	t.Helper()
	r.do(t, func(rank int) (err error) {
		for _, s := range slices.Backward(r.searchers[rank]) {
			err = errors.Join(err, s.Close())
		}
		r.searchers[rank] = nil
		return err
	})
}

// provide prepares the engines for a job and brings them the tuples.
func (r *testTeam) provide(t *testing.T, g conformance.Graph, job engine.Job) {
	t.Helper()
	r.do(t, func(rank int) error {
		e := r.engines[rank]
		var done, total int64
		err := e.Prepare(t.Context(), []engine.Plan{e.Plan(job)}, func(d, all int64) { done, total = d, all })
		if done != total && r.ranks == 1 || done == 0 && e.layout.hasPrefix() { // of others in this process, nothing is page-locked twice
			err = errors.Join(err, fmt.Errorf("%d of %d bytes of host memory are ready", done, total))
		}
		return errors.Join(err, conformance.Provide(t.Context(), e, g, job, r.ranks, rank))
	})
}

// build brings the engines the tuples, constructs the graph and creates the searchers.
func (r *testTeam) build(t *testing.T, g conformance.Graph, job engine.Job) {
	t.Helper()
	r.provide(t, g, job)
	r.do(t, func(rank int) error {
		if _, err := r.engines[rank].Construct(t.Context()); err != nil {
			return err
		}
		return r.open(t.Context(), rank, job)
	})
}

// open creates the searchers of a rank.
func (r *testTeam) open(ctx context.Context, rank int, job engine.Job) error {
	for _, of := range job.Strategies {
		s, err := r.engines[rank].NewSearcher(ctx, of)
		if err != nil {
			return err
		}
		r.searchers[rank] = append(r.searchers[rank], s.(*Searcher))
	}
	return nil
}

// start returns an engine on GPU 0 with the graph for the strategies, and their searchers.
func start(t *testing.T, a arrangement, g conformance.Graph, strategies ...engine.Strategy) (*Engine, []*Searcher) {
	t.Helper()
	r := startTeam(t, a, Options{})
	r.build(t, g, a.job(g, maxBatch, strategies...))
	return r.engines[0], r.searchers[0]
}

// named returns the strategy of BFS of that name.
func named(name string) engine.Strategy {
	s, _ := lookUp(engine.Strategy{Kernel: engine.BFS, Name: name})
	return s.Strategy
}

// shortestPaths returns the default strategy of SSSP.
func shortestPaths() engine.Strategy {
	s, _ := lookUp(engine.Strategy{Kernel: engine.SSSP, Name: defaultStrategy})
	return s.Strategy
}

// bothKernels are the default strategies of BFS and SSSP.
func bothKernels() []engine.Strategy {
	return []engine.Strategy{named(defaultStrategy), shortestPaths()}
}

// strategiesOf lists the strategies of a kernel.
func strategiesOf(k engine.Kernel) []engine.Strategy {
	return slices.DeleteFunc(Strategies(), func(s engine.Strategy) bool { return s.Kernel != k })
}

// searched clears the results, searches from a root, and keeps the search.
func searched(ctx context.Context, s engine.Searcher, root engine.Label) error {
	return errors.Join(s.Clear(), s.Search(ctx, engine.Vertex(root)), s.Keep())
}

// cloned returns a copy of results.
func cloned(r engine.Results) engine.Results {
	return engine.Results{Parents: slices.Clone(r.Parents), Distances: slices.Clone(r.Distances)}
}

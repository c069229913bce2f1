//go:build cuda

package gpu

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"testing"

	"graph500/cluster"
	"graph500/device"
	"graph500/device/devicetest"
	"graph500/device/nccl"
	"graph500/engine"
	"graph500/kronecker"
	"graph500/parallel"
)

// arrangement says how the GPUs of a test work together.
type arrangement struct {
	ranks, each int // GPUs of each rank
	exchange    engine.Exchange
	wide        bool // labels of 48 bits
}

func (a arrangement) String() string {
	return fmt.Sprintf("%d ranks with %d GPUs by %s, 48 bits: %v", a.ranks, a.each, a.exchange, a.wide)
}

// distributed reports whether the GPUs do not access each other's memory.
func (a arrangement) distributed() bool { return a.exchange != engine.PeerExchange }

// arrangements lists all that are tested.
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

// testTeam is the engines of ranks that are goroutines of this process, with their searchers.
type testTeam struct {
	arrangement
	engines   []*Engine
	searchers [][]engine.Searcher // by rank, in the order of the job's strategies
}

// startTeam starts the engines of all ranks. The memory limit of the options is without
// driverBytes. With fewer GPUs, or without NCCL, it skips the test.
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
		o.MaxBytes += driverBytes
	}
	o.Exchange = a.exchange
	r := &testTeam{arrangement: a, engines: make([]*Engine, a.ranks), searchers: make([][]engine.Searcher, a.ranks)}
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

// testGraph is a graph, generated if it has a spec and else loaded.
type testGraph struct {
	spec     kronecker.Spec
	vertices uint64
	tuples   engine.Tuples // with weights
}

// officialGraph returns an official graph.
func officialGraph(scale int) testGraph {
	spec := devicetest.Official(scale)
	return testGraph{spec, spec.Vertices(), officialWeighted(spec)}
}

// officialGraph returns the smallest official graph that all GPUs of the arrangement search together.
func (a arrangement) officialGraph() testGraph {
	return officialGraph(bits.Len(uint(leastLabels*a.ranks*a.each - 1)))
}

func (g testGraph) loaded() bool { return g.spec.Scale == 0 }

// job returns a job on the graph.
func (g testGraph) job(a arrangement, kernels []engine.Kernel, searches int) engine.Job {
	job := engine.Job{Vertices: g.vertices, Tuples: uint64(len(g.tuples.Edges)), Loaded: g.loaded(), Wide: a.wide, Searches: searches}
	if !g.loaded() {
		job.Connected = g.spec.MaxConnected()
	}
	for _, k := range kernels {
		job.Strategies = append(job.Strategies, engine.Strategy{Kernel: k, Name: defaultStrategy})
	}
	return job
}

// onCPU returns the CPU's searchers for the kernels, and the facts of the graph.
func (g testGraph) onCPU(t *testing.T, kernels []engine.Kernel) (searchers []engine.Searcher, info engine.Graph) {
	t.Helper()
	for _, k := range slices.Backward(kernels) { // the facts are those of the first kernel
		var s engine.Searcher
		if k == engine.SSSP {
			s, info = pathsOnCPU(t, g.vertices, g.tuples)
		} else {
			_, s, info = onCPU(t, int(g.vertices), g.tuples.Edges)
		}
		searchers = append(searchers, s)
	}
	slices.Reverse(searchers)
	return searchers, info
}

// build prepares the engines for a job and brings them the tuples, which it compares, then
// constructs the graph and creates the searchers. It returns the facts of the graph.
func (r *testTeam) build(t *testing.T, g testGraph, job engine.Job) (info engine.Graph) {
	t.Helper()
	infos := make([]engine.Graph, r.ranks)
	r.do(t, func(rank int) (err error) {
		e := r.engines[rank]
		if err := errors.Join(e.Prepare(t.Context(), []engine.Plan{e.Plan(job)}), r.provide(t, rank, g, job), r.compareTuples(t, rank, g, job), e.team.Wait()); err != nil {
			return err
		}
		if infos[rank], err = e.Construct(t.Context()); err != nil {
			return err
		}
		for _, of := range job.Strategies {
			s, err := e.NewSearcher(t.Context(), of)
			if err != nil {
				return err
			}
			r.searchers[rank] = append(r.searchers[rank], s)
		}
		return nil
	})
	for rank, info := range infos {
		if info != infos[0] {
			t.Errorf("rank %d: %+v, on rank 0 %+v", rank, info, infos[0])
		}
	}
	return infos[0]
}

// provide generates the tuples, or loads the part of a rank.
func (r *testTeam) provide(t *testing.T, rank int, g testGraph, job engine.Job) error {
	if !g.loaded() {
		made := int64(0)
		err := r.engines[rank].Generate(t.Context(), g.spec, func(done, total int64) {
			if done <= made || total != int64(job.Tuples) {
				t.Errorf("%d of %d made, after %d", done, total, made)
			}
			made = done
		})
		if made > int64(job.Tuples) || r.ranks == 1 && made != int64(job.Tuples) {
			t.Errorf("%d of %d made", made, job.Tuples)
		}
		return err
	}
	lo, hi := parallel.Split(len(g.tuples.Edges), r.ranks, rank)
	part := engine.Tuples{Edges: g.tuples.Edges[lo:hi], Weights: g.tuples.Weights[lo:hi]}
	if !job.Weighted() {
		part.Weights = nil
	}
	return r.engines[rank].Load(t.Context(), g.vertices, owned(t, part))
}

// compareTuples compares the tuples of a rank and those of all with the list.
func (r *testTeam) compareTuples(t *testing.T, rank int, g testGraph, job engine.Job) error {
	var own, all engine.Tuples
	add := func(to *engine.Tuples) func(engine.Tuples) error {
		return func(piece engine.Tuples) error {
			to.Edges, to.Weights = append(to.Edges, piece.Edges...), append(to.Weights, piece.Weights...)
			return nil
		}
	}
	e := r.engines[rank]
	e.copyPiece = 5 * 8 // most parts have several pieces
	if err := errors.Join(e.Tuples(t.Context(), add(&own)), e.AllTuples(t.Context(), add(&all))); err != nil {
		return err
	}
	weights := g.tuples.Weights
	if !job.Weighted() {
		weights = weights[:0]
	}
	lo, hi := parallel.Split(len(g.tuples.Edges), r.ranks, rank)
	if !slices.Equal(all.Edges, g.tuples.Edges) || !slices.Equal(own.Edges, g.tuples.Edges[lo:hi]) ||
		!sameBits(all.Weights, weights) || job.Weighted() && !sameBits(own.Weights, weights[lo:hi]) {
		return fmt.Errorf("rank %d: other tuples", rank)
	}
	for _, m := range e.members {
		if m.tuples.IsWide() != r.wide {
			return fmt.Errorf("rank %d: tuples with labels of 48 bits: %v", rank, m.tuples.IsWide())
		}
	}
	return nil
}

// checkUsable compares for all vertices whether they have an edge to another one.
func (r *testTeam) checkUsable(t *testing.T, g testGraph) {
	t.Helper()
	asked, want := make([]engine.Vertex, g.vertices), make([]bool, g.vertices)
	last := len(asked) - 1
	for v := range asked {
		asked[v] = engine.Vertex(last - v)
	}
	for _, e := range g.tuples.Edges {
		if e.U != e.V {
			want[last-int(e.U)], want[last-int(e.V)] = true, true
		}
	}
	r.do(t, func(rank int) error {
		if usable, err := r.engines[rank].Usable(t.Context(), asked); err != nil || !slices.Equal(usable, want) {
			return fmt.Errorf("rank %d: other usable vertices, %w", rank, err)
		}
		return nil
	})
}

// foundTree is what a rank says of a search.
type foundTree struct {
	tree, counted engine.Tree
	all, own      engine.Results
	profile       engine.Profile
}

// compare searches from the roots in batches by searcher number n of all ranks, and compares the
// depth of every vertex, or the bits of all distances, and the facts with those of the CPU.
func (r *testTeam) compare(t *testing.T, n int, c engine.Searcher, roots []engine.Label) {
	t.Helper()
	found := make([][]foundTree, r.ranks)
	r.do(t, func(rank int) error {
		s := r.searchers[rank][n].(*Searcher)
		for batch := range slices.Chunk(roots, s.Capacity()) {
			trees, err := r.searchBatch(t, s, batch)
			if err != nil {
				return fmt.Errorf("rank %d, roots %d: %w", rank, batch, err)
			}
			found[rank] = append(found[rank], trees...)
		}
		return nil
	})
	for i, root := range roots {
		first := found[0][i]
		judgedTrees, err := judged(t, c, root, first.all)
		if err != nil {
			t.Fatalf("root %d: %v", root, err)
		}
		same := sameBits(first.all.Distances, distancesOnCPU(t, c, root))
		if first.all.Distances == nil {
			onCPU, err := c.Results(t.Context(), 0) // of the search that distancesOnCPU has made
			same = err == nil && slices.Equal(depths(first.all.Parents, root), depths(onCPU.Parents, root))
		}
		if !same {
			t.Fatalf("root %d: other depths or distances", root)
		}
		for rank := range found {
			f, want := found[rank][i], judgedTrees[0]
			if f.tree != want || f.counted.Edges != want.Edges || f.counted.Visited != want.Visited {
				t.Fatalf("rank %d, root %d: %+v, counted %+v, want %+v", rank, root, f.tree, f.counted, want)
			}
			if !slices.Equal(f.all.Parents, first.all.Parents) || !slices.Equal(f.own.Parents, first.all.Parents[f.own.First:][:len(f.own.Parents)]) ||
				f.own.Distances != nil && !sameBits(f.own.Distances, first.all.Distances[f.own.First:][:len(f.own.Distances)]) {
				t.Fatalf("rank %d, root %d: other results than rank 0, or of its own vertices", rank, root)
			}
			// Of the depths of hubs, neither level 0 nor the dense level counts what it examines.
			if p := f.profile; p.Examined <= 0 && !r.engines[rank].layout.byHubs || p.LevelCount <= 0 || p.DeviceSeconds <= 0 || p.Examined != first.profile.Examined || p.LevelCount != first.profile.LevelCount {
				t.Fatalf("rank %d, root %d: %+v, on rank 0 %+v", rank, root, p, first.profile)
			}
		}
		c.Drop()
	}
}

// searchBatch searches from the roots on the GPUs of a rank, and validates the results.
func (r *testTeam) searchBatch(t *testing.T, s *Searcher, roots []engine.Label) ([]foundTree, error) {
	s.Drop()
	defer s.Drop()
	found := make([]foundTree, len(roots))
	for i, root := range roots {
		if err := errors.Join(s.Clear(), spoilWide(s), s.Search(t.Context(), engine.Vertex(root)), compareWide(s)); err != nil {
			return nil, err
		}
		var err error
		if found[i].profile, err = s.Profile(); err != nil {
			return nil, err
		}
		if err := s.Keep(); err != nil {
			return nil, err
		}
	}
	trees, err := s.Check(t.Context())
	if err != nil {
		return nil, err
	}
	counted, err := s.CountEdges(t.Context())
	if err != nil || len(trees) != len(roots) || len(counted) != len(roots) {
		return nil, fmt.Errorf("%d trees and %d counted of %d, %w", len(trees), len(counted), len(roots), err)
	}
	for i := range roots {
		found[i].tree, found[i].counted = trees[i], counted[i]
		all, err := s.AllResults(t.Context(), i)
		if err != nil {
			return nil, err
		}
		found[i].all = cloned(all)
		own, err := s.Results(t.Context(), i)
		if err != nil {
			return nil, err
		}
		found[i].own = cloned(own)
		found[i].own.First = own.First
	}
	return found, nil
}

// checkTaken requires that each GPU has taken no more than planned, and planned no more than it
// may.
func (r *testTeam) checkTaken(t *testing.T, job engine.Job) {
	t.Helper()
	for rank, e := range r.engines {
		plan := e.Plan(job).Memory
		most, searching := engine.Peak(plan, engine.DeviceMemory), engine.PeakIn(plan, engine.DeviceMemory, engine.Searching)
		for i, d := range e.team.Devices() {
			used := d.Reserved() - d.Free()
			if d.Peak() > d.Reserved() || d.Reserved() > most || most > e.limit.Bytes || used > searching {
				t.Errorf("rank %d, GPU %d: %d bytes used of %d for searches, at most %d of %d reserved and %d planned, limit %d", rank, i, used, searching, d.Peak(), d.Reserved(), most, e.limit.Bytes)
			}
		}
	}
}

// spoilWide fills what a search with labels of 48 bits clears itself.
func spoilWide(s *Searcher) error {
	for _, r := range s.members {
		if r.wide != nil {
			if err := r.parents.Fill(0); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareWide requires, after a search with labels of 48 bits, that the results of each GPU are
// the parents of its range, unless the search writes the results itself.
func compareWide(s *Searcher) error {
	for i, r := range s.members {
		if r.wide == nil || s.strategy.wide {
			continue
		}
		labels := s.engine.ranges[s.engine.team.First()+i]
		wide, narrow := make([]int64, labels.End-labels.First), make([]engine.Label, labels.End-labels.First)
		if err := errors.Join(r.wide.parents.Read(0, wide), r.parents.Read(int(labels.First), narrow)); err != nil {
			return err
		}
		for v, parent := range narrow {
			want := int64(parent)
			if parent == engine.None {
				want = -1
			}
			if wide[v] != want {
				return fmt.Errorf("GPU %d: vertex %d has parent %d, want %d", i, int(labels.First)+v, wide[v], want)
			}
		}
	}
	return nil
}

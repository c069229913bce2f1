//go:build cuda

package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"graph500/cluster"
	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kronecker"
	"graph500/parallel"
)

// testRanks are the engines of ranks that are goroutines of this process.
type testRanks struct {
	engines   []ranked
	searchers []engine.Searcher
	wide      bool // labels of 48 bits
}

// ranked is an engine on the GPUs of one of several ranks: Peers or Distributed.
type ranked interface {
	Prepare(ctx context.Context, jobs []engine.Job) error
	Generate(ctx context.Context, spec kronecker.Spec, progress func(done, total int64)) error
	Load(ctx context.Context, vertices uint64, tuples engine.Tuples) error
	Tuples(ctx context.Context, yield func(engine.Tuples) error) error
	AllTuples(ctx context.Context, yield func(engine.Tuples) error) error
	Construct(ctx context.Context) (engine.Graph, error)
	Usable(ctx context.Context, vertices []engine.Vertex) ([]bool, error)
	NewSearcher(ctx context.Context, of engine.Strategy) (engine.Searcher, error)
	Close() error
	peers() *Peers
}

func (e *Peers) peers() *Peers { return e }

// starter starts the engine of a rank.
type starter func(ctx context.Context, w *cluster.World, ordinals []int, maxBytes uint64) (ranked, error)

func startPeersRank(ctx context.Context, w *cluster.World, ordinals []int, maxBytes uint64) (ranked, error) {
	return NewPeers(ctx, w, ordinals, maxBytes, engine.Resident)
}

// startRanks starts ranks with that many GPUs each, like startPeers.
func startRanks(t *testing.T, start starter, ranks, each int, limit, part uint64) *testRanks {
	t.Helper()
	if there, err := Count(); err != nil || there < ranks*each {
		t.Skipf("%d GPUs, the test needs %d (%v)", there, ranks*each, err)
	}
	if limit > 0 {
		limit += driverBytes
	}
	r := &testRanks{engines: make([]ranked, ranks), searchers: make([]engine.Searcher, ranks)}
	worlds, all := cluster.InProcess(ranks), ordinals(ranks*each)
	r.do(t, func(rank int) (err error) {
		r.engines[rank], err = start(t.Context(), worlds[rank], all[rank*each:(rank+1)*each], limit)
		return err
	})
	var devices []*device.Device
	for _, e := range r.engines {
		for _, m := range e.peers().members {
			m.planner.part = part
			devices = append(devices, m.device)
		}
	}
	if _, ok := r.engines[0].(*Peers); ok {
		devicetest.Team(t, devices)
	}
	t.Cleanup(func() {
		for rank, e := range r.engines {
			err := error(nil)
			if s := r.searchers[rank]; s != nil {
				err = s.Close()
			}
			if err = errors.Join(err, e.Close()); err != nil {
				t.Error(err)
			}
		}
		for _, d := range devices { // that ranks leave to the end of their process
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return r
}

// do calls work for all ranks at the same time.
func (r *testRanks) do(t *testing.T, work func(rank int) error) {
	t.Helper()
	errs := make([]error, len(r.engines))
	var all sync.WaitGroup
	for rank := range r.engines {
		all.Go(func() { errs[rank] = work(rank) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// build generates and constructs the graph, and creates the searchers.
func (r *testRanks) build(t *testing.T, spec kronecker.Spec, want engine.Graph, tuples []engine.Edge) {
	t.Helper()
	r.do(t, func(rank int) error {
		e := r.engines[rank]
		job := engine.Job{Vertices: spec.Vertices(), Tuples: spec.Tuples(), Wide: r.wide, Strategies: []engine.Strategy{named("default")}, Searches: 3}
		if err := e.Prepare(t.Context(), []engine.Job{job}); err != nil {
			return err
		}
		return e.Generate(t.Context(), spec, nil)
	})
	r.construct(t, want, tuples)
}

// construct compares the tuples of the engines, constructs the graph and creates the
// searchers.
func (r *testRanks) construct(t *testing.T, want engine.Graph, tuples []engine.Edge) {
	t.Helper()
	r.do(t, func(rank int) error {
		e := r.engines[rank]
		var own, all []engine.Edge
		if err := errors.Join(e.Tuples(t.Context(), func(piece engine.Tuples) error {
			own = append(own, piece.Edges...)
			return nil
		}), e.AllTuples(t.Context(), func(piece engine.Tuples) error {
			all = append(all, piece.Edges...)
			return nil
		})); err != nil {
			return err
		}
		if lo, hi := parallel.Split(len(tuples), len(r.engines), rank); !slices.Equal(all, tuples) || !slices.Equal(own, tuples[lo:hi]) {
			return fmt.Errorf("rank %d: other tuples", rank)
		}
		if err := e.peers().team.Wait(); err != nil {
			return err
		}
		info, err := e.Construct(t.Context())
		if err == nil && info != want {
			err = fmt.Errorf("rank %d: %+v, want %+v", rank, info, want)
		}
		if err == nil {
			r.searchers[rank], err = e.NewSearcher(t.Context(), named("default"))
		}
		return err
	})
}

// Ranks search a loaded graph, each with its own part of the tuples, as the CPU engine does.
func TestRanksOnLoadedGraphs(t *testing.T) { searchLoaded(t, startPeersRank, false) }

func searchLoaded(t *testing.T, start starter, wide bool) {
	t.Helper()
	const ranks, each, vertices = 2, 2, 1024*2*2 + 77
	var tuples []engine.Edge
	for v := range engine.Local(501) {
		tuples = append(tuples, engine.Edge{U: 7 * v % vertices, V: 3 * v * v % vertices})
	}
	_, c, want := onCPU(t, vertices, tuples)
	r := startRanks(t, start, ranks, each, 0, regeneratedPart)
	job := engine.Job{Vertices: vertices, Tuples: uint64(len(tuples)), Loaded: true, Wide: wide, Strategies: []engine.Strategy{named("default")}, Searches: 1}
	r.do(t, func(rank int) error {
		lo, hi := parallel.Split(len(tuples), ranks, rank)
		e := r.engines[rank]
		return errors.Join(e.Prepare(t.Context(), []engine.Job{job}), e.Load(t.Context(), vertices, inMemory(t, tuples[lo:hi])))
	})
	r.construct(t, want, tuples)
	r.compare(t, c, engine.Vertex(tuples[20].U))
}

// eachDivision runs a test for 2 and 3 ranks with one GPU, and for 2 with two.
func eachDivision(t *testing.T, test func(t *testing.T, ranks, each int)) {
	for _, c := range [][2]int{{2, 1}, {3, 1}, {2, 2}} {
		t.Run(fmt.Sprintf("%d ranks with %d GPUs", c[0], c[1]), func(t *testing.T) { test(t, c[0], c[1]) })
	}
}

// Ranks find what the CPU engine finds, on all ranks the same, with tuples that are kept or
// regenerated.
func TestRanks(t *testing.T) {
	for _, limit := range []uint64{0, minimalMemory} {
		searchGenerated(t, startPeersRank, limit, limit > 0, false)
	}
}

// searchGenerated searches an official graph, of which the tuples are regenerated or not.
func searchGenerated(t *testing.T, start starter, limit uint64, regenerated, wide bool) {
	t.Helper()
	eachDivision(t, func(t *testing.T, ranks, each int) {
		spec := devicetest.Official(12)
		tuples := devicetest.OfficialTuples(spec.Scale)
		e, c, want := onCPU(t, int(spec.Vertices()), tuples)
		keys, err := kronecker.Sample(t.Context(), spec, 3, want.Connected, e.Usable)
		if err != nil {
			t.Fatal(err)
		}
		r := startRanks(t, start, ranks, each, limit, 5003)
		r.wide = wide
		want.Regenerated = regenerated
		r.build(t, spec, want, tuples)
		r.do(t, func(rank int) error {
			got, err := kronecker.Sample(t.Context(), spec, 3, want.Connected, r.engines[rank].Usable)
			if err == nil && !slices.Equal(got, keys) {
				err = fmt.Errorf("rank %d: keys %v, want %v", rank, got, keys)
			}
			return err
		})
		for _, key := range keys {
			r.compare(t, c, key)
		}
	})
}

// compare compares a search of all ranks with that of the CPU engine.
func (r *testRanks) compare(t *testing.T, c engine.Searcher, root engine.Vertex) {
	t.Helper()
	want, wantDepths, err := searched(t, c, root)
	if err != nil {
		t.Fatal(err)
	}
	profiles := make([]engine.Profile, len(r.engines))
	r.do(t, func(rank int) (err error) {
		got, depths, err := searched(t, r.searchers[rank], root)
		if err == nil && (got != want || !slices.Equal(depths, wantDepths)) {
			err = fmt.Errorf("rank %d, root %d: %+v, want %+v, or other depths", rank, root, got, want)
		}
		if err == nil {
			profiles[rank], err = r.searchers[rank].Profile()
		}
		return err
	})
	for rank, p := range profiles {
		if p.Examined <= 0 || p.Examined != profiles[0].Examined || p.LevelCount != profiles[0].LevelCount {
			t.Errorf("rank %d, root %d: %+v, on rank 0 %+v", rank, root, p, profiles[0])
		}
	}
}

// searched searches and returns the facts of the tree and the depth of every vertex.
func searched(t *testing.T, s engine.Searcher, root engine.Vertex) (engine.Tree, []int, error) {
	s.Drop()
	defer s.Drop()
	if err := errors.Join(s.Clear(), spoilWide(s), s.Search(t.Context(), root), compareWide(s), s.Keep()); err != nil {
		return engine.Tree{}, nil, err
	}
	trees, err := s.Check(t.Context())
	if err != nil {
		return engine.Tree{}, nil, err
	}
	counted, err := s.CountEdges(t.Context())
	if err != nil || counted[0].Edges != trees[0].Edges {
		return engine.Tree{}, nil, fmt.Errorf("counted %+v, checked %+v, %w", counted, trees, err)
	}
	results, err := s.AllResults(t.Context(), 0)
	if err != nil {
		return engine.Tree{}, nil, err
	}
	all := slices.Clone(results.Parents)
	own, err := s.Results(t.Context(), 0)
	if err != nil || !slices.Equal(own.Parents, all[own.First:][:len(own.Parents)]) {
		return engine.Tree{}, nil, fmt.Errorf("other results from vertex %d on, %w", own.First, err)
	}
	return trees[0], depths(all, engine.Local(root)), nil
}

// A changed tree is refused with the same error on all ranks.
func TestRanksRefuseWrongTrees(t *testing.T) { refuseWrong(t, startPeersRank, false, false) }

func refuseWrong(t *testing.T, start starter, regenerated, wide bool) {
	t.Helper()
	eachDivision(t, func(t *testing.T, ranks, each int) {
		spec := devicetest.Official(12)
		tuples := devicetest.OfficialTuples(spec.Scale)
		_, c, want := onCPU(t, int(spec.Vertices()), tuples)
		want.Regenerated = regenerated
		r := startRanks(t, start, ranks, each, 0, regeneratedPart)
		r.wide = wide
		r.build(t, spec, want, tuples)
		root := engine.Vertex(tuples[0].U)
		if err := errors.Join(c.Clear(), c.Search(t.Context(), root), c.Keep()); err != nil {
			t.Fatal(err)
		}
		results, err := c.AllResults(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(results.Parents); at += len(results.Parents)/7 + 1 {
			v := at + slices.IndexFunc(results.Parents[at:], func(p engine.Local) bool { return p != engine.None && p != engine.Local(root) })
			texts := make([]string, ranks)
			r.do(t, func(rank int) error {
				s := r.searchers[rank]
				defer s.Drop()
				if err := s.Set(root, func(of engine.Results) error {
					copy(of.Parents, results.Parents)
					of.Parents[v] = engine.Local(v) ^ 1
					return nil
				}); err != nil {
					return err
				}
				if _, err := s.Check(t.Context()); err != nil {
					texts[rank] = err.Error()
				}
				return nil
			})
			if texts[0] == "" || slices.ContainsFunc(texts, func(text string) bool { return text != texts[0] }) {
				t.Errorf("parent of %d: %q", v, texts)
			}
		}
	})
}

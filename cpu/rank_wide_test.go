package cpu

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"graph500/cluster"
	"graph500/engine"
	"graph500/validate"
)

// wideRanks are the engines and searchers of ranks with labels of 48 bits.
type wideRanks struct {
	engines   []*Engine
	searchers []*Searcher
}

// loadWideRanks loads tuples into ranks that are goroutines.
func loadWideRanks(t *testing.T, ranks int, job engine.Job, tuples engine.Tuples) *wideRanks {
	t.Helper()
	r := &wideRanks{engines: make([]*Engine, ranks), searchers: make([]*Searcher, ranks)}
	worlds := cluster.InProcess(ranks)
	if err := errors.Join(r.do(func(rank int) error {
		e := New(worlds[rank], 1)
		r.engines[rank] = e
		return provide(t.Context(), e, int(job.Vertices), tuples, job)
	})...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for rank, e := range r.engines {
			var err error
			if s := r.searchers[rank]; s != nil {
				err = s.Close()
			}
			if err := errors.Join(err, e.Close()); err != nil {
				t.Error(err)
			}
		}
	})
	return r
}

// do calls work for all ranks at the same time and returns the errors.
func (r *wideRanks) do(work func(rank int) error) []error {
	errs := make([]error, len(r.engines))
	var all sync.WaitGroup
	for rank := range r.engines {
		all.Go(func() { errs[rank] = work(rank) })
	}
	all.Wait()
	return errs
}

// construct constructs the graph and creates the searchers.
func (r *wideRanks) construct(ctx context.Context, of engine.Strategy) []error {
	return r.do(func(rank int) error {
		if _, err := r.engines[rank].Construct(ctx); err != nil {
			return err
		}
		s, err := r.engines[rank].NewSearcher(ctx, of)
		if err == nil {
			r.searchers[rank] = s.(*Searcher)
		}
		return err
	})
}

// pathOfRanks is a path over the ranges of three ranks, with weights.
func pathOfRanks(k engine.Kernel) (engine.Job, engine.Tuples) {
	var tuples engine.Tuples
	for v := range engine.Label(149) {
		tuples.Edges, tuples.Weights = append(tuples.Edges, engine.Edge{U: v, V: v + 1}), append(tuples.Weights, 0.5)
	}
	job := defaultJob(k)
	job.Vertices, job.Tuples, job.Loaded, job.Wide = 170, uint64(len(tuples.Edges)), true, true
	return job, tuples
}

// TestWrongWideParents: no wrong entry of the results of 64 bits of any rank, at any position of a batch, is
// valid because of its low 32 bits.
func TestWrongWideParents(t *testing.T) {
	const beyond = "vertex %d has a parent of more than 32 bits"
	for _, ranks := range []int{1, 3} {
		for _, kernel := range engine.Kernels() {
			job, tuples := pathOfRanks(kernel)
			job.Searches = 3
			r := loadWideRanks(t, ranks, job, tuples)
			if err := errors.Join(r.construct(t.Context(), job.Strategies[0])...); err != nil {
				t.Fatal(err)
			}
			for i, c := range []struct {
				vertex, parent int64
				want           string
			}{
				{2, 1<<33 + 1, beyond}, {70, 1<<32 + 69, beyond}, {140, 1<<47 + 139, beyond}, {140, -1<<32 + 139, beyond},
				{70, -2, beyond}, {160, 1<<32 - 1, beyond}, {0, 1 << 33, beyond}, {70, 170, "vertex %d has parent 170"}, {149, -1, ""},
			} {
				for _, err := range r.do(func(rank int) error {
					s := r.searchers[rank]
					defer s.Drop()
					position := i % s.Capacity()
					for at := range s.Capacity() {
						if err := errors.Join(s.Clear(), s.Search(t.Context(), 0)); err != nil {
							return err
						}
						if own := c.vertex - int64(r.engines[rank].share(t.Context(), 0).First); at == position && own >= 0 && own < int64(len(s.results.wide)) {
							s.results.wide[own] = c.parent
						}
						if err := s.Keep(); err != nil {
							return err
						}
					}
					trees, err := s.Check(t.Context())
					if len(trees) != position {
						t.Errorf("%d trees before number %d", len(trees), position)
					}
					return err
				}) {
					var broken *validate.Error
					if !errors.As(err, &broken) || !strings.Contains(err.Error(), strings.ReplaceAll(c.want, "%d", fmt.Sprint(c.vertex))) {
						t.Errorf("%d ranks, %s: parent %d of vertex %d: %v", ranks, kernel, c.parent, c.vertex, err)
					}
				}
			}
		}
	}
}

// TestWideRanksSet keeps results that are set: those of 64 bits too.
func TestWideRanksSet(t *testing.T) {
	job, tuples := pathOfRanks(engine.BFS)
	r := loadWideRanks(t, 3, job, tuples)
	if err := errors.Join(r.construct(t.Context(), job.Strategies[0])...); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.do(func(rank int) error {
		s := r.searchers[rank]
		if err := errors.Join(s.Clear(), s.Set(0, func(all engine.Results) error {
			fill(all.Parents, engine.None)
			for v := range engine.Label(150) {
				all.Parents[v] = max(v, 1) - 1
			}
			return nil
		}), compareWide(job.Wide)(s)); err != nil {
			return err
		}
		trees, err := s.Check(t.Context())
		if err == nil && (trees[0].Visited != 150 || trees[0].Depth != 149) {
			err = fmt.Errorf("%+v", trees)
		}
		return err
	})...); err != nil {
		t.Error(err)
	}
}

// TestWideRanksOutOfRange: kernel 1 refuses a label whose low 32 bits are those of a vertex,
// on all ranks.
func TestWideRanksOutOfRange(t *testing.T) {
	for _, high := range []uint32{1, 1 << 16, 1 << 31} {
		job, tuples := pathOfRanks(engine.BFS)
		r := loadWideRanks(t, 3, job, tuples)
		r.engines[1].tuples.Wide[3].High = high
		want := fmt.Sprintf("cpu: tuple %d ", r.engines[1].first+3)
		for rank, err := range r.construct(t.Context(), job.Strategies[0]) {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("rank %d, high bits %#x: %v", rank, high, err)
			}
		}
	}
}

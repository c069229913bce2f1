package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"graph500/engine"
	"graph500/graph"
	"graph500/kronecker"
	"graph500/parallel"
)

// Engine is what the suite needs of the engine of a rank.
type Engine interface {
	Plan(job engine.Job) engine.Plan
	Prepare(ctx context.Context, plans []engine.Plan, progress func(done, total int64)) error
	Generate(ctx context.Context, spec kronecker.Spec, progress func(done, total int64)) error
	Load(ctx context.Context, vertices uint64, tuples engine.Tuples) error
	AllTuples(ctx context.Context, yield func(tuples engine.Tuples) error) error
	Tuples(ctx context.Context, yield func(tuples engine.Tuples) error) error
	Construct(ctx context.Context) (engine.Graph, error)
	Usable(ctx context.Context, vertices []engine.Vertex) ([]bool, error)
	NewSearcher(ctx context.Context, strategy engine.Strategy) (engine.Searcher, error)
}

// Form is a way to search graphs.
type Form struct {
	Strategies []engine.Strategy // of one run: at most one of each kernel
	Wide       bool              // labels of 48 bits
	LoadedWide bool              // the tuples are loaded so; only with Wide
	Partition  string            // policy that divides the graph between ranks
	Delta      float32           // width of the buckets; 0: 0.1
	Levels     bool              // the profile of a BFS lists its levels
	All        bool              // each rank has access to the tuples and results of all

	// Open opens the engines of all ranks for a job, which the suite prepares. They are closed
	// when the test ends.
	Open func(t *testing.T, job engine.Job) []Engine

	// Constructed, if set, looks at the facts of the graph, which say where it is.
	Constructed func(t *testing.T, info engine.Graph)

	// Opened, if set, changes the searcher of a rank before it searches.
	Opened func(s engine.Searcher)

	// Searched, if set, looks at a searcher after each search, before the results are kept.
	Searched func(s engine.Searcher) error
}

// mostTogether is the number of searches of a batch: lists of more roots take several.
const mostTogether = 8

// Check searches each graph in the form from each of its roots, and compares all that the engine
// says with the answers of plain searches.
func (f Form) Check(t *testing.T, graphs ...Graph) {
	t.Helper()
	for _, g := range graphs {
		t.Run(g.Name, func(t *testing.T) { f.check(t, g) })
	}
}

// run is a graph in the engines of all ranks.
type run struct {
	Form
	g       Graph
	rows    [][]Arc
	engines []Engine
}

func (f Form) check(t *testing.T, g Graph) {
	t.Helper()
	job := engine.Job{
		Vertices: uint64(g.Vertices), Tuples: uint64(len(g.Tuples.Edges)), Loaded: g.Loaded(), Wide: f.Wide, LoadedWide: f.LoadedWide && g.Loaded(),
		Partition: f.Partition, Strategies: f.Strategies, Searches: min(len(g.Roots), mostTogether), Delta: cmp.Or(f.Delta, 0.1),
	}
	if !g.Loaded() {
		job.Connected = g.Spec.MaxConnected()
	}
	r := run{f, g, g.Rows(), f.Open(t, job)}
	want, infos := g.info(f.Strategies[0].Kernel), make([]engine.Graph, len(r.engines))
	r.do(t, func(ctx context.Context, rank int) (err error) {
		e := r.engines[rank]
		if err := e.Prepare(ctx, []engine.Plan{e.Plan(job)}, nil); err != nil {
			return err
		}
		if err := Provide(ctx, e, g, job, len(r.engines), rank); err != nil {
			return err
		}
		if err := r.tuples(ctx, rank, job); err != nil {
			return err
		}
		info, err := e.Construct(ctx)
		if r.Constructed != nil && err == nil {
			r.Constructed(t, info)
		}
		info.Regenerated, info.HostTuples, info.Prefix, info.HostBytes = false, "", 0, 0 // say where the graph is
		infos[rank] = info
		return err
	})
	for rank, info := range infos {
		if info != want {
			t.Errorf("rank %d: %+v, want %+v", rank, info, want)
		}
	}
	r.do(t, r.usable)
	if len(g.Roots) == 0 {
		return
	}
	searchers := make([][]engine.Searcher, len(r.engines)) // by rank
	t.Cleanup(func() {
		r.do(t, func(_ context.Context, rank int) (err error) {
			for _, s := range slices.Backward(searchers[rank]) {
				err = errors.Join(err, s.Close())
			}
			return err
		})
	})
	for i, of := range f.Strategies {
		r.do(t, func(ctx context.Context, rank int) error {
			s, err := r.engines[rank].NewSearcher(ctx, of)
			if err == nil {
				searchers[rank] = append(searchers[rank], s)
				if r.Opened != nil {
					r.Opened(s)
				}
			}
			return err
		})
		r.searches(t, of.Kernel, func(rank int) engine.Searcher { return searchers[rank][i] })
	}
}

// do calls work for all ranks at the same time. The first error ends the contexts of all.
func (r run) do(t *testing.T, work func(ctx context.Context, rank int) error) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(t.Context()))
	defer cancel(nil)
	errs := make([]error, len(r.engines))
	var all sync.WaitGroup
	for rank := range r.engines {
		all.Go(func() {
			if errs[rank] = work(ctx, rank); errs[rank] != nil {
				cancel(errs[rank])
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// part returns the tuples of a rank.
func (g Graph) part(job engine.Job, ranks, rank int) engine.Tuples {
	lo, hi := parallel.Split(len(g.Tuples.Edges), ranks, rank)
	part := engine.Tuples{Edges: g.Tuples.Edges[lo:hi]}
	if job.Weighted() {
		part.Weights = g.Tuples.Weights[lo:hi]
	}
	return part
}

// Provide lets the prepared engine of a rank generate its part of the tuples, or load it.
func Provide(ctx context.Context, e Engine, g Graph, job engine.Job, ranks, rank int) error {
	part := g.part(job, ranks, rank)
	if !g.Loaded() {
		made, rises := int64(0), true
		err := e.Generate(ctx, g.Spec, func(done, total int64) {
			off := total - int64(job.Tuples) // a rank counts its own tuples for each rank
			rises = rises && done >= made && done <= total && off*off < int64(ranks*ranks)
			made = done
		})
		if err == nil && (!rises || made < int64(part.Len()) || ranks == 1 && made != int64(job.Tuples)) {
			err = fmt.Errorf("rank %d: generation says %d of %d tuples, rising: %v", rank, made, job.Tuples, rises)
		}
		return err
	}
	var own engine.Tuples
	if err := graph.TupleArrays(&own, uint64(part.Len()), part.Weights != nil, job.LoadedWide).Alloc(); err != nil {
		return err
	}
	if copy(own.Edges, part.Edges); job.LoadedWide {
		engine.Widen(own.Wide, part.Edges)
	}
	copy(own.Weights, part.Weights)
	return e.Load(ctx, job.Vertices, own)
}

// tuples requires that a rank says which tuples it has, and all have.
func (r run) tuples(ctx context.Context, rank int, job engine.Job) error {
	err := compareTuples(ctx, r.engines[rank].Tuples, r.g.part(job, len(r.engines), rank))
	if err == nil && r.All {
		err = compareTuples(ctx, r.engines[rank].AllTuples, r.g.part(job, 1, 0))
	}
	if err != nil {
		return fmt.Errorf("rank %d: %w", rank, err)
	}
	return nil
}

func compareTuples(ctx context.Context, tuples func(context.Context, func(engine.Tuples) error) error, want engine.Tuples) error {
	var said engine.Tuples
	err := tuples(ctx, func(piece engine.Tuples) error {
		for i := range piece.Len() {
			said.Edges = append(said.Edges, piece.At(i))
		}
		said.Weights = append(said.Weights, piece.Weights...)
		return nil
	})
	if err == nil && (!slices.Equal(said.Edges, want.Edges) || !slices.Equal(said.Weights, want.Weights)) {
		err = errors.New("other tuples")
	}
	return err
}

// usable requires that a rank knows which vertices have an edge to another one.
func (r run) usable(ctx context.Context, rank int) error {
	asked := make([]engine.Vertex, len(r.rows))
	for i := range asked {
		asked[i] = engine.Vertex(len(r.rows) - 1 - i)
	}
	usable, err := r.engines[rank].Usable(ctx, asked)
	if err != nil {
		return err
	}
	for i, v := range asked {
		if usable[i] != (len(r.rows[v]) > 0) {
			return fmt.Errorf("rank %d: usable(%d) is %v", rank, v, usable[i])
		}
	}
	return nil
}

// found is what the ranks say of a search: the results of all vertices, the rest by rank.
type found struct {
	parents        []engine.Label
	distances      []float32
	trees, counted []engine.Tree
	profiles       []engine.Profile
	all            []engine.Results // of each rank that has access to them
}

// searches searches from all roots with the searchers of one kernel, in batches of the capacity.
func (r run) searches(t *testing.T, k engine.Kernel, of func(rank int) engine.Searcher) {
	t.Helper()
	ranks := len(r.engines)
	list := make([]found, len(r.g.Roots))
	for i := range list {
		n := len(r.rows)
		list[i] = found{make([]engine.Label, n), make([]float32, n), make([]engine.Tree, ranks), make([]engine.Tree, ranks), make([]engine.Profile, ranks), make([]engine.Results, ranks)}
		for v := range n { // of no vertex of the results
			list[i].parents[v], list[i].distances[v] = engine.Beyond, -2
		}
	}
	r.do(t, func(ctx context.Context, rank int) error {
		s := of(rank)
		for first := 0; first < len(list); {
			batch := list[first:min(first+s.Capacity(), len(list))]
			searches, err := r.batch(ctx, s, rank, r.g.Roots[first:], batch)
			if err != nil {
				return fmt.Errorf("%s, rank %d, roots %d: %w", k, rank, r.g.Roots, err)
			}
			first += searches
		}
		return nil
	})
	for i, root := range r.g.Roots {
		a, f := r.g.answer(r.rows, root), list[i]
		if err := a.Judge(k, f.parents, f.distances); err != nil {
			t.Errorf("%s: %v", k, err)
		}
		for rank := range ranks {
			want := a.Tree
			if k == engine.SSSP {
				want.Depth = f.trees[rank].Depth // not unique
			} else {
				want.MaxDistance = 0
			}
			counted := f.counted[rank]
			counted.Depth, counted.MaxDistance = want.Depth, want.MaxDistance
			if f.trees[rank] != want || counted != want {
				t.Errorf("%s, root %d, rank %d: %+v, counted %+v, want %+v", k, root, rank, f.trees[rank], f.counted[rank], want)
			}
			if all := f.all[rank]; r.All && (!slices.Equal(all.Parents, f.parents) || k == engine.SSSP && !slices.Equal(all.Distances, f.distances)) {
				t.Errorf("%s, root %d, rank %d: the results of all vertices differ from those of the ranks", k, root, rank)
			}
			if p := f.profiles[rank]; p.LevelCount <= 0 || p.LevelCount != f.profiles[0].LevelCount || r.Levels && k == engine.BFS && p.LevelCount > int64(len(a.Sizes)) {
				t.Errorf("%s, root %d, rank %d: %+v", k, root, rank, p)
			} else if err := a.JudgeLevels(p); err != nil && r.Levels && k == engine.BFS {
				t.Errorf("rank %d: %v", rank, err)
			}
		}
	}
}

// batch searches on one rank from the first of the roots, one for each search of the batch, or fewer if
// the searcher has no room for all, and validates the searches together. It returns their number.
func (r run) batch(ctx context.Context, s engine.Searcher, rank int, roots []engine.Label, batch []found) (searches int, err error) {
	defer s.Drop()
	for i := range batch {
		if err := errors.Join(s.Clear(), s.Search(ctx, engine.Vertex(roots[i]))); err != nil {
			return 0, err
		}
		if r.Searched != nil {
			if err := r.Searched(s); err != nil {
				return 0, err
			}
		}
		p, err := s.Profile()
		if err != nil {
			return 0, err
		}
		p.Levels = slices.Clone(p.Levels)
		batch[i].profiles[rank] = p
		if err := s.Keep(); err != nil {
			return 0, err
		}
		if s.Capacity() == i+1 {
			batch = batch[:i+1]
			break
		}
	}
	trees, err := s.Check(ctx)
	if err != nil {
		return 0, err
	}
	counted, err := s.CountEdges(ctx)
	if err != nil || len(trees) != len(batch) || len(counted) != len(batch) {
		return 0, fmt.Errorf("%d trees and %d counted of %d searches (%w)", len(trees), len(counted), len(batch), err)
	}
	for i := range batch {
		batch[i].trees[rank], batch[i].counted[rank] = trees[i], counted[i]
		if r.All {
			all, err := s.AllResults(ctx, i)
			if err != nil {
				return 0, err
			}
			batch[i].all[rank] = engine.Results{Parents: slices.Clone(all.Parents), Distances: slices.Clone(all.Distances)}
		}
		own, err := s.Results(ctx, i)
		if err != nil {
			return 0, err
		}
		copy(batch[i].parents[own.First:], own.Parents)
		copy(batch[i].distances[own.First:], own.Distances)
	}
	return len(batch), nil
}

//go:build cuda

package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"graph500/device"
	"graph500/device/exchange"
	"graph500/engine"
	"graph500/kernels/validate"
	"graph500/memory"
)

// Searcher searches the engine's graph by one strategy and validates the results. The
// searchers of an engine must be closed in the reverse order of their creation.
type Searcher struct {
	engine   *Engine
	strategy strategy
	job      jobPlan
	search   search     // nil for a graph without edges
	members  []*results // on the GPUs of this process

	// The results on all GPUs, as those of this process access them (device.Reach); nil if they
	// cannot, or for one.
	parents   [][]device.Array[engine.Label]
	distances [][]device.Array[float32] // of SSSP

	root engine.Vertex  // of the last search
	host engine.Results // copy of results, allocated at first use
	held memory.Groups  // host
}

// NewSearcher returns a Searcher for a strategy of a kernel of the jobs.
func (e *Engine) NewSearcher(ctx context.Context, of engine.Strategy) (engine.Searcher, error) {
	if _, known := lookUp(of); !known {
		return nil, fmt.Errorf("gpu: no strategy %q for %s", of.Name, of.Kernel)
	}
	if e.graphs[of.Kernel] == nil {
		return nil, fmt.Errorf("gpu: there is no graph for %s: the engine was not prepared for it", of.Kernel)
	}
	s := &Searcher{engine: e, job: e.jobOf(of)}
	var runs bool
	if s.strategy, runs = e.planner.strategyOf(of, s.job.Job, s.job.layout); !runs {
		return nil, fmt.Errorf("gpu: strategy %q for %s does not run on several GPUs", of.Name, of.Kernel)
	}
	if err := e.inPhase("construction", func() error { return s.prepare(ctx) }); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// prepare allocates the results and the validation batches, and creates the search.
func (s *Searcher) prepare(ctx context.Context) (err error) {
	e, k := s.engine, s.strategy.Kernel
	searches := e.planner.together(k, s.job.Job, s.job.layout)
	for i, m := range e.members {
		r := &results{device: m.device}
		s.members = append(s.members, r)
		if err := r.prepare(k, e.vertices, e.ranges[e.team.First()+i], s.job.Wide, searches); err != nil {
			return err
		}
	}
	if e.team.Count() > 1 && e.exchange == nil {
		if s.parents, err = device.Reach(e.team, s.ownParents()); err != nil {
			return err
		}
		if s.distances, err = device.Reach(e.team, s.ownDistances()); err != nil {
			return err
		}
	}
	return s.newSearch(ctx)
}

// newSearch creates the search of the strategy, unless the graph has no edges.
func (s *Searcher) newSearch(ctx context.Context) (err error) {
	if s.engine.graphInfo().Connected == 0 {
		return nil
	}
	if s.search, err = s.strategy.newSearch(ctx, s.input(false)); err != nil {
		return err
	}
	return s.engine.members[0].device.Synchronize()
}

// input returns the input of a search, or of a counted one.
func (s *Searcher) input(counted bool) input {
	e, k := s.engine, s.strategy.Kernel
	return input{
		team: e.team, graphs: e.graphs[k], parents: s.ownParents(), wide: s.ownWideParents(), distances: s.ownDistances(), exchange: e.exchange, buffers: e.buffers(),
		host: e.host, delta: s.job.Delta, counted: counted, reserve: e.planner.reserve(s.job, k), l2: e.planner.l2,
	}
}

// ownParents returns the parents on the GPUs of this process.
func (s *Searcher) ownParents() (parents []device.Array[engine.Label]) {
	for _, r := range s.members {
		parents = append(parents, r.parents)
	}
	return parents
}

// ownWideParents returns the parents of 64 bits on the GPUs of this process, nil for labels of 32 bits.
func (s *Searcher) ownWideParents() (parents []device.Array[int64]) {
	for _, r := range s.members {
		if r.wide != nil {
			parents = append(parents, r.wide.parents)
		}
	}
	return parents
}

// ownDistances is ownParents for the distances.
func (s *Searcher) ownDistances() (distances []device.Array[float32]) {
	for _, r := range s.members {
		distances = append(distances, r.distances)
	}
	return distances
}

// Capacity returns the number of searches to validate together: 1, or more if one pass
// over the tuples serves them.
func (s *Searcher) Capacity() int { return s.members[0].trees.Capacity() }

// Clear sets all parents to engine.None and all distances to engine.Unreached, and makes ready for
// the next search.
func (s *Searcher) Clear() error {
	return s.engine.inPhase("clearing of results", func() error {
		if err := s.engine.team.Wait(); err != nil { // until no GPU of another rank writes results here
			return err
		}
		if err := s.engine.team.Together(func(i int) error { return s.members[i].clear() }); err != nil || s.search == nil {
			return err
		}
		return s.search.Ready()
	})
}

// Search stores the results of all vertices reachable from root, each on the GPU that has the
// row of the vertex. They are complete when it has returned on all ranks.
func (s *Searcher) Search(ctx context.Context, root engine.Vertex) error {
	return s.engine.inPhase("search", func() error {
		s.root = root
		return s.run(ctx, s.search)
	})
}

// run searches from the root. With labels of 48 bits and a search that works with parents of 32, each GPU
// clears those of its range before, and converts them at the end.
func (s *Searcher) run(ctx context.Context, by search) error {
	if !s.job.Wide || s.strategy.wide {
		return by.Search(ctx, engine.Label(s.root))
	}
	team := s.engine.team
	if err := team.Each(func(i int) error { return s.members[i].wide.clearNarrow() }); err != nil {
		return err
	}
	if err := by.Search(ctx, engine.Label(s.root)); err != nil {
		return err
	}
	return team.Each(func(i int) error {
		return errors.Join(s.members[i].wide.take(), s.members[i].device.Synchronize())
	})
}

// Profile returns the levels of the last search and its time by the clock of the first GPU
// of this process.
func (s *Searcher) Profile() (p engine.Profile, err error) {
	err = s.engine.inPhase("search", func() (err error) {
		p, err = s.search.Profile()
		return err
	})
	return p, err
}

// Keep adds the last search to the validation batch, for Check and CountEdges. Before, each GPU
// gets the results of the other ranges.
func (s *Searcher) Keep() error {
	return s.engine.inPhase("keeping of results", func() error {
		if err := s.engine.team.Wait(); err != nil { // as in Clear
			return err
		}
		if err := s.engine.team.Each(func(i int) error { return s.members[i].wide.give() }); err != nil {
			return err
		}
		if s.engine.team.Count() > 1 {
			if err := s.complete(); err != nil {
				return err
			}
		}
		return s.keep()
	})
}

// keep adds complete results to the batches.
func (s *Searcher) keep() error {
	return s.engine.team.Together(func(i int) error { return s.members[i].trees.Keep(s.root) })
}

// complete brings each GPU the results of the other ranges.
func (s *Searcher) complete() error {
	e := s.engine
	synchronize := func(i int) error { return s.members[i].device.Synchronize() }
	if e.exchange == nil {
		if err := e.team.Together(synchronize); err != nil { // the search has ended on all GPUs
			return err
		}
		return e.team.Together(func(i int) error { return errors.Join(s.copyOthers(i), synchronize(i)) })
	}
	var spans []exchange.Span
	for _, r := range e.ranges {
		spans = append(spans, exchange.Span{First: int(r.First), Count: int(r.End - r.First)})
	}
	if err := exchange.Gather(e.exchange, s.ownParents(), spans); err != nil {
		return err
	}
	if s.strategy.Kernel == engine.SSSP {
		if err := exchange.Gather(e.exchange, s.ownDistances(), spans); err != nil {
			return err
		}
	}
	if err := e.team.Each(synchronize); err != nil {
		return err
	}
	return e.exchange.State()
}

// copyOthers copies the results of the other ranges to GPU i of this process.
func (s *Searcher) copyOthers(i int) error {
	for k, r := range s.engine.ranges {
		if k == s.engine.team.First()+i {
			continue
		}
		first, n := int(r.First), int(r.End-r.First)
		if err := s.members[i].parents.CopyPart(first, s.parents[i][k], first, n); err != nil {
			return err
		}
		if s.strategy.Kernel != engine.SSSP {
			continue
		}
		if err := s.members[i].distances.CopyPart(first, s.distances[i][k], first, n); err != nil {
			return err
		}
	}
	return nil
}

// Set adds a search with the results that fill writes to the validation batch. They are
// in host memory.
func (s *Searcher) Set(root engine.Vertex, fill func(engine.Results) error) error {
	if err := s.allocateHost(); err != nil {
		return err
	}
	if err := fill(s.host); err != nil {
		return err
	}
	s.root = root
	return s.engine.inPhase("copying of results", func() error {
		if err := s.engine.team.Together(func(i int) error { return s.members[i].set(s.host) }); err != nil {
			return err
		}
		return s.keep()
	})
}

// Drop empties the validation batch.
func (s *Searcher) Drop() {
	for _, r := range s.members {
		r.trees.Drop()
	}
}

// batch returns the searches to validate, each GPU on its share of the tuples.
func (s *Searcher) batch() validate.Batch {
	e := s.engine
	b := validate.Batch{Team: e.team, Exchange: e.exchange, Buffers: e.buffers(), Shares: e.shares()}
	for _, r := range s.members {
		b.Trees = append(b.Trees, r.trees)
	}
	return b
}

// Check validates the searches of the batch by the Graph500 rules, and returns their facts
// (validate.Batch.Check).
func (s *Searcher) Check(ctx context.Context) (trees []engine.Tree, err error) {
	err = s.engine.inPhase("validation", func() (err error) {
		trees, err = s.batch().Check(ctx)
		return err
	})
	return trees, err
}

// CountEdges returns the facts of the searches of the batch without validation
// (validate.Batch.CountEdges).
func (s *Searcher) CountEdges(ctx context.Context) (trees []engine.Tree, err error) {
	err = s.engine.inPhase("validation", func() (err error) {
		trees, err = s.batch().CountEdges(ctx)
		return err
	})
	return trees, err
}

// Results copies the results of search number i of the batch to host memory, those of the
// ranges of this process's GPUs. The next call of Results, AllResults or Set overwrites them.
func (s *Searcher) Results(ctx context.Context, i int) (engine.Results, error) {
	own := s.engine.ranges[s.engine.team.First():][:len(s.members)]
	return s.resultsOf(ctx, i, own[0].First, own[len(own)-1].End)
}

// AllResults is Results for the ranges of all GPUs.
func (s *Searcher) AllResults(ctx context.Context, i int) (engine.Results, error) {
	return s.resultsOf(ctx, i, 0, s.engine.vertices)
}

// resultsOf copies the results of vertices first..end-1 of search number i.
func (s *Searcher) resultsOf(ctx context.Context, i int, first, end uint64) (engine.Results, error) {
	if err := s.allocateHost(); err != nil {
		return engine.Results{}, err
	}
	part := engine.Results{First: engine.Vertex(first), Parents: s.host.Parents[first:end]}
	if s.strategy.Kernel == engine.SSSP {
		part.Distances = s.host.Distances[first:end]
	}
	err := s.engine.inPhase("copying of results", func() error {
		kept, err := s.members[0].trees.Results(i)
		if err != nil {
			return err
		}
		return errors.Join(read(ctx, kept.Parents, int(first), part.Parents), read(ctx, kept.Distances, int(first), part.Distances))
	})
	return part, err
}

// read copies elements of an array, from first on, to the host. It returns the cause of ctx if ctx ends.
func read[T engine.Label | float32](ctx context.Context, from device.Array[T], first int, to []T) error {
	const piece = copyPiece / 4
	for at := 0; at < len(to); at += piece {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := from.Read(first+at, to[at:min(at+piece, len(to))]); err != nil {
			return err
		}
	}
	return nil
}

// allocateHost allocates the host's copy of the results, unless there is one.
func (s *Searcher) allocateHost() error {
	if len(s.held) > 0 {
		return nil
	}
	return s.held.Take(copiedGroup(&s.host, s.strategy.Kernel, s.engine.vertices))
}

// Close frees all memory of the Searcher.
func (s *Searcher) Close() error {
	err := s.engine.inPhase("closing", func() error {
		var errs []error
		if s.search != nil {
			errs = append(errs, s.search.Close())
		}
		for _, r := range slices.Backward(s.members) {
			errs = append(errs, r.close())
		}
		return errors.Join(errs...)
	})
	return errors.Join(err, s.held.Free())
}

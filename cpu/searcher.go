package cpu

import (
	"context"
	"errors"
	"fmt"

	"graph500/engine"
	"graph500/memory"
	"graph500/validate"
)

// Searcher searches the graph of an engine with one strategy, keeps the results of the own
// vertices and validates them in batches.
type Searcher struct {
	engine  *Engine
	results results // of the own vertices
	method  method
	held    memory.Groups // arrays of results, copies and method

	root    engine.Vertex // of the last search
	narrow  bool          // the method writes parents of 32 bits, which are not the results
	settle  func() error  // the rest of the last search, which is not timed; nil if it is done
	bytes   int64         // that the last search exchanged, see engine.Profile.RankBytes
	kept    []validate.Search
	most    int              // of kept searches
	full    bool             // the forest has no room for more searches
	forest  *validate.Forest // keeps those of BFS but the last one of a full batch, which stays in results
	copies  []engine.Results // the same of shortest paths
	checker *validate.Checker
}

// NewSearcher returns a searcher with the given strategy.
func (e *Engine) NewSearcher(ctx context.Context, of engine.Strategy) (engine.Searcher, error) {
	s, ok := lookUp(of)
	if !ok {
		return nil, fmt.Errorf("cpu: no strategy %q for %s", of.Name, of.Kernel)
	}
	if s.on(e.world.Size(), e.policy(), e.hasIntegers()) == nil {
		return nil, fmt.Errorf("cpu: strategy %q of %s does not run over several ranks, or not with weights that are whole numbers", of.Name, of.Kernel)
	}
	job := e.jobOf(of)
	searcher := &Searcher{engine: e}
	if err := searcher.allocate(ctx, s, job.Delta, e.batchSize(e.sizeOf(of.Kernel), job.Searches, strategiesOf(job), known(job.Beside))); err != nil {
		return nil, errors.Join(err, searcher.Close())
	}
	return searcher, nil
}

// allocate allocates the arrays for batches of the given number of searches, or
// for smaller batches if memory is refused.
func (s *Searcher) allocate(ctx context.Context, strategy strategy, delta float32, batch int) (err error) {
	e := s.engine
	z := e.sizeOf(strategy.Kernel)
	m := strategy.on(e.world.Size(), e.policy(), z.integers)()
	own, wide := s.results.arrays(strategy.Kernel, z.owned, z.wide, z.integers)
	for _, g := range []memory.Group{own, wide, m.arrays(z)} {
		if err := s.held.Take(g); err != nil {
			return err
		}
	}
	if s.checker, err = validate.New(e.team, validate.Config{Kernel: strategy.Kernel, World: e.world, Ranges: e.ranges, First: e.first, Batch: batch, Integers: z.integers && strategy.Kernel == engine.SSSP}); err != nil {
		return err
	}
	in := &input{
		g: e.graph, byHubs: e.byHubs, weighted: e.weightedGraph, tuples: e.tuples, team: e.team, world: e.world, ranges: e.ranges,
		parents: s.results.Parents, wide: s.results.wide, distances: s.results.Distances, exact: s.results.Exact, delta: delta,
	}
	s.method, s.narrow = m, z.wide && !strategy.writesWide(e.world.Size(), e.policy())
	if err := m.start(ctx, in); err != nil {
		return err
	}
	s.allocateKept(strategy.Kernel, z, strategy.together(batch)-1)
	return nil
}

// allocateKept allocates the memory for a number of kept searches beside the one in results, or for
// fewer if memory is refused. The system provides the pages when Keep first writes to them.
func (s *Searcher) allocateKept(kernel engine.Kernel, z size, searches int) {
	s.most = 1
	for ; kernel == engine.BFS && searches > 0; searches /= 2 {
		forest, err := validate.NewForest(s.engine.team, z.owned, searches)
		if err == nil {
			s.forest, s.most = forest, 1+searches
			return
		}
	}
	for range searches {
		kept := new(results)
		own, _ := kept.arrays(kernel, z.owned, false, z.integers)
		if s.held.Take(own) != nil {
			return
		}
		s.copies = append(s.copies, kept.Results)
		s.most++
	}
}

// Capacity returns the number of searches that can be kept and validated with
// one pass over the tuples, at least 1.
func (s *Searcher) Capacity() int {
	if s.full {
		return len(s.kept)
	}
	return s.most
}

// Clear sets all parents to engine.None and all distances to engine.Unreached.
func (s *Searcher) Clear() error {
	s.results.clear(s.engine.team)
	return nil
}

// Search sets the results of all vertices reachable from root.
func (s *Searcher) Search(ctx context.Context, root engine.Vertex) error {
	s.root = root
	if s.narrow {
		s.results.clearNarrow(s.engine.team)
	}
	before := s.engine.world.Traffic()
	s.settle = nil
	if err := s.method.search(ctx, engine.Label(root)); err != nil {
		return err
	}
	if s.narrow {
		s.results.widen(s.engine.team)
	}
	most := []int64{int64(s.engine.world.Traffic().Most(before))}
	s.settle = func() error { return s.finish(ctx, most) }
	return nil
}

// A deliverer is a method that brings the results to their places after a search.
type deliverer interface {
	deliver(ctx context.Context) error
}

// finish completes the last search, of which this rank exchanged so many bytes.
func (s *Searcher) finish(ctx context.Context, bytes []int64) error {
	if err := s.engine.world.Max(ctx, bytes); err != nil {
		return err
	}
	s.bytes = bytes[0]
	if m, ok := s.method.(deliverer); ok {
		return m.deliver(ctx)
	}
	return nil
}

// settled completes the last search, unless that is done.
func (s *Searcher) settled() error {
	if s.settle == nil {
		return nil
	}
	err := s.settle()
	s.settle = nil
	return err
}

// Profile returns the levels of the last search, with the counts of all ranks. It is valid until
// the next one.
func (s *Searcher) Profile() (engine.Profile, error) {
	err := s.settled()
	p := s.method.levels()
	p.RankBytes = s.bytes
	return p, err
}

// Keep keeps the last search for Check. It copies the results, except those of
// the last search of a full batch, after which Check comes before any search. If the forest has no
// room for their parents, they are the last ones.
func (s *Searcher) Keep() error {
	if err := s.settled(); err != nil {
		return err
	}
	return s.keep(s.results)
}

// keep keeps results that are in the arrays of the searcher.
func (s *Searcher) keep(from results) error {
	if len(s.kept) == s.Capacity() {
		return fmt.Errorf("cpu: %d searches are kept already", len(s.kept))
	}
	to := s.results.Results
	if len(s.kept) < len(s.copies) {
		to = s.copies[len(s.kept)]
	}
	if len(s.kept) < len(s.copies) || from.wide != nil {
		from.copyTo(s.engine.team, to)
	}
	search := validate.Search{Root: s.root, Parents: to.Parents, Distances: to.Distances, Exact: to.Exact}
	if s.forest != nil && len(s.kept) < s.most-1 {
		if s.full = !s.forest.Add(to.Parents); !s.full {
			search.Parents, search.Forest, search.Tree = nil, s.forest, s.forest.Len()-1
		}
	}
	s.kept = append(s.kept, search)
	return nil
}

// Set keeps a search from root whose results, one entry for each vertex of the graph, fill
// writes.
func (s *Searcher) Set(root engine.Vertex, fill func(engine.Results) error) error {
	if err := s.set(fill); err != nil {
		return err
	}
	s.root, s.settle = root, nil
	return s.keep(results{Results: s.results.Results})
}

// set lets fill write the results. Of several ranks, each has those of all vertices meanwhile.
func (s *Searcher) set(fill func(engine.Results) error) error {
	if s.engine.world.Size() == 1 {
		return fill(s.results.Results)
	}
	kernel := engine.BFS
	if s.results.Distances != nil {
		kernel = engine.SSSP
	}
	var all results
	arrays, _ := all.arrays(kernel, s.engine.ranges.Vertices(), false, false)
	if err := arrays.Alloc(); err != nil {
		return err
	}
	err := fill(all.Results)
	if err == nil {
		first, _ := s.engine.owned()
		copy(s.results.Parents, all.Parents[first:])
		if s.results.Distances != nil {
			copy(s.results.Distances, all.Distances[first:])
		}
	}
	return errors.Join(err, arrays.Free())
}

// Drop discards the kept searches.
func (s *Searcher) Drop() {
	s.kept, s.full = s.kept[:0], false
	if s.forest != nil {
		s.forest.Clear()
	}
}

// Check validates the kept searches by the Graph500 rules.
func (s *Searcher) Check(ctx context.Context) ([]engine.Tree, error) {
	return s.checker.Check(ctx, s.engine.tuples, s.kept)
}

// CountEdges returns the facts of the kept searches without validation.
func (s *Searcher) CountEdges(ctx context.Context) ([]engine.Tree, error) {
	return s.checker.CountEdges(ctx, s.engine.tuples, s.kept)
}

// Results returns the results of the own vertices of kept search i.
func (s *Searcher) Results(_ context.Context, i int) (engine.Results, error) {
	if i < 0 || i >= len(s.kept) {
		return engine.Results{}, fmt.Errorf("cpu: search %d is not kept", i)
	}
	first, _ := s.engine.owned()
	kept := s.kept[i].Alone()
	return engine.Results{First: engine.Vertex(first), Parents: kept.Parents, Distances: kept.Distances, Exact: kept.Exact}, nil
}

// AllResults is Results. With several ranks it returns an error: none has all results.
func (s *Searcher) AllResults(ctx context.Context, i int) (engine.Results, error) {
	if s.engine.world.Size() > 1 {
		return engine.Results{}, errors.New("cpu: no rank has all results")
	}
	return s.Results(ctx, i)
}

// CountWork returns nil: no strategy counts its work.
func (s *Searcher) CountWork(context.Context, engine.Vertex) (*engine.Counts, error) { return nil, nil }

// Close frees all memory.
func (s *Searcher) Close() error {
	var errs []error
	if s.method != nil {
		errs = append(errs, s.method.close())
	}
	if s.checker != nil {
		errs = append(errs, s.checker.Close())
	}
	return errors.Join(append(errs, s.forest.Close(), s.held.Free())...)
}

package cpu

import (
	"context"
	"errors"
	"fmt"

	"graph500/engine"
	"graph500/memory"
	"graph500/validate"
)

// rankSearcher searches with all ranks. It keeps one search at a time.
type rankSearcher struct {
	engine  *Rank
	kernel  engine.Kernel
	results engine.Results // of the own vertices
	wide    wideParents    // with labels of 48 bits: the parents among the results; else nil
	method  method
	checker *validate.RankChecker
	root    engine.Vertex
	kept    bool
}

// NewSearcher returns a searcher for the default strategy of a kernel.
func (e *Rank) NewSearcher(ctx context.Context, of engine.Strategy) (engine.Searcher, error) {
	if !RunsOverRanks(of) {
		return nil, fmt.Errorf("cpu: strategy %q of %s does not run over several ranks", of.Name, of.Kernel)
	}
	s := &rankSearcher{engine: e, kernel: of.Kernel}
	if err := s.allocate(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// RunsOverRanks reports whether Rank has the strategy.
func RunsOverRanks(of engine.Strategy) bool { return of.Name == "default" }

func (s *rankSearcher) allocate(ctx context.Context) (err error) {
	e := s.engine
	_, owned := e.ranges.Range(e.world.Rank())
	if s.results, err = newResults(s.kernel, owned); err != nil {
		return err
	}
	if isWide(e.jobs) {
		if s.wide, err = memory.Alloc[int64](int(owned)); err != nil {
			return err
		}
	}
	if s.checker, err = validate.NewRankChecker(e.world, e.team, e.ranges, s.kernel); err != nil {
		return err
	}
	if s.kernel == engine.SSSP {
		s.method, err = newRankedBounded(ctx, e, s.results)
	} else {
		s.method, err = newRankedHybrid(e, s.results.Parents)
	}
	return err
}

// Capacity returns 1.
func (s *rankSearcher) Capacity() int { return 1 }

// Clear sets all parents to engine.None and all distances to engine.Unreached.
func (s *rankSearcher) Clear() error {
	clearResults(s.engine.team, s.results)
	s.wide.clear(s.engine.team)
	return nil
}

// Search sets the results of all vertices reachable from root, like Searcher.Search.
func (s *rankSearcher) Search(ctx context.Context, root engine.Vertex) error {
	s.root = root
	return s.wide.search(ctx, s.engine.team, s.method, engine.Local(root), s.results.Parents)
}

// Profile returns the levels of the last search, with the counts of all ranks.
func (s *rankSearcher) Profile() (engine.Profile, error) { return s.method.levels(), nil }

// Keep keeps the last search for Check.
func (s *rankSearcher) Keep() error {
	if s.kept {
		return errors.New("cpu: a search is kept already")
	}
	s.wide.give(s.engine.team, s.results.Parents)
	s.kept = true
	return nil
}

// Drop discards the kept search.
func (s *rankSearcher) Drop() { s.kept = false }

// Set keeps a search from root whose results, one entry for each vertex of the graph,
// fill writes.
func (s *rankSearcher) Set(root engine.Vertex, fill func(engine.Results) error) error {
	ranges := s.engine.ranges
	all, err := newResults(s.kernel, ranges.Vertices())
	if err != nil {
		return err
	}
	if err = fill(all); err == nil {
		first, _ := ranges.Range(s.engine.world.Rank())
		copy(s.results.Parents, all.Parents[first:])
		if s.results.Distances != nil {
			copy(s.results.Distances, all.Distances[first:])
		}
		s.root = root
		s.wide.take(s.engine.team, s.results.Parents)
		err = s.Keep()
	}
	return errors.Join(err, freeResults(all))
}

// Check validates the kept search by the Graph500 rules, with all ranks.
func (s *rankSearcher) Check(ctx context.Context) ([]engine.Tree, error) {
	own := validate.Search{Root: s.root, Parents: s.results.Parents, Distances: s.results.Distances}
	return s.facts(s.checker.Check(ctx, s.engine.tuples, s.engine.first, own))
}

// CountEdges returns the facts of the kept search without validation.
func (s *rankSearcher) CountEdges(ctx context.Context) ([]engine.Tree, error) {
	return s.facts(s.checker.CountEdges(ctx, s.engine.tuples, s.engine.first, s.results.Parents))
}

// facts returns the tree of one search as a list.
func (s *rankSearcher) facts(tree engine.Tree, err error) ([]engine.Tree, error) {
	if err != nil {
		return nil, err
	}
	return []engine.Tree{tree}, nil
}

// Results returns the results of the own vertices.
func (s *rankSearcher) Results(_ context.Context, i int) (engine.Results, error) {
	if i != 0 || !s.kept {
		return engine.Results{}, fmt.Errorf("cpu: search %d is not kept", i)
	}
	first, _ := s.engine.ranges.Range(s.engine.world.Rank())
	own := s.results
	own.First = engine.Vertex(first)
	return own, nil
}

// AllResults returns an error: no rank has all results.
func (s *rankSearcher) AllResults(context.Context, int) (engine.Results, error) {
	return engine.Results{}, errors.New("cpu: no rank has all results")
}

// CountWork returns nil: the strategy does not count its work.
func (s *rankSearcher) CountWork(context.Context, engine.Vertex) (*engine.Counts, error) {
	return nil, nil
}

// Close frees all memory.
func (s *rankSearcher) Close() error {
	var errs []error
	if s.method != nil {
		errs = append(errs, s.method.close())
	}
	if s.checker != nil {
		errs = append(errs, s.checker.Close())
	}
	return errors.Join(append(errs, memory.Free(s.wide), freeResults(s.results))...)
}

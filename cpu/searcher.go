package cpu

import (
	"context"
	"errors"
	"fmt"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
	"graph500/validate"
)

// Searcher searches the graph of an engine with one strategy, keeps the parent
// trees and validates them in batches.
type Searcher struct {
	engine  *Engine
	parents []engine.Local // N entries
	method  method

	root    engine.Vertex // of the last search
	kept    []validate.Search
	copies  [][]engine.Local // parent arrays of kept searches; the last one of a full batch stays in parents
	checker *validate.Checker
}

// NewSearcher returns a searcher with the given strategy.
func (e *Engine) NewSearcher(_ context.Context, of engine.Strategy) (engine.Searcher, error) {
	strategy, ok := lookUp(of.Name)
	if !ok {
		return nil, fmt.Errorf("cpu: no strategy %q", of.Name)
	}
	info := e.graph.Info
	batch := e.batchSize(e.vertices, uint64(len(e.tuples.Edges)), uint64(info.Connected), uint64(info.Arcs), e.searches, strategy)
	s := &Searcher{engine: e}
	if err := s.allocate(strategy, batch); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// allocate allocates the arrays for batches of the given number of searches, or
// for smaller batches if memory is refused.
func (s *Searcher) allocate(strategy strategy, batch int) (err error) {
	e := s.engine
	if s.parents, err = memory.Alloc[engine.Local](int(e.vertices)); err != nil {
		return err
	}
	if s.checker, err = validate.New(e.team, e.vertices, engine.BFS); err != nil {
		return err
	}
	if s.method, err = strategy.newMethod(&input{g: e.graph, tuples: e.tuples.Edges, team: e.team, parents: s.parents}); err != nil {
		return err
	}
	for range batch - 1 {
		// The system provides the pages when Keep first writes to them.
		parents, err := memory.Alloc[engine.Local](int(e.vertices))
		if err != nil {
			break
		}
		s.copies = append(s.copies, parents)
	}
	return nil
}

// Capacity returns the number of searches that can be kept and validated with
// one pass over the tuples, at least 1.
func (s *Searcher) Capacity() int { return 1 + len(s.copies) }

// Clear sets all parents to engine.None.
func (s *Searcher) Clear() error {
	team := s.engine.team
	team.Run(func(worker int) {
		lo, hi := parallel.Split(len(s.parents), team.Size(), worker)
		part := s.parents[lo:hi]
		// Copies of doubling length are faster: the compiler does not vectorise
		// a loop of stores.
		const seed = 1024
		for i := range part[:min(seed, len(part))] {
			part[i] = engine.None
		}
		for n := seed; n < len(part); n *= 2 {
			copy(part[n:], part[:n])
		}
	})
	return nil
}

// Search sets the parents of all vertices reachable from root.
func (s *Searcher) Search(ctx context.Context, root engine.Vertex) error {
	s.root = root
	return s.method.search(ctx, engine.Local(root))
}

// Profile returns the levels of the last search. It is valid until the next one.
func (s *Searcher) Profile() (engine.Profile, error) { return s.method.levels(), nil }

// Keep keeps the last search for Check. It copies the parents, except those of
// the last search of a full batch, after which Check comes before any search.
func (s *Searcher) Keep() error {
	if len(s.kept) == s.Capacity() {
		return fmt.Errorf("cpu: %d searches are kept already", len(s.kept))
	}
	parents := s.parents
	if len(s.kept) < len(s.copies) {
		parents = s.copies[len(s.kept)]
		team := s.engine.team
		team.Run(func(worker int) {
			lo, hi := parallel.Split(len(parents), team.Size(), worker)
			copy(parents[lo:hi], s.parents[lo:hi])
		})
	}
	s.kept = append(s.kept, validate.Search{Root: s.root, Parents: parents})
	return nil
}

// Set keeps a search from root whose parents fill writes.
func (s *Searcher) Set(root engine.Vertex, fill func(engine.Results) error) error {
	if err := fill(engine.Results{Parents: s.parents}); err != nil {
		return err
	}
	s.root = root
	return s.Keep()
}

// Drop discards the kept searches.
func (s *Searcher) Drop() { s.kept = s.kept[:0] }

// Check validates the kept searches by the Graph500 rules.
func (s *Searcher) Check(ctx context.Context) ([]engine.Tree, error) {
	return s.checker.Check(ctx, s.engine.tuples, s.kept)
}

// CountEdges returns the facts of the kept searches without validation.
func (s *Searcher) CountEdges(ctx context.Context) ([]engine.Tree, error) {
	return s.checker.CountEdges(ctx, s.engine.tuples.Edges, s.kept)
}

// Results returns the parents of kept search i.
func (s *Searcher) Results(_ context.Context, i int) (engine.Results, error) {
	return engine.Results{Parents: s.kept[i].Parents}, nil
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
	for _, parents := range s.copies {
		errs = append(errs, memory.Free(parents))
	}
	return errors.Join(append(errs, memory.Free(s.parents))...)
}

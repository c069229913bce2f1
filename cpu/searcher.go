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

// Searcher searches the engine's graph by one strategy, keeps what it found and
// validates what is kept.
type Searcher struct {
	engine  *Engine
	parents []engine.Local // N entries
	method  method

	root    engine.Vertex // of the last search
	kept    []validate.Search
	copies  [][]engine.Local // places for the parents of kept searches, but for the last that there is room for
	checker *validate.Checker
}

// NewSearcher returns a search by the strategy of that name.
func (e *Engine) NewSearcher(_ context.Context, of engine.Strategy) (engine.Searcher, error) {
	strategy, ok := lookUp(of.Name)
	if !ok {
		return nil, fmt.Errorf("cpu: no strategy %q", of.Name)
	}
	info := e.graph.Info
	room := e.keptOf(e.vertices, uint64(len(e.tuples)), uint64(info.Connected), uint64(info.Arcs), e.searches, strategy)
	s := &Searcher{engine: e}
	if err := s.allocate(strategy, room); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Searcher) allocate(strategy strategy, room int) (err error) {
	e := s.engine
	if s.parents, err = memory.Alloc[engine.Local](int(e.vertices)); err != nil {
		return err
	}
	if s.checker, err = validate.New(e.team, e.vertices); err != nil {
		return err
	}
	if s.method, err = strategy.make(&input{g: e.graph, tuples: e.tuples, team: e.team, parents: s.parents}); err != nil {
		return err
	}
	for range room - 1 {
		// Its pages are taken when a search is kept. Fewer places do as well.
		place, err := memory.Alloc[engine.Local](int(e.vertices))
		if err != nil {
			break
		}
		s.copies = append(s.copies, place)
	}
	return nil
}

// Room returns the number of searches that are validated with one pass over the
// tuples, as many as memory allows.
func (s *Searcher) Room() int { return 1 + len(s.copies) }

// Clear sets all parents to engine.None.
func (s *Searcher) Clear() error {
	team := s.engine.team
	team.Run(func(worker int) {
		lo, hi := parallel.Split(len(s.parents), team.Size(), worker)
		part := s.parents[lo:hi]
		// Doubling copies, because the compiler does not vectorise a loop of stores.
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

// Search fills the parents of all vertices reachable from root.
func (s *Searcher) Search(ctx context.Context, root engine.Vertex) error {
	s.root = root
	return s.method.search(ctx, engine.Local(root))
}

// Profile returns the levels of the last search, valid until the next.
func (s *Searcher) Profile() (engine.Profile, error) { return s.method.levels(), nil }

// Keep keeps the last search for Check. Its parents are copied, unless it is the
// last one that there is room for: no other search comes before Check.
func (s *Searcher) Keep() error {
	if len(s.kept) == s.Room() {
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

// Set keeps the search that fill writes.
func (s *Searcher) Set(root engine.Vertex, fill func(engine.Results) error) error {
	if err := fill(engine.Results{Parents: s.parents}); err != nil {
		return err
	}
	s.root = root
	return s.Keep()
}

// Drop forgets the searches that are kept.
func (s *Searcher) Drop() { s.kept = s.kept[:0] }

// Check checks the searches that are kept by the Graph500 rules.
func (s *Searcher) Check(ctx context.Context) ([]engine.Tree, error) {
	return s.checker.Check(ctx, s.engine.tuples, s.kept)
}

// CountEdges returns the facts of the searches that are kept.
func (s *Searcher) CountEdges(ctx context.Context) ([]engine.Tree, error) {
	return s.checker.CountEdges(ctx, s.engine.tuples, s.kept)
}

// Results returns the parents of a search that is kept.
func (s *Searcher) Results(_ context.Context, i int) (engine.Results, error) {
	return engine.Results{Parents: s.kept[i].Parents}, nil
}

// CountWork returns nil: no strategy counts.
func (s *Searcher) CountWork(context.Context, engine.Vertex) (*engine.Counts, error) { return nil, nil }

// Close gives all memory back.
func (s *Searcher) Close() error {
	var errs []error
	if s.method != nil {
		errs = append(errs, s.method.close())
	}
	if s.checker != nil {
		errs = append(errs, s.checker.Close())
	}
	for _, place := range s.copies {
		errs = append(errs, memory.Free(place))
	}
	return errors.Join(append(errs, memory.Free(s.parents))...)
}

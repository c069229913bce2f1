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

// Searcher searches the graph of an engine with one strategy, keeps the results and
// validates them in batches.
type Searcher struct {
	engine  *Engine
	results engine.Results // N entries each
	wide    wideParents    // with labels of 48 bits: the parents among the results; else nil
	method  method

	root    engine.Vertex // of the last search
	kept    []validate.Search
	copies  []engine.Results // of kept searches; the last one of a full batch stays in results
	checker *validate.Checker
}

// NewSearcher returns a searcher with the given strategy.
func (e *Engine) NewSearcher(_ context.Context, of engine.Strategy) (engine.Searcher, error) {
	strategy, ok := lookUp(of)
	if !ok {
		return nil, fmt.Errorf("cpu: no strategy %q for %s", of.Name, of.Kernel)
	}
	job := e.jobOf(of)
	g := size{e.vertices, uint64(e.tuples.Len()), uint64(e.info().Connected), uint64(e.info().Arcs), isWide(e.jobs)}
	batch := e.batchSize(g, job.Searches, strategiesOf(job))
	s := &Searcher{engine: e}
	if err := s.allocate(strategy, job.Delta, batch); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// allocate allocates the arrays for batches of the given number of searches, or
// for smaller batches if memory is refused.
func (s *Searcher) allocate(strategy strategy, delta float32, batch int) (err error) {
	e := s.engine
	if s.results, err = newResults(strategy.Kernel, e.vertices); err != nil {
		return err
	}
	if isWide(e.jobs) {
		if s.wide, err = memory.Alloc[int64](int(e.vertices)); err != nil {
			return err
		}
	}
	if s.checker, err = validate.New(e.team, e.vertices, strategy.Kernel); err != nil {
		return err
	}
	in := &input{
		g: e.graph, weighted: e.weightedGraph, tuples: e.tuples, team: e.team,
		parents: s.results.Parents, distances: s.results.Distances, delta: delta,
	}
	if s.method, err = strategy.newMethod(in); err != nil {
		return err
	}
	for range batch - 1 {
		// The system provides the pages when Keep first writes to them.
		results, err := newResults(strategy.Kernel, e.vertices)
		if err != nil {
			break
		}
		s.copies = append(s.copies, results)
	}
	return nil
}

// newResults allocates the results of a search.
func newResults(k engine.Kernel, vertices uint64) (r engine.Results, err error) {
	if r.Parents, err = memory.Alloc[engine.Local](int(vertices)); err != nil || k != engine.SSSP {
		return r, err
	}
	if r.Distances, err = memory.Alloc[float32](int(vertices)); err != nil {
		return engine.Results{}, errors.Join(err, memory.Free(r.Parents))
	}
	return r, nil
}

func freeResults(r engine.Results) error {
	return errors.Join(memory.Free(r.Parents), memory.Free(r.Distances))
}

// Capacity returns the number of searches that can be kept and validated with
// one pass over the tuples, at least 1.
func (s *Searcher) Capacity() int { return 1 + len(s.copies) }

// Clear sets all parents to engine.None and all distances to engine.Unreached.
func (s *Searcher) Clear() error {
	clearResults(s.engine.team, s.results)
	s.wide.clear(s.engine.team)
	return nil
}

// clearResults sets all parents to engine.None and all distances to engine.Unreached.
func clearResults(team *parallel.Team, r engine.Results) {
	team.Run(func(worker int) {
		lo, hi := parallel.Split(len(r.Parents), team.Size(), worker)
		fill(r.Parents[lo:hi], engine.None)
		if r.Distances != nil {
			fill(r.Distances[lo:hi], engine.Unreached)
		}
	})
}

// fill sets all elements to a value. Copies of doubling length are faster than a loop of
// stores, which the compiler does not vectorise.
func fill[T any](part []T, value T) {
	const seed = 1024
	for i := range part[:min(seed, len(part))] {
		part[i] = value
	}
	for n := seed; n < len(part); n *= 2 {
		copy(part[n:], part[:n])
	}
}

// Search sets the results of all vertices reachable from root.
func (s *Searcher) Search(ctx context.Context, root engine.Vertex) error {
	s.root = root
	return s.wide.search(ctx, s.engine.team, s.method, engine.Local(root), s.results.Parents)
}

// Profile returns the levels of the last search. It is valid until the next one.
func (s *Searcher) Profile() (engine.Profile, error) { return s.method.levels(), nil }

// Keep keeps the last search for Check. It copies the results, except those of
// the last search of a full batch, after which Check comes before any search.
func (s *Searcher) Keep() error {
	if len(s.kept) == s.Capacity() {
		return fmt.Errorf("cpu: %d searches are kept already", len(s.kept))
	}
	s.wide.give(s.engine.team, s.results.Parents)
	results := s.results
	if len(s.kept) < len(s.copies) {
		results = s.copies[len(s.kept)]
		team := s.engine.team
		team.Run(func(worker int) {
			lo, hi := parallel.Split(len(results.Parents), team.Size(), worker)
			copy(results.Parents[lo:hi], s.results.Parents[lo:hi])
			if results.Distances != nil {
				copy(results.Distances[lo:hi], s.results.Distances[lo:hi])
			}
		})
	}
	s.kept = append(s.kept, validate.Search{Root: s.root, Parents: results.Parents, Distances: results.Distances})
	return nil
}

// Set keeps a search from root whose results fill writes.
func (s *Searcher) Set(root engine.Vertex, fill func(engine.Results) error) error {
	if err := fill(s.results); err != nil {
		return err
	}
	s.root = root
	s.wide.take(s.engine.team, s.results.Parents)
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
	return s.checker.CountEdges(ctx, s.engine.tuples, s.kept)
}

// Results returns the results of kept search i.
func (s *Searcher) Results(_ context.Context, i int) (engine.Results, error) {
	return engine.Results{Parents: s.kept[i].Parents, Distances: s.kept[i].Distances}, nil
}

// AllResults is Results.
func (s *Searcher) AllResults(ctx context.Context, i int) (engine.Results, error) {
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
	for _, results := range s.copies {
		errs = append(errs, freeResults(results))
	}
	return errors.Join(append(errs, memory.Free(s.wide), freeResults(s.results))...)
}

//go:build cuda

package gpu

import (
	"context"
	"errors"
	"fmt"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/stream"
	"graph500/kernels/validate"
	"graph500/memory"
)

// results holds the output of a search.
type results struct {
	parents device.Array[engine.Local] // N entries
}

// group declares the memory of the results.
func (r *results) group(vertices uint64) device.Group {
	return device.Group{Alive: engine.Searching, Arrays: []device.Declared{device.Of(&r.parents, "parents", vertices)}}
}

// Searcher searches the engine's graph by one strategy and validates the results.
type Searcher struct {
	engine   *Engine
	strategy strategy
	reserve  uint64 // bytes of the arena that the search must leave free
	search   search // nil for a graph without edges
	results
	held    *device.Held
	clearer *stream.Filler // of parents

	root  engine.Vertex // of the last search
	trees *validate.Trees

	hostParents []engine.Local // allocated at first use
}

// NewSearcher returns a Searcher for the strategy of the given name.
func (e *Engine) NewSearcher(ctx context.Context, of engine.Strategy) (engine.Searcher, error) {
	strategy, ok := lookUp(of.Name)
	if !ok {
		return nil, fmt.Errorf("gpu: no strategy %q", of.Name)
	}
	job := e.job
	job.Strategies = []engine.Strategy{of}
	s := &Searcher{engine: e, strategy: strategy, reserve: e.searchReserve(job)}
	err := e.inPhase("construction", func() (err error) {
		if s.held, err = e.device.Take(s.group(e.vertices)); err != nil {
			return err
		}
		if s.clearer, err = stream.NewFiller(e.device, s.parents, engine.None); err != nil {
			return err
		}
		if s.trees, err = validate.NewTrees(e.device, engine.BFS, validate.Results{Parents: s.parents}, e.layoutOf(job).batch); err != nil {
			return err
		}
		return s.newSearch(ctx)
	})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// newSearch creates the search of the strategy, unless the graph has no edges.
func (s *Searcher) newSearch(ctx context.Context) (err error) {
	e := s.engine
	if e.graph.Info.Connected == 0 {
		return nil
	}
	if s.search, err = s.strategy.newSearch(ctx, e.device, e.graph, s.parents, false, s.reserve); err != nil {
		s.search = nil // not an interface that holds a nil pointer
		return err
	}
	return e.device.Synchronize()
}

// Capacity returns the number of searches to validate together: 1, or more if validation
// has to regenerate the tuples.
func (s *Searcher) Capacity() int { return s.trees.Capacity() }

// Clear sets all parents to engine.None.
func (s *Searcher) Clear() error {
	return s.engine.inPhase("clearing of parents", func() error {
		if err := s.clearer.Fill(); err != nil {
			return err
		}
		return s.engine.device.Synchronize()
	})
}

// Search stores the parents of all vertices reachable from root.
func (s *Searcher) Search(ctx context.Context, root engine.Vertex) error {
	return s.engine.inPhase("search", func() error {
		s.root = root
		return s.search.Search(ctx, engine.Local(root))
	})
}

// Profile returns the levels of the last search and its time by the device's clock.
func (s *Searcher) Profile() (p engine.Profile, err error) {
	err = s.engine.inPhase("search", func() (err error) {
		p, err = s.search.Profile()
		return err
	})
	return p, err
}

// Keep adds the last search to the validation batch, for Check and CountEdges.
func (s *Searcher) Keep() error {
	return s.engine.inPhase("keeping of parents", func() error { return s.trees.Keep(s.root) })
}

// Set adds a search with the parents that fill writes to the validation batch. The
// parents are in host memory.
func (s *Searcher) Set(root engine.Vertex, fill func(engine.Results) error) error {
	if err := s.allocateHostParents(); err != nil {
		return err
	}
	if err := fill(engine.Results{Parents: s.hostParents}); err != nil {
		return err
	}
	if err := s.engine.inPhase("copying of parents", func() error { return s.parents.Write(0, s.hostParents) }); err != nil {
		return err
	}
	s.root = root
	return s.Keep()
}

// Drop empties the validation batch.
func (s *Searcher) Drop() { s.trees.Drop() }

// Check validates the searches of the batch by the Graph500 rules and returns their
// facts (validate.Trees.Check).
func (s *Searcher) Check(ctx context.Context) (trees []engine.Tree, err error) {
	err = s.engine.inPhase("validation", func() (err error) {
		trees, err = s.trees.Check(ctx, s.engine.tuples)
		return err
	})
	return trees, err
}

// CountEdges returns the facts of the searches of the batch without validation
// (validate.Trees.CountEdges).
func (s *Searcher) CountEdges(ctx context.Context) (trees []engine.Tree, err error) {
	err = s.engine.inPhase("validation", func() (err error) {
		trees, err = s.trees.CountEdges(ctx, s.engine.tuples)
		return err
	})
	return trees, err
}

// Results copies the parents of search number i of the batch to host memory. The
// next call of Results or Set overwrites them.
func (s *Searcher) Results(ctx context.Context, i int) (engine.Results, error) {
	if err := s.allocateHostParents(); err != nil {
		return engine.Results{}, err
	}
	err := s.engine.inPhase("copying of parents", func() error {
		kept, err := s.trees.Results(i)
		if err != nil {
			return err
		}
		const piece = copyPiece / 4
		for at := 0; at < len(s.hostParents); at += piece {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if err := kept.Parents.Read(at, s.hostParents[at:min(at+piece, len(s.hostParents))]); err != nil {
				return err
			}
		}
		return nil
	})
	return engine.Results{Parents: s.hostParents}, err
}

func (s *Searcher) allocateHostParents() (err error) {
	if s.hostParents == nil {
		s.hostParents, err = memory.Alloc[engine.Local](int(s.engine.vertices))
	}
	return err
}

// Close frees all memory of the Searcher.
func (s *Searcher) Close() error {
	err := s.engine.inPhase("closing", func() error {
		var errs []error
		if s.search != nil {
			errs = append(errs, s.search.Close())
		}
		return errors.Join(append(errs, s.trees.Close(), s.clearer.Close(), s.held.Free())...)
	})
	return errors.Join(err, memory.Free(s.hostParents))
}

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

// results are what a search fills.
type results struct {
	parents device.Array[engine.Local] // N entries
}

// group declares their memory.
func (r *results) group(vertices uint64) device.Group {
	return device.Group{Alive: engine.Searching, Arrays: []device.Declared{device.Of(&r.parents, "parents", vertices)}}
}

// Searcher searches the engine's graph by one strategy and validates what it
// found.
type Searcher struct {
	engine   *Engine
	strategy strategy
	spare    uint64 // bytes of the arena that the search leaves
	method   method // nil for a graph without edges
	results
	held     *device.Held
	clearing *stream.Filler // of parents

	root  engine.Vertex // of the last search
	trees *validate.Trees

	copied []engine.Local // parents in the host's memory, made when asked for
}

// NewSearcher returns a search by the strategy of that name.
func (e *Engine) NewSearcher(ctx context.Context, of engine.Strategy) (engine.Searcher, error) {
	strategy, ok := lookUp(of.Name)
	if !ok {
		return nil, fmt.Errorf("gpu: no strategy %q", of.Name)
	}
	job := e.job
	job.Strategy = of
	s := &Searcher{engine: e, strategy: strategy, spare: e.spareFor(job)}
	err := e.on("construction", func() (err error) {
		if s.held, err = e.device.Take(s.group(e.vertices)); err != nil {
			return err
		}
		if s.clearing, err = stream.NewFiller(e.device, s.parents, engine.None); err != nil {
			return err
		}
		if s.trees, err = validate.NewTrees(e.device, s.parents, e.layoutOf(job).kept); err != nil {
			return err
		}
		return s.makeMethod(ctx)
	})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Searcher) makeMethod(ctx context.Context) (err error) {
	e := s.engine
	if e.graph.Info.Connected == 0 {
		return nil
	}
	if s.method, err = s.strategy.make(ctx, e.device, e.graph, s.parents, false, s.spare); err != nil {
		s.method = nil // and no method that is a nil pointer
		return err
	}
	return e.device.Synchronize()
}

// Capacity returns the number of searches that are best validated together: 1, or
// more where the tuples have to be made again for that.
func (s *Searcher) Capacity() int { return s.trees.Room() }

// Clear sets all parents to engine.None.
func (s *Searcher) Clear() error {
	return s.engine.on("clearing of parents", func() error {
		if err := s.clearing.Fill(); err != nil {
			return err
		}
		return s.engine.device.Synchronize()
	})
}

// Search fills the parents of all vertices reachable from root.
func (s *Searcher) Search(ctx context.Context, root engine.Vertex) error {
	return s.engine.on("search", func() error {
		s.root = root
		return s.method.Search(ctx, engine.Local(root))
	})
}

// Profile returns the levels of the last search and its time by the GPU's clock.
func (s *Searcher) Profile() (p engine.Profile, err error) {
	err = s.engine.on("search", func() (err error) {
		p, err = s.method.Profile()
		return err
	})
	return p, err
}

// Keep keeps the last search for Check.
func (s *Searcher) Keep() error {
	return s.engine.on("keeping of parents", func() error { return s.trees.Keep(s.root) })
}

// Set keeps the search that fill writes into the host's memory.
func (s *Searcher) Set(root engine.Vertex, fill func(engine.Results) error) error {
	if err := s.allocateCopy(); err != nil {
		return err
	}
	if err := fill(engine.Results{Parents: s.copied}); err != nil {
		return err
	}
	if err := s.engine.on("copying of parents", func() error { return s.parents.Write(0, s.copied) }); err != nil {
		return err
	}
	s.root = root
	return s.Keep()
}

// Drop forgets the searches that are kept.
func (s *Searcher) Drop() { s.trees.Drop() }

// Check checks the searches that are kept by the Graph500 rules.
func (s *Searcher) Check(ctx context.Context) (trees []engine.Tree, err error) {
	err = s.engine.on("validation", func() (err error) {
		trees, err = s.trees.Check(ctx, s.engine.tuples)
		return err
	})
	return trees, err
}

// CountEdges returns the facts of the searches that are kept.
func (s *Searcher) CountEdges(ctx context.Context) (trees []engine.Tree, err error) {
	err = s.engine.on("validation", func() (err error) {
		trees, err = s.trees.CountEdges(ctx, s.engine.tuples)
		return err
	})
	return trees, err
}

// Results copies the parents of a search that is kept to the host.
func (s *Searcher) Results(ctx context.Context, i int) (engine.Results, error) {
	if err := s.allocateCopy(); err != nil {
		return engine.Results{}, err
	}
	err := s.engine.on("copying of parents", func() error {
		parents := s.trees.Parents(i)
		const piece = copyPiece / 4
		for at := 0; at < len(s.copied); at += piece {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if err := parents.Read(at, s.copied[at:min(at+piece, len(s.copied))]); err != nil {
				return err
			}
		}
		return nil
	})
	return engine.Results{Parents: s.copied}, err
}

func (s *Searcher) allocateCopy() (err error) {
	if s.copied == nil {
		s.copied, err = memory.Alloc[engine.Local](int(s.engine.vertices))
	}
	return err
}

// Close gives all memory back.
func (s *Searcher) Close() error {
	err := s.engine.on("closing", func() error {
		var errs []error
		if s.method != nil {
			errs = append(errs, s.method.Close())
		}
		return errors.Join(append(errs, s.trees.Close(), s.clearing.Close(), s.held.Free())...)
	})
	return errors.Join(err, memory.Free(s.copied))
}

//go:build cuda

package gpu

import (
	"context"
	"errors"
	"fmt"

	"graph500/engine"
	"graph500/kernels"
	"graph500/memory"
)

// Searcher searches the engine's graph by one strategy and validates what it
// found.
type Searcher struct {
	engine   *Engine
	strategy strategy
	method   method // nil for a graph without edges
	parents  *kernels.Array[engine.Local]
	clearing *kernels.Filler // of parents

	root      engine.Vertex // of the last search
	room      int           // searches that are kept at most
	kept      []engine.Vertex
	validator *kernels.Validator
	trees     *kernels.KeptTrees // where more than one is kept

	copied []engine.Local // parents in the host's memory, made when asked for
}

// NewSearcher returns a search by the strategy of that name.
func (e *Engine) NewSearcher(ctx context.Context, of engine.Strategy) (engine.Searcher, error) {
	strategy, ok := lookUp(of.Name)
	if !ok {
		return nil, fmt.Errorf("gpu: no strategy %q", of.Name)
	}
	s := &Searcher{engine: e, strategy: strategy, room: 1}
	err := e.on("construction", func() (err error) {
		if s.parents, err = kernels.Alloc[engine.Local](e.device, "parents", int(e.vertices)); err != nil {
			return err
		}
		if s.clearing, err = kernels.NewFiller(e.device, s.parents, engine.None); err != nil {
			return err
		}
		job := e.job
		job.Strategy = of
		if s.room = max(1, e.kept(job)); s.room > 1 {
			s.trees = kernels.NewKeptTrees(e.device, e.vertices)
		} else if s.validator, err = kernels.NewValidator(e.device, e.vertices); err != nil {
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
	free, err := s.spareRoom()
	if err != nil {
		return err
	}
	if s.method, err = s.strategy.make(ctx, e.device, e.graph, s.parents, free); err != nil {
		return err
	}
	return e.device.Synchronize()
}

// spareRoom returns the bytes that a search may take beyond what it must: what is
// free but for all that is still to come. Graphs have fewer rows than a plan
// assumes.
func (s *Searcher) spareRoom() (uint64, error) {
	e := s.engine
	free, _, err := e.device.Memory()
	if err != nil {
		return 0, err
	}
	info := e.graph.Info
	later := e.free/spared + kernels.DeepValidatorMemory(e.vertices)
	if s.trees != nil {
		later += kernels.KeptTreesMemory(e.vertices, s.room-s.trees.Places())
	}
	for _, a := range s.strategy.plan(e.vertices, uint64(info.Connected), uint64(info.Arcs)) {
		later += a.Bytes
	}
	return free - min(free, later), nil
}

// Room returns the number of searches that are best validated together: 1, or
// more where the tuples have to be made again for that.
func (s *Searcher) Room() int { return s.room }

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
	if len(s.kept) == s.room {
		return fmt.Errorf("gpu: %d searches are kept already", len(s.kept))
	}
	s.kept = append(s.kept, s.root)
	if s.trees == nil {
		return nil
	}
	return s.engine.on("keeping of parents", func() error { return s.trees.Keep(s.parents, s.root) })
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
func (s *Searcher) Drop() {
	s.kept = s.kept[:0]
	if s.trees != nil {
		s.trees.Drop()
	}
}

// Check checks the searches that are kept by the Graph500 rules.
func (s *Searcher) Check(ctx context.Context) (trees []engine.Tree, err error) {
	err = s.engine.on("validation", func() (err error) {
		switch tuples := s.engine.tuples; {
		case s.trees != nil:
			trees, err = s.trees.Validate(ctx, tuples)
		case len(s.kept) > 0:
			trees, err = one(s.validator.Tree(ctx, tuples, s.parents, s.kept[0]))
		}
		return err
	})
	return trees, err
}

// CountEdges returns the facts of the searches that are kept.
func (s *Searcher) CountEdges(ctx context.Context) (trees []engine.Tree, err error) {
	err = s.engine.on("validation", func() (err error) {
		switch tuples := s.engine.tuples; {
		case s.trees != nil:
			trees, err = s.trees.Count(ctx, tuples)
		case len(s.kept) > 0:
			trees, err = one(s.validator.Count(ctx, tuples, s.parents))
		}
		return err
	})
	return trees, err
}

// one makes a list of the facts of one tree, unless there is an error.
func one(tree engine.Tree, err error) ([]engine.Tree, error) {
	if err != nil {
		return nil, err
	}
	return []engine.Tree{tree}, nil
}

// Results copies the parents of a search that is kept to the host.
func (s *Searcher) Results(ctx context.Context, i int) (engine.Results, error) {
	if err := s.allocateCopy(); err != nil {
		return engine.Results{}, err
	}
	err := s.engine.on("copying of parents", func() error {
		parents := s.parents
		if s.trees != nil {
			parents = s.trees.Parents(i)
		}
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
		if s.validator != nil {
			errs = append(errs, s.validator.Close())
		}
		if s.method != nil {
			errs = append(errs, s.method.Close())
		}
		return errors.Join(append(errs, s.trees.Close(), s.clearing.Close(), s.parents.Free())...)
	})
	return errors.Join(err, memory.Free(s.copied))
}

//go:build cuda

package gpu

import (
	"context"
	"errors"

	"graph500/engine"
)

// CountWork searches from root with a form of the strategy that counts what it
// does. The search that Search makes is gone meanwhile, and made anew.
func (s *Searcher) CountWork(ctx context.Context, root engine.Vertex) (*engine.Counts, error) {
	if err := s.Clear(); err != nil {
		return nil, err
	}
	var counts engine.Counts
	err := s.engine.on("counted search", func() (err error) {
		if err = s.method.Close(); err != nil {
			return err
		}
		s.method, s.root = nil, root
		counts, err = s.count(ctx)
		return faults(ctx, err, s.makeMethod(context.WithoutCancel(ctx)))
	})
	return &counts, err
}

func (s *Searcher) count(ctx context.Context) (counts engine.Counts, err error) {
	e := s.engine
	counting, err := s.strategy.make(ctx, e.device, e.graph, s.parents, true, s.spare)
	if err != nil {
		return counts, err
	}
	if err = counting.Search(ctx, engine.Local(s.root)); err == nil {
		counts, err = counting.Counts()
	}
	return counts, faults(ctx, err, counting.Close())
}

// faults joins the error of a search with that of what followed it, but leaves
// out that the search was stopped if there is a fault.
func faults(ctx context.Context, err, after error) error {
	if after != nil && errors.Is(err, context.Cause(ctx)) {
		return after
	}
	return errors.Join(err, after)
}

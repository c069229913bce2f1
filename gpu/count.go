//go:build cuda

package gpu

import (
	"context"
	"errors"

	"graph500/engine"
)

// CountSearch searches from root, which has an edge to another vertex, with a
// form of the strategy that counts what it does. The search that Search makes is
// gone meanwhile, and made anew. Parents and Validate tell of this search then,
// Profile does not.
func (e *Engine) CountSearch(ctx context.Context, root engine.Vertex) (counts engine.Counts, err error) {
	if err := e.Clear(); err != nil {
		return counts, err
	}
	err = e.on("counted search", func() (err error) {
		if err = e.searcher.Close(); err != nil {
			return err
		}
		e.searcher = nil
		counts, err = e.count(ctx, root)
		return faults(ctx, err, e.makeSearcher(context.WithoutCancel(ctx)))
	})
	return counts, err
}

func (e *Engine) count(ctx context.Context, root engine.Vertex) (counts engine.Counts, err error) {
	room, err := e.room()
	if err != nil {
		return counts, err
	}
	s, err := e.strategy.count(ctx, e.device, e.graph, e.parents, room)
	if err != nil {
		return counts, err
	}
	if err = s.Search(ctx, root); err == nil {
		counts, err = s.Counts()
	}
	return counts, faults(ctx, err, s.Close())
}

// faults joins the error of a search with that of what followed it, but leaves
// out that the search was stopped if there is a fault.
func faults(ctx context.Context, err, after error) error {
	if after != nil && errors.Is(err, context.Cause(ctx)) {
		return after
	}
	return errors.Join(err, after)
}

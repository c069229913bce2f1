//go:build cuda

package gpu

import (
	"context"

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
		if made := e.makeSearcher(context.WithoutCancel(ctx)); made != nil {
			return made // and not a search that was stopped, which is no fault
		}
		return err
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
	if closed := s.Close(); closed != nil {
		return counts, closed
	}
	return counts, err
}

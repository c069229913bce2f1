//go:build cuda

package gpu

import (
	"context"
	"errors"

	"graph500/engine"
)

// CountWork searches from root with the instrumented form of the strategy and
// returns its work counts; nil without such a form, which no strategy has on several GPUs. It
// frees the state of the normal search before, and creates it again afterwards, so no Searcher
// may have been created after this one.
func (s *Searcher) CountWork(ctx context.Context, root engine.Vertex) (*engine.Counts, error) {
	if s.engine.team.Count() > 1 || s.strategy.uncounted {
		return nil, nil
	}
	if err := s.Clear(); err != nil {
		return nil, err
	}
	var counts engine.Counts
	err := s.engine.inPhase("counted search", func() (err error) {
		if err = s.search.Close(); err != nil {
			return err
		}
		s.search, s.root = nil, root
		counts, err = s.count(ctx)
		return joinErrors(ctx, err, s.newSearch(context.WithoutCancel(ctx)))
	})
	return &counts, err
}

func (s *Searcher) count(ctx context.Context) (counts engine.Counts, err error) {
	counting, err := s.strategy.newSearch(ctx, s.input(true))
	if err != nil {
		return counts, err
	}
	if err = s.run(ctx, counting); err == nil {
		counts, err = counting.(counter).Counts()
	}
	return counts, joinErrors(ctx, err, counting.Close())
}

// joinErrors joins the error of a search with the error of the clean-up after it. If
// the search only ended with its context, a clean-up error replaces that error.
func joinErrors(ctx context.Context, err, after error) error {
	if after != nil && errors.Is(err, context.Cause(ctx)) {
		return after
	}
	return errors.Join(err, after)
}

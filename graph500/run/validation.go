package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"graph500/engine"
	"graph500/report"
	"graph500/validate"
)

// warmUp runs a search that is not part of the result. It validates the search if each is validated
// alone. Otherwise the first batch soon tells whether searches are wrong: on cores a pass over the tuples for
// one more search took a sixteenth of a run.
func (b *Bench) warmUp(ctx context.Context, s kernelSearcher, root engine.Vertex) error {
	if _, err := b.timedSearch(ctx, s, root); err != nil {
		return fmt.Errorf("warm-up search: %w", err)
	}
	b.sampleBoards()
	if s.Capacity() > 1 {
		return nil
	}
	if err := s.Keep(); err != nil {
		return err
	}
	defer s.Drop()
	if _, err := b.validateOrCount(ctx, s); err != nil {
		return fmt.Errorf("warm-up search: %w", err)
	}
	return nil
}

// finishBatch validates the searches that the searcher keeps, compares them with the
// reference engine and writes their results. The index of the first is first. Each
// search gets an equal share of the validation time, which includes keepTime.
func (b *Bench) finishBatch(ctx context.Context, s kernelSearcher, first int, searches []report.Search, keepTime time.Duration) error {
	defer s.Drop()
	var trees []engine.Tree
	var validationTime time.Duration
	err := b.measure(&b.validating, func() (err error) {
		start := time.Now()
		trees, err = b.validateOrCount(ctx, s)
		validationTime = time.Since(start)
		return err
	})
	share := (validationTime + keepTime).Seconds() / float64(len(searches))
	var broken *validate.Error
	switch {
	case errors.As(err, &broken) || err != nil && len(searches) == 1:
		return fmt.Errorf("search %d: %w", first+len(trees), err)
	case err != nil:
		return fmt.Errorf("searches %d to %d: %w", first, first+len(searches)-1, err)
	}
	for i := range searches {
		r := &searches[i]
		r.Tree = report.Tree(trees[i])
		if !b.SkipValidation {
			r.ValidateSeconds = &share
		}
		if err := b.compare(ctx, s, i, r.Root); err != nil {
			return fmt.Errorf("search %d: %w", first+i, err)
		}
		if err := b.warnOfRounding(ctx, s, i, *r); err != nil {
			return fmt.Errorf("search %d: %w", first+i, err)
		}
		if err := b.writeResults(ctx, s, i, first+i, r.Root); err != nil {
			return err
		}
	}
	return nil
}

// validateOrCount validates the searches that the searcher keeps; with
// -skip-validation it only counts their edges.
func (b *Bench) validateOrCount(ctx context.Context, s engine.Searcher) ([]engine.Tree, error) {
	if b.SkipValidation {
		return s.CountEdges(ctx)
	}
	return s.Check(ctx)
}

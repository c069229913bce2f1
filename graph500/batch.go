package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"graph500/engine"
	"graph500/report"
	"graph500/validate"
)

// batch validates searches together, so many at a time.
type batch struct {
	*bench
	keeper batchEngine
	size   int
}

// batch returns how so many searches are validated: one at a time where the
// engine does not ask for more, where another engine is to look at each, and where
// each tree goes to a file, which no wrong one should.
func (b *bench) batch(searches int) batch {
	e, ok := b.engine.(batchEngine)
	if !ok || b.reference != nil || b.WriteParents != "" {
		return batch{b, nil, 1}
	}
	return batch{b, e, min(e.Batch(), searches)}
}

// search runs one search and keeps its tree. What the record lacks validate
// enters.
func (b batch) search(ctx context.Context, root engine.Vertex) (report.Search, error) {
	s, err := b.timed(ctx, root)
	if err != nil {
		return s, err
	}
	start := time.Now()
	err = b.keeper.Keep(root)
	s.ValidateSeconds = time.Since(start).Seconds()
	return s, err
}

// validate validates the searches recorded from number first on. The time of
// each is an equal share.
func (b batch) validate(ctx context.Context, first int) error {
	searches := b.record.Searches[first:]
	facts := b.keeper.ValidateKept
	if b.SkipValidation {
		facts = b.keeper.CountKept
	}
	start := time.Now()
	trees, err := facts(ctx)
	seconds := time.Since(start).Seconds()
	var broken *validate.Error
	switch {
	case errors.As(err, &broken):
		return fmt.Errorf("search %d: %w", first+len(trees), err)
	case err != nil:
		return fmt.Errorf("searches %d to %d: %w", first, first+len(searches)-1, err)
	}
	for i := range searches {
		searches[i].Tree = trees[i]
		seconds += searches[i].ValidateSeconds
	}
	for i := range searches {
		searches[i].ValidateSeconds = seconds / float64(len(searches))
	}
	return nil
}

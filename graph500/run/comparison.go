package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"graph500/engine"
	"graph500/graph500/commandline"
	"graph500/report"
)

// Comparison compares strategies of one kernel on one graph, in the sequence and with the clock of
// a run.
type Comparison struct {
	*commandline.Options          // format is that of a comparison
	Names                []string // of strategies; none: all of the kernel
	Limit                float64  // seconds for the searches of one strategy and their validation
}

// Start runs the comparison.
func (c *Comparison) Start(ctx context.Context, p *Process) (err error) {
	if err := TakeThreads(ctx, p, c.Options); err != nil {
		return err
	}
	missing := c.MissingDirectories()
	defer func() {
		if err != nil {
			commandline.RemoveEmpty(missing)
		}
	}()
	choose := func(b *Bench) (func(context.Context) (string, error), error) {
		if err := c.choose(b); err != nil {
			return nil, err
		}
		return func(ctx context.Context) (string, error) { return c.compare(ctx, b) }, nil
	}
	return WithTimeout(ctx, p, c.Options, func(ctx context.Context) error { return On(ctx, p, c.Options, choose) })
}

// choose sets the strategies of the run: those named, or all of the kernel.
func (c *Comparison) choose(b *Bench) error {
	b.IsComparison = true
	engineName, k := b.Record.Engine.Name, c.Kernels()[0]
	for _, name := range c.Names {
		if err := c.Catalogue.Check(engineName, k, name); err != nil {
			return commandline.Usagef("%s", err)
		}
	}
	strategies := c.Catalogue.Named(engineName, k, c.Names...)
	if len(c.Names) == 0 {
		strategies = c.Catalogue.Of(engineName, k)
	}
	b.sets = nil
	for _, s := range strategies {
		b.sets = append(b.sets, strategySet{s})
	}
	return nil
}

// compare runs the strategies one after the other and returns the text for stdout.
// It can return both text and an error.
func (c *Comparison) compare(ctx context.Context, b *Bench) (string, error) {
	roots, err := b.roots(ctx)
	if err != nil {
		return "", err
	}
	defer pauseGC()()
	result := report.Comparison{Setup: b.Record.Setup, Kernel: c.Kernels()[0], Roots: roots, Baseline: commandline.DefaultStrategy}
	b.monitor.beginSearches()
	var failures error // of strategies; the remaining strategies run nevertheless
	for i, set := range b.sets {
		s := set[0]
		b.Console.Begin("strategy " + s.Name)
		r, err := c.runStrategy(ctx, b, s, b.jobs[i].misfit, roots)
		if err := context.Cause(ctx); err != nil {
			return "", err
		}
		if err != nil {
			r.Failure = err.Error()
			if !errors.As(err, new(skippedError)) {
				failures = errors.Join(failures, fmt.Errorf("strategy %s: %w", s.Name, err))
			}
		}
		result.Strategies = append(result.Strategies, r)
	}
	if err := b.warnOfOtherLoad(ctx); err != nil {
		return "", err
	}
	result.Warnings = b.Record.Warnings
	text, err := c.write(ctx, &result)
	if err != nil {
		return text, err
	}
	if failures == nil && !slices.ContainsFunc(result.Strategies, func(s report.StrategyResult) bool { return len(s.Searches) > 0 }) {
		failures = errors.New("no strategy came to the end of a search: see the table for the reasons")
	}
	return text, failures
}

// write writes the files of -out and returns the text for stdout.
func (c *Comparison) write(ctx context.Context, result *report.Comparison) (string, error) {
	var text strings.Builder
	formats := report.ComparisonFormats()
	chosen := formats[slices.IndexFunc(formats, func(f report.Format[report.Comparison]) bool { return f.Name == c.Format })]
	if err := chosen.Write(&text, result); err != nil {
		return "", err
	}
	if c.Out == "" {
		return text.String(), nil
	}
	return text.String(), report.WriteComparisonDir(ctx, c.Out, result)
}

// skippedError is a reason for a missing result that is not an error of the strategy:
// no memory, or no time.
type skippedError struct{ error }

// runStrategy searches with one strategy, unless there is a reason why it does not fit into
// memory. With an error it returns the searches completed before.
func (c *Comparison) runStrategy(ctx context.Context, b *Bench, s engine.Strategy, misfit string, roots []engine.Vertex) (r report.StrategyResult, err error) {
	r = report.StrategyResult{Name: s.Name, Doc: s.Doc, Delta: b.DeltaOf(s), Memory: commandline.StrategyBytes(s, b.Vertices, b.tuples)}
	if misfit != "" {
		return r, skippedError{errors.New("does not fit: " + misfit)}
	}
	searchers, err := newSearchers(ctx, b.engine, strategySet{s})
	if err != nil {
		return r, err
	}
	searcher := searchers[0]
	defer func() { err = errors.Join(err, searcher.Close()) }()
	timeout := skippedError{fmt.Errorf("took longer than the limit of %v s (-limit)", c.Limit)}
	limited, cancel := context.WithTimeoutCause(ctx, time.Duration(float64(c.Limit)*float64(time.Second)), timeout)
	defer cancel()
	if err := b.warmUp(limited, searcher, roots[0]); err != nil {
		return r, skipReason(err)
	}
	if r.Searches, err = b.searchRoots(limited, searcher, roots); err != nil {
		return r, skipReason(err)
	}
	counts, err := b.countWork(limited, searcher, roots[0])
	if r.Counts = report.CountsOf(counts); errors.As(err, new(skippedError)) {
		return r, nil // the timed searches are complete
	}
	if err == nil && counts != nil && counts.HostBytes > 0 {
		r.Searches[0].TakeHost(*counts)
	}
	return r, err
}

// skipReason returns the skippedError in err without the number of the search, or err.
func skipReason(err error) error {
	var skipped skippedError
	if errors.As(err, &skipped) {
		return skipped
	}
	return err
}

// countWork returns the operation counts of an additional, untimed and validated
// search from root, or nil if the engine does not count.
func (b *Bench) countWork(ctx context.Context, s engine.Searcher, root engine.Vertex) (*engine.Counts, error) {
	counts, err := s.CountWork(ctx, root)
	if err != nil || counts == nil {
		return nil, err
	}
	if err := s.Keep(); err != nil {
		return nil, err
	}
	defer s.Drop()
	_, err = s.Check(ctx)
	return counts, err
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jessevdk/go-flags"

	"graph500/cluster"
	"graph500/engine"
	"graph500/report"
)

// comparison is the command "graph500 strategies".
type comparison struct {
	*options
	ComparisonFlags
	names []string // of strategies, as given; none: all
}

// ComparisonFlags are the flags that a comparison has in addition to those of a run.
type ComparisonFlags struct {
	Limit decimal `long:"limit" default:"60" value-name:"SECONDS" description:"time limit for the searches of one strategy and their validation; a strategy that takes longer is stopped, and the next one starts"`
}

// comparisonExcludedFlags lists the flags of a run that a comparison does not accept,
// with the reason.
var comparisonExcludedFlags = []struct{ name, why string }{
	{"strategy", "name the strategies without a flag, or none for all"},
	{"skip-validation", "every search is validated"},
	{"check-parents", "it is about one search"},
	{"check-distances", "it is about one search"},
	{"check-engine", "it is about the benchmark"},
	{"gpus", "the strategies run on one GPU"},
	{"energy", "it is about the benchmark"},
	{"repeat-for", "it is about the benchmark"},
	{"memory", "it is about the benchmark"},
	{"write-edges", "it is about the benchmark"},
	{"partition", "the strategies run on one rank"},
	{"write-parents", "it is about the benchmark"},
}

const comparisonIntroduction = `Searches one graph from the same vertices with every strategy of an engine for a
kernel, or with those named, validates every search and prints one table.

`

// parseComparison reads the arguments after "strategies".
func parseComparison(args []string, all catalogue) (*comparison, error) {
	c := &comparison{options: &options{catalogue: all}}
	p := comparisonParser(c)
	names, err := p.ParseArgs(doubleDashes(p, args))
	if err != nil {
		return nil, flagError(err)
	}
	if c.Help {
		return c, nil
	}
	for _, r := range comparisonExcludedFlags {
		if isGiven(p, r.name) {
			return nil, usagef("flag -%s does not go with strategies: %s", r.name, r.why)
		}
	}
	format := c.Format
	if !slices.Contains(comparisonFormats(), format) {
		return nil, noSuchValue("format", format, comparisonFormats())
	}
	if c.Kernel == bothKernels {
		return nil, usagef("flag -kernel: a comparison has one kernel, %s", orNone(kernelNames()[:len(engine.Kernels())]))
	}
	c.Format = formatNames()[0] // check accepts only formats of a run
	err = c.check(p)
	c.Format = format
	if err != nil {
		return nil, err
	}
	if c.isSweep() {
		return nil, usagef("flag -scale: a comparison has one scale, and not %s", c.Scales)
	}
	if r := engine.Residency(c.Residency); r != engine.AutoResidency && r != engine.Resident && !slices.Equal(names, []string{defaultStrategy}) {
		return nil, usagef("flag -residency=%s: other strategies than %s need all neighbours in the memory of the GPU, name this one only", r, defaultStrategy)
	}
	c.names = names
	return c, nil
}

func comparisonParser(c *comparison) *flags.Parser {
	p := newParser(c.options)
	if _, err := p.AddGroup("Comparison", "", &c.ComparisonFlags); err != nil {
		panic(err) // the struct tags above are wrong
	}
	p.Usage = "strategies [flags] [NAME ...]"
	p.FindOptionByLongName("scale").Description = "log2 of the number of vertices"
	p.FindOptionByLongName("roots").Default = []string{"16"}
	p.FindOptionByLongName("kernel").Description = "kernel of the strategies: bfs or sssp"
	format := p.FindOptionByLongName("format")
	format.Default, format.Description = comparisonFormats()[:1], "format of standard output: "+strings.Join(comparisonFormats(), ", ")
	for _, r := range comparisonExcludedFlags {
		p.FindOptionByLongName(r.name).Hidden = true
	}
	return p
}

// comparisonHelp returns what "strategies -help" prints.
func comparisonHelp() string {
	c := &comparison{options: new(options)}
	flagsText := flagsHelp(comparisonParser(c))
	c.Scale = c.Scales[0]
	return comparisonIntroduction + flagsText +
		"\n-out writes the table in every format and a chart.\n\n" + newCatalogue().text(c.options)
}

func comparisonFormats() (names []string) {
	for _, f := range report.ComparisonFormats() {
		if f.Name != "" {
			names = append(names, f.Name)
		}
	}
	return names
}

// runComparison runs "graph500 strategies".
func runComparison(ctx context.Context, w *cluster.World, started time.Time, args []string, lookup func(string) (string, bool), stdout, stderr *os.File) (err error) {
	c, err := parseComparison(args[2:], newCatalogue())
	if err != nil {
		return err
	}
	switch {
	case c.Help:
		return printText(stdout, comparisonHelp())
	case c.Version:
		return printText(stdout, versionLine()+"\n")
	}
	if err := c.takeThreads(ctx, w, lookup, newConsole(stderr, c.options)); err != nil {
		return err
	}
	missing := c.missingDirectories()
	defer func() {
		if err != nil {
			removeEmpty(missing)
		}
	}()
	return runOn(ctx, w, c.options, started, args, stdout, stderr, func(b *bench) (func(context.Context) (string, error), error) {
		if err := c.choose(b); err != nil {
			return nil, err
		}
		return func(ctx context.Context) (string, error) { return c.compare(ctx, b) }, nil
	})
}

// choose sets the strategies of the run: those named, or all of the kernel.
func (c *comparison) choose(b *bench) error {
	b.isComparison = true
	engineName, k := b.record.Engine.Name, c.kernels()[0]
	for _, name := range c.names {
		if err := c.catalogue.check(engineName, k, name); err != nil {
			return usagef("%s", err)
		}
	}
	strategies := c.catalogue.named(engineName, k, c.names...)
	if len(c.names) == 0 {
		strategies = c.catalogue.of(engineName, k)
	}
	b.sets = nil
	for _, s := range strategies {
		b.sets = append(b.sets, strategySet{s})
	}
	return nil
}

// compare runs the strategies one after the other and returns the text for stdout.
// It can return both text and an error.
func (c *comparison) compare(ctx context.Context, b *bench) (string, error) {
	roots, err := b.roots(ctx)
	if err != nil {
		return "", err
	}
	defer pauseGC()()
	result := report.Comparison{Setup: b.record.Setup, Kernel: c.kernels()[0], Roots: roots, Baseline: defaultStrategy}
	b.monitor.beginSearches()
	var failures error // of strategies; the remaining strategies run nevertheless
	for i, set := range b.sets {
		s := set[0]
		b.console.begin("strategy " + s.Name)
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
	result.Warnings = b.record.Warnings
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
func (c *comparison) write(ctx context.Context, result *report.Comparison) (string, error) {
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
func (c *comparison) runStrategy(ctx context.Context, b *bench, s engine.Strategy, misfit string, roots []engine.Vertex) (r report.StrategyResult, err error) {
	r = report.StrategyResult{Name: s.Name, Doc: s.Doc, Delta: b.deltaOf(s), Memory: strategyBytes(s, b.vertices, b.tuples)}
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
func (b *bench) countWork(ctx context.Context, s engine.Searcher, root engine.Vertex) (*engine.Counts, error) {
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

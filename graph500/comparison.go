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

	"graph500/engine"
	"graph500/report"
)

// comparison is what "graph500 strategies" is asked for.
type comparison struct {
	*options
	ComparisonFlags
	names []string // strategies, in the engine's order
}

// ComparisonFlags stand beside the flags of a run.
type ComparisonFlags struct {
	Limit float64 `long:"limit" default:"60" value-name:"SECONDS" description:"time for the searches of one strategy and their validation; one that takes longer is left, and the next begins"`
}

// comparisonRefuses lists the flags of a run that a comparison does not take, and why.
var comparisonRefuses = []struct{ name, why string }{
	{"strategy", "name the strategies without a flag, or none for all"},
	{"skip-validation", "every search is validated"},
	{"check-parents", "it is about one search"},
	{"check-engine", "it is about the benchmark"},
	{"memory", "it is about the benchmark"},
	{"write-edges", "it is about the benchmark"},
	{"write-parents", "it is about the benchmark"},
}

const comparisonIntroduction = `Searches one graph from the same vertices with every strategy of an engine, or
with those named, validates every search and prints one table.

`

// parseComparison reads the arguments after "strategies".
func parseComparison(args []string) (*comparison, error) {
	c := &comparison{options: new(options)}
	p := comparisonParser(c)
	names, err := p.ParseArgs(doubleDashes(p, args))
	if err != nil {
		return nil, plainError(err)
	}
	if c.Help {
		return c, nil
	}
	for _, r := range comparisonRefuses {
		if isGiven(p, r.name) {
			return nil, usagef("flag -%s does not go with strategies: %s", r.name, r.why)
		}
	}
	format := c.Format
	if !slices.Contains(comparisonFormats(), format) {
		return nil, noSuchValue("format", format, comparisonFormats())
	}
	c.Format = formatNames()[0] // check knows the formats of a run only
	err = c.check(p)
	c.Format = format
	if err != nil {
		return nil, err
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
	p.FindOptionByLongName("roots").Default = []string{"16"}
	format := p.FindOptionByLongName("format")
	format.Default, format.Description = comparisonFormats()[:1], "what stdout gets: "+strings.Join(comparisonFormats(), ", ")
	for _, r := range comparisonRefuses {
		p.FindOptionByLongName(r.name).Hidden = true
	}
	return p
}

// comparisonHelp returns what "strategies -help" prints.
func comparisonHelp() string {
	c := &comparison{options: new(options)}
	return comparisonIntroduction + flagsHelp(comparisonParser(c)) +
		"\n-out writes the table in every format and a chart.\n\n" + strategyList(c.options)
}

func comparisonFormats() (names []string) {
	for _, f := range report.ComparisonFormats() {
		if f.Name != "" {
			names = append(names, f.Name)
		}
	}
	return names
}

// runComparison does what "graph500 strategies" asks for.
func runComparison(ctx context.Context, started time.Time, args []string, stdout, stderr *os.File) error {
	c, err := parseComparison(args[2:])
	if err != nil {
		return err
	}
	switch {
	case c.Help:
		return printText(stdout, comparisonHelp())
	case c.Version:
		return printText(stdout, versionLine()+"\n")
	}
	return runOn(ctx, c.options, started, args, stdout, stderr, func(b *bench) (func(context.Context) (string, error), error) {
		if err := c.choose(b); err != nil {
			return nil, err
		}
		return func(ctx context.Context) (string, error) { return c.compare(ctx, b) }, nil
	})
}

// choose has the run go through the strategies named, or all.
func (c *comparison) choose(b *bench) error {
	b.compares = true
	for _, name := range c.names {
		if err := checkStrategy(b.record.Engine.Name, name); err != nil {
			return usagef("%s", err)
		}
	}
	if b.strategies = named(b.record.Engine.Name, c.names...); len(c.names) == 0 {
		b.strategies = strategies(b.record.Engine.Name)
	}
	return nil
}

// compare goes through the strategies. There may be text and an error.
func (c *comparison) compare(ctx context.Context, b *bench) (string, error) {
	roots, err := b.roots(ctx)
	if err != nil {
		return "", err
	}
	defer quietGarbage()()
	result := report.Comparison{Setup: b.record.Setup, Roots: roots, Baseline: defaultStrategy}
	result.Engine.Strategy = "" // each has its own
	b.watch.beginSearches()
	var wrong error // faults of strategies; the others go on all the same
	for _, s := range b.strategies {
		b.console.begin("strategy " + s.Name)
		r, err := c.try(ctx, b, s, roots)
		if err := context.Cause(ctx); err != nil {
			return "", err
		}
		if err != nil {
			r.Failure = err.Error()
			if !errors.As(err, new(notTried)) {
				wrong = errors.Join(wrong, fmt.Errorf("strategy %s: %w", s.Name, err))
			}
		}
		result.Strategies = append(result.Strategies, r)
	}
	b.warnOfOthers()
	result.Warnings = b.record.Warnings
	text, err := c.write(ctx, &result)
	if err != nil {
		return text, err
	}
	if wrong == nil && !slices.ContainsFunc(result.Strategies, func(s report.StrategyResult) bool { return len(s.Searches) > 0 }) {
		wrong = errors.New("no strategy came to the end of a search: see the table for the reasons")
	}
	return text, wrong
}

// write writes the files of -out and returns what stdout shall hold.
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

// notTried is the reason why a strategy has no result that is no fault of its.
type notTried struct{ error }

// try searches with one strategy. What it returns with an error is what was
// done before.
func (c *comparison) try(ctx context.Context, b *bench, s engine.Strategy, roots []engine.Vertex) (r report.StrategyResult, err error) {
	r = report.StrategyResult{Name: s.Name, Doc: s.Doc, Memory: strategyBytes(s, b.vertices, b.tuples)}
	if misfit := b.misfit(b.job(s, b.vertices, b.tuples)); misfit != "" {
		return r, notTried{errors.New("does not fit: " + misfit)}
	}
	searcher, err := b.engine.NewSearcher(ctx, s)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, searcher.Close()) }()
	late := notTried{fmt.Errorf("took longer than the limit of %v s (-limit)", c.Limit)}
	limited, cancel := context.WithTimeoutCause(ctx, time.Duration(c.Limit*float64(time.Second)), late)
	defer cancel()
	if err := b.warmUp(limited, searcher, roots[0]); err != nil {
		return r, reason(err)
	}
	if r.Searches, err = b.searchFrom(limited, searcher, roots); err != nil {
		return r, reason(err)
	}
	if r.Counts, err = b.countWork(limited, searcher, roots[0]); errors.As(err, new(notTried)) {
		return r, nil // the searches are done
	}
	return r, err
}

// reason returns why a strategy was left, if it was, without the search at which
// that happened.
func reason(err error) error {
	var why notTried
	if errors.As(err, &why) {
		return why
	}
	return err
}

// countWork returns what the strategy does in a search from root, apart from
// those that are timed, or nil if the engine cannot tell. The search is validated.
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

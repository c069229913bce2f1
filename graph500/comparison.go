package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/jessevdk/go-flags"

	"graph500/cpu"
	"graph500/engine"
	"graph500/memory"
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
	if c.Help || c.Version {
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
	if !(c.Limit > 0) || c.Limit > 1e6 {
		return nil, usagef("flag -limit: %v is not above 0 and at most 1000000 seconds", c.Limit)
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
	var text strings.Builder
	c := &comparison{options: new(options)}
	p := comparisonParser(c)
	if _, err := p.ParseArgs(nil); err != nil { // fills in the defaults to show
		panic(err)
	}
	p.WriteHelp(&text)
	return comparisonIntroduction + singleDashes(text.String()) +
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

// compare does what "graph500 strategies" asks for.
func compare(ctx context.Context, started time.Time, args []string, stdout, stderr *os.File) error {
	c, err := parseComparison(args[2:])
	if err != nil {
		return err
	}
	switch {
	case c.Help:
		return writeOut(stdout, comparisonHelp())
	case c.Version:
		return writeOut(stdout, versionLine()+"\n")
	}
	if err := checkPlaces(c.options); err != nil {
		return err
	}
	console := newConsole(stderr, c.options)
	eng, err := newEngine(c.options, console)
	if err != nil {
		return err
	}
	text, err := c.run(ctx, newBench(c.options, eng, console, args, started))
	if closeErr := eng.Close(); err == nil {
		err = closeErr
	}
	if text != "" {
		if outErr := writeOut(stdout, text); err == nil {
			err = outErr
		}
	}
	return err
}

// run builds the graph and goes through the strategies. There may be text and
// an error.
func (c *comparison) run(ctx context.Context, b *bench) (string, error) {
	all := strategies(b.engine.Name())
	for _, name := range c.names {
		if err := checkStrategy(b.engine.Name(), name); err != nil {
			return "", usagef("%s", err)
		}
	}
	roots, err := b.prepare(ctx)
	if err != nil {
		return "", err
	}
	// As in a run, the garbage collector does not share the cores with searches.
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	result := report.Comparison{Run: b.record, Roots: roots, Baseline: cpu.DefaultStrategy}
	var wrong error // faults of strategies; the others go on all the same
	for _, s := range all {
		if len(c.names) > 0 && !slices.Contains(c.names, s.name) {
			continue
		}
		b.console.begin("strategy " + s.name)
		r, err := c.try(ctx, b, s, roots)
		if err := context.Cause(ctx); err != nil {
			return "", err
		}
		if err != nil {
			r.Failure = err.Error()
			if !errors.As(err, new(notTried)) {
				wrong = errors.Join(wrong, fmt.Errorf("strategy %s: %w", s.name, err))
			}
		}
		result.Strategies = append(result.Strategies, r)
	}
	var text strings.Builder
	formats := report.ComparisonFormats()
	chosen := formats[slices.IndexFunc(formats, func(f report.ComparisonFormat) bool { return f.Name == c.Format })]
	if err := chosen.Write(&text, &result); err != nil {
		return "", err
	}
	if c.Out != "" {
		if err := report.WriteComparisonDir(ctx, c.Out, &result); err != nil {
			return text.String(), err
		}
	}
	if wrong == nil && !slices.ContainsFunc(result.Strategies, func(s report.StrategyResult) bool { return len(s.Searches) > 0 }) {
		wrong = errors.New("no strategy came to the end of a search: see the table for the reasons")
	}
	return text.String(), wrong
}

// prepare takes the engine to a graph ready to search and returns the roots.
func (b *bench) prepare(ctx context.Context) ([]engine.Vertex, error) {
	file, err := b.measure(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.checkMemory(); err != nil {
		return nil, err
	}
	if err := b.provideTuples(ctx, file); err != nil {
		return nil, err
	}
	if err := b.construct(ctx); err != nil {
		return nil, err
	}
	return b.roots(ctx)
}

// countingEngine is what an engine is that can count what a search does.
type countingEngine interface {
	// CountSearch searches from root, which has an edge to another vertex, in a
	// form that counts and is slow. Parents and Validate tell of it then.
	CountSearch(ctx context.Context, root engine.Vertex) (engine.Counts, error)
}

// count returns what the strategy in use does in a search from root, apart from
// those that are timed, or nil if the engine cannot tell.
func (b *bench) count(ctx context.Context, root engine.Vertex) (*engine.Counts, error) {
	e, ok := b.engine.(countingEngine)
	if !ok {
		return nil, nil
	}
	counts, err := e.CountSearch(ctx, root)
	if err != nil {
		return nil, err
	}
	_, err = b.engine.Validate(ctx, root)
	return &counts, err
}

// notTried is the reason why a strategy has no result that is no fault of its.
type notTried struct{ error }

// try searches with one strategy. What it returns beside an error is what was
// done before.
func (c *comparison) try(ctx context.Context, b *bench, s strategy, roots []engine.Vertex) (report.StrategyResult, error) {
	r := report.StrategyResult{Name: s.name, Doc: s.doc}
	// An engine that has no memory for the strategy fails, but knows its plan then.
	useErr := b.engine.UseStrategy(ctx, s.name)
	for _, a := range s.memory(b.vertices, b.tuples) {
		r.Memory += a.Bytes
	}
	if place, need, lacks := b.lack(b.vertices, b.tuples); lacks {
		limit := b.limits[place]
		return r, notTried{fmt.Errorf("does not fit: needs %s of %s, %s are available (%s)", memory.Size(need), memoryName(place), memory.Size(limit.Bytes), limit.Source)}
	}
	if useErr != nil {
		return r, useErr
	}
	late := notTried{fmt.Errorf("took longer than the limit of %v s (-limit)", c.Limit)}
	limited, cancel := context.WithTimeoutCause(ctx, time.Duration(c.Limit*float64(time.Second)), late)
	defer cancel()
	defer b.console.track(s.name, int64(len(roots)), "searches")()
	_, err := b.search(limited, roots[0]) // warm-up
	if err != nil {
		return r, err
	}
	for i, root := range roots {
		search, err := b.search(limited, root)
		if err != nil {
			return r, err
		}
		r.Searches = append(r.Searches, search)
		b.console.advance(int64(i + 1))
	}
	if r.Counts, err = b.count(limited, roots[0]); errors.As(err, new(notTried)) {
		return r, nil // the searches are done
	}
	return r, err
}

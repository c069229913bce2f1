package main

import (
	"context"
	"graph500/engine"
	"graph500/report"
	"slices"
	"strings"
)

// strategiesFlags are the flags of "graph500 strategies" in addition to those of a run.
type strategiesFlags struct {
	Limit decimal `long:"limit" default:"60" value-name:"SECONDS" description:"time limit for the searches of one strategy and their validation; a strategy that takes longer is stopped, and the next one starts"`
}

const strategiesIntroduction = `Searches one graph from the same vertices with every strategy of an engine for a
kernel, or with those named, validates every search and prints one table.

`

// newStrategies returns the command.
func newStrategies() command {
	o, own := &options{catalogue: newCatalogue()}, new(strategiesFlags)
	flags := strategiesParser(o, own)
	return command{
		Command: Command{
			Name: "strategies", Arguments: "[flags] [NAME ...]", Doc: "searches one graph with every strategy", Introduction: strategiesIntroduction, Flags: flags,
			Closing: "\n-out writes the table in every format and a chart.\n\n" + o.catalogue.text(standardScale, standardEdgeFactor),
		},
		run: func(ctx context.Context, p *Process, names []string) error {
			if err := checkStrategies(o, flags, names); err != nil {
				return err
			}
			if o.Version {
				return printText(p.Stdout, versionLine(p.Commit)+"\n")
			}
			return (&comparison{options: o, names: names, limit: float64(own.Limit)}).start(ctx, p)
		},
	}
}

// strategiesParser returns the parser for the flags.
func strategiesParser(o *options, own *strategiesFlags) *Parser {
	p := newRunParser(o).add("Comparison", own).
		within("limit", interval[decimal]{0.001, 604800}). // at most a week
		describe("scale", "log2 of the number of vertices").
		standard("roots", "16").
		describe("kernel", "kernel of the strategies: bfs or sssp").
		choose("kernel", string(engine.BFS), string(engine.SSSP)).
		standard("format", comparisonFormats()[0]).
		describe("format", "format of standard output: "+strings.Join(comparisonFormats(), ", ")).
		choose("format", comparisonFormats()...)
	p.of.Usage = "strategies [flags] [NAME ...]"
	for flag, why := range map[string]string{
		"strategy":        "name the strategies without a flag, or none for all",
		"skip-validation": "every search is validated",
		"check-parents":   "it is about one search",
		"check-distances": "it is about one search",
		"gpus":            "the strategies run on one GPU",
		"partition":       "the strategies run on one rank",
		"check-engine":    "it is about the benchmark",
		"energy":          "it is about the benchmark",
		"repeat-for":      "it is about the benchmark",
		"memory":          "it is about the benchmark",
		"write-edges":     "it is about the benchmark",
		"write-parents":   "it is about the benchmark",
	} {
		p.exclude(flag, "strategies: "+why)
	}
	return p
}

// checkStrategies checks the flags and the names of strategies.
func checkStrategies(o *options, p *Parser, names []string) error {
	if err := o.check(p); err != nil {
		return err
	}
	if o.isSweep() {
		return usagef("flag -scale: a comparison has one scale, and not %s", o.Scales)
	}
	if r := engine.Residency(o.Residency); r != engine.AutoResidency && r != engine.Resident && !slices.Equal(names, []string{defaultStrategy}) {
		return usagef("flag -residency=%s: other strategies than %s need all neighbours in the memory of the GPU, name this one only", r, defaultStrategy)
	}
	return nil
}

// comparisonFormats lists the values of -format.
func comparisonFormats() (names []string) {
	for _, f := range report.ComparisonFormats() {
		if f.Name != "" {
			names = append(names, f.Name)
		}
	}
	return names
}

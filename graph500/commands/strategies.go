package commands

import (
	"context"
	"slices"
	"strings"

	"graph500/engine"
	"graph500/graph500/commandline"
	"graph500/graph500/output"
	"graph500/graph500/run"
	"graph500/report"
)

// strategiesFlags are the flags of "graph500 strategies" in addition to those of a run.
type strategiesFlags struct {
	Limit commandline.Decimal `long:"limit" default:"60" value-name:"SECONDS" description:"time limit for the searches of one strategy and their validation; a strategy that takes longer is stopped, and the next one starts"`
}

const strategiesIntroduction = `Searches one graph from the same vertices with every strategy of an engine for a
kernel, or with those named, validates every search and prints one table.

`

// newStrategies returns the command.
func newStrategies() command {
	o, own := &commandline.Options{Catalogue: commandline.NewCatalogue()}, new(strategiesFlags)
	flags, defaults := strategiesParser(o, own), commandline.Defaults()
	return command{
		Command: commandline.Command{
			Name: "strategies", Arguments: "[flags] [NAME ...]", Doc: "searches one graph with every strategy", Introduction: strategiesIntroduction, Flags: flags,
			Closing: "\n-out writes the table in every format and a chart.\n\n" + o.Catalogue.Text(defaults.Scale, defaults.EdgeFactor),
		},
		run: func(ctx context.Context, p *run.Process, names []string) error {
			if err := checkStrategies(o, flags, names); err != nil {
				return err
			}
			if o.Version {
				return output.PrintText(p.Stdout, run.VersionLine(p.Commit)+"\n")
			}
			return (&run.Comparison{Options: o, Names: names, Limit: float64(own.Limit)}).Start(ctx, p)
		},
	}
}

// strategiesParser returns the parser for the flags.
func strategiesParser(o *commandline.Options, own *strategiesFlags) *commandline.Parser {
	p := commandline.NewRunParser(o).Usage("strategies [flags] [NAME ...]").Add("Comparison", own).
		Within("limit", commandline.Between[commandline.Decimal](0.001, 604800)). // at most a week
		Describe("scale", "log2 of the number of vertices").
		Standard("roots", "16").
		Describe("kernel", "kernel of the strategies: bfs or sssp").
		Choose("kernel", string(engine.BFS), string(engine.SSSP)).
		Standard("format", comparisonFormats()[0]).
		Describe("format", "format of standard output: "+strings.Join(comparisonFormats(), ", ")).
		Choose("format", comparisonFormats()...)
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
		"search-timeout":  "-limit is for the searches of a strategy",
		"memory":          "it is about the benchmark",
		"write-edges":     "it is about the benchmark",
		"write-parents":   "it is about the benchmark",
	} {
		p.Exclude(flag, "strategies: "+why)
	}
	return p
}

// checkStrategies checks the flags and the names of strategies.
func checkStrategies(o *commandline.Options, p *commandline.Parser, names []string) error {
	if err := o.CheckFlags(p); err != nil {
		return err
	}
	if o.IsSweep() {
		return commandline.Usagef("flag -scale: a comparison has one scale, and not %s", o.Scales)
	}
	if r := engine.Residency(o.Residency); r != engine.AutoResidency && r != engine.Resident && !slices.Equal(names, []string{commandline.DefaultStrategy}) {
		return commandline.Usagef("flag -residency=%s: other strategies than %s need all neighbours in the memory of the GPU, name this one only", r, commandline.DefaultStrategy)
	}
	if o.Integers() && !slices.Equal(names, []string{commandline.DefaultStrategy}) {
		return commandline.Usagef("flag -weights=%s: other strategies than %s take weights in float32 only, name this one only", o.Weights, commandline.DefaultStrategy)
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

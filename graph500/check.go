package main

import (
	"math"
	"slices"
	"strings"

	"github.com/jessevdk/go-flags"

	"graph500/gpu"
)

// conflicts lists pairs of flags that exclude each other, with the reason.
var conflicts = []struct{ one, other, why string }{
	{"graph", "scale", "the file determines the size of the graph"},
	{"graph", "edgefactor", "the file determines the size of the graph"},
	{"graph", "read-edges", "a run has one graph"},
	{"root", "roots", "one gives the vertices, the other their number"},
	{"check-parents", "check-engine", "nothing is searched"},
	{"check-parents", "roots", "nothing is searched"},
	{"check-parents", "skip-validation", "it only validates"},
	{"check-parents", "write-parents", "nothing is searched"},
	{"check-parents", "out", "nothing is searched"},
	{"check-parents", "format", "nothing is searched"},
}

// isGiven reports whether the flag is on the command line.
func isGiven(p *flags.Parser, name string) bool {
	option := p.FindOptionByLongName(name)
	return option.IsSet() && !option.IsSetDefault()
}

// noSuchValue returns the error for an invalid value of a flag.
func noSuchValue(flag, value string, allowed []string) error {
	return usagef("flag -%s: there is no %q%s; all are %s", flag, value, suggestion(value, "", allowed), strings.Join(allowed, ", "))
}

// check returns an error if the flags are invalid by themselves.
func (o *options) check(p *flags.Parser) error {
	given := func(name string) bool { return isGiven(p, name) }
	if err := checkRanges(p); err != nil {
		return err
	}
	o.requiresGPU = given("device")
	last := int64(math.MaxUint32 - 1)
	if o.Graph == "" {
		last = 1<<o.Scale - 1
	}
	for _, root := range o.Root {
		if root < 0 || root > last {
			return usagef("flag -root: the graph has no vertex %d, they are 0..%d", root, last)
		}
	}
	for _, file := range []struct{ flag, name string }{
		{"graph", o.Graph}, {"read-edges", o.ReadEdges}, {"check-parents", o.CheckParents},
		{"write-edges", o.WriteEdges}, {"write-parents", o.WriteParents}, {"out", o.Out},
	} {
		if file.name == "" && given(file.flag) {
			return usagef("flag -%s: the name is empty", file.flag)
		}
	}
	for _, c := range conflicts {
		if given(c.one) && given(c.other) {
			return usagef("flags -%s and -%s contradict each other: %s", c.one, c.other, c.why)
		}
	}
	if o.CheckParents != "" && len(o.Root) != 1 {
		return usagef("flag -check-parents: give the root of the tree with exactly one -root")
	}
	for _, flag := range []string{"device", "check-engine", "gpu-memory"} {
		if o.Engine == "cpu" && given(flag) {
			return usagef("flags -%s and -engine=cpu contradict each other: it is about a GPU", flag)
		}
	}
	for _, c := range []struct {
		name, value string
		allowed     []string
	}{
		{"engine", o.Engine, engineNames()},
		{"strategy", o.Strategy, append(strategyNames("auto"), "help")},
		{"format", o.Format, formatNames()},
		{"progress", o.Progress, []string{"auto", "always", "never"}},
	} {
		switch {
		case slices.Contains(c.allowed, c.value):
		case c.name == "strategy" && slices.Contains(gpu.StrategyNames(), c.value):
			return usagef("flag -strategy: %s", noGPUEngine(c.value))
		default:
			return noSuchValue(c.name, c.value, c.allowed)
		}
	}
	return nil
}

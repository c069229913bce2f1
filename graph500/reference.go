package main

import (
	"path/filepath"

	"github.com/jessevdk/go-flags"

	"graph500/engine"
)

// referencePrograms are the programs of the Graph500 reference, with the kernels that they
// run. Under their names this program takes their arguments: SCALE [EDGEFACTOR].
var referencePrograms = map[string]string{
	"graph500_reference_bfs":      string(engine.BFS),
	"graph500_reference_bfs_sssp": bothKernels,
}

// asReference returns the name of the reference's program whose part this program plays, and
// the arguments: the name is that of the program, as that of a link to it, or the first
// argument. It is empty for the program under its own name.
func asReference(args []string) (name string, rest []string) {
	for i, arg := range args[:min(2, len(args))] {
		if name := filepath.Base(arg); referencePrograms[name] != "" {
			return name, args[i:]
		}
	}
	return "", args
}

// positional returns the flags that the arguments SCALE [EDGEFACTOR], which belong to no flag,
// stand for.
func positional(p *flags.Parser, rest []string) (asFlags []string, err error) {
	for i, arg := range rest {
		if i > 1 || !isWhole(arg) {
			return nil, unexpectedArgument(arg)
		}
		name := []string{"scale", "edgefactor"}[i]
		if isGiven(p, name) {
			return nil, usagef("argument %s and flag -%s contradict each other: give one of them", arg, name)
		}
		asFlags = append(asFlags, "-"+name+"="+arg)
	}
	return asFlags, nil
}

// isWhole reports whether text consists of digits.
func isWhole(text string) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return text != ""
}

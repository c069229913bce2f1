package commandline

import (
	"path/filepath"

	"graph500/engine"
)

// referenceKernels returns the kernels, as a value of -kernel, that a program of the Graph500
// reference runs; empty for another name. Under those names this program takes their arguments:
// SCALE [EDGEFACTOR].
func referenceKernels(program string) string {
	switch program {
	case "graph500_reference_bfs":
		return string(engine.BFS)
	case "graph500_reference_bfs_sssp":
		return bothKernels
	}
	return ""
}

// AsReference returns the name of the reference's program whose part this program plays, and
// the arguments: the name is that of the program, as that of a link to it, or the first
// argument. It is empty for the program under its own name.
func AsReference(args []string) (name string, rest []string) {
	for i, arg := range args[:min(2, len(args))] {
		if name := filepath.Base(arg); referenceKernels(name) != "" {
			return name, args[i:]
		}
	}
	return "", args
}

// withoutPositional returns the arguments of a program of the reference with flags in the place of
// SCALE and EDGEFACTOR.
func withoutPositional(args []string) ([]string, error) {
	scratch := NewRunParser(new(Options))
	rest, err := scratch.Parse(args)
	if err != nil {
		return nil, err
	}
	var asFlags []string
	for i, arg := range rest {
		if i > 1 || !IsWhole(arg) {
			return nil, Usagef("unexpected argument %q: the arguments are SCALE [EDGEFACTOR], and all else is given with flags, see -help", arg)
		}
		name := []string{"scale", "edgefactor"}[i]
		if scratch.Given(name) {
			return nil, Usagef("argument %s and flag -%s contradict each other: give one of them", arg, name)
		}
		asFlags = append(asFlags, "-"+name+"="+arg)
	}
	return append(asFlags, args...), nil
}

// IsWhole reports whether text consists of digits.
func IsWhole(text string) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return text != ""
}

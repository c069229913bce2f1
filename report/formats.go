package report

import (
	"errors"
	"io"
	"slices"
)

// Format is one way to write a Run or a Comparison.
type Format[T any] struct {
	Name  string // value of -format; empty if only -out writes the format
	File  string // name in the directory of -out
	Write func(io.Writer, *T) error
}

// Names of files of a run that other commands read.
const (
	BlockFile = "result.txt"  // of Official
	JSONFile  = "result.json" // of JSON
)

// Formats lists the formats of a run, the default first.
func Formats() []Format[Run] {
	return []Format[Run]{
		{"official", BlockFile, Official},
		{"json", JSONFile, JSON},
		{"csv", "result.csv", CSV},
		{"benchstat", "result.bench", Benchstat},
	}
}

// ComparisonFormats lists the formats of a comparison, the default first.
func ComparisonFormats() []Format[Comparison] {
	return []Format[Comparison]{
		{"table", "strategies.txt", ComparisonTable},
		{"json", "strategies.json", ComparisonJSON},
		{"csv", "strategies.csv", ComparisonCSV},
		{"", "strategies.svg", ComparisonChart},
	}
}

// check returns an error for a run without statistics.
func (r *Run) check() error {
	if len(r.Kernels) == 0 || slices.ContainsFunc(r.Kernels, func(k KernelRun) bool { return len(k.Searches) == 0 }) {
		return errors.New("the run has no searches, so it has no result")
	}
	return nil
}

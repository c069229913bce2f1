package report

import (
	"errors"
	"io"
)

// Format is one way to write a Run or a Comparison.
type Format[T any] struct {
	Name  string // value of -format, empty for what only -out writes
	Doc   string // one line
	File  string // name in the directory of -out
	Write func(io.Writer, *T) error
}

// Formats lists the formats of a run, the default first.
func Formats() []Format[Run] {
	return []Format[Run]{
		{"official", "the result block of the Graph500 reference", "result.txt", Official},
		{"json", "everything the run produced, one object", "result.json", JSON},
		{"csv", "a header and one row for a table of runs", "result.csv", CSV},
		{"benchstat", "one Go benchmark line a search", "result.bench", Benchstat},
	}
}

// ComparisonFormats lists the formats of a comparison, the default first.
func ComparisonFormats() []Format[Comparison] {
	return []Format[Comparison]{
		{"table", "a table for people", "strategies.txt", ComparisonTable},
		{"json", "everything the comparison produced, one object", "strategies.json", ComparisonJSON},
		{"csv", "a header and one row for each strategy", "strategies.csv", ComparisonCSV},
		{"", "a picture of the rates, in SVG", "strategies.svg", ComparisonChart},
	}
}

// check refuses a run that has no statistics.
func (r *Run) check() error {
	if len(r.Searches) == 0 {
		return errors.New("the run has no searches, so it has no result")
	}
	return nil
}

package report

import (
	"errors"
	"io"
)

// Format is one way to write a run for machines.
type Format struct {
	Name  string // value of -format
	Doc   string // one line
	File  string // name in the directory of -out
	Write func(io.Writer, *Run) error
}

// Formats lists the formats, the default first.
func Formats() []Format {
	return []Format{
		{"official", "the result block of the Graph500 reference", "result.txt", Official},
		{"json", "everything the run produced, one object", "result.json", JSON},
		{"csv", "a header and one row for a table of runs", "result.csv", CSV},
		{"benchstat", "one Go benchmark line a search", "result.bench", Benchstat},
	}
}

// check refuses a run that has no statistics.
func (r *Run) check() error {
	if len(r.Searches) == 0 {
		return errors.New("report: the run has no searches, so there is no result to write")
	}
	return nil
}

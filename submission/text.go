package submission

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"

	"graph500/report"
)

// blank begins the place of a value that only the site knows.
const blank = "TO FILL IN"

// Format is one way to write a submission.
type Format struct {
	File  string // name in the directory of -out
	Write func(io.Writer, *Result) error
}

// Formats lists the formats, that of standard output first.
func Formats() []Format {
	return []Format{{"submission.txt", Text}, {"submission.csv", CSV}}
}

// Failures returns the number of checks of the result that did not pass, without notes.
func Failures(r *Result) (n int) {
	for _, c := range Checks(r) {
		if c.State == Failed || c.State == Unknown {
			n++
		}
	}
	return n
}

// Text writes the checks, then for each kernel the table of fields, then the result
// block.
func Text(w io.Writer, r *Result) error {
	var text bytes.Buffer
	fmt.Fprint(&text, "Submission to the Graph500 list\n\nChecks\n")
	table(&text, checkRows(r))
	fmt.Fprintf(&text, "\n%s\n", verdict(r))
	for _, k := range r.Run.Kernels {
		fmt.Fprintf(&text, "\nFields of the %s list\n", k.Kernel.Title())
		var rows [][]string
		for _, f := range Fields(r.Run, k.Kernel) {
			rows = append(rows, []string{f.Name, f.text()})
		}
		table(&text, rows)
	}
	fmt.Fprintf(&text, "\n[%s] marks what only the site knows. Compare the fields with the form on graph500.org.\n\nResult\n", blank)
	if err := report.Official(&text, r.Run); err != nil {
		return err
	}
	_, err := w.Write(text.Bytes())
	return err
}

// CSV writes the fields of all kernels: list, field, value (empty if only the site knows
// it) and hint.
func CSV(w io.Writer, r *Result) error {
	lines := [][]string{{"list", "field", "value", "hint"}}
	for _, k := range r.Run.Kernels {
		for _, f := range Fields(r.Run, k.Kernel) {
			lines = append(lines, []string{k.Kernel.Title(), f.Name, report.TextCell(f.Value), report.TextCell(f.Hint)})
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// text returns value and hint of a field.
func (f Field) text() string {
	switch {
	case f.Value == "" && f.Hint == "":
		return "[" + blank + "]"
	case f.Value == "":
		return fmt.Sprintf("[%s: %s]", blank, f.Hint)
	case f.Hint == "":
		return f.Value
	}
	return fmt.Sprintf("%s (%s)", f.Value, f.Hint)
}

func checkRows(r *Result) (rows [][]string) {
	for _, c := range Checks(r) {
		rows = append(rows, []string{string(c.State), c.Name, c.Reason})
	}
	return rows
}

// verdict says whether the run can be submitted.
func verdict(r *Result) string {
	switch n := Failures(r); n {
	case 0:
		return "Nothing is missing."
	case 1:
		return "One check did not pass: the list may refuse the run."
	default:
		return fmt.Sprintf("%d checks did not pass: the list may refuse the run.", n)
	}
}

// printable returns a text as one line that does nothing to a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, strings.Join(strings.Fields(s), " "))
}

// table writes rows with aligned columns, each cell on one line.
func table(w io.Writer, rows [][]string) {
	var aligned bytes.Buffer
	tabs := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = printable(cell)
		}
		fmt.Fprintf(tabs, "  %s\n", strings.Join(cells, "\t"))
	}
	tabs.Flush()
	for l := range strings.Lines(aligned.String()) {
		fmt.Fprintln(w, strings.TrimRight(l, " \n"))
	}
}

package leaderboard

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"graph500/engine"
)

// Markdown writes the tables of the board, each ranked by one kernel.
func Markdown(w io.Writer, b *Board) error {
	var text bytes.Buffer
	fmt.Fprintf(&text, "# Graph500 leaderboard\n\n%s\n", b.summary())
	for _, t := range b.Tables {
		fmt.Fprintf(&text, "\n## %s\n\n%s\n", escaped(t.Title), escaped(t.About))
		for _, k := range engine.Kernels() {
			if t.has(k) {
				t.markdown(&text, k)
			}
		}
	}
	if len(b.LeftOut) > 0 {
		fmt.Fprint(&text, "\n## Left out\n\n")
		for _, l := range b.LeftOut {
			fmt.Fprintf(&text, "- %s: %s\n", escaped(l.File), escaped(l.Err.Error()))
		}
	}
	_, err := w.Write(text.Bytes())
	return err
}

// markdown writes the runs that have the kernel, the fastest first.
func (t *Table) markdown(text *bytes.Buffer, k engine.Kernel) {
	fmt.Fprintf(text, "\n### By %s\n\n", k.Title())
	rule := "|"
	fmt.Fprint(text, "|")
	for _, c := range columns() {
		fmt.Fprintf(text, " %s |", c.Heading)
		if c.Number {
			rule += "--:|"
		} else {
			rule += "---|"
		}
	}
	fmt.Fprintf(text, "\n%s\n", rule)
	rows := slices.DeleteFunc(slices.Clone(t.Rows), func(r *Row) bool { return r.Run.Kernel(k) == nil })
	slices.SortStableFunc(rows, func(a, b *Row) int { return cmp.Or(compareRanked(a, b), cmp.Compare(b.rate(k), a.rate(k))) })
	for _, r := range rows {
		fmt.Fprint(text, "|")
		for _, c := range columns() {
			fmt.Fprintf(text, " %s |", escaped(c.cell(r, k).Text))
		}
		fmt.Fprintln(text)
	}
}

// escaped returns a text as one line in which no character has a meaning in Markdown or
// HTML.
func escaped(s string) string {
	var out strings.Builder
	for _, r := range s {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			r = ' '
		case r == '<':
			out.WriteString("&lt;")
			continue
		case r == '&':
			out.WriteString("&amp;")
			continue
		case strings.ContainsRune("\\`*_~[]|#!", r):
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

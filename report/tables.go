package report

import (
	"bytes"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"graph500/engine"
	"graph500/memory"
)

// Phases writes a table of the run's phases for people: seconds, share of the
// whole, and millions of input tuples a second where that is a measure.
func Phases(w io.Writer, r *Run) error {
	var total float64
	width := len("phase")
	for _, p := range r.Phases {
		total += p.Seconds
		width = max(width, len(p.Name))
	}
	left := func(name string) string { return fmt.Sprintf("%-*s", width, name) }
	t := newTable()
	t.row(left("phase"), "seconds", "share", "Mtuples/s")
	for _, p := range r.Phases {
		rate := "-"
		if p.Tuples > 0 && p.Seconds > 0 {
			rate = fmt.Sprintf("%.1f", float64(p.Tuples)/p.Seconds/1e6)
		}
		t.row(left(p.Name), fmt.Sprintf("%.3f", p.Seconds), share(p.Seconds, total), rate)
	}
	t.row(left("total"), fmt.Sprintf("%.3f", total), share(total, total), "-")
	return t.writeTo(w)
}

// Levels writes the level profile of a search for people. The totals are those
// of the levels shown.
func Levels(w io.Writer, s Search) error {
	t := newTable()
	t.row("level", "direction", "frontier", "found", "examined", "ms")
	var found, examined int64
	var total time.Duration
	for i, l := range s.Levels {
		t.row(fmt.Sprint(i), fmt.Sprintf("%-9s", l.Direction), fmt.Sprint(l.Frontier), fmt.Sprint(l.Found), fmt.Sprint(l.Examined), milliseconds(l.Time))
		found += l.Found
		examined += l.Examined
		total += l.Time
	}
	last := "total"
	if s.LevelCount > len(s.Levels) {
		last = fmt.Sprintf("these of %d", s.LevelCount)
	}
	t.row(last, "", "", fmt.Sprint(found), fmt.Sprint(examined), milliseconds(total))
	if _, err := fmt.Fprintf(w, "search from root %d: %.6f s, %s GTEPS, %d vertices, nedge %d\n",
		s.Root, s.Seconds, giga(s.TEPS()), s.Tree.Visited, s.Tree.Edges); err != nil {
		return err
	}
	return t.writeTo(w)
}

// Headline writes one line for people: the result, and what the official
// block has no line for.
func Headline(w io.Writer, r *Run) error {
	if err := r.check(); err != nil {
		return err
	}
	teps := rates(r.Searches)
	_, err := fmt.Fprintf(w, "%s GTEPS harmonic mean of %d searches (min %s, max %s); %.1f %% of the vertices isolated; %d-bit labels; peak memory %s\n",
		giga(teps.HarmonicMean), len(r.Searches), giga(teps.Min), giga(teps.Max),
		100*r.isolatedShare(), engine.LabelBits, memory.Size(r.PeakBytes))
	return err
}

func giga(teps float64) string { return fmt.Sprintf("%.4g", teps/1e9) }

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.3f", float64(d)/float64(time.Millisecond))
}

func share(part, whole float64) string {
	if whole <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*part/whole)
}

// table aligns cells to the right.
type table struct {
	text bytes.Buffer
	tabs *tabwriter.Writer
}

func newTable() *table {
	t := &table{}
	t.tabs = tabwriter.NewWriter(&t.text, 0, 0, 2, ' ', tabwriter.AlignRight)
	return t
}

func (t *table) row(cells ...string) {
	for _, c := range cells {
		fmt.Fprintf(t.tabs, "%s\t", c)
	}
	fmt.Fprintln(t.tabs)
}

func (t *table) writeTo(w io.Writer) error {
	if err := t.tabs.Flush(); err != nil {
		return err
	}
	_, err := w.Write(t.text.Bytes())
	return err
}

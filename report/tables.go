package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"graph500/engine"
	"graph500/memory"
)

// Phases writes a text table of the run's phases: seconds, share of the total
// time, and 10^6 input tuples per second for phases that go through the tuples.
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
		t.row(left(p.Name), fmt.Sprintf("%.3f", p.Seconds), percent(p.Seconds, total), rate)
	}
	t.row(left("total"), fmt.Sprintf("%.3f", total), percent(total, total), "-")
	return t.writeTo(w)
}

// Levels writes a text table of the recorded levels of a search and their totals.
// The step column is present if a level has a step. The columns of bytes are
// present if a level has bytes: 10^6 bytes, 10^9 bytes per second, and that rate as
// a share of the device's copy bandwidth.
func Levels(w io.Writer, s Search, d *Device) error {
	copyBandwidth := 0.0 // bytes a second
	if d != nil {
		copyBandwidth = d.CopyBandwidth
	}
	hasBytes := slices.ContainsFunc(s.Levels, func(l engine.Level) bool { return l.Bytes > 0 })
	stepWidth := 0 // of the longest name
	for _, l := range s.Levels {
		stepWidth = max(stepWidth, len(l.Step))
	}
	t := newTable()
	row := func(name string, l engine.Level, direction, frontier string) {
		cells := []string{name, direction}
		if stepWidth > 0 {
			cells = append(cells, fmt.Sprintf("%-*s", stepWidth, l.Step))
		}
		cells = append(cells, frontier, fmt.Sprint(l.Found), fmt.Sprint(l.Examined), fmt.Sprintf("%.1f", 1e6*l.Seconds))
		if hasBytes {
			rate := float64(l.Bytes) / max(l.Seconds, 1e-9)
			cells = append(cells, fmt.Sprintf("%.2f", float64(l.Bytes)/1e6), fmt.Sprintf("%.0f", rate/1e9), percent(rate, copyBandwidth))
		}
		t.row(cells...)
	}
	header := []string{"level", "direction"}
	if stepWidth > 0 {
		header = append(header, fmt.Sprintf("%-*s", stepWidth, "step"))
	}
	header = append(header, "frontier", "found", "examined", "µs")
	if hasBytes {
		header = append(header, "MB", "GB/s", "of copy rate")
	}
	t.row(header...)
	var total engine.Level
	for i, l := range s.Levels {
		row(fmt.Sprint(i), l, fmt.Sprintf("%-9s", l.Direction), fmt.Sprint(l.Frontier))
		total.Found += l.Found
		total.Examined += l.Examined
		total.Bytes += l.Bytes
		total.Seconds += l.Seconds
	}
	totalName := "total"
	if s.LevelCount > int64(len(s.Levels)) {
		totalName = fmt.Sprintf("these of %d", s.LevelCount)
	}
	row(totalName, total, "", "")
	device := ""
	if s.DeviceSeconds > 0 {
		device = fmt.Sprintf(" (%.6f s by the device's clock)", s.DeviceSeconds)
	}
	if _, err := fmt.Fprintf(w, "search from root %d: %.6f s%s, %s GTEPS, %d vertices, nedge %d\n",
		s.Root, s.Seconds, device, giga(s.TEPS()), s.Visited, s.Edges); err != nil {
		return err
	}
	return t.writeTo(w)
}

// DeviceLine writes one line of text about the device, if there is one.
func DeviceLine(w io.Writer, d *Device) error {
	if d == nil {
		return nil
	}
	_, err := fmt.Fprintf(w, "device: %s, compute capability %s, %d multiprocessors, up to %d MHz (memory %d MHz), %s, PCI %s, driver for CUDA %s; a copy moves %.0f GB/s\n",
		d.Name, d.Architecture, d.Multiprocessors, d.ClockMHz, d.MemoryClockMHz, memory.Size(d.Memory), d.BusID, d.Driver, d.CopyBandwidth/1e9)
	return err
}

// Headline writes one line of text: the result, and values that the official
// block does not contain.
func Headline(w io.Writer, r *Run) error {
	if err := r.check(); err != nil {
		return err
	}
	teps := rates(r.Searches)
	_, err := fmt.Fprintf(w, "%s GTEPS harmonic mean (searches %d, min %s, max %s); %.1f %% of the vertices isolated; %d-bit labels; peak memory %s\n",
		giga(teps.HarmonicMean), len(r.Searches), giga(teps.Min), giga(teps.Max),
		100*r.Graph.IsolatedShare(), r.Engine.LabelBits, memory.Size(r.PeakMemory))
	return err
}

// giga formats TEPS in units of 10^9.
func giga(teps float64) string { return fmt.Sprintf("%.4g", teps/1e9) }

func percent(part, whole float64) string {
	if whole <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*part/whole)
}

// table is a text table whose cells are aligned to the right.
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

package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"graph500/energy"
	"graph500/engine"
	"graph500/memory"
)

// Phases writes a text table of the run's phases: seconds, share of the total
// time, 10^6 input tuples per second for phases that go through the tuples, and the joules
// of each part whose energy was measured.
func Phases(w io.Writer, r *Run) error {
	var total float64
	width := len("phase")
	for _, p := range r.Phases {
		total += p.Seconds
		width = max(width, len(p.Name))
	}
	left := func(name string) string { return fmt.Sprintf("%-*s", width, name) }
	t := newTable()
	var parts []energy.Part
	header := []string{left("phase"), "seconds", "share", "Mtuples/s"}
	for _, c := range r.EnergyCounters {
		if !slices.Contains(parts, c.Part) {
			parts, header = append(parts, c.Part), append(header, "J, "+string(c.Part))
		}
	}
	t.row(header...)
	for _, p := range r.Phases {
		rate := "-"
		if p.Tuples > 0 && p.Seconds > 0 {
			rate = fmt.Sprintf("%.1f", float64(p.Tuples)/p.Seconds/1e6)
		}
		cells := []string{left(p.Name), fmt.Sprintf("%.3f", p.Seconds), percent(p.Seconds, total), rate}
		for _, part := range parts {
			cells = append(cells, joules(p.Energy, part))
		}
		t.row(cells...)
	}
	t.row(append([]string{left("total"), fmt.Sprintf("%.3f", total), percent(total, total)}, slices.Repeat([]string{"-"}, 1+len(parts))...)...)
	return t.writeTo(w)
}

// joules formats the energy of a part.
func joules(amounts []energy.Amount, part energy.Part) string {
	for _, a := range amounts {
		if a.Part == part {
			return fmt.Sprintf("%.1f", a.Joules)
		}
	}
	return "-"
}

// levelTitle returns the name of a level of a kernel's searches.
func levelTitle(k engine.Kernel) string {
	if k == engine.SSSP {
		return "round"
	}
	return "level"
}

// Levels writes a text table of the recorded levels or rounds of a kernel's search and
// their totals. The columns of direction and step are present if a level has one. The
// columns of bytes are present if a level has bytes: 10^6 bytes, 10^9 bytes per second,
// and that rate as a share of the device's copy bandwidth; those of host memory likewise:
// 10^6 bytes over the bus, and requests.
func Levels(w io.Writer, k engine.Kernel, s Search, d *Device) error {
	copyBandwidth := 0.0 // bytes a second
	if d != nil {
		copyBandwidth = d.CopyBandwidth
	}
	hasBytes := slices.ContainsFunc(s.Levels, func(l Level) bool { return l.Bytes > 0 })
	hasHost := slices.ContainsFunc(s.Levels, func(l Level) bool { return l.HostBytes > 0 })
	directions := newTextColumn("direction", s.Levels, func(l Level) string { return string(l.Direction) })
	steps := newTextColumn("step", s.Levels, func(l Level) string { return l.Step })
	t := newTable()
	row := func(name, direction, step, frontier string, l Level) {
		cells := slices.Concat([]string{name}, directions.cell(direction), steps.cell(step),
			[]string{frontier, fmt.Sprint(l.Found), fmt.Sprint(l.Examined), fmt.Sprintf("%.1f", 1e6*l.Seconds)})
		if hasBytes {
			rate := float64(l.Bytes) / max(l.Seconds, 1e-9)
			cells = append(cells, fmt.Sprintf("%.2f", float64(l.Bytes)/1e6), fmt.Sprintf("%.0f", rate/1e9), percent(rate, copyBandwidth))
		}
		if hasHost {
			cells = append(cells, fmt.Sprintf("%.2f", float64(l.HostBytes)/1e6), fmt.Sprint(l.HostRequests))
		}
		t.row(cells...)
	}
	header := slices.Concat([]string{levelTitle(k)}, directions.cell("direction"), steps.cell("step"), []string{"frontier", "found", "examined", "µs"})
	if hasBytes {
		header = append(header, "MB", "GB/s", "of copy rate")
	}
	if hasHost {
		header = append(header, "host MB", "requests")
	}
	t.row(header...)
	var total Level
	for i, l := range s.Levels {
		row(fmt.Sprint(i), string(l.Direction), l.Step, fmt.Sprint(l.Frontier), l)
		total.Found += l.Found
		total.Examined += l.Examined
		total.Bytes += l.Bytes
		total.HostBytes += l.HostBytes
		total.HostRequests += l.HostRequests
		total.Seconds += l.Seconds
	}
	totalName := "total"
	if s.LevelCount > int64(len(s.Levels)) {
		totalName = fmt.Sprintf("these of %d", s.LevelCount)
	}
	row(totalName, "", "", "", total)
	device := ""
	if s.DeviceSeconds > 0 {
		device = fmt.Sprintf(" (%.6f s by the device's clock)", s.DeviceSeconds)
	}
	if _, err := fmt.Fprintf(w, "%s from root %d: %.6f s%s, %s GTEPS, %d vertices, nedge %d\n",
		k.Title(), s.Root, s.Seconds, device, giga(s.TEPS()), s.Visited, s.Edges); err != nil {
		return err
	}
	return t.writeTo(w)
}

// textColumn is a column of texts, aligned to the left. It is missing if all are empty.
type textColumn struct{ width int }

func newTextColumn(header string, levels []Level, text func(Level) string) (c textColumn) {
	for _, l := range levels {
		if n := len(text(l)); n > 0 {
			c.width = max(c.width, n, len(header))
		}
	}
	return c
}

// cell returns the cell of a row, or nothing if the column is missing.
func (c textColumn) cell(text string) []string {
	if c.width == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%-*s", c.width, text)}
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

// Headline writes one line of text: the result of each kernel, and values that the
// official block does not contain.
func Headline(w io.Writer, r *Run) error {
	if err := r.check(); err != nil {
		return err
	}
	var text strings.Builder
	for _, k := range r.Kernels {
		teps := k.Rates()
		fmt.Fprintf(&text, "%s: %s GTEPS harmonic mean (searches %d, keys in smaller components %.3g %%, min %s, max %s); ",
			k.Kernel.Title(), giga(teps.HarmonicMean), len(k.Searches), 100*k.Elsewhere(), giga(teps.Min), giga(teps.Max))
	}
	_, err := fmt.Fprintf(w, "%s%.1f %% of the vertices isolated; %d-bit labels; peak memory %s\n",
		&text, 100*engine.Graph(r.Graph).IsolatedShare(), r.Engine.LabelBits, memory.Size(r.PeakMemory))
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

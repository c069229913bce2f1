package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"graph500/memory"
)

// ComparisonTable writes the comparison as a text table.
func ComparisonTable(w io.Writer, c *Comparison) error {
	if _, err := fmt.Fprintf(w, "%s: scale %d, edgefactor %.7g, %d vertices with an edge, %d edges, %s searches of each strategy: %d; %s engine, %s\n",
		c.Input.Source, c.Input.Scale, c.Input.EdgeFactor, c.Graph.Connected, c.Graph.Tuples, c.Kernel.Title(), len(c.Roots), c.Engine.Name, c.Engine.Hardware); err != nil {
		return err
	}
	width := len("strategy")
	for _, s := range c.Strategies {
		width = max(width, len(s.Name))
	}
	left := func(name string) string { return fmt.Sprintf("%-*s", width, name) }
	t := newTable()
	header := []string{left("strategy"), "validated", "GTEPS", "median ms", levelTitle(c.Kernel) + "s", "edges examined", "atomics", "shared atomics", "launches"}
	if c.hasHost() {
		header = append(header, "host MB", "host requests")
	}
	t.row(append(header, "memory", "ratio to "+c.Baseline)...)
	for i := range c.Strategies {
		s := &c.Strategies[i]
		t.row(append([]string{left(s.Name)}, c.cells(s)...)...)
	}
	if err := t.writeTo(w); err != nil {
		return err
	}
	for i := range c.Strategies {
		if s := &c.Strategies[i]; !s.finished() {
			if _, err := fmt.Fprintf(w, "%s: %s\n", s.Name, s.Failure); err != nil {
				return err
			}
		}
	}
	return nil
}

// hasHost reports whether a strategy has neighbours in host memory.
func (c *Comparison) hasHost() bool {
	return slices.ContainsFunc(c.Strategies, func(s StrategyResult) bool { return s.Counts != nil && s.Counts.HostBytes > 0 })
}

// cells returns the cells of a strategy in the text table, without its name.
func (c *Comparison) cells(s *StrategyResult) []string {
	validated := fmt.Sprintf("%d of %d", len(s.Searches), len(c.Roots))
	var host []string
	if c.hasHost() {
		host = []string{"-", "-"}
	}
	if !s.finished() {
		return slices.Concat([]string{validated, "-", "-", "-", "-", "-", "-", "-"}, host, []string{memory.Size(s.Memory), "-"})
	}
	f := c.figures(s)
	examined, atomics, shared, launches, ratio := "-", "-", "-", "-", "-"
	if f.examined > 0 {
		examined = fmt.Sprintf("%.4g", f.examined)
	}
	if n := s.Counts; n != nil {
		atomics, shared, launches = fmt.Sprintf("%.4g", float64(n.Atomics)), fmt.Sprintf("%.4g", float64(n.SharedAtomics)), fmt.Sprint(n.Launches)
		if n.HostBytes > 0 {
			host = []string{fmt.Sprintf("%.4g", float64(n.HostBytes)/1e6), fmt.Sprintf("%.4g", float64(n.HostRequests))}
		}
	}
	if f.ratio > 0 {
		ratio = fmt.Sprintf("%.3g", f.ratio)
	}
	return slices.Concat([]string{validated, giga(f.teps), fmt.Sprintf("%.3f", 1e3*f.median), fmt.Sprintf("%.1f", f.levels),
		examined, atomics, shared, launches}, host, []string{memory.Size(s.Memory), ratio})
}

// ComparisonCSV writes a header and one row for each strategy. Cells of unknown values
// are empty. docs/results.md lists the columns.
func ComparisonCSV(w io.Writer, c *Comparison) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"kernel", "strategy", "delta", "source", "scale", "edgefactor", "engine", "hardware", "searches", "validated",
		"GTEPS", "median_time", "levels", "examined", "atomics", "shared_atomics", "launches", "host_bytes", "host_requests", "memory_bytes", "ratio", "failure"})
	number := func(x float64) string {
		if x == 0 {
			return ""
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	for i := range c.Strategies {
		s := &c.Strategies[i]
		f := c.figures(s)
		var atomics, shared, launches, hostBytes, hostRequests, delta string
		if s.Delta != 0 {
			delta = single(s.Delta)
		}
		if n := s.Counts; n != nil {
			atomics, shared, launches = strconv.FormatInt(n.Atomics, 10), strconv.FormatInt(n.SharedAtomics, 10), strconv.FormatInt(n.Launches, 10)
			hostBytes, hostRequests = number(float64(n.HostBytes)), number(float64(n.HostRequests))
		}
		_ = out.Write([]string{ // out.Error returns the error below
			string(c.Kernel), s.Name, delta, c.Input.Source, strconv.Itoa(c.Input.Scale), strconv.FormatFloat(c.Input.EdgeFactor, 'g', -1, 64),
			c.Engine.Name, c.Engine.Hardware, strconv.Itoa(len(c.Roots)), strconv.Itoa(len(s.Searches)),
			number(f.teps / 1e9), number(f.median), number(f.levels), number(f.examined), atomics, shared, launches, hostBytes, hostRequests,
			strconv.FormatUint(s.Memory, 10), number(f.ratio), s.Failure,
		})
	}
	out.Flush()
	return out.Error()
}

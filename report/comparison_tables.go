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
// are empty.
func ComparisonCSV(w io.Writer, c *Comparison) error {
	out := csv.NewWriter(w)
	columns := strategyColumns()
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = column.name
	}
	_ = out.Write(names) // out.Error returns the error below
	for i := range c.Strategies {
		cells := make([]string, len(columns))
		s := strategyRow{c, &c.Strategies[i], c.figures(&c.Strategies[i])}
		for j, column := range columns {
			cells[j] = column.cell(s)
		}
		_ = out.Write(cells)
	}
	out.Flush()
	return out.Error()
}

// strategyRow is a strategy of a comparison and its figures.
type strategyRow struct {
	*Comparison
	*StrategyResult
	figures figures
}

// strategyColumns lists the columns of strategies.csv.
func strategyColumns() []column[strategyRow] {
	known := func(x float64) string {
		if x == 0 {
			return ""
		}
		return full(x)
	}
	counted := func(value func(*Counts) string) func(strategyRow) string {
		return func(s strategyRow) string {
			if s.Counts == nil {
				return ""
			}
			return value(s.Counts)
		}
	}
	return []column[strategyRow]{
		{"kernel", "`bfs` or `sssp`", func(s strategyRow) string { return string(s.Kernel) }},
		{"strategy", "`strategies[]`", func(s strategyRow) string { return s.Name }},
		{"delta", "`strategies[]`", func(s strategyRow) string {
			if s.Delta == 0 {
				return ""
			}
			return single(s.Delta)
		}},
		{"source", "`input`", func(s strategyRow) string { return s.Input.Source }},
		{"scale", "`input`", func(s strategyRow) string { return strconv.Itoa(s.Input.Scale) }},
		{"edgefactor", "`input`", func(s strategyRow) string { return full(s.Input.EdgeFactor) }},
		{"engine", "`engine`", func(s strategyRow) string { return s.Engine.Name }},
		{"hardware", "`engine`", func(s strategyRow) string { return s.Engine.Hardware }},
		{"searches", "number of roots", func(s strategyRow) string { return strconv.Itoa(len(s.Roots)) }},
		{"validated", "`strategies[]`", func(s strategyRow) string { return strconv.Itoa(len(s.Searches)) }},
		{"GTEPS", "harmonic mean, 10^9 edges per second", func(s strategyRow) string { return known(s.figures.teps / 1e9) }},
		{"median_time", "median seconds of a search", func(s strategyRow) string { return known(s.figures.median) }},
		{"levels", "`strategies[]`", func(s strategyRow) string { return known(s.figures.levels) }},
		{"examined", "`strategies[]`", func(s strategyRow) string { return known(s.figures.examined) }},
		{"atomics", inCounts, counted(func(n *Counts) string { return strconv.FormatInt(n.Atomics, 10) })},
		{"shared_atomics", inCounts, counted(func(n *Counts) string { return strconv.FormatInt(n.SharedAtomics, 10) })},
		{"launches", inCounts, counted(func(n *Counts) string { return strconv.FormatInt(n.Launches, 10) })},
		{"host_bytes", inCounts, counted(func(n *Counts) string { return known(float64(n.HostBytes)) })},
		{"host_requests", inCounts, counted(func(n *Counts) string { return known(float64(n.HostRequests)) })},
		{"memory_bytes", "`strategies[]`", func(s strategyRow) string { return strconv.FormatUint(s.Memory, 10) }},
		{"ratio", "`strategies[]`", func(s strategyRow) string { return known(s.figures.ratio) }},
		{"failure", "`strategies[]`", func(s strategyRow) string { return s.Failure }},
	}
}

const inCounts = "`strategies[].counts`"

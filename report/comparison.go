package report

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"graph500/engine"
	"graph500/memory"
)

// Comparison is what came of searching one graph from the same roots with
// several strategies.
type Comparison struct {
	Run        // machine, engine, graph and phases; it has no searches of its own
	Roots      []engine.Vertex
	Baseline   string // name of the strategy that the ratios refer to
	Strategies []StrategyResult
}

// StrategyResult is what one strategy did.
type StrategyResult struct {
	Name     string
	Doc      string
	Failure  string   // why there are fewer searches than roots; empty if there are not
	Searches []Search // all validated
	Memory   uint64   // bytes that a search takes beside graph and parents, by the plan

	// Counts is what a search from the first root did, counted apart from those
	// that were timed; nil if that is unknown.
	Counts *engine.Counts
}

// finished reports whether the strategy searched from every root.
func (s *StrategyResult) finished() bool { return s.Failure == "" && len(s.Searches) > 0 }

// rate returns the harmonic mean of the TEPS, 0 without one.
func (s *StrategyResult) rate() float64 {
	if !s.finished() {
		return 0
	}
	return rates(s.Searches).HarmonicMean
}

// levels returns the mean over the searches.
func (s *StrategyResult) levels() float64 {
	return summarise(collect(s.Searches, func(s Search) float64 { return float64(s.LevelCount) })).Mean
}

// examined returns the neighbour entries looked at in the counted search, or
// else the mean over the searches; 0 if neither knows.
func (s *StrategyResult) examined() float64 {
	if s.Counts != nil {
		return float64(s.Counts.Examined)
	}
	return summarise(collect(s.Searches, func(s Search) float64 { return float64(s.Examined) })).Mean
}

// ratio returns the strategy's rate over the baseline's, 0 where one of them
// has none.
func (c *Comparison) ratio(s *StrategyResult) float64 {
	i := slices.IndexFunc(c.Strategies, func(s StrategyResult) bool { return s.Name == c.Baseline })
	if i < 0 || c.Strategies[i].rate() == 0 {
		return 0
	}
	return s.rate() / c.Strategies[i].rate()
}

// ComparisonFormat is one way to write a comparison.
type ComparisonFormat struct {
	Name  string // value of -format, empty for what only -out writes
	File  string // name in the directory of -out
	Write func(io.Writer, *Comparison) error
}

// ComparisonFormats lists the formats, the default first.
func ComparisonFormats() []ComparisonFormat {
	return []ComparisonFormat{
		{"table", "strategies.txt", ComparisonTable},
		{"json", "strategies.json", ComparisonJSON},
		{"csv", "strategies.csv", ComparisonCSV},
		{"", "strategies.svg", ComparisonChart},
	}
}

// ComparisonTable writes the comparison for people.
func ComparisonTable(w io.Writer, c *Comparison) error {
	if _, err := fmt.Fprintf(w, "%s: scale %d, edgefactor %d, %d vertices with an edge, %d edges, searches of each strategy: %d; %s engine, %s\n",
		c.Source, c.Scale, c.EdgeFactor, c.Graph.Connected, c.Graph.Tuples, len(c.Roots), c.Engine, c.Hardware); err != nil {
		return err
	}
	width := len("strategy")
	for _, s := range c.Strategies {
		width = max(width, len(s.Name))
	}
	left := func(name string) string { return fmt.Sprintf("%-*s", width, name) }
	t := newTable()
	t.row(left("strategy"), "validated", "GTEPS", "median ms", "levels", "edges examined", "atomics", "shared atomics", "launches", "memory", "ratio to "+c.Baseline)
	var failures []StrategyResult
	for i := range c.Strategies {
		s := &c.Strategies[i]
		validated := fmt.Sprintf("%d of %d", len(s.Searches), len(c.Roots))
		if !s.finished() {
			failures = append(failures, *s)
			t.row(left(s.Name), validated, "-", "-", "-", "-", "-", "-", "-", memory.Size(s.Memory), "-")
			continue
		}
		ratio := "-"
		if r := c.ratio(s); r > 0 {
			ratio = fmt.Sprintf("%.3g", r)
		}
		times := summarise(collect(s.Searches, func(s Search) float64 { return s.Seconds }))
		examined, atomics, shared, launches := "-", "-", "-", "-"
		if n := s.examined(); n > 0 {
			examined = fmt.Sprintf("%.4g", n)
		}
		if n := s.Counts; n != nil {
			atomics, shared, launches = fmt.Sprintf("%.4g", float64(n.Atomics)), fmt.Sprintf("%.4g", float64(n.SharedAtomics)), fmt.Sprint(n.Launches)
		}
		t.row(left(s.Name), validated, giga(s.rate()), fmt.Sprintf("%.3f", 1e3*times.Median), fmt.Sprintf("%.1f", s.levels()),
			examined, atomics, shared, launches, memory.Size(s.Memory), ratio)
	}
	if err := t.writeTo(w); err != nil {
		return err
	}
	for _, s := range failures {
		if _, err := fmt.Fprintf(w, "%s: %s\n", s.Name, s.Failure); err != nil {
			return err
		}
	}
	return nil
}

// ComparisonDocument is the form of a comparison in JSON. Times are in
// seconds, sizes in bytes.
type ComparisonDocument struct {
	SchemaVersion int             `json:"schema_version"`
	Command       []string        `json:"command"`
	Program       ProgramRecord   `json:"program"`
	Machine       MachineRecord   `json:"machine"`
	Engine        EngineRecord    `json:"engine"`
	Device        *DeviceRecord   `json:"device"`
	Input         InputRecord     `json:"input"`
	Graph         GraphRecord     `json:"graph"`
	Roots         []engine.Vertex `json:"roots"`
	Baseline      string          `json:"baseline"`
	Strategies    []StrategyEntry `json:"strategies"`
}

// StrategyEntry is one strategy in JSON; the figures after Validated are 0
// where Failure says why there are none.
type StrategyEntry struct {
	Name      string         `json:"name"`
	Doc       string         `json:"doc"`
	Failure   string         `json:"failure"`
	Validated int            `json:"validated"` // searches
	TEPS      float64        `json:"harmonic_mean_teps"`
	Ratio     float64        `json:"ratio"`
	Levels    float64        `json:"levels"`       // mean of a search
	Examined  float64        `json:"examined"`     // that of Counts, or else likewise
	Counts    *CountsRecord  `json:"counts"`       // of one search apart from the timed ones; null if unknown
	Memory    uint64         `json:"memory_bytes"` // of a search beside graph and parents
	Searches  []SearchRecord `json:"searches"`
}

// CountsRecord is what one search did, in JSON.
type CountsRecord struct {
	Root          engine.Vertex `json:"root"`
	Examined      int64         `json:"examined"`       // neighbour entries looked at
	Atomics       int64         `json:"atomics"`        // on the device's memory
	SharedAtomics int64         `json:"shared_atomics"` // on the memory of a block
	Launches      int64         `json:"launches"`       // of kernels
}

func (c *Comparison) document() ComparisonDocument {
	out := ComparisonDocument{
		SchemaVersion: SchemaVersion,
		Command:       list(c.Command),
		Program:       c.program(),
		Machine:       c.machine(),
		Engine:        EngineRecord{Name: c.Engine, Hardware: c.Hardware, Threads: c.Threads},
		Device:        c.device(),
		Input:         c.input(),
		Graph:         c.graph(),
		Roots:         append([]engine.Vertex{}, c.Roots...), // never null
		Baseline:      c.Baseline,
		Strategies:    []StrategyEntry{},
	}
	for i := range c.Strategies {
		s := &c.Strategies[i]
		e := StrategyEntry{Name: s.Name, Doc: s.Doc, Failure: s.Failure, Validated: len(s.Searches), Memory: s.Memory, Searches: []SearchRecord{}}
		if s.finished() {
			e.TEPS, e.Ratio, e.Levels, e.Examined = s.rate(), c.ratio(s), s.levels(), s.examined()
		}
		if n := s.Counts; n != nil {
			e.Counts = &CountsRecord{c.Roots[0], n.Examined, n.Atomics, n.SharedAtomics, n.Launches}
		}
		for _, search := range s.Searches {
			e.Searches = append(e.Searches, search.record(true))
		}
		out.Strategies = append(out.Strategies, e)
	}
	return out
}

// ComparisonJSON writes everything the comparison produced, one object.
func ComparisonJSON(w io.Writer, c *Comparison) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(c.document())
}

// ComparisonCSV writes a header and one row a strategy; cells without a figure
// are empty.
func ComparisonCSV(w io.Writer, c *Comparison) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"strategy", "source", "scale", "edgefactor", "engine", "hardware", "searches", "validated",
		"GTEPS", "median_time", "levels", "examined", "atomics", "shared_atomics", "launches", "memory_bytes", "ratio", "failure"})
	number := func(x float64) string {
		if x == 0 {
			return ""
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	for i := range c.Strategies {
		s := &c.Strategies[i]
		var rate, median, levels, examined, ratio float64
		if s.finished() {
			times := summarise(collect(s.Searches, func(s Search) float64 { return s.Seconds }))
			rate, median, levels, examined, ratio = s.rate()/1e9, times.Median, s.levels(), s.examined(), c.ratio(s)
		}
		var atomics, shared, launches string
		if n := s.Counts; n != nil {
			atomics, shared, launches = strconv.FormatInt(n.Atomics, 10), strconv.FormatInt(n.SharedAtomics, 10), strconv.FormatInt(n.Launches, 10)
		}
		_ = out.Write([]string{ // an error stays and is returned below
			s.Name, c.Source, strconv.Itoa(c.Scale), strconv.Itoa(c.EdgeFactor), c.Engine, c.Hardware, strconv.Itoa(len(c.Roots)), strconv.Itoa(len(s.Searches)),
			number(rate), number(median), number(levels), number(examined), atomics, shared, launches,
			strconv.FormatUint(s.Memory, 10), number(ratio), s.Failure,
		})
	}
	out.Flush()
	return out.Error()
}

// ladder is the order in which the textbook adds one idea to the other (PMPP
// chapter 15), to the direction-optimizing searches.
func ladder() []string {
	return []string{"push", "frontier", "privatized", "degree-buckets", "scan-warp-cta", "direction", "default"}
}

// rungs returns the results that stand on the ladder, in its order, or all
// results if none of them does.
func (c *Comparison) rungs() []StrategyResult {
	order := ladder()
	var list, others []StrategyResult
	for _, s := range c.Strategies {
		switch {
		case !s.finished():
		case slices.Contains(order, s.Name):
			list = append(list, s)
		default:
			others = append(others, s)
		}
	}
	if len(list) == 0 {
		return others
	}
	slices.SortFunc(list, func(a, b StrategyResult) int {
		return cmp.Compare(slices.Index(order, a.Name), slices.Index(order, b.Name))
	})
	return list
}

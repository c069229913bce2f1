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
	Memory   uint64   // bytes at most at once, by the plan of the engine
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

// levels and examined return the means over the searches.
func (s *StrategyResult) levels() float64 {
	return summarise(collect(s.Searches, func(s Search) float64 { return float64(s.LevelCount) })).Mean
}

func (s *StrategyResult) examined() float64 {
	return summarise(collect(s.Searches, func(s Search) float64 {
		var sum int64
		for _, l := range s.Levels {
			sum += l.Examined
		}
		return float64(sum)
	})).Mean
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
	if _, err := fmt.Fprintf(w, "%s: scale %d, edgefactor %d, %d vertices with an edge, %d edges, %d searches each; %s engine, %s\n",
		c.Source, c.Scale, c.EdgeFactor, c.Graph.Connected, c.Graph.Tuples, len(c.Roots), c.Engine, c.Hardware); err != nil {
		return err
	}
	width := len("strategy")
	for _, s := range c.Strategies {
		width = max(width, len(s.Name))
	}
	left := func(name string) string { return fmt.Sprintf("%-*s", width, name) }
	t := newTable()
	t.row(left("strategy"), "validated", "GTEPS", "median ms", "levels", "edges examined", "memory", "ratio to "+c.Baseline)
	var failures []StrategyResult
	for i := range c.Strategies {
		s := &c.Strategies[i]
		validated := fmt.Sprintf("%d of %d", len(s.Searches), len(c.Roots))
		if !s.finished() {
			failures = append(failures, *s)
			t.row(left(s.Name), validated, "-", "-", "-", "-", memory.Size(s.Memory), "-")
			continue
		}
		ratio := "-"
		if r := c.ratio(s); r > 0 {
			ratio = fmt.Sprintf("%.3g", r)
		}
		times := summarise(collect(s.Searches, func(s Search) float64 { return s.Seconds }))
		t.row(left(s.Name), validated, giga(s.rate()), fmt.Sprintf("%.3f", 1e3*times.Median), fmt.Sprintf("%.1f", s.levels()),
			fmt.Sprintf("%.4g", s.examined()), memory.Size(s.Memory), ratio)
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
	Levels    float64        `json:"levels"`   // mean of a search
	Examined  float64        `json:"examined"` // likewise
	Memory    uint64         `json:"memory_bytes"`
	Searches  []SearchRecord `json:"searches"`
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
	_ = out.Write([]string{"strategy", "source", "scale", "edgefactor", "engine", "hardware", "searches", "validated", "GTEPS", "median_time", "levels", "examined", "memory_bytes", "ratio", "failure"})
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	for i := range c.Strategies {
		s := &c.Strategies[i]
		row := []string{s.Name, c.Source, strconv.Itoa(c.Scale), strconv.Itoa(c.EdgeFactor), c.Engine, c.Hardware, strconv.Itoa(len(c.Roots)), strconv.Itoa(len(s.Searches)),
			"", "", "", "", strconv.FormatUint(s.Memory, 10), "", s.Failure}
		if s.finished() {
			times := summarise(collect(s.Searches, func(s Search) float64 { return s.Seconds }))
			row[8], row[9], row[10], row[11] = number(s.rate()/1e9), number(times.Median), number(s.levels()), number(s.examined())
			if r := c.ratio(s); r > 0 {
				row[13] = number(r)
			}
		}
		_ = out.Write(row) // an error stays and is returned below
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

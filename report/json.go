package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// SchemaVersion is the version of the JSON files. It increases when a field is renamed,
// removed or changes its meaning, and not when a field is added.
const SchemaVersion = 2

// runDocument is a run in JSON with the values computed from it.
type runDocument struct {
	SchemaVersion int              `json:"schema_version"`
	Conforming    bool             `json:"conforming"`
	Validated     bool             `json:"validated"`
	NBFS          int              `json:"nbfs"`
	BFS           kernelStatistics `json:"bfs"`
	*Run
}

// kernelStatistics holds the statistics of a kernel.
type kernelStatistics struct {
	Time     Statistics  `json:"time"`
	Nedge    Statistics  `json:"nedge"`
	TEPS     Rates       `json:"teps"`
	Validate *Statistics `json:"validate"` // nil in a run without validation
}

// JSON writes all data of the run as one object.
func JSON(w io.Writer, r *Run) error {
	if err := r.check(); err != nil {
		return err
	}
	run := *r
	run.Setup = r.Setup.withoutNil()
	run.NotConforming = nonNil(r.NotConforming)
	d := runDocument{
		SchemaVersion: SchemaVersion,
		Conforming:    r.Conforming(),
		Validated:     r.Validated(),
		NBFS:          len(r.Searches),
		BFS:           kernelStatistics{Time: r.times(), Nedge: r.edges(), TEPS: rates(r.Searches)},
		Run:           &run,
	}
	if r.Validated() {
		v := r.validations()
		d.BFS.Validate = &v
	}
	return encode(w, d)
}

// ComparisonJSON writes all data of the comparison as one object.
func ComparisonJSON(w io.Writer, c *Comparison) error {
	type entry struct {
		StrategyResult
		Validated int      `json:"validated"`
		TEPS      *float64 `json:"harmonic_mean_teps"`
		Ratio     *float64 `json:"ratio"`
		Levels    *float64 `json:"levels"`
		Examined  *float64 `json:"examined"`
		Searches  []Search `json:"searches"`
	}
	comparison := *c
	comparison.Setup = c.Setup.withoutNil()
	comparison.Roots = nonNil(c.Roots)
	strategies := []entry{}
	for i := range c.Strategies {
		s := &c.Strategies[i]
		f := c.figures(s)
		strategies = append(strategies, entry{
			*s, len(s.Searches), nilIfZero(f.teps), nilIfZero(f.ratio), nilIfZero(f.levels), nilIfZero(f.examined), nonNil(s.Searches),
		})
	}
	return encode(w, struct {
		SchemaVersion int `json:"schema_version"`
		*Comparison
		Strategies []entry `json:"strategies"`
	}{SchemaVersion, &comparison, strategies})
}

// nilIfZero returns a pointer to x, or nil for 0, which means unknown.
func nilIfZero(x float64) *float64 {
	if x == 0 {
		return nil
	}
	return &x
}

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// withoutNil replaces nil lists and maps by empty ones.
func (s Setup) withoutNil() Setup {
	s.Command, s.Warnings, s.Phases = nonNil(s.Command), nonNil(s.Warnings), nonNil(s.Phases)
	if s.Environment == nil {
		s.Environment = map[string]string{}
	}
	return s
}

// nonNil returns s, or an empty list if s is nil.
func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// ReadRun reads the output of JSON in this schema version or version 1, which does not
// contain Engine.LabelBits, Graph.Connected and the steps of levels. It ignores values
// that can be computed from the searches.
func ReadRun(r io.Reader) (*Run, error) {
	d := runDocument{Run: new(Run)}
	decoder := json.NewDecoder(r)
	if err := decoder.Decode(&d); err != nil {
		return nil, fmt.Errorf("no result in JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the result: name one file for each")
	}
	switch {
	case d.SchemaVersion == 0:
		return nil, errors.New("no result of graph500: it has no schema_version")
	case d.SchemaVersion < 1 || d.SchemaVersion > SchemaVersion:
		return nil, fmt.Errorf("its schema_version is %d, this program reads 1 to %d", d.SchemaVersion, SchemaVersion)
	}
	if len(d.Searches) == 0 {
		return nil, errors.New("it has no searches: name the result.json of a run")
	}
	if d.SchemaVersion == 1 && !hasForeignEdges(d.NotConforming) {
		d.Input.Source = Kronecker
	}
	return d.Run, nil
}

// hasForeignEdges reports whether a run of version 1 had other edges than the generator,
// by its reasons for non-conformance. The source does not tell, because in version 1 it
// was the path of the file even for edges of the generator.
func hasForeignEdges(notConforming []string) bool {
	return slices.Contains(notConforming, "the graph comes from a file") ||
		slices.Contains(notConforming, "the edge file holds other edges than the generator makes")
}

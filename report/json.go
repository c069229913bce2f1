package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// SchemaVersion is the version of the JSON files. A new field leaves it; a field
// that is renamed, dropped or given another meaning raises it.
const SchemaVersion = 2

// document is a run in JSON: the run and what follows from it.
type document struct {
	SchemaVersion int        `json:"schema_version"`
	Conforming    bool       `json:"conforming"`
	Validated     bool       `json:"validated"`
	NBFS          int        `json:"nbfs"`
	BFS           kernelData `json:"bfs"`
	*Run
}

// kernelData holds the statistics of a kernel.
type kernelData struct {
	Time     Statistics  `json:"time"`
	Nedge    Statistics  `json:"nedge"`
	TEPS     Rates       `json:"teps"`
	Validate *Statistics `json:"validate"` // nil in a run without validation
}

// JSON writes everything the run produced, one object.
func JSON(w io.Writer, r *Run) error {
	if err := r.check(); err != nil {
		return err
	}
	whole := *r
	whole.Setup = r.Setup.withoutNil()
	whole.NotConforming = list(r.NotConforming)
	d := document{
		SchemaVersion: SchemaVersion,
		Conforming:    r.Conforming(),
		Validated:     r.Validated(),
		NBFS:          len(r.Searches),
		BFS:           kernelData{Time: r.times(), Nedge: r.edges(), TEPS: rates(r.Searches)},
		Run:           &whole,
	}
	if r.Validated() {
		v := r.validations()
		d.BFS.Validate = &v
	}
	return encode(w, d)
}

// ComparisonJSON writes everything the comparison produced, one object.
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
	whole := *c
	whole.Setup = c.Setup.withoutNil()
	whole.Roots = list(c.Roots)
	strategies := []entry{}
	for i := range c.Strategies {
		s := &c.Strategies[i]
		f := c.figures(s)
		strategies = append(strategies, entry{
			*s, len(s.Searches), known(f.teps), known(f.ratio), known(f.levels), known(f.examined), list(s.Searches),
		})
	}
	return encode(w, struct {
		SchemaVersion int `json:"schema_version"`
		*Comparison
		Strategies []entry `json:"strategies"`
	}{SchemaVersion, &whole, strategies})
}

// known returns nil for 0, which stands for a figure that is not there.
func known(x float64) *float64 {
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

// withoutNil makes absent lists and maps empty ones.
func (s Setup) withoutNil() Setup {
	s.Command, s.Warnings, s.Phases = list(s.Command), list(s.Warnings), list(s.Phases)
	if s.Environment == nil {
		s.Environment = map[string]string{}
	}
	return s
}

// list makes an absent list an empty one.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// ReadRun reads what JSON wrote, of this schema version or version 1, which does
// not tell Engine.LabelBits, Graph.Connected and the steps of levels. What
// follows from the searches is computed from them again.
func ReadRun(r io.Reader) (*Run, error) {
	d := document{Run: new(Run)}
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
	if d.SchemaVersion == 1 && !otherEdges(d.NotConforming) {
		d.Input.Source = Kronecker
	}
	return d.Run, nil
}

// otherEdges reports whether the reasons of a run of version 1 say that its
// edges are not the generator's. Its source was the path of any file that they
// came from.
func otherEdges(notConforming []string) bool {
	return slices.Contains(notConforming, "the graph comes from a file") ||
		slices.Contains(notConforming, "the edge file holds other edges than the generator makes")
}

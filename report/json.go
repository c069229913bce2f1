package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"graph500/engine"
)

// SchemaVersion is the version of the JSON files. It increases when a field is renamed,
// removed or changes its meaning, and when a group of fields is added, but not when a
// single field is.
const SchemaVersion = 5

// runDocument is a run in JSON with the values computed from it.
type runDocument struct {
	SchemaVersion int  `json:"schema_version"` // version of the file
	Conforming    bool `json:"conforming"`     // the run conforms to the rules of the Graph500 list
	Validated     bool `json:"validated"`      // every search was validated
	NBFS          int  `json:"nbfs"`           // timed searches of each kernel
	Nodes         int  `json:"nodes"`          // hosts of the ranks
	Cores         int  `json:"cores"`          // logical processors that the ranks may use
	Threads       int  `json:"threads"`        // worker threads of all ranks
	*Run
	Kernels []kernelDocument `json:"kernels"`
}

// kernelDocument is a kernel of a run in JSON with the statistics of its searches.
type kernelDocument struct {
	KernelRun
	Delta   *float32   `json:"delta"`   // value of -delta; null for a strategy that does not use it
	Time    Statistics `json:"time"`    // seconds of a search
	Nedge   Statistics `json:"nedge"`   // edges of a search
	TEPS    Rates      `json:"teps"`    // edges per second of a search
	Slowest Slowest    `json:"slowest"` // longest times

	// share of the keys, 0 to 1, in components smaller than the largest one found
	Elsewhere float64 `json:"elsewhere_share"`

	Validate *Statistics      `json:"validate"` // seconds for a search; null if one was not validated
	Searches []searchDocument `json:"searches"`
	Energy   []energyDocument `json:"energy"`
}

// searchDocument is a search in JSON with its TEPS. Unknown values are nil.
type searchDocument struct {
	Search
	TEPS          float64  `json:"teps"`           // nedge / seconds; 0 for a search without edges
	Depth         *int64   `json:"depth"`          // largest number of tree edges from the root; null if not validated
	MaxDistance   *float32 `json:"max_distance"`   // of SSSP: largest distance from the root; null if not validated
	DeviceSeconds *float64 `json:"device_seconds"` // by the clock of the GPU, without launch, wait and conversion of labels; null on cores
	Levels        []Level  `json:"levels"`
}

// JSON writes all data of the run as one object.
func JSON(w io.Writer, r *Run) error {
	if err := r.check(); err != nil {
		return err
	}
	run := *r
	run.Setup = r.Setup.withoutNil()
	run.NotConforming, run.EnergyCounters = nonNil(r.NotConforming), nonNil(r.EnergyCounters)
	run.Boards = nonNil(slices.Clone(r.Boards))
	for i := range run.Boards {
		run.Boards[i].Slowed = nonNil(run.Boards[i].Slowed)
	}
	d := runDocument{
		SchemaVersion: SchemaVersion,
		Conforming:    r.Conforming(),
		Validated:     r.Validated(),
		NBFS:          len(r.Kernels[0].Searches),
		Nodes:         len(r.Hosts()),
		Cores:         r.Cores(),
		Threads:       r.Threads(),
		Run:           &run,
	}
	for i := range r.Kernels {
		d.Kernels = append(d.Kernels, r.Kernels[i].document())
	}
	return encode(w, d)
}

func (k *KernelRun) document() kernelDocument {
	d := kernelDocument{
		KernelRun: *k, Delta: nilIfZero(k.Delta),
		Time: k.times(), Nedge: k.edges(), TEPS: k.Rates(), Slowest: k.Slowest(), Elsewhere: k.Elsewhere(),
		Searches: searchDocuments(k.Kernel, k.Searches),
		Energy:   energyDocuments(k.Energy),
	}
	if k.Validated() {
		v := k.validations()
		d.Validate = &v
	}
	return d
}

// searchDocuments returns the JSON form of searches of a kernel, not nil.
func searchDocuments(k engine.Kernel, searches []Search) []searchDocument {
	documents := make([]searchDocument, len(searches))
	for i, s := range searches {
		d := searchDocument{Search: s, TEPS: s.TEPS(), DeviceSeconds: nilIfZero(s.DeviceSeconds), Levels: nonNil(s.Levels)}
		if s.ValidateSeconds != nil {
			d.Depth = &s.Depth
			if k == engine.SSSP {
				d.MaxDistance = &s.MaxDistance
			}
		}
		documents[i] = d
	}
	return documents
}

// comparisonDocument is a comparison in JSON with the values computed from it.
type comparisonDocument struct {
	SchemaVersion int `json:"schema_version"` // version of the file
	*Comparison
	Strategies []strategyDocument `json:"strategies"`
}

// strategyDocument is a strategy of a comparison in JSON with the means over its searches. They
// are nil if there is not a search from every root.
type strategyDocument struct {
	StrategyResult
	Delta     *float32         `json:"delta"`              // value of -delta; null for a strategy that does not use it
	Validated int              `json:"validated"`          // searches completed and validated
	TEPS      *float64         `json:"harmonic_mean_teps"` // null, as the next three, if there is not a search from every root
	Ratio     *float64         `json:"ratio"`              // to the rate of the baseline; null also without one
	Levels    *float64         `json:"levels"`             // mean number of levels or rounds
	Examined  *float64         `json:"examined"`           // counts.examined; without counts the mean over the searches
	Searches  []searchDocument `json:"searches"`
}

// ComparisonJSON writes all data of the comparison as one object.
func ComparisonJSON(w io.Writer, c *Comparison) error {
	comparison := *c
	comparison.Setup = c.Setup.withoutNil()
	comparison.Roots = nonNil(c.Roots)
	strategies := []strategyDocument{}
	for i := range c.Strategies {
		s := &c.Strategies[i]
		f := c.figures(s)
		strategies = append(strategies, strategyDocument{
			*s, nilIfZero(s.Delta), len(s.Searches), nilIfZero(f.teps), nilIfZero(f.ratio), nilIfZero(f.levels), nilIfZero(f.examined),
			searchDocuments(c.Kernel, s.Searches),
		})
	}
	return encode(w, comparisonDocument{SchemaVersion, &comparison, strategies})
}

// nilIfZero returns a pointer to x, or nil for 0, which means unknown.
func nilIfZero[T float32 | float64](x T) *T {
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
	s.Command, s.Warnings, s.Phases = nonNil(s.Command), nonNil(s.Warnings), nonNil(slices.Clone(s.Phases))
	s.Processes, s.Devices = nonNil(s.Processes), nonNil(s.Devices)
	for i := range s.Phases {
		s.Phases[i].Energy = nonNil(s.Phases[i].Energy)
	}
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

// ReadRun reads the output of JSON in this schema version or an earlier one. Version 1
// does not contain Engine.LabelBits, Graph.Connected and the steps of levels. Versions
// 1 and 2 have one kernel, BFS. Version 3 does not contain energy, and version
// 4 no boards. ReadRun ignores values
// that can be computed from the searches, and refuses a record that is not plausible.
func ReadRun(r io.Reader) (*Run, error) {
	decoder := json.NewDecoder(r)
	var text json.RawMessage
	d := struct {
		SchemaVersion int `json:"schema_version"`
		*Run
	}{Run: new(Run)}
	err := decoder.Decode(&text)
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
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
	case d.SchemaVersion <= 2:
		if err := readOnlyBFS(text, d.Run); err != nil {
			return nil, err
		}
	}
	if err := d.check(); err != nil {
		return nil, errors.New("it has no searches: name the result.json of a run")
	}
	if d.Devices == nil && d.Device != nil { // the list is younger than version 4
		d.Devices = []GPU{d.Device.GPU}
	}
	if d.SchemaVersion == 1 && !hasForeignEdges(d.NotConforming) {
		d.Input.Source = Kronecker
	}
	if err := d.Plausible(); err != nil {
		return nil, fmt.Errorf("no run can have this result: %w", err)
	}
	return d.Run, nil
}

// readOnlyBFS sets the kernels of a run from a text of version 1 or 2.
func readOnlyBFS(text []byte, r *Run) error {
	var old struct {
		Engine struct {
			Strategy string `json:"strategy"`
		} `json:"engine"`
		ValidatedTogether int      `json:"validated_together"`
		Searches          []Search `json:"searches"`
	}
	if err := json.Unmarshal(text, &old); err != nil {
		return fmt.Errorf("no result in JSON: %w", err)
	}
	r.Kernels = []KernelRun{{Kernel: engine.BFS, Strategy: old.Engine.Strategy, ValidatedTogether: old.ValidatedTogether, Searches: old.Searches}}
	return nil
}

// hasForeignEdges reports whether a run of version 1 had other edges than the generator,
// by its reasons for non-conformance. The source does not tell, because in version 1 it
// was the path of the file even for edges of the generator.
func hasForeignEdges(notConforming []string) bool {
	return slices.Contains(notConforming, "the graph comes from a file") ||
		slices.Contains(notConforming, "the edge file holds other edges than the generator makes")
}

package rules

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"graph500/engine"
	"graph500/report"
)

// conformingRun returns a run that breaks no rule.
func conformingRun() *report.Run {
	r := &report.Run{Setup: report.Setup{
		Engine: report.Engine{LabelBits: 48},
		Input:  report.Input{Source: report.Kronecker, EdgeFactor: 16},
	}}
	for _, k := range engine.Kernels() {
		run := report.KernelRun{Kernel: k}
		for i := range 64 {
			run.Searches = append(run.Searches, report.Search{Root: engine.Vertex(i), ValidateSeconds: new(float64)})
		}
		r.Kernels = append(r.Kernels, run)
	}
	return r
}

func TestBroken(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*report.Run)
		want   []Violation
	}{
		"conforming":  {func(*report.Run) {}, nil},
		"labels":      {func(r *report.Run) { r.Engine.LabelBits = 47 }, []Violation{{Labels, "labels of 47 bits instead of at least 48"}}},
		"labels of 0": {func(r *report.Run) { r.Engine.LabelBits = 0 }, []Violation{{Labels, "labels of unknown width"}}},
		"file":        {func(r *report.Run) { r.Input.Source, r.Input.EdgeFactor = "f", 3 }, []Violation{{Graph, "the graph comes from a file"}}},
		"near":        {func(r *report.Run) { r.Input.EdgeFactor = 16.0000001 }, []Violation{{Density, "edgefactor 16.0000001 instead of 16"}}},
		"edgefactor":  {func(r *report.Run) { r.Input.EdgeFactor = 8 }, []Violation{{Density, "edgefactor 8 instead of 16"}}},
		"searches": {func(r *report.Run) { r.Kernels[1].Searches = r.Kernels[1].Searches[:63] },
			[]Violation{{Count, "number of searches 63 instead of 64"}}},
		"keys": {func(r *report.Run) { r.Kernels[1].Searches[63].Root = 5 }, []Violation{{Keys, "two searches have the same key"}}},
		"validation": {func(r *report.Run) { r.Kernels[1].Searches[63].ValidateSeconds = nil },
			[]Violation{{Validation, "the searches were not validated"}}},
		"what only the program knew": {func(r *report.Run) {
			r.NotConforming = []string{"the search keys were given by hand", "the edge file holds other edges than the generator makes", "the edge file holds other weights than the generator makes", "rain"}
		}, []Violation{{Keys, "the search keys were given by hand"}, {Graph, "the edge file holds other edges than the generator makes"},
			{Graph, "the edge file holds other weights than the generator makes"}, {Other, "rain"}}},
		"said twice": {func(r *report.Run) {
			r.Input.EdgeFactor = 8
			r.NotConforming = []string{"edgefactor 8 instead of 16"}
		}, []Violation{{Density, "edgefactor 8 instead of 16"}}},
		"said in older words": {func(r *report.Run) {
			r.Engine.LabelBits, r.Kernels[0].Searches = 0, r.Kernels[0].Searches[:63]
			r.NotConforming = []string{"labels of 32 bits instead of at least 48", "63 searches instead of 64", "62 searches instead of 64"}
		}, []Violation{{Labels, "labels of unknown width"}, {Count, "number of searches 63 instead of 64"}, {Other, "62 searches instead of 64"}}},
	} {
		r := conformingRun()
		c.change(r)
		if d := cmp.Diff(c.want, Broken(r)); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
	}
}

// The reasons that a run states are those for which it breaks rules.
func TestReasons(t *testing.T) {
	r := conformingRun()
	r.Engine.LabelBits = 30
	r.NotConforming = Reasons(r, GivenKeys())
	if want := []string{"labels of 30 bits instead of at least 48", "the search keys were given by hand"}; !slices.Equal(r.NotConforming, want) {
		t.Errorf("%q", r.NotConforming)
	}
	if broken := Broken(r); len(broken) != 2 || broken[1] != GivenKeys() {
		t.Error(broken)
	}
}

func TestRulesHaveTexts(t *testing.T) {
	seen := make(map[string]bool)
	for _, r := range All() {
		if text := r.String(); seen[text] || strings.TrimSpace(text) == "" {
			t.Errorf("rule %d: %q", r, text)
		}
		seen[r.String()] = true
	}
	if len(seen) != int(Other)+1 {
		t.Errorf("%d rules", len(seen))
	}
}

package report

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"graph500/energy"
	"graph500/engine"
)

// What no run can have is refused by the reader of results, although the statistics agree
// with it.
func TestImplausibleRuns(t *testing.T) {
	second := func(r *Run) *Search { return &r.Kernels[1].Searches[1] }
	for want, change := range map[string]func(*Run){
		"its scale 64 is not in 0..63":                                                     func(r *Run) { r.Input.Scale = 64 },
		"its scale -1 is not in 0..63":                                                     func(r *Run) { r.Input.Scale = -1 },
		"its graph has 16 vertices, which is not scale":                                    func(r *Run) { r.Input.Scale = 5 },
		"its graph has 0 vertices and 48 edges":                                            func(r *Run) { r.Graph.Vertices = 0 },
		"its graph has 16 vertices and 48 edges, which is not edgefactor 16":               func(r *Run) { r.Input.EdgeFactor = 16 },
		"its device and its list of 1 devices contradict":                                  func(r *Run) { r.Device = nil },
		"the construction took -1 s":                                                       func(r *Run) { r.Construction = -1 },
		"the generation took 1e+300 s":                                                     func(r *Run) { r.Generation = 1e300 },
		`phase "searches" took -3 s`:                                                       func(r *Run) { r.Phases[1].Seconds = -3 },
		`phase "generation" took -25 J in 1 s`:                                             func(r *Run) { r.Phases[0].Energy = []energy.Amount{{Joules: -25, Seconds: 1}} },
		`it has searches of an unknown kernel, "pagerank"`:                                 func(r *Run) { r.Kernels[1].Kernel = "pagerank" },
		"it has the kernel bfs twice":                                                      func(r *Run) { r.Kernels[1].Kernel = engine.BFS },
		"search 2 of SSSP: root 16 in a graph of 16":                                       func(r *Run) { second(r).Root = 16 },
		"search 2 of SSSP: 1 vertices reached, of 12":                                      func(r *Run) { second(r).Visited = 1 },
		"search 2 of SSSP: 13 vertices reached, of 12":                                     func(r *Run) { second(r).Visited = 13 },
		"search 2 of SSSP: nedge 49 for":                                                   func(r *Run) { second(r).Edges = 49 },
		"search 2 of SSSP: nedge 9 for":                                                    func(r *Run) { second(r).Edges = 9 },
		"search 2 of SSSP: depth 11 for":                                                   func(r *Run) { second(r).Depth = 11 },
		"search 2 of SSSP: the search took -1 s":                                           func(r *Run) { second(r).Seconds = -1 },
		"search 2 of SSSP: the search took 1e+308 s":                                       func(r *Run) { second(r).Seconds = 1e308 },
		"search 2 of SSSP: the search took 1e-320 s":                                       func(r *Run) { second(r).Seconds = 1e-320 },
		"search 2 of SSSP: the validation took -0.5 s":                                     func(r *Run) { second(r).ValidateSeconds = pointer(-0.5) },
		"search 1 of SSSP: a level took -1 s":                                              func(r *Run) { r.Kernels[1].Searches[0].Levels[0].Seconds = -1 },
		"40 searches of BFS with nedge 1000000000 took -1 J in 10 s":                       func(r *Run) { r.Kernels[0].Energy[0].Joules = -1 },
		"BFS was repeated 0 times":                                                         func(r *Run) { r.Kernels[0].Repetition.Searches = 0 },
		"two searches from root 14 reached 11 vertices with nedge 10 and 11 with 11":       func(r *Run) { second(r).Edges = 11 },
		"two searches from root 3 reached 12 vertices with nedge 40 and 11 with 10":        func(r *Run) { r.Kernels[0].Searches[1].Root = 3 },
		"its graph has 16 vertices and 9223372036854775807 edges, which is not edgefactor": func(r *Run) { r.Graph.Tuples = math.MaxInt64 },
	} {
		r := fullRun()
		change(r)
		var text bytes.Buffer
		if JSON(&text, r) == nil { // it cannot write what overflows
			if _, err := ReadRun(&text); err == nil || !strings.HasPrefix(err.Error(), "no run can have this result: "+want) {
				t.Errorf("%v, not %s", err, want)
			}
		}
		if err := r.Plausible(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, not %s", err, want)
		}
	}
	for _, r := range []*Run{fullRun(), smallRun(), unvalidated(fullRun())} {
		if err := r.Plausible(); err != nil {
			t.Error(err)
		}
	}
}

// The reader needs no statistics to refuse an overflowing time, as another program may
// have written it.
func TestOverflowingTimeIsRefused(t *testing.T) {
	for _, seconds := range []string{"1e308", "1e-320"} {
		text := strings.ReplaceAll(written(t, smallRun()), `"seconds": 0,`, `"seconds": `+seconds+`,`)
		if _, err := ReadRun(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "the search took "+strings.Replace(seconds, "1e308", "1e+308", 1)) {
			t.Errorf("%s: %v", seconds, err)
		}
	}
}

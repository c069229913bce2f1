package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"graph500/engine"
)

// simpleRun is a run with one validated search of 2 GTEPS on two threads.
func simpleRun(change func(*Run)) *Run {
	r := &Run{Kernels: []KernelRun{{
		Kernel: engine.BFS, Strategy: "default",
		Searches: []Search{{Seconds: 0.5, Tree: Tree{Edges: 1e9, Depth: 1}, ValidateSeconds: pointer(1.)}},
	}}}
	r.Machine.Processor = "cores"
	r.Engine = Engine{Name: "cpu", Threads: 2, Hardware: "CPU, plain Go"}
	r.Input = Input{Source: Kronecker, Scale: 20, EdgeFactor: 16}
	change(r)
	return r
}

// Each machine and configuration has its own line, which contains all of its runs.
func TestSeriesOfRuns(t *testing.T) {
	var series []Series
	for _, change := range []func(*Run){
		func(*Run) {},
		func(r *Run) { r.Input.Scale = 22; r.Program.Commit = "another"; r.Machine.Host = "another" },
		func(r *Run) { r.Engine.Threads = 1 },
		func(r *Run) { r.Machine.Processor = "other cores" },
		func(r *Run) { r.Kernels[0].Strategy = "push" },
		func(r *Run) { r.Engine.Name = "new" },
		func(r *Run) { r.Input.EdgeFactor = 8 },
		func(r *Run) { unvalidated(r) },
		func(r *Run) { r.Engine.Name, r.Device = "gpu", &Device{GPU: GPU{Name: "a card"}} },
		func(r *Run) { // both kernels
			other := KernelRun{Kernel: engine.SSSP, Strategy: "buckets", Delta: 0.2, Searches: []Search{r.Kernels[0].Searches[0]}}
			other.Searches[0].Seconds = 1
			r.Kernels = append(r.Kernels, other)
		},
		func(r *Run) { r.Input.Scale, r.Kernels[0].Searches[0].Seconds = 18, 0.25 },
	} {
		var err error
		if series, err = AddRun(series, simpleRun(change)); err != nil {
			t.Fatal(err)
		}
	}
	one := []Point{{20, 2}}
	want := []Series{
		{"BFS, graph500 cpu engine, cores, 2 threads", []Point{{20, 2}, {22, 2}, {20, 2}, {18, 4}}},
		{"BFS, graph500 cpu engine, cores, 1 thread", one},
		{"BFS, graph500 cpu engine, other cores, 2 threads", one},
		{"BFS, graph500 cpu engine, cores, 2 threads, push", one},
		{"BFS, graph500 new engine, cores, 2 threads", one},
		{"BFS, graph500 cpu engine, cores, 2 threads, edgefactor 8", one},
		{"BFS, graph500 cpu engine, cores, 2 threads, not validated", one},
		{"BFS, graph500 gpu engine, a card", one},
		{"SSSP, graph500 cpu engine, cores, 2 threads, buckets, delta 0.2", []Point{{20, 1}}},
	}
	if d := cmp.Diff(want, series, cmp.Comparer(func(a, b float64) bool { return near(a, b, 0) })); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	for want, change := range map[string]func(*Run){
		"its graph comes from the file roads.mtx": func(r *Run) { r.Input.Source = "roads.mtx" },
		"the result has no rate":                  func(r *Run) { r.Kernels[0].Searches[0].Edges = 0 },
	} {
		if _, err := AddRun(series, simpleRun(change)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, not %s", err, want)
		}
	}
}

func TestReadSeries(t *testing.T) {
	for _, text := range []string{"20,37.4\n24,1e3\n", "scale,GTEPS\n20,37.4\n\n24,1000", "\"20\",37.4\r\n 24, 1000 \r\n"} {
		s, err := ReadSeries("peer", strings.NewReader(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if d := cmp.Diff(Series{"peer", []Point{{20, 37.4}, {24, 1000}}}, s); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
	for text, want := range map[string]string{
		"":                            "there is no line with a scale and GTEPS",
		"scale,GTEPS\n":               "there is no line with a scale and GTEPS",
		"20,1\nscale,GTEPS\n":         `line 2: the scale "scale" is not an integer in 1..63`,
		"scale;GTEPS\n":               `line 1: "scale;GTEPS" is not a scale and GTEPS`,
		"20\n":                        `line 1: "20" is not a scale and GTEPS`,
		"20,1,2\n":                    `line 1: "20,1,2" is not a scale and GTEPS`,
		"20,1\n\n\n2O,1\n":            `line 4: the scale "2O"`,
		"0,1\n":                       `line 1: the scale "0"`,
		"64,1\n":                      `line 1: the scale "64"`,
		"20,1_0\n":                    `line 1: the GTEPS "1_0" are not a number in 1e-12..1e+12`,
		"20,0\n":                      `line 1: the GTEPS "0" are not a number in 1e-12..1e+12`,
		"20,-1\n":                     `line 1: the GTEPS "-1"`,
		"20,NaN\n":                    `line 1: the GTEPS "NaN"`,
		"20,Inf\n":                    `line 1: the GTEPS "Inf"`,
		"20,1e400\n":                  `line 1: the GTEPS "1e400"`,
		"20,\n":                       `line 1: the GTEPS ""`,
		"20,1\n21,\"2\n":              "parse error on line 2",
		"20,1\n21,2\"\n":              "parse error on line 2",
		"20,1\n" + "\xff\x00,2\x1b\n": `line 2: the scale "\xff\x00"`,
	} {
		if s, err := ReadSeries("peer", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, error %v, not %s", text, s, err, want)
		}
	}
}

func FuzzReadSeries(f *testing.F) {
	f.Add("scale,GTEPS\n20,37.4\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ReadSeries("peer", strings.NewReader(text))
		if err != nil {
			return
		}
		var svg strings.Builder
		if err := ScaleChart(&svg, text, []Series{s}); err != nil {
			t.Fatal(err)
		}
		parse(t, svg.String())
	})
}

// A rate that an axis cannot show is refused.
func TestAddRunRefusesAnExtremeRate(t *testing.T) {
	r := smallRun()
	r.Input.Source = Kronecker
	for seconds, want := range map[float64]string{1e8: "its rate of 1e-17 GTEPS is not in 1e-12..1e+12", 1e-3: ""} {
		r.Kernels[0].Searches[0].Seconds = seconds
		if _, err := AddRun(nil, r); want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%v s: %v", seconds, err)
		}
	}
}

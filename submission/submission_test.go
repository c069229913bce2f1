package submission

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"graph500/energy"
	"graph500/engine"
	"graph500/report"
)

// goodResult returns a result to which nothing is missing, after a change of the run
// that its files hold too.
func goodResult(t *testing.T, change func(*report.Run)) *Result {
	t.Helper()
	const scale = 20
	run := &report.Run{Setup: report.Setup{
		Program:      report.Program{Commit: "0123abcd"},
		Machine:      report.Machine{Processor: "Some CPU", Cores: 48, Memory: 1 << 37},
		Engine:       report.Engine{Name: "cpu", Threads: 48, LabelBits: 48},
		Input:        report.Input{Source: report.Kronecker, Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3},
		Graph:        report.Graph{Vertices: 1 << scale, Tuples: 16 << scale},
		Construction: 0.5,
	}}
	for _, k := range engine.Kernels() {
		searches := report.KernelRun{Kernel: k, Strategy: "default"}
		for i := range 64 {
			validation := 0.25
			s := report.Search{Root: engine.Vertex(i), Seconds: 1 + float64(i), ValidateSeconds: &validation}
			s.Visited, s.Edges = 1<<18, 1<<20
			searches.Searches = append(searches.Searches, s)
		}
		run.Kernels = append(run.Kernels, searches)
	}
	change(run)
	var text, block bytes.Buffer
	if err := report.JSON(&text, run); err != nil {
		t.Fatal(err)
	}
	if err := report.Official(&block, run); err != nil {
		t.Fatal(err)
	}
	return &Result{run, text.Bytes(), block.Bytes()}
}

// notPassed lists the checks that did not pass.
func notPassed(r *Result) (list []string) {
	for _, c := range Checks(r) {
		if c.State != Passed {
			list = append(list, string(c.State)+" "+c.Name+": "+c.Reason)
		}
	}
	return list
}

func TestChecks(t *testing.T) {
	sizes := "FAILS 2^SCALE vertices and edgefactor · 2^SCALE edges: "
	for name, c := range map[string]struct {
		run  func(*report.Run)
		file func(*Result)
		want []string
	}{
		"good": {},
		"labels": {run: func(r *report.Run) { r.Engine.LabelBits = 32 },
			want: []string{"FAILS vertex numbers of at least 48 bits: labels of 32 bits instead of at least 48"}},
		"edgefactor": {run: func(r *report.Run) { r.Input.EdgeFactor, r.Graph.Tuples = 8, 8<<20 },
			want: []string{"FAILS edgefactor 16: edgefactor 8 instead of 16"}},
		"size": {run: func(r *report.Run) { r.Graph.Vertices-- },
			want: []string{sizes + "1048575 vertices and 16777216 edges instead of 1048576 and 16777216"}},
		"other keys": {run: func(r *report.Run) { r.Kernels[1].Searches[7].Root = 99 },
			want: []string{"FAILS the same keys for all kernels: search 8 of SSSP has another key than that of BFS"}},
		"same key": {run: func(r *report.Run) { r.Kernels = r.Kernels[:1]; r.Kernels[0].Searches[7].Root = 0 },
			want: []string{"FAILS distinct search keys, sampled by the program: two searches have the same key"}},
		"empty search": {run: func(r *report.Run) { r.Kernels[1].Searches[63].Seconds = 0 },
			want: []string{"FAILS edges and a time for every search: search 64 of SSSP: 1048576 edges in 0 s"}},
		"kernel 1": {run: func(r *report.Run) { r.Construction = 0 }, want: []string{"FAILS a time of kernel 1: construction_time is 0"}},
		"dirty": {run: func(r *report.Run) { r.Program.Commit = "abc-dirty" },
			want: []string{"note a known revision of the program, without changes: the program was built from changed files: abc-dirty"}},
		"unknown": {run: func(r *report.Run) { r.Program.Commit = "" },
			want: []string{"note a known revision of the program, without changes: the revision is unknown"}},
		"warnings": {run: func(r *report.Run) { r.Warnings = []string{"busy", "hot"} }, want: []string{"note no warnings of the run: busy; hot"}},
		"no block": {file: func(r *Result) { r.Block = nil },
			want: []string{"? block (result.txt) and JSON that agree: there is no result.txt beside the JSON"}},
		"cut block": {file: func(r *Result) { r.Block, _, _ = bytes.Cut(r.Block, []byte("sssp min_validate")) },
			want: []string{`FAILS block (result.txt) and JSON that agree: line 49 of the block is "", and the JSON gives "sssp min_validate: 0.25"`}},
		"other spaces": {file: func(r *Result) { r.Block = bytes.ReplaceAll(r.Block, []byte("   "), []byte(" ")) }},
		"changed mean": {file: func(r *Result) { r.JSON = replaced(t, r.JSON, `"harmonic_mean": `, `"harmonic_mean": 9`) },
			want: []string{"FAILS statistics that follow from the times of the searches: kernels[0].teps.harmonic_mean is 932263.8769230769, and the searches give 32263.876923076925"}},
		"no statistics": {file: func(r *Result) { r.JSON = replaced(t, r.JSON, `"teps": {`, `"rates": {`) },
			want: []string{"FAILS statistics that follow from the times of the searches: kernels[0].teps is missing"}},
		"no mean": {file: func(r *Result) { r.JSON = replaced(t, r.JSON, `"harmonic_mean": `, `"mean": `) },
			want: []string{"FAILS statistics that follow from the times of the searches: kernels[0].teps.harmonic_mean is missing"}},
		"foreign file": {file: func(r *Result) { r.JSON = []byte("{}") },
			want: []string{"? statistics that follow from the times of the searches: no result of graph500: it has no schema_version"}},
	} {
		if c.run == nil {
			c.run = func(*report.Run) {}
		}
		r := goodResult(t, c.run)
		if c.file != nil {
			c.file(r)
		}
		if d := cmp.Diff(c.want, notPassed(r)); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
		failures := slices.DeleteFunc(c.want, func(s string) bool { return strings.HasPrefix(s, "note ") })
		if n := Failures(r); n != len(failures) {
			t.Errorf("%s: %d failures", name, n)
		}
	}
}

func replaced(t *testing.T, text []byte, old, new string) []byte {
	t.Helper()
	changed := bytes.Replace(text, []byte(old), []byte(new), 1)
	if bytes.Equal(text, changed) {
		t.Fatalf("there is no %s", old)
	}
	return changed
}

// The harmonic mean of the fields is that of the times, computed in another way.
func TestFields(t *testing.T) {
	r := goodResult(t, func(r *report.Run) {
		for i, part := range []energy.Part{energy.Boards, energy.System} {
			r.Kernels[i].Energy = []report.Energy{{Amount: energy.Amount{Part: part, Joules: 3000, Seconds: 2}}}
		}
	})
	var text bytes.Buffer
	if err := CSV(&text, r); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	values := make(map[string]string)
	for _, line := range lines[1:] {
		values[line[0]+" "+line[1]] = line[2]
	}
	for name, want := range map[string]string{
		"BFS GTEPS":   "3.22639e-05", // 2^20 edges, 32.5 s on average
		"SSSP C_TIME": "0.5", "BFS Scale": "20", "SSSP Number of nodes": "1", "BFS Number of cores": "48", "BFS Processor": "Some CPU",
		"BFS Machine": "", "SSSP Country": "", "BFS Power": "", "SSSP Power": "1500", "BFS Memory": "128.0 GiB",
		"BFS Implementation": "graph500 (Go and CUDA), commit 0123abcd, cpu engine, strategy default, 48-bit labels",
	} {
		if got, ok := values[name]; !ok || got != want {
			t.Errorf("%s is %q, not %q", name, got, want)
		}
	}
}

func TestText(t *testing.T) {
	onGPU := func(r *report.Run) {
		r.Device = &report.Device{GPU: report.GPU{Name: "Some\x1b[31m GPU\nX", Memory: 1 << 37, Multiprocessors: 132}}
		r.Devices = []report.GPU{r.Device.GPU}
	}
	for want, r := range map[string]*Result{
		"\nNothing is missing.\n":                             goodResult(t, func(*report.Run) {}),
		"\nOne check did not pass: the list may":              goodResult(t, func(r *report.Run) { r.Construction = 0 }),
		"\n2 checks did not pass: the list may":               goodResult(t, func(r *report.Run) { r.Construction, r.Engine.LabelBits = 0, 32 }),
		"\n  Accelerator          1 x Some\uFFFD[31m GPU X\n": goodResult(t, onGPU),
	} {
		var text bytes.Buffer
		if err := Text(&text, r); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{want, "\n  Country              [TO FILL IN]\n", "\n  Year                 [TO FILL IN: of installation]\n", "\nFields of the SSSP list\n", string(r.Block)} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%q is missing in\n%s", want, text.String())
			}
		}
	}
}

func TestSizeClasses(t *testing.T) {
	for scale, want := range map[int]string{25: "below toy (26)", 26: "toy (26)", 28: "toy (26)", 29: "mini (29)", 42: "huge (42)", 50: "huge (42)"} {
		if got := sizeClass(scale); got != want {
			t.Errorf("scale %d: %s, not %s", scale, got, want)
		}
	}
}

// A run over ranks on three hosts has three nodes, with the processors and the memory of all.
func TestFieldsOfRanks(t *testing.T) {
	r := goodResult(t, func(r *report.Run) {
		for _, host := range []string{"a", "a", "b", "c"} {
			r.Processes = append(r.Processes, report.Rank{Host: host, Threads: 24, Processors: "0-47", Memory: 1 << 37})
		}
	})
	got := make(map[string]string)
	for _, f := range Fields(r.Run, engine.BFS) {
		got[f.Name] = f.Value
	}
	for name, want := range map[string]string{"Number of nodes": "3", "Number of cores": "144", "Number of processes": "4", "Memory": "384.0 GiB"} {
		if got[name] != want {
			t.Errorf("%s: %s, not %s", name, got[name], want)
		}
	}
}

// No cell begins a formula in a spreadsheet.
func TestCSVWithoutFormulas(t *testing.T) {
	var text bytes.Buffer
	r := goodResult(t, func(r *report.Run) { r.Machine.Processor = "=cmd|x" })
	if err := CSV(&text, r); err != nil || !strings.Contains(text.String(), ",'=cmd|x,") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

package report

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"

	"graph500/energy"
	"graph500/engine"
)

// benchmarks parses the output of Benchstat.
func benchmarks(t *testing.T, r *Run) (results []*benchfmt.Result, text string) {
	t.Helper()
	var out bytes.Buffer
	if err := Benchstat(&out, r); err != nil {
		t.Fatal(err)
	}
	text = out.String()
	in := benchfmt.NewReader(&out, "result.bench")
	for in.Scan() {
		switch rec := in.Result().(type) {
		case *benchfmt.Result:
			if _, search := rec.Value("sec/op"); search {
				results = append(results, rec.Clone())
			}
		case *benchfmt.UnitMetadata:
		default:
			t.Fatalf("%v", rec)
		}
	}
	searches := 0
	for _, k := range r.Kernels {
		searches += len(k.Searches)
	}
	if err := in.Err(); err != nil || len(results) != searches {
		t.Fatalf("%d searches, %v", len(results), err)
	}
	if unit := in.Units().Get("TEPS", "better"); unit == nil || unit.Value != "higher" {
		t.Errorf("TEPS: %v", unit)
	}
	return results, text
}

func TestBenchstat(t *testing.T) {
	r := fullRun()
	r.Machine.Processor = " Some\tCPU\n2.0 GHz " // must not break the line
	r.NotConforming = append(r.NotConforming, "and\nBenchmarkBFS 1 1 sec/op")
	r.Program.Version = ""
	results, text := benchmarks(t, r)
	for i, res := range results {
		k, name := r.Kernels[i/2], "BFS/scale=4/engine=cpu/strategy=direction"
		if k.Kernel == engine.SSSP {
			name = "SSSP/scale=4/engine=cpu/strategy=buckets/delta=0.1"
		}
		if string(res.Name) != name || res.Iters != 1 {
			t.Errorf("%s %d", res.Name, res.Iters)
		}
		s := k.Searches[i%2]
		if v, ok := res.Value("sec/op"); !ok || v != s.Seconds {
			t.Errorf("sec/op %g, want %g", v, s.Seconds)
		}
		if v, ok := res.Value("TEPS"); !ok || v != s.TEPS() {
			t.Errorf("TEPS %g, want %g", v, s.TEPS())
		}
		for key, want := range map[string]string{
			"goos": runtime.GOOS, "goarch": runtime.GOARCH, "cpu": "Some CPU 2.0 GHz", "device": "Some GPU",
			"threads": "47", "ranks": "2", "nodes": "2", "source": "kronecker", "edgefactor": "3",
		} {
			if got := res.GetConfig(key); got != want {
				t.Errorf("%s: got %q, want %q", key, got, want)
			}
		}
		if len(res.Config) != 9 {
			t.Errorf("%d configuration keys, some of them not checked", len(res.Config))
		}
	}
	for _, want := range []string{
		"# commit: 0123abcd\n", "# version: \n", "# go-version: go1.26.0\n", "# started: 2026-11-21T04:05:06+01:00\n", "# host: node7\n",
		"# hardware: 2 sockets\n", "# label-bits: 32\n", "# conforming: false\n", "# validated: true\n",
		"# not-conforming: edgefactor is 3, not 16; the searches were few; and BenchmarkBFS 1 1 sec/op\n",
		"\nBenchmarkBFS/scale=4/engine=cpu/strategy=direction 1 0.5 sec/op 80 TEPS\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// The energy of a kernel's searches is one line of the searches' name, with the parts that
// were measured.
func TestBenchstatEnergy(t *testing.T) {
	r := fullRun()
	if _, text := benchmarks(t, withoutEnergy(fullRun())); strings.Contains(text, "J/search") || strings.Contains(text, "MTEPS/W") {
		t.Error(text)
	}
	_, text := benchmarks(t, r)
	const line = "\nBenchmarkBFS/scale=4/engine=cpu/strategy=direction 40 125 boards-J/search 0.2 boards-MTEPS/W 20 packages-J/search 1.25 packages-MTEPS/W\n"
	if !strings.Contains(text, line) || strings.Count(text, "J/search") != 2 {
		t.Errorf("%q is missing in\n%s", line, text)
	}
	for _, unit := range []string{"boards", "packages"} {
		if !strings.Contains(text, "\nUnit "+unit+"-MTEPS/W better=higher\n") {
			t.Errorf("%s: no direction in\n%s", unit, text)
		}
	}
	r.Kernels[0].Energy = r.Kernels[0].Energy[:1]
	r.Kernels[0].Energy[0].Part = energy.System
	if _, text := benchmarks(t, r); !strings.Contains(text, " 40 125 system-J/search 0.2 system-MTEPS/W\n") || strings.Contains(text, "boards") {
		t.Error(text)
	}
}

// cells returns the table and row that benchstat without flags assigns to every result
// of a run.
func cells(t *testing.T, r *Run) (list []string) {
	t.Helper()
	results, _ := benchmarks(t, r)
	var parser benchproc.ProjectionParser
	table, err := parser.Parse(".config", nil)
	if err != nil {
		t.Fatal(err)
	}
	row, err := parser.Parse(".fullname", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range results {
		list = append(list, table.Project(result).String()+" | "+row.Project(result).String())
	}
	return list
}

// "benchstat old.bench new.bench" compares runs of two commits, but not runs with another
// graph, strategy or machine.
func TestBenchstatComparesCommits(t *testing.T) {
	before := cells(t, fullRun())
	if !strings.Contains(before[0], "cpu:Some CPU, 2.0 GHz") {
		t.Fatalf("%q", before)
	}
	commit := unvalidated(fullRun())
	commit.Started = commit.Started.Add(time.Hour)
	commit.Program = Program{Version: "v2", Commit: "4567", GoVersion: "go2"}
	commit.Machine.Host = "node8"
	commit.Machine.OS = "linux/amd64 6.2"
	commit.Engine.Hardware, commit.Engine.LabelBits = "2 sockets with AVX-512", 48
	commit.NotConforming = nil
	if after := cells(t, commit); !slices.Equal(before, after) {
		t.Errorf("%q and %q", before, after)
	}
	for name, change := range map[string]func(*Run){
		"strategy":    func(r *Run) { r.Kernels[0].Strategy = "push" },
		"kernel":      func(r *Run) { r.Kernels[0].Kernel = engine.SSSP },
		"buckets":     func(r *Run) { r.Kernels[0].Delta = 0.2 },
		"engine":      func(r *Run) { r.Engine.Name = "gpu" },
		"threads":     func(r *Run) { r.Processes[1].Threads = 2 },
		"ranks":       func(r *Run) { r.Processes[0].Threads = 47; r.Processes = r.Processes[:1] },
		"hosts":       func(r *Run) { r.Processes[1].Host = "node7" },
		"devices":     func(r *Run) { r.Devices = append(r.Devices, r.Devices[0]) },
		"device":      func(r *Run) { r.Device = nil },
		"processor":   func(r *Run) { r.Machine.Processor = "another" },
		"scale":       func(r *Run) { r.Input.Scale = 5 },
		"edge factor": func(r *Run) { r.Input.EdgeFactor = 16 },
		"source":      func(r *Run) { r.Input.Source = "a.mtx" },
	} {
		r := fullRun()
		change(r)
		if after := cells(t, r); before[0] == after[0] {
			t.Errorf("runs that differ in %s are compared", name)
		}
	}
}

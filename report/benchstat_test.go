package report

import (
	"bytes"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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

// The whole text of a run, in which no value breaks a line, is read as one result for each search.
func TestBenchstat(t *testing.T) {
	r := fullRun()
	r.Machine.Processor = " Some\tCPU\n2.0 GHz "
	r.NotConforming = append(r.NotConforming, "and\nBenchmarkBFS 1 1 sec/op")
	r.Program.Version = ""
	_, text := benchmarks(t, r)
	want, err := os.ReadFile("testdata/result.bench")
	if err != nil {
		t.Fatal(err)
	}
	system := strings.NewReplacer("GOOS", runtime.GOOS, "GOARCH", runtime.GOARCH)
	if d := cmp.Diff(system.Replace(string(want)), text); d != "" {
		t.Errorf("-want +got\n%s", d)
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

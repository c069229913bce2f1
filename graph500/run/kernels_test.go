package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"graph500/engine"
	"graph500/graph500/commandline"
	"graph500/graph500/testinput"
	"graph500/memory"
	"graph500/report"
)

func TestKernelsOfARun(t *testing.T) {
	const bfs, sssp = engine.BFS, engine.SSSP
	for _, c := range []struct {
		args, variable string
		want           []engine.Kernel
		strategies     []string
	}{
		{"", "", []engine.Kernel{bfs}, []string{"default"}},
		{"-strategy=push", "", []engine.Kernel{bfs}, []string{"push"}},
		{"-strategy=push -strategy=bfs:pull", "", []engine.Kernel{bfs}, []string{"pull"}},
		{"-kernel=sssp", "", []engine.Kernel{sssp}, []string{"default"}},
		{"-kernel=sssp -strategy=dijkstra", "", []engine.Kernel{sssp}, []string{"dijkstra"}},
		{"-kernel=both", "", []engine.Kernel{bfs, sssp}, []string{"default", "default"}},
		{"-kernel=both -strategy=default", "", []engine.Kernel{bfs, sssp}, []string{"default", "default"}},
		{"-kernel=both -strategy=sssp:dijkstra", "", []engine.Kernel{bfs, sssp}, []string{"default", "dijkstra"}},
		{"-kernel=both -strategy=sssp:dijkstra -strategy=bfs:pull", "", []engine.Kernel{bfs, sssp}, []string{"pull", "dijkstra"}},
		{"", "SKIP_BFS=", []engine.Kernel{sssp}, []string{"default"}},
		{"-strategy=dijkstra", "SKIP_BFS=no", []engine.Kernel{sssp}, []string{"dijkstra"}},
		{"-kernel=bfs", "SKIP_BFS=1", []engine.Kernel{bfs}, []string{"default"}},
		{"-kernel=both", "SKIP_BFS=1", []engine.Kernel{bfs, sssp}, []string{"default", "default"}},
	} {
		o, err := commandline.ParseFlags(testinput.CommandLine(strings.Fields(c.args)), testinput.Environment(c.variable), testinput.Strategies())
		if err != nil {
			t.Errorf("%s %s: %v", c.args, c.variable, err)
			continue
		}
		var strategies []string
		for _, k := range o.Kernels() {
			strategies = append(strategies, o.StrategyOf(k))
		}
		if !slices.Equal(o.Kernels(), c.want) || !slices.Equal(strategies, c.strategies) {
			t.Errorf("%s %s: %v, %v", c.args, c.variable, o.Kernels(), strategies)
		}
	}
	if _, err := commandline.ParseFlags(testinput.CommandLine([]string{"-strategy=push"}), testinput.Environment("SKIP_BFS="), testinput.Strategies()); err == nil || !strings.HasPrefix(err.Error(), "flag -strategy: push is a strategy of bfs, not of sssp") {
		t.Error(err)
	}
}

func TestTimesOfBothKernels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeEngine{takes: map[string]time.Duration{
			"construct": 40 * time.Second, "use default": 10 * time.Second, "sssp use default": 5 * time.Second,
			"search": 2 * time.Second, "check": time.Second, "sssp search": 20 * time.Second, "sssp check": 10 * time.Second, "sssp clear": time.Second,
		}}
		b, _ := ran(t, f, "-scale=5", "-roots=3", "-kernel=both", "-write-parents", t.TempDir())
		if b.Record.Construction != 55 {
			t.Errorf("construction %g s", b.Record.Construction)
		}
		var phases []string
		seconds := map[string]float64{}
		for _, p := range b.Record.Phases {
			phases = append(phases, p.Name)
			seconds[p.Name] = p.Seconds
		}
		want := []string{
			"startup", "preparation", "generation", "construction", "key sampling", "bfs warm-up", "bfs searches", "bfs validation", "bfs writing parents",
			"sssp warm-up", "sssp searches", "sssp validation", "sssp writing parents",
		}
		if diff := cmp.Diff(want, phases); diff != "" {
			t.Error(diff)
		}
		if seconds["bfs searches"] != 6 || seconds["bfs validation"] != 3 || seconds["sssp warm-up"] != 31 || seconds["sssp searches"] != 60 || seconds["sssp validation"] != 30 {
			t.Errorf("%v", seconds)
		}
	})
}

func TestRecordOfBothKernels(t *testing.T) {
	f := &fakeEngine{capacity: 2}
	b, output := newTestBench(t, f, "-scale=7", "-kernel=both", "-strategy=sssp:delta-stepping", "-delta=0.25", "-v", "-format=json")
	text, err := b.run(t.Context(), b.benchmark)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.prepared) != 1 || f.prepared[0].Delta != 0.25 || len(f.prepared[0].Strategies) != 2 || !f.prepared[0].Weighted() {
		t.Errorf("prepared for %+v", f.prepared)
	}
	run, err := report.ReadRun(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Kernels) != 2 || len(run.NotConforming) > 0 {
		t.Fatalf("%+v", run)
	}
	bfs, sssp := run.Kernels[0], run.Kernels[1]
	if bfs.Kernel != engine.BFS || bfs.Strategy != "default" || bfs.Delta != 0 || sssp.Kernel != engine.SSSP || sssp.Strategy != "delta-stepping" || sssp.Delta != 0.25 {
		t.Errorf("%+v, %+v", bfs, sssp)
	}
	if len(bfs.Searches) != 64 || len(sssp.Searches) != 64 || bfs.ValidatedTogether != 2 || sssp.ValidatedTogether != 2 {
		t.Fatalf("%d and %d searches", len(bfs.Searches), len(sssp.Searches))
	}
	for i, s := range sssp.Searches {
		other := bfs.Searches[i]
		if s.Root != other.Root || s.Edges != other.Edges || s.Visited != other.Visited || s.MaxDistance <= 0 || other.MaxDistance != 0 {
			t.Errorf("search %d: %+v and %+v", i, s.Tree, other.Tree)
		}
		if s.Levels[0].Direction != "" || other.Levels[0].Direction != engine.TopDown {
			t.Errorf("search %d: %+v and %+v", i, s.Levels, other.Levels)
		}
	}
	for _, want := range []string{"BFS from root", "SSSP from root", "round  step    frontier", "  sssp searches ", "; SSSP: "} {
		if !strings.Contains(output.String(), want) {
			t.Errorf("%q is missing in\n%s", want, output)
		}
	}
	if strings.Contains(output.String(), "warning") {
		t.Error(output)
	}
}

// The block has the lines of the reference's program of both kernels, or of one of them.
func TestBlocksOfTheKernels(t *testing.T) {
	sample := strings.Split(strings.TrimSpace(testinput.Read(t, "../../report/testdata/blocks/reference-sample-sssp.txt")), "\n")
	value := regexp.MustCompile(`[^ ]*$`)
	for kernel, other := range map[string]string{"both": "none", "bfs": "sssp ", "sssp": "bfs "} {
		for _, validation := range []string{"-progress=never", "-skip-validation"} {
			b, _ := newTestBench(t, new(fakeEngine), "-scale=5", "-roots=2", "-kernel", kernel, validation)
			text, err := b.run(t.Context(), b.benchmark)
			if err != nil {
				t.Fatal(err)
			}
			var got, want []string
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				got = append(got, value.ReplaceAllString(line, ""))
				skipped := map[bool]string{true: "0", false: "-1"}[strings.Contains(line, "stddev")]
				if validation == "-skip-validation" && strings.Contains(line, "_validate:") && value.FindString(line) != skipped {
					t.Errorf("without validation: %s", line)
				}
			}
			for _, line := range sample {
				if !strings.HasPrefix(line, other) {
					want = append(want, value.ReplaceAllString(line, ""))
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", kernel, diff)
			}
		}
	}
}

func TestFailuresNameTheKernel(t *testing.T) {
	broken := errors.New("broken")
	for call, want := range map[string]string{
		"use default": "broken", "sssp use default": "broken", "check": "bfs: warm-up search: broken", "sssp clear": "sssp: warm-up search: broken",
	} {
		f := &fakeEngine{fails: map[string]error{call: broken}}
		b, _ := newTestBench(t, f, "-scale=5", "-kernel=both")
		text, err := b.run(t.Context(), b.benchmark)
		if text != "" || !errors.Is(err, broken) || err.Error() != want {
			t.Errorf("%s: %q, %v", call, text, err)
		}
		if created, closed := strings.Count(fmt.Sprint(f.calls), "use default"), strings.Count(fmt.Sprint(f.calls), "close search"); closed < created-1 {
			t.Errorf("%s: %v", call, f.calls)
		}
	}
	f := &fakeEngine{}
	f.bendSSSP = func(call int, r engine.Results) {
		if call == 3+1+1 { // BFS with its warm-up, warm-up, search 0
			for v := range r.Parents {
				r.Parents[v] = engine.None
			}
		}
	}
	b, _ := newTestBench(t, f, "-scale=5", "-roots=2", "-kernel=both")
	if text, err := b.run(t.Context(), b.benchmark); text != "" || err == nil || !strings.HasPrefix(err.Error(), "sssp: search 1: the tree of root ") {
		t.Errorf("%q, %v", text, err)
	}
}

func TestDeltaWithoutEffect(t *testing.T) {
	for args, want := range map[string]bool{
		"-delta=0.2":              true,
		"-kernel=both -delta=0.2": true,
		"-kernel=sssp":            false,
		"-kernel=sssp -strategy=delta-stepping -delta=0.2": false,
	} {
		b, _ := ran(t, new(fakeEngine), append(strings.Fields(args), "-scale=5", "-roots=1")...)
		if got := strings.Contains(strings.Join(b.Record.Warnings, "\n"), "flag -delta has no effect"); got != want {
			t.Errorf("%s: %q", args, b.Record.Warnings)
		}
	}
}

// The error about a graph that is too large says whether BFS alone fits.
func TestMemoryOfTheKernels(t *testing.T) {
	for _, c := range []struct {
		kernel    string
		available uint64 // BFS needs 132 bytes a vertex, with SSSP 196
		want      string
	}{
		{"both", 196 << 20, ""},
		{"both", 196<<20 - 1, "scale 20 needs 196.0 MiB of memory, 196.0 MiB are available (a test); the largest scale that fits is 19; -kernel=bfs fits"},
		{"sssp", 132 << 20, "scale 20 needs 196.0 MiB of memory, 132.0 MiB are available (a test); the largest scale that fits is 19; -kernel=bfs fits"},
		{"sssp", 132<<20 - 1, "the largest scale that fits is 19"},
		{"bfs", 132<<20 - 1, "the largest scale that fits is 19"},
		{"sssp", 1, "no scale fits"},
	} {
		b, _ := newTestBench(t, new(fakeEngine), "-scale=20", "-kernel", c.kernel)
		b.limits[engine.HostMemory] = memory.Limit{Bytes: c.available, Source: "a test"}
		err := checkMemory(b)
		if (err == nil) != (c.want == "") || err != nil && !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s, %d bytes: %v", c.kernel, c.available, err)
		}
	}
	b, _ := newTestBench(t, new(fakeEngine), "-kernel=sssp", "-strategy=dijkstra", "-graph=roads.mtx")
	b.setSizes(1<<20, 1<<20)
	b.limits[engine.HostMemory] = memory.Limit{Bytes: 12 << 20, Source: "a test"}
	want := "flag -graph: roads.mtx with 1048576 vertices and 1048576 edges needs 16.0 MiB of memory, 12.0 MiB are available (a test); -kernel=bfs fits"
	if err := checkMemory(b); err == nil || err.Error() != want {
		t.Error(err)
	}
}

func TestPlanNamesTheKernels(t *testing.T) {
	b, _ := newTestBench(t, new(fakeEngine), "-scale=20", "-kernel=both", "-strategy=sssp:dijkstra", "-memory")
	if text := planText(b); !strings.HasPrefix(text, "memory plan of the fake engine for bfs (default) and sssp (dijkstra): scale 20, ") || !strings.Contains(text, "weights") {
		t.Error(text)
	}
}

func TestEveryDistanceIsCompared(t *testing.T) {
	const graph = "0 1\n1 2\n0 3\n3 2\n3 4\n2 5\n6 7\n"
	for _, c := range []struct {
		name string
		bend func(r engine.Results)
		want string // after "sssp: search 1: -check-engine: search from root 0: "
	}{
		{"equal", func(engine.Results) {}, ""},
		{"parents", func(r engine.Results) { r.Parents[2] = 1 + 3 - r.Parents[2] }, ""},
		{"one bit", func(r engine.Results) { r.Distances[4] = 0.5 }, "vertex 4 has distance 0.5 by the fake engine and has distance "},
		{"not reached", func(r engine.Results) { r.Distances[5] = engine.Unreached }, "vertex 5 is not reached by the fake engine and has distance "},
		{"reached", func(r engine.Results) { r.Distances[6] = 7 }, "vertex 6 has distance 7 by the fake engine and is not reached by the fake engine"},
	} {
		f, other := new(fakeEngine), new(fakeEngine)
		f.bendSSSP = func(call int, r engine.Results) {
			if call == 3+1+1 { // BFS with its warm-up, warm-up, search 0
				c.bend(r)
			}
		}
		b, _ := newTestBench(t, f, "-graph", testinput.Write(t, t.TempDir(), "g.txt", graph), "-root=0", "-root=0", "-kernel=both")
		b.CheckEngine, b.reference = true, newTestReference(other)
		_, err := b.run(t.Context(), b.benchmark)
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), "sssp: search 1: -check-engine: search from root 0: "+c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if !slices.Equal(other.tuples.Weights, f.tuples.Weights) || other.searchCalls != 4 {
			t.Errorf("%s: %d searches of the reference, weights %v and %v", c.name, other.searchCalls, other.tuples.Weights, f.tuples.Weights)
		}
		if err := b.reference.close(); err != nil {
			t.Error(err)
		}
	}
}

func TestReferencePlanOfTheKernels(t *testing.T) {
	for kernel, depths := range map[string]uint64{"bfs": 8, "sssp": 0, "both": 8} {
		b, _ := newTestBench(t, new(fakeEngine), "-scale=20", "-kernel", kernel)
		job := b.job(b.sets[0], b.graphSize)
		alone := engine.Peak(b.planned(job).Memory, engine.HostMemory)
		b.CheckEngine, b.reference = true, newTestReference(new(fakeEngine))
		if got := engine.Peak(b.planned(job).Memory, engine.HostMemory); got != 2*alone+depths*b.Vertices {
			t.Errorf("%s: %d bytes instead of %d", kernel, got, 2*alone+depths*b.Vertices)
		}
	}
}

func TestComparisonOfSSSP(t *testing.T) {
	f := new(fakeEngine)
	c, b := newTestComparison(t, f, "-kernel=sssp", "-scale=5", "-roots=2", "-format=json", "-delta=0.5")
	text, err := b.run(t.Context(), func(ctx context.Context) (string, error) { return c.compare(ctx, b) })
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Kernel     string
		Strategies []struct {
			Name     string
			Delta    *float32
			Searches []struct {
				MaxDistance *float32 `json:"max_distance"`
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range document.Strategies {
		names = append(names, s.Name)
		if (s.Delta != nil) != (s.Name == "delta-stepping") || len(s.Searches) != 2 || s.Searches[1].MaxDistance == nil {
			t.Errorf("%+v", s)
		}
	}
	if want := []string{"dijkstra", "delta-stepping", "default"}; document.Kernel != "sssp" || !slices.Equal(names, want) {
		t.Errorf("%s: %v", document.Kernel, names)
	}
	if len(f.prepared) != 3 || !f.prepared[0].Weighted() || f.prepared[0].Delta != 0.5 {
		t.Errorf("prepared for %+v", f.prepared)
	}
	c, b = newTestComparison(t, f, "-kernel=sssp", "-scale=5")
	c.Names = []string{"push"}
	if err := c.choose(b); err == nil || !strings.HasPrefix(err.Error(), "push is a strategy of bfs, not of sssp") {
		t.Error(err)
	}
}

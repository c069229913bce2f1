package run

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"graph500/cluster"
	"graph500/engine"
	"graph500/graph500/commandline"
	"graph500/graph500/output"
	"graph500/graph500/testinput"
)

// newTestBench returns a run of a fake engine with the given flags, and its console
// output.
func newTestBench(t *testing.T, f Engine, args ...string) (*Bench, *bytes.Buffer) {
	t.Helper()
	o, err := commandline.ParseFlags(testinput.CommandLine(args), testinput.Environment(), testinput.Strategies())
	if err != nil {
		t.Fatal(err)
	}
	if err := o.FindEdgeFiles(); err != nil {
		t.Fatal(err)
	}
	var messages bytes.Buffer
	return newBench(testProcess(args...), o, f, output.NewConsole(&messages, false, "never")), &messages
}

// ran is newTestBench for a run that succeeds.
func ran(t *testing.T, f Engine, args ...string) (*Bench, *bytes.Buffer) {
	t.Helper()
	b, output := newTestBench(t, f, args...)
	if _, err := b.run(t.Context(), b.benchmark); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return b, output
}

// testProcess returns the process of a command line, of one rank.
func testProcess(args ...string) *Process {
	return &Process{World: cluster.Alone(), Started: time.Now(), Args: testinput.CommandLine(args), Lookup: os.LookupEnv}
}

// checkMemory is bench.checkMemory with a plan of the bench as it is now.
func checkMemory(b *Bench) error {
	b.planJobs()
	return b.checkMemory()
}

// planText is bench.planText with a plan of the bench as it is now.
func planText(b *Bench) string {
	b.planJobs()
	return b.planText()
}

// The time of a search contains only the search.
func TestWhatIsTimed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeEngine{takes: map[string]time.Duration{
			"generate": 100 * time.Second, "construct": 40 * time.Second, "use default": 10 * time.Second,
			"clear": 7 * time.Second, "profile": 11 * time.Second, "search": 2 * time.Second, "keep": time.Second, "check": 2 * time.Second,
		}}
		b, _ := ran(t, f, "-scale=5", "-roots=3")
		for _, s := range b.Record.Kernels[0].Searches {
			if s.Seconds != 2 || *s.ValidateSeconds != 3 {
				t.Errorf("search %g s, validation %g s", s.Seconds, *s.ValidateSeconds)
			}
		}
		if b.Record.Generation != 100 || b.Record.Construction != 50 {
			t.Errorf("generation %g s, construction %g s", b.Record.Generation, b.Record.Construction)
		}
		var phases []string
		seconds := map[string]float64{}
		for _, p := range b.Record.Phases {
			phases = append(phases, p.Name)
			seconds[p.Name] = p.Seconds
		}
		if diff := cmp.Diff([]string{"startup", "preparation", "generation", "construction", "key sampling", "warm-up", "searches", "validation"}, phases); diff != "" {
			t.Error(diff)
		}
		if seconds["searches"] != 6 || seconds["validation"] != 9 || seconds["warm-up"] != 23 {
			t.Errorf("%v", seconds)
		}
	})
}

func TestGarbageCollectorRestsDuringSearches(t *testing.T) {
	f := new(fakeEngine)
	f.onSearch = func(int) {
		if percent := debug.SetGCPercent(-1); percent != -1 {
			t.Errorf("collector set to %d %%", percent)
		}
	}
	before := debug.SetGCPercent(77)
	defer debug.SetGCPercent(before)
	ran(t, f, "-scale=5", "-roots=2")
	if after := debug.SetGCPercent(77); after != 77 {
		t.Errorf("collector left at %d %%", after)
	}
}

func TestFailuresEndTheRunWithoutResult(t *testing.T) {
	broken := errors.New("broken")
	for _, call := range []string{"prepare", "generate", "tuples", "construct", "use default", "usable", "clear", "search", "profile", "keep", "check"} {
		dir := t.TempDir()
		f := &fakeEngine{fails: map[string]error{call: broken}}
		b, _ := newTestBench(t, f, "-scale=5", "-out", dir, "-write-edges", filepath.Join(dir, "edges"))
		text, err := b.run(t.Context(), b.benchmark)
		if !errors.Is(err, broken) || text != "" || output.ExitStatus(err) != 1 {
			t.Errorf("%s: text %q, error %v", call, text, err)
		}
		for _, file := range testinput.Names(t, dir) {
			if file != "edges" || slices.Contains([]string{"prepare", "generate", "tuples"}, call) {
				t.Errorf("%s: %s is left", call, file)
			}
		}
	}
}

// A signal ends the run without a result: at any search of a batch, whose results are not written.
func TestSignalEndsTheRun(t *testing.T) {
	for _, c := range []struct{ capacity, at, written int }{{1, 2, 1}, {3, 2, 0}, {3, 3, 0}, {3, 4, 3}} {
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			ctx, cancel := context.WithCancelCause(t.Context())
			f := &fakeEngine{capacity: c.capacity}
			f.onSearch = func(call int) {
				if call == c.at {
					cancel(output.Interrupted{Signal: sig})
				}
			}
			out, parents := t.TempDir(), t.TempDir()
			b, _ := newTestBench(t, f, "-scale=5", "-roots=4", "-out", out, "-write-parents", parents)
			text, err := b.run(ctx, b.benchmark)
			if text != "" || output.ExitStatus(err) != 128+int(sig) {
				t.Errorf("%+v: text %q, error %v, status %d", c, text, err, output.ExitStatus(err))
			}
			if left, written := testinput.Names(t, out), testinput.Names(t, parents); len(left) > 0 || len(written) != c.written {
				t.Errorf("%+v: %v are left, and the parents %v", c, left, written)
			}
		}
	}
}

// After a signal following the last search there are no files either.
func TestSignalBeforeTheReport(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	f := new(fakeEngine)
	dir := t.TempDir()
	b, _ := newTestBench(t, f, "-scale=5", "-roots=1", "-out", dir)
	cancel(output.Interrupted{Signal: syscall.SIGINT})
	if err := b.finishRecord(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text, err := b.output(ctx); text != "" || output.ExitStatus(err) != 130 || len(testinput.Names(t, dir)) > 0 {
		t.Errorf("text %q, error %v, files %v", text, err, testinput.Names(t, dir))
	}
}

func TestTooFewUsableRoots(t *testing.T) {
	f := new(fakeEngine)
	b, output := ran(t, f, "-scale=4")
	if n := len(b.Record.Kernels[0].Searches); n != 16 {
		t.Errorf("%d searches", n)
	}
	seen := map[engine.Vertex]bool{}
	for _, s := range b.Record.Kernels[0].Searches {
		if seen[s.Root] || len(f.rows[s.Root]) == 0 {
			t.Errorf("root %d is repeated or isolated", s.Root)
		}
		seen[s.Root] = true
	}
	if want := "warning: only 16 vertices have an edge to another one: 16 searches instead of 64"; !strings.Contains(output.String(), want) || len(b.Record.Warnings) != 1 {
		t.Errorf("%q, %q", output, b.Record.Warnings)
	}
	// As many as were asked for.
	b, output = newTestBench(t, new(fakeEngine), "-scale=4", "-roots=16")
	if _, err := b.run(t.Context(), b.benchmark); err != nil || len(b.Record.Warnings) > 0 {
		t.Errorf("%v, %q", err, output)
	}
}

func TestRootsByHand(t *testing.T) {
	f := new(fakeEngine)
	b, _ := newTestBench(t, f, "-scale=10", "-root=5", "-root=5", "-root=1023")
	b.Record.Graph.Connected = 1
	f.rows = make([][]engine.Label, 1024)
	f.rows[5] = []engine.Label{1}
	if _, err := b.roots(t.Context()); err == nil || err.Error() != "flag -root: vertex 1023 has no edge to another vertex, there is nothing to search from it" {
		t.Error(err)
	}
	f.rows[1023] = f.rows[5]
	roots, err := b.roots(t.Context())
	if err != nil || !cmp.Equal(roots, []engine.Vertex{5, 5, 1023}) {
		t.Error(roots, err)
	}
	b.Vertices = 1023 // as with a file of -graph
	if _, err := b.roots(t.Context()); err == nil || err.Error() != "flag -root: the graph has no vertex 1023, they are 0..1022" {
		t.Error(err)
	}
	b.Record.Graph.Connected = 0
	if _, err := b.roots(t.Context()); err == nil || !strings.Contains(err.Error(), "no vertex has an edge to another one") {
		t.Error(err)
	}
}

// Key sampling ends with its context even if hardly any vertex is usable.
func TestKeySamplingStops(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	f := &fakeEngine{rows: make([][]engine.Label, 1<<10)}
	b, _ := newTestBench(t, f, "-scale=31")
	b.Vertices = 1 << 10
	b.Record.Graph.Connected = 64
	time.AfterFunc(10*time.Millisecond, func() { cancel(output.Interrupted{Signal: syscall.SIGINT}) })
	if _, err := b.roots(ctx); output.ExitStatus(err) != 130 {
		t.Error(err)
	}
}

func TestDepartures(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"-scale=7"}, nil},
		{[]string{"-scale=7", "-edgefactor=8"}, []string{"edgefactor 8 instead of 16"}},
		{[]string{"-scale=7", "-roots=3"}, []string{"number of searches 3 instead of 64"}},
		{[]string{"-scale=7", "-skip-validation"}, []string{"the searches were not validated"}},
		{[]string{"-scale=7", "-root=1"}, []string{"number of searches 1 instead of 64", "the search keys were given by hand"}},
	} {
		b, output := newTestBench(t, new(fakeEngine), c.args...)
		if _, err := b.run(t.Context(), b.benchmark); err != nil {
			t.Errorf("%v: %v", c.args, err)
		}
		if diff := cmp.Diff(c.want, b.Record.NotConforming); diff != "" {
			t.Errorf("%v: %s", c.args, diff)
		}
		if marked := strings.Contains(output.String(), "not a conforming run"); marked != (len(c.want) > 0) {
			t.Errorf("%v: %s", c.args, output)
		}
	}
}

// For a graph from a file, the record contains the exact edge factor.
func TestSizesOfAGraphFromAFile(t *testing.T) {
	for _, c := range []struct {
		vertices, tuples uint64
		scale            int
		edgeFactor       float64
	}{
		{0, 0, 0, 0}, {1, 0, 0, 0}, {2, 1, 1, 0.5}, {3, 4, 2, 4. / 3}, {4, 4, 2, 1}, {5, 13, 3, 2.6}, {10, 1, 4, 0.1},
		{1 << 20, 5 << 20, 20, 5}, {1<<20 + 1, 0, 21, 0}, {1<<32 - 1, 1 << 33, 32, (1 << 33) / (1<<32 - 1.)},
	} {
		b, _ := newTestBench(t, new(fakeEngine), "-graph=x")
		b.setSizes(c.vertices, c.tuples)
		if b.Record.Input.Scale != c.scale || b.Record.Input.EdgeFactor != c.edgeFactor || b.spec.Scale != c.scale {
			t.Errorf("%d vertices, %d tuples: scale %d, edgefactor %g", c.vertices, c.tuples, b.Record.Input.Scale, b.Record.Input.EdgeFactor)
		}
	}
}

// The collector waits for as much garbage as there is ballast.
func TestBallast(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	free := takeBallast()
	runtime.GC()
	goal := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(goal)
	if goal, live := goal[0].Value.Uint64(), goal[1].Value.Uint64(); goal < live+ballastBytes {
		t.Errorf("a collection begins at %d bytes, with %d alive", goal, live)
	}
	free()
}

// Garbage is collected between searches when there is much, and not before.
func TestCollect(t *testing.T) {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	collections := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumGC
	}
	before := collections()
	collectGarbage()
	if n := collections() - before; n != 0 {
		t.Errorf("%d collections of nothing", n)
	}
	var last []byte
	for range 2 * maxGarbage >> 20 {
		last = make([]byte, 1<<20)
	}
	runtime.KeepAlive(last)
	collectGarbage()
	collectGarbage()
	if n := collections() - before; n != 1 {
		t.Errorf("%d collections of %d bytes", n, 2*maxGarbage)
	}
}

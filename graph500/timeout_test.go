package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"graph500/cluster"
	"graph500/report"
)

// A run that -timeout stops writes the searches that were validated before, in a record that
// says so, and nothing else.
func TestTimeoutKeepsSearches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		f := &fakeEngine{capacity: 2, takes: map[string]time.Duration{"search": 500 * time.Millisecond}}
		b, _ := newTestBench(t, f, "-scale=5", "-roots=8", "-timeout=3750ms", "-format=json", "-out", dir)
		var text string
		err := withTimeout(t.Context(), b.options, b.world, func(ctx context.Context) (err error) {
			text, err = b.run(ctx, b.benchmark)
			return err
		})
		if want := `stopped after 3.75s (-timeout), in phase "searches", no result`; exitStatus(err) != 124 || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("status %d, %v", exitStatus(err), err)
		}
		run, err := report.ReadRun(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		// The warm-up takes 0.5 s, each batch 1 s: three batches are done.
		if n := len(run.Kernels[0].Searches); n != 6 || !strings.Contains(strings.Join(run.NotConforming, "; "), "the run was stopped after 3.75s (-timeout)") {
			t.Errorf("%d searches, %q", n, run.NotConforming)
		}
		if list := names(t, dir); len(list) != 1 || list[0] != "result.json" || read(t, dir, "result.json") != text {
			t.Errorf("%q", list)
		}
	})
}

// Before the first search there is nothing to keep, and work that hangs does not hold the run.
func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeEngine{takes: map[string]time.Duration{"construct": 30500 * time.Millisecond}}
		b, _ := newTestBench(t, f, "-scale=5", "-timeout=30s", "-format=json")
		text := ""
		err := withTimeout(t.Context(), b.options, b.world, func(ctx context.Context) (err error) {
			text, err = b.run(ctx, b.benchmark)
			return err
		})
		if exitStatus(err) != 124 || text != "" || !strings.Contains(err.Error(), `in phase "construction"`) {
			t.Errorf("%q, %v", text, err)
		}
		begin := time.Now()
		w := cluster.Alone()
		w.SetPhase("searches")
		err = withTimeout(t.Context(), b.options, w, func(context.Context) error { time.Sleep(time.Hour); return nil })
		if took := time.Since(begin); exitStatus(err) != 124 || took > 31*time.Second {
			t.Errorf("%v after %v", err, took)
		}
		time.Sleep(time.Hour) // the work that hangs ends with the test
		if err := withTimeout(t.Context(), b.options, w, func(context.Context) error { return nil }); err != nil {
			t.Error(err)
		}
	})
}

func TestTimeoutOfTheProgram(t *testing.T) {
	dir := t.TempDir()
	r := finish(t, prepare(dir, nil, "-engine=cpu", "-scale=20", "-timeout=200ms", "-out=out"))
	refused(t, r, 124, "stopped after 200ms (-timeout), in phase ")
	if _, err := readResult(filepath.Join(dir, "out")); err == nil {
		t.Error("there is a result")
	}
	succeed(t, dir, "-engine=cpu", "-scale=6", "-timeout=10m")
	refused(t, finish(t, prepare(dir, nil, "-timeout=0")), 2, "flag -timeout: ")
}

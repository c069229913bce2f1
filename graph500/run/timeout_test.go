package run

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"graph500/cluster"
	"graph500/graph500/output"
	"graph500/graph500/testinput"
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
		err := WithTimeout(t.Context(), b.Options, b.World, func(ctx context.Context) (err error) {
			text, err = b.run(ctx, b.benchmark)
			return err
		})
		if want := `stopped after 3.75s (-timeout), in phase "searches", no result`; output.ExitStatus(err) != 124 || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("status %d, %v", output.ExitStatus(err), err)
		}
		run, err := report.ReadRun(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		// The warm-up takes 0.5 s, each batch 1 s: three batches are done.
		if n := len(run.Kernels[0].Searches); n != 6 || !strings.Contains(strings.Join(run.NotConforming, "; "), "the run was stopped after 3.75s (-timeout)") {
			t.Errorf("%d searches, %q", n, run.NotConforming)
		}
		if list := testinput.Names(t, dir); len(list) != 1 || list[0] != "result.json" || testinput.Read(t, dir, "result.json") != text {
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
		err := WithTimeout(t.Context(), b.Options, b.World, func(ctx context.Context) (err error) {
			text, err = b.run(ctx, b.benchmark)
			return err
		})
		if output.ExitStatus(err) != 124 || text != "" || !strings.Contains(err.Error(), `in phase "construction"`) {
			t.Errorf("%q, %v", text, err)
		}
		begin := time.Now()
		w := cluster.Alone()
		w.SetPhase("searches")
		err = WithTimeout(t.Context(), b.Options, w, func(context.Context) error { time.Sleep(time.Hour); return nil })
		if took := time.Since(begin); output.ExitStatus(err) != 124 || took > 31*time.Second {
			t.Errorf("%v after %v", err, took)
		}
		time.Sleep(time.Hour) // the work that hangs ends with the test
		if err := WithTimeout(t.Context(), b.Options, w, func(context.Context) error { return nil }); err != nil {
			t.Error(err)
		}
	})
}

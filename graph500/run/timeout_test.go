package run

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"graph500/graph500/output"
	"graph500/graph500/testinput"
	"graph500/report"
)

// limited runs the benchmark on an engine with the time limits of the flags. It returns the error, and
// what was written to standard output.
func limited(t *testing.T, f *fakeEngine, args ...string) (stdout string, err error) {
	t.Helper()
	b, _ := newTestBench(t, f, args...)
	p := testProcess(args...)
	p.World = b.World
	if p.Stdout, err = os.Create(filepath.Join(t.TempDir(), "stdout")); err != nil {
		t.Fatal(err)
	}
	defer p.Stdout.Close()
	err = WithTimeout(t.Context(), p, b.Options, func(ctx context.Context) error {
		b.limiter = p.limiter
		_, err := b.run(ctx, b.benchmark)
		return err
	})
	return testinput.Read(t, p.Stdout.Name()), err
}

// wantStopped checks the record of a stopped run: so many searches, and the reason.
func wantStopped(t *testing.T, text string, searches int, reason string) {
	t.Helper()
	run, err := report.ReadRun(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if n := len(run.Kernels[0].Searches); n != searches || !strings.Contains(strings.Join(run.NotConforming, "; "), reason) {
		t.Errorf("%d searches, %q; want %d, %s", n, run.NotConforming, searches, reason)
	}
}

// A run that -timeout stops writes the searches that were validated before, in a record that
// says so, and nothing else.
func TestTimeoutKeepsSearches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		f := &fakeEngine{capacity: 2, takes: map[string]time.Duration{"search": 500 * time.Millisecond}}
		text, err := limited(t, f, "-scale=5", "-roots=8", "-timeout=3750ms", "-format=json", "-out", dir)
		const reason = "it took longer than 3.75s (-timeout)"
		if want := `stopped in phase "searches", no result: ` + reason; output.ExitStatus(err) != 124 || err.Error() != want {
			t.Errorf("status %d, %v", output.ExitStatus(err), err)
		}
		// The warm-up takes 0.5 s, each batch 1 s: three batches are done.
		wantStopped(t, text, 6, "the run was stopped: "+reason)
		if list := testinput.Names(t, dir); len(list) != 1 || list[0] != "result.json" || testinput.Read(t, dir, "result.json") != text {
			t.Errorf("%q", list)
		}
	})
}

// A search that hangs does not keep the run, nor what was done before: by the time of the whole run
// and by that of a search.
func TestSearchHangs(t *testing.T) {
	for _, c := range []struct {
		flag, reason string
		after        time.Duration
	}{
		{"-timeout=10s", "it took longer than 10s (-timeout)", 10 * time.Second},
		{"-search-timeout=2s", "the search of BFS from root 12 took longer than 2s (-search-timeout)", 2500 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			dir := t.TempDir()
			f := &fakeEngine{takes: map[string]time.Duration{"search": 100 * time.Millisecond}}
			f.onSearch = func(call int) {
				if call == 5 {
					time.Sleep(24 * time.Hour) // it does not look at its context
				}
			}
			begin := time.Now()
			text, err := limited(t, f, "-scale=5", "-roots=8", c.flag, "-format=json", "-out", dir)
			if took := time.Since(begin); took < c.after || took > c.after+grace+time.Second {
				t.Errorf("%s: %v", c.flag, took)
			}
			if output.ExitStatus(err) != 124 || !strings.HasPrefix(err.Error(), `stopped in phase "searches", no result: `) {
				t.Errorf("status %d, %v", output.ExitStatus(err), err)
			}
			wantStopped(t, text, 4, "the run was stopped: ")
			if !strings.HasSuffix(err.Error(), c.reason) {
				t.Errorf("%v, want %s", err, c.reason)
			}
			if testinput.Read(t, dir, "result.json") != text {
				t.Error("another result.json")
			}
			time.Sleep(48 * time.Hour) // the search ends with the test
		})
	}
}

// Searches below the limit, and the time between them, do not stop a run.
func TestSearchTimeoutIsOfOneSearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeEngine{takes: map[string]time.Duration{"search": 900 * time.Millisecond, "check": 5 * time.Second, "construct": time.Minute}}
		if _, err := limited(t, f, "-scale=5", "-roots=8", "-search-timeout=1s"); err != nil {
			t.Error(err)
		}
	})
}

// A search over the limit that does not see it stops the run, the last one too.
func TestSearchTimeoutOfLastSearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := new(fakeEngine)
		f.onSearch = func(call int) {
			if call == 8 { // the last one: the warm-up is 0
				time.Sleep(1500 * time.Millisecond)
			}
		}
		_, err := limited(t, f, "-scale=5", "-roots=8", "-skip-validation", "-search-timeout=1s")
		if output.ExitStatus(err) != 124 || !strings.HasPrefix(err.Error(), `stopped in phase "searches", no result: the search of BFS from root `) {
			t.Errorf("status %d, %v", output.ExitStatus(err), err)
		}
	})
}

// Before the first search there is nothing to keep, and work that hangs does not hold the run.
func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeEngine{takes: map[string]time.Duration{"construct": 30500 * time.Millisecond}}
		if text, err := limited(t, f, "-scale=5", "-timeout=30s", "-format=json"); output.ExitStatus(err) != 124 || text != "" || !strings.Contains(err.Error(), `in phase "construction"`) {
			t.Errorf("%q, %v", text, err)
		}
		begin := time.Now()
		b, _ := newTestBench(t, f, "-scale=5", "-timeout=30s")
		p := testProcess()
		err := WithTimeout(t.Context(), p, b.Options, func(context.Context) error { time.Sleep(time.Hour); return nil })
		if took := time.Since(begin); output.ExitStatus(err) != 124 || took > 31*time.Second {
			t.Errorf("%v after %v", err, took)
		}
		time.Sleep(time.Hour) // the work that hangs ends with the test
		if err := WithTimeout(t.Context(), p, b.Options, func(context.Context) error { return nil }); err != nil {
			t.Error(err)
		}
	})
}

// What an earlier run of the process has done is not written for a later one.
func TestTimeoutForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		b, _ := newTestBench(t, new(fakeEngine), "-scale=5", "-roots=2", "-timeout=30s", "-out", dir)
		p := testProcess()
		err := WithTimeout(t.Context(), p, b.Options, func(ctx context.Context) error {
			b.limiter = p.limiter
			if _, err := b.run(ctx, b.benchmark); err != nil {
				return err
			}
			p.limiter.forget()
			<-ctx.Done()
			return context.Cause(ctx)
		})
		if output.ExitStatus(err) != 124 {
			t.Error(err)
		}
		if run, err := report.ReadResult(dir); err != nil || len(run.Kernels[0].Searches) != 2 || strings.Contains(strings.Join(run.NotConforming, ""), "stopped") {
			t.Errorf("%+v, %v", run, err)
		}
	})
}

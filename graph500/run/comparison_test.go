package run

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"graph500/engine"
	"graph500/graph500/commandline"
	"graph500/graph500/output"
	"graph500/graph500/testinput"
)

// newTestComparison returns a comparison on a fake engine with the strategies of the CPU
// engine.
func newTestComparison(t *testing.T, f *fakeEngine, args ...string) (*Comparison, *Bench) {
	t.Helper()
	o := &commandline.Options{Catalogue: testinput.Strategies()}
	own := struct {
		Limit float64 `long:"limit" default:"60"`
	}{}
	flags := commandline.NewRunParser(o).Add("Comparison", &own).Choose("format", "table", "json").Standard("format", "table").Standard("roots", "16")
	names, err := flags.Parse(args)
	if err == nil {
		err = o.CheckFlags(flags)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := &Comparison{o, names, own.Limit}
	b := newBench(testProcess(append([]string{"strategies"}, args...)...), c.Options, f, output.NewConsole(new(bytes.Buffer), false, "never"))
	if err := c.choose(b); err != nil {
		t.Fatal(err)
	}
	return c, b
}

// run runs the comparison.
func run(t *testing.T, c *Comparison, b *Bench) (string, error) {
	return b.run(t.Context(), func(ctx context.Context) (string, error) { return c.compare(ctx, b) })
}

func TestComparisonOrder(t *testing.T) {
	f := new(fakeEngine)
	c, b := newTestComparison(t, f, "-scale=5", "-roots=2", "-limit=1000", "pull", "push")
	text, err := run(t, c, b)
	if err != nil {
		t.Fatal(err)
	}
	one, end := []string{"clear", "search", "profile", "keep", "check"}, []string{"close search"}
	want := slices.Concat([]string{"generate", "construct", "use push"}, one, one, one, end, []string{"use pull"}, one, one, one, end)
	if d := cmp.Diff(want, f.calls); d != "" {
		t.Error(d)
	}
	if strings.Count(text, "2 of 2") != 2 || strings.Contains(text, "default ") {
		t.Error(text)
	}
}

// slowSearch is a fake engine whose search number slow takes two seconds; the warm-up is
// search 0. It is for tests in a synctest bubble, where only sleep takes time.
func slowSearch(slow int) *fakeEngine {
	return &fakeEngine{onSearch: func(call int) {
		if call == slow {
			time.Sleep(2 * time.Second)
		}
	}}
}

// A strategy that takes too long is stopped; the others have results.
func TestComparisonLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, b := newTestComparison(t, slowSearch(2), "-scale=5", "-roots=2", "-limit=1", "push", "pull")
		text, err := run(t, c, b)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text, "push: took longer than the limit of 1 s (-limit)") || !strings.Contains(text, "2 of 2") {
			t.Error(text)
		}
		c, b = newTestComparison(t, slowSearch(0), "-scale=5", "-roots=2", "-limit=1", "push")
		if text, err := run(t, c, b); err == nil || !strings.Contains(text, "push: took longer") {
			t.Errorf("a comparison without a result: %v\n%s", err, text)
		}
	})
}

// The error at the end names a strategy that fails; the others have results.
func TestComparisonGoesOn(t *testing.T) {
	wrong := &fakeEngine{fails: map[string]error{"use push": errors.New("broken")}}
	c, b := newTestComparison(t, wrong, "-scale=5", "-roots=2", "push", "pull")
	text, err := run(t, c, b)
	if err == nil || err.Error() != "strategy push: broken" {
		t.Errorf("%v", err)
	}
	if !strings.Contains(text, "push: broken") || !strings.Contains(text, "2 of 2") {
		t.Error(text)
	}
}

// fullFake is a fake engine without memory for the strategy push.
type fullFake struct{ *fakeEngine }

func (f fullFake) Plan(job engine.Job) engine.Plan {
	if job.Strategies[0].Name == "push" {
		return engine.Plan{Job: job, Memory: []engine.Allocation{{Name: "too much", Bytes: 1 << 62}}}
	}
	return f.fakeEngine.Plan(job)
}

// A strategy that does not fit into memory is not an error.
func TestComparisonDoesNotFit(t *testing.T) {
	f := new(fakeEngine)
	c, b := newTestComparison(t, f, "-scale=5", "-roots=2", "push", "pull")
	b.engine = fullFake{f}
	text, err := run(t, c, b)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, "push: does not fit: needs 4.0 EiB") || !strings.Contains(text, "2 of 2") {
		t.Error(text)
	}
	if len(f.prepared) != 1 || f.prepared[0].Strategies[0].Name != "pull" {
		t.Errorf("prepared for %+v", f.prepared)
	}
}

var someCounts = &engine.Counts{Examined: 77, Atomics: 1234, SharedAtomics: 55, Launches: 9}

// The counted search follows the timed searches. It starts from the first root and is
// validated. If it takes too long, the strategy still has its result.
func TestComparisonCounts(t *testing.T) {
	f := &fakeEngine{counts: someCounts}
	c, b := newTestComparison(t, f, "-scale=5", "-roots=1", "-limit=1000", "push")
	text, err := run(t, c, b)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" 77 ", " 1234 ", " 55 ", " 9 "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	one := []string{"clear", "search", "profile", "keep", "check"}
	want := slices.Concat([]string{"generate", "construct", "use push"}, one, one, []string{"count work", "clear", "search", "keep", "check", "close search"})
	if d := cmp.Diff(want, f.calls); d != "" {
		t.Error(d)
	}

	synctest.Test(t, func(t *testing.T) {
		slow := slowSearch(2)
		slow.counts = someCounts
		c, b := newTestComparison(t, slow, "-scale=5", "-roots=1", "-limit=1", "push")
		if text, err := run(t, c, b); err != nil || !strings.Contains(text, "1 of 1") || strings.Contains(text, "1234") {
			t.Errorf("%v\n%s", err, text)
		}

		// Another error is reported even after the time limit.
		slow = slowSearch(2)
		slow.counts, slow.fails = someCounts, map[string]error{"count work": errors.New("broken")}
		c, b = newTestComparison(t, slow, "-scale=5", "-roots=1", "-limit=1", "push")
		if _, err := run(t, c, b); err == nil || err.Error() != "strategy push: broken" {
			t.Error(err)
		}
	})

	wrong := &fakeEngine{counts: someCounts, fails: map[string]error{"count work": errors.New("broken")}}
	c, b = newTestComparison(t, wrong, "-scale=5", "-roots=1", "push")
	if _, err := run(t, c, b); err == nil || err.Error() != "strategy push: broken" {
		t.Error(err)
	}
}

func TestComparisonStopped(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	f := new(fakeEngine)
	f.onSearch = func(call int) {
		if call == 1 {
			stop(errors.New("stopped"))
		}
	}
	c, b := newTestComparison(t, f, "-scale=5", "push", "pull")
	if text, err := b.run(ctx, func(ctx context.Context) (string, error) { return c.compare(ctx, b) }); text != "" || err == nil || err.Error() != "stopped" {
		t.Errorf("%q, %v", text, err)
	}
}

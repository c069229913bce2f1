package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"graph500/engine"
	"graph500/graph500/output"
	"graph500/graph500/testinput"
	"graph500/report"
)

func TestOrderOfWorkInBatches(t *testing.T) {
	one, check := []string{"clear", "search", "profile", "keep"}, []string{"check"}
	for _, c := range []struct {
		capacity, room, roots int
		want                  [][]string
	}{
		{3, 0, 7, [][]string{one, one, one, check, one, one, one, check, one, check}},
		{3, 0, 6, [][]string{one, one, one, check, one, one, one, check}},
		{8, 0, 2, [][]string{one, one, check}},
		{8, 0, 1, [][]string{one, check}},
		{1, 0, 2, [][]string{one, check, one, check}},
		{4, 3, 7, [][]string{one, one, one, check, one, one, one, check, one, check}},
	} {
		f := &fakeEngine{capacity: c.capacity, room: c.room}
		b, _ := newTestBench(t, f, "-scale=5", fmt.Sprint("-roots=", c.roots))
		if _, err := b.run(t.Context(), b.benchmark); err != nil {
			t.Fatal(err)
		}
		want := slices.Concat([]string{"generate", "construct", "use default"}, one, check, slices.Concat(c.want...), []string{"close search"})
		if diff := cmp.Diff(want, f.calls); diff != "" {
			t.Errorf("%d searches by %d: %s", c.roots, c.capacity, diff)
		}
		if got := b.Record.Kernels[0].ValidatedTogether; got != min(c.capacity, c.roots) {
			t.Errorf("%d searches by %d: recorded as %d together", c.roots, c.capacity, got)
		}
	}
	f := &fakeEngine{capacity: 2}
	b, _ := newTestBench(t, f, "-scale=5", "-roots=3", "-skip-validation")
	if _, err := b.run(t.Context(), b.benchmark); err != nil {
		t.Fatal(err)
	}
	count := []string{"count"}
	want := slices.Concat([]string{"generate", "construct", "use default"}, one, count, one, one, count, one, count, []string{"close search"})
	if diff := cmp.Diff(want, f.calls); diff != "" {
		t.Error(diff)
	}
	if b.Record.Validated() || b.Record.Kernels[0].ValidatedTogether != 1 {
		t.Errorf("recorded as validated, %d together", b.Record.Kernels[0].ValidatedTogether)
	}
}

// Batches do not change the record of the searches.
func TestRecordsOfBatches(t *testing.T) {
	for _, validation := range []string{"", "-skip-validation"} {
		var want []report.Tree
		for _, capacity := range []int{1, 2, 5, 100} {
			f := &fakeEngine{capacity: capacity}
			b, _ := newTestBench(t, f, slices.DeleteFunc([]string{"-scale=6", "-edgefactor=1", "-roots=20", validation}, func(s string) bool { return s == "" })...)
			if _, err := b.run(t.Context(), b.benchmark); err != nil {
				t.Fatal(err)
			}
			var got []report.Tree
			for i, s := range b.Record.Kernels[0].Searches {
				found := int64(1)
				for _, l := range s.Levels {
					found += l.Found
				}
				if found != s.Tree.Visited || s.TEPS() == 0 {
					t.Errorf("%d together: search %d found %d vertices and %+v", capacity, i, found, s.Tree)
				}
				got = append(got, s.Tree)
			}
			if want == nil {
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d together: %s", capacity, diff)
			}
		}
	}
}

// The time of a search contains neither Keep nor validation. The searches of a batch
// share the time of validation.
func TestWhatIsTimedInBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeEngine{capacity: 3, takes: map[string]time.Duration{
			"clear": 7 * time.Second, "profile": 11 * time.Second, "search": 2 * time.Second,
			"keep": time.Second, "check": 12 * time.Second,
		}}
		b, _ := newTestBench(t, f, "-scale=5", "-roots=5")
		if _, err := b.run(t.Context(), b.benchmark); err != nil {
			t.Fatal(err)
		}
		for i, s := range b.Record.Kernels[0].Searches {
			if want := []float64{5, 5, 5, 7, 7}[i]; s.Seconds != 2 || *s.ValidateSeconds != want {
				t.Errorf("search %d: %g s, validation %g s", i, s.Seconds, *s.ValidateSeconds)
			}
		}
		for _, p := range b.Record.Phases {
			if want, ok := map[string]float64{"searches": 10, "validation": 29}[p.Name]; ok && p.Seconds != want {
				t.Errorf("%s: %g s", p.Name, p.Seconds)
			}
		}
	})
}

// wrongRoots returns a fake engine whose trees have a wrong root in the given searches;
// the warm-up is search -1.
func wrongRoots(capacity int, wrong ...int) *fakeEngine {
	return &fakeEngine{capacity: capacity, bend: func(call int, parents []engine.Label) {
		if slices.Contains(wrong, call-1) {
			for v, p := range parents {
				if p == engine.Label(v) {
					parents[v] = engine.None
				}
			}
		}
	}}
}

func TestWrongTreeOfABatchIsNamed(t *testing.T) {
	for wrong := range 8 {
		var alone string
		for _, capacity := range []int{1, 2, 3, 8} {
			b, _ := newTestBench(t, wrongRoots(capacity, wrong, wrong+1, 7), "-scale=5", "-roots=8")
			text, err := b.run(t.Context(), b.benchmark)
			if text != "" || err == nil {
				t.Fatalf("search %d of %d together: %q, %v", wrong, capacity, text, err)
			}
			if alone == "" {
				alone = err.Error()
			}
			if err.Error() != alone || !strings.HasPrefix(alone, fmt.Sprintf("search %d: the tree of root ", wrong)) {
				t.Errorf("search %d of %d together: %v, not %s", wrong, capacity, err, alone)
			}
		}
	}
}

func TestFailuresInBatches(t *testing.T) {
	broken := errors.New("broken")
	for call, want := range map[string]string{
		"clear": "search 4: broken", "search": "search 4: broken", "profile": "search 4: broken", "keep": "search 4: broken",
		"check": "searches 3 to 5: broken",
	} {
		f := &fakeEngine{capacity: 3}
		f.onSearch = func(n int) {
			if n == 5 || n == 4 && call == "clear" { // the warm-up is 0
				f.fails = map[string]error{call: broken}
			}
		}
		b, _ := newTestBench(t, f, "-scale=5", "-roots=9")
		if text, err := b.run(t.Context(), b.benchmark); text != "" || !errors.Is(err, broken) || err.Error() != want {
			t.Errorf("%s: %q, %v", call, text, err)
		}
	}
}

func TestSignalEndsABatch(t *testing.T) {
	for _, at := range []int{2, 3, 4} { // inside a batch, last in a batch, in the incomplete batch
		ctx, cancel := context.WithCancelCause(t.Context())
		f := &fakeEngine{capacity: 3}
		f.onSearch = func(call int) {
			if call == at {
				cancel(output.Interrupted{Signal: syscall.SIGINT})
			}
		}
		out := t.TempDir()
		b, _ := newTestBench(t, f, "-scale=5", "-roots=4", "-out", out)
		if text, err := b.run(ctx, b.benchmark); text != "" || output.ExitStatus(err) != 130 || len(testinput.Names(t, out)) > 0 {
			t.Errorf("%q, %v, %v", text, err, testinput.Names(t, out))
		}
	}
}

// A parents file is written only after the validation of its search.
func TestWrittenTreesAreValidatedBefore(t *testing.T) {
	dir := t.TempDir()
	b, _ := newTestBench(t, wrongRoots(3, 4), "-scale=5", "-roots=5", "-write-parents", dir)
	if _, err := b.run(t.Context(), b.benchmark); err == nil || !strings.HasPrefix(err.Error(), "search 4: ") {
		t.Errorf("%v", err)
	}
	if files := testinput.Names(t, dir); len(files) != 3 {
		t.Errorf("%q", files)
	}
}

// The reference engine checks each search of a batch.
func TestReferenceLooksAtBatches(t *testing.T) {
	f, other := &fakeEngine{capacity: 3}, new(fakeEngine)
	b, _ := newTestBench(t, f, "-scale=5", "-roots=4")
	b.CheckEngine, b.reference = true, newTestReference(other)
	if _, err := b.run(t.Context(), b.benchmark); err != nil {
		t.Fatal(err)
	}
	if err := b.reference.close(); err != nil {
		t.Error(err)
	}
	if other.searchCalls != 4 || b.Record.Kernels[0].ValidatedTogether != 3 {
		t.Errorf("%d searches of the reference, %d validated together", other.searchCalls, b.Record.Kernels[0].ValidatedTogether)
	}
}

func TestBatchesOfRegeneratedTuplesAreReported(t *testing.T) {
	for capacity, want := range map[int]string{
		1: "in construction and in every validation, because",
		8: "in construction and in the validation of every 8 searches, because",
	} {
		b, told := newTestBench(t, &fakeEngine{regenerates: true, capacity: capacity}, "-scale=5", "-roots=9")
		if _, err := b.run(t.Context(), b.benchmark); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(told.String(), want) {
			t.Errorf("%d together: %s", capacity, told)
		}
	}
}

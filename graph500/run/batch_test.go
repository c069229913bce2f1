package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"graph500/engine"
	"graph500/graph500/testinput"
	"graph500/report"
)

// Both searchers belong to construction. All searches of BFS come before those of SSSP, each kernel with its
// warm-up, which is validated if no searches are validated together, and a validation follows each full
// batch. The searcher created last is closed first.
func TestOrderOfWork(t *testing.T) {
	const warmUp, one, full, validated = "clear search profile ", "clear search profile keep ", "clear search profile keep clear search profile keep clear search profile keep check ", "clear search profile keep check "
	ofSSSP := func(calls string) string {
		return "sssp " + strings.Join(strings.Fields(calls), ", sssp ") + ", "
	}
	for _, c := range []struct {
		args           string
		capacity, room int
		want           string // after generation and construction
	}{
		{"-roots=7", 3, 0, "use-default " + warmUp + full + full + validated + "close-search"},
		{"-roots=6", 3, 0, "use-default " + warmUp + full + full + "close-search"},
		{"-roots=2", 8, 0, "use-default " + warmUp + one + validated + "close-search"},
		{"-roots=1", 8, 0, "use-default " + warmUp + validated + "close-search"},
		{"-roots=2", 1, 0, "use-default " + validated + validated + validated + "close-search"},
		{"-roots=7", 4, 3, "use-default " + warmUp + full + full + validated + "close-search"},
		{"-roots=3 -skip-validation", 2, 0, "use-default " + warmUp + one + one + "count " + one + "count close-search"},
		{"-roots=2 -kernel=sssp", 1, 0, ofSSSP("use-default " + validated + validated + validated + "close-search")},
		{"-roots=2 -kernel=both", 1, 0, "use-default " + ofSSSP("use-default") + validated + validated + validated + ofSSSP(validated+validated+validated+"close-search") + "close-search"},
	} {
		f := &fakeEngine{capacity: c.capacity, room: c.room}
		b, _ := ran(t, f, append(strings.Fields(c.args), "-scale=5")...)
		want := strings.Fields(strings.NewReplacer("sssp ", "sssp-", ",", "").Replace("generate construct " + c.want))
		for i, call := range f.calls {
			f.calls[i] = strings.ReplaceAll(call, " ", "-")
		}
		if diff := cmp.Diff(want, f.calls); diff != "" {
			t.Errorf("%+v: %s", c, diff)
		}
		k := b.Record.Kernels[0]
		together := min(c.capacity, len(k.Searches))
		if !b.Record.Validated() {
			together = 1
		}
		if b.Record.Validated() == strings.Contains(c.args, "skip") || k.ValidatedTogether != together {
			t.Errorf("%+v: validated %v, recorded as %d together", c, b.Record.Validated(), k.ValidatedTogether)
		}
	}
}

// Batches do not change the record of the searches.
func TestRecordsOfBatches(t *testing.T) {
	for _, validation := range []string{"", "-skip-validation"} {
		var want []report.Tree
		for _, capacity := range []int{1, 2, 5, 100} {
			f := &fakeEngine{capacity: capacity}
			b, _ := ran(t, f, slices.DeleteFunc([]string{"-scale=6", "-edgefactor=1", "-roots=20", validation}, func(s string) bool { return s == "" })...)
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
		b, _ := ran(t, f, "-scale=5", "-roots=5")
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

func TestRegeneratedTuplesAreReported(t *testing.T) {
	for want, f := range map[string]*fakeEngine{
		"": {capacity: 8},
		"in construction and in every validation, because":                   {regenerates: true, capacity: 1},
		"in construction and in the validation of every 8 searches, because": {regenerates: true, capacity: 8},
	} {
		b, told := ran(t, f, "-scale=5", "-roots=9")
		if got := strings.Contains(told.String(), "tuples: regenerated"); got != f.regenerates || b.Record.Graph.Regenerated != got || !strings.Contains(told.String(), want) {
			t.Errorf("%d together: %s", f.capacity, told)
		}
	}
}

package main

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
)

func TestOrderOfWorkInBatches(t *testing.T) {
	single := []string{"clear", "search", "profile", "validate"}
	one := []string{"clear", "search", "profile", "keep"}
	begin := append([]string{"generate", "construct"}, single...)
	for _, c := range []struct {
		together, roots int
		want            [][]string
	}{
		{3, 7, [][]string{one, one, one, {"validate kept"}, one, one, one, {"validate kept"}, one, {"validate kept"}}},
		{3, 6, [][]string{one, one, one, {"validate kept"}, one, one, one, {"validate kept"}}},
		{8, 2, [][]string{one, one, {"validate kept"}}},
		{8, 1, [][]string{single}},
		{1, 2, [][]string{single, single}},
		{0, 2, [][]string{single, single}},
	} {
		f := &fakeEngine{together: c.together}
		b, _ := newTestBench(t, f, "-scale=5", fmt.Sprint("-roots=", c.roots))
		if _, err := b.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := append(slices.Clone(begin), slices.Concat(c.want...)...)
		if diff := cmp.Diff(want, f.calls); diff != "" {
			t.Errorf("%d searches by %d: %s", c.roots, c.together, diff)
		}
		if got := max(1, b.record.ValidatedTogether); got != max(1, min(c.together, c.roots)) {
			t.Errorf("%d searches by %d: recorded as %d together", c.roots, c.together, got)
		}
	}
	f := &fakeEngine{together: 2}
	b, _ := newTestBench(t, f, "-scale=5", "-roots=3", "-skip-validation")
	if _, err := b.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := slices.Concat([]string{"generate", "construct", "clear", "search", "profile", "count"}, one, one, []string{"count kept"}, one, []string{"count kept"})
	if diff := cmp.Diff(want, f.calls); diff != "" {
		t.Error(diff)
	}
	if b.record.Validated || b.record.ValidatedTogether != 0 {
		t.Errorf("recorded as validated, %d together", b.record.ValidatedTogether)
	}
}

// What is recorded of the searches is the same in batches.
func TestRecordsOfBatches(t *testing.T) {
	for _, validation := range []string{"", "-skip-validation"} {
		var want []engine.Tree
		for _, together := range []int{0, 2, 5, 100} {
			f := &fakeEngine{together: together}
			b, _ := newTestBench(t, f, slices.DeleteFunc([]string{"-scale=6", "-edgefactor=1", "-roots=20", validation}, func(s string) bool { return s == "" })...)
			if _, err := b.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			var got []engine.Tree
			for i, s := range b.record.Searches {
				found := int64(1)
				for _, l := range s.Levels {
					found += l.Found
				}
				if found != s.Tree.Visited || s.TEPS() == 0 {
					t.Errorf("%d together: search %d found %d vertices and %+v", together, i, found, s.Tree)
				}
				got = append(got, s.Tree)
			}
			if want == nil {
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d together: %s", together, diff)
			}
		}
	}
}

// The clock of a search covers neither the keeping of its tree nor the
// validation, whose time is shared.
func TestWhatIsTimedInBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeEngine{together: 3, takes: map[string]time.Duration{
			"clear": 7 * time.Second, "profile": 11 * time.Second, "search": 2 * time.Second,
			"validate": 100 * time.Second, "keep": time.Second, "validate kept": 12 * time.Second,
		}}
		b, _ := newTestBench(t, f, "-scale=5", "-roots=5")
		if _, err := b.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i, s := range b.record.Searches {
			if want := []float64{5, 5, 5, 7, 7}[i]; s.Seconds != 2 || s.ValidateSeconds != want {
				t.Errorf("search %d: %g s, validation %g s", i, s.Seconds, s.ValidateSeconds)
			}
		}
		for _, p := range b.record.Phases {
			if want, ok := map[string]float64{"searches": 10, "validation": 29}[p.Name]; ok && p.Seconds != want {
				t.Errorf("%s: %g s", p.Name, p.Seconds)
			}
		}
	})
}

// wrongRoots is a fake whose trees have a wrong root after some searches.
type wrongRoots struct {
	fakeEngine
	wrong []int // searches, the warm-up is -1
}

func (e *wrongRoots) Search(ctx context.Context, root engine.Vertex) error {
	err := e.fakeEngine.Search(ctx, root)
	if slices.Contains(e.wrong, e.searchCalls-2) {
		e.parents[root] = engine.None
	}
	return err
}

func TestWrongTreeOfABatchIsNamed(t *testing.T) {
	for wrong := range 8 {
		var alone string
		for _, together := range []int{1, 2, 3, 8} {
			e := &wrongRoots{fakeEngine{together: together}, []int{wrong, wrong + 1, 7}}
			b, _ := newTestBench(t, &e.fakeEngine, "-scale=5", "-roots=8")
			b.engine = e
			text, err := b.run(t.Context())
			if text != "" || err == nil {
				t.Fatalf("search %d of %d together: %q, %v", wrong, together, text, err)
			}
			if alone == "" {
				alone = err.Error()
			}
			if err.Error() != alone || !strings.HasPrefix(alone, fmt.Sprintf("search %d: the tree of root ", wrong)) {
				t.Errorf("search %d of %d together: %v, not %s", wrong, together, err, alone)
			}
		}
	}
}

func TestFailuresInBatches(t *testing.T) {
	broken := errors.New("broken")
	for call, want := range map[string]string{
		"clear": "search 4: broken", "search": "search 4: broken", "profile": "search 4: broken", "keep": "search 4: broken",
		"validate kept": "searches 3 to 5: broken",
	} {
		f := &fakeEngine{together: 3}
		f.onSearch = func(n int) {
			if n == 5 || n == 4 && call == "clear" { // the warm-up is 0
				f.fails = map[string]error{call: broken}
			}
		}
		b, _ := newTestBench(t, f, "-scale=5", "-roots=9")
		if text, err := b.run(t.Context()); text != "" || !errors.Is(err, broken) || err.Error() != want {
			t.Errorf("%s: %q, %v", call, text, err)
		}
	}
}

func TestSignalEndsABatch(t *testing.T) {
	for _, at := range []int{2, 3, 4} { // in a batch, at its last search, and in the incomplete one
		ctx, cancel := context.WithCancelCause(t.Context())
		f := &fakeEngine{together: 3}
		f.onSearch = func(call int) {
			if call == at {
				cancel(interrupted{syscall.SIGINT})
			}
		}
		out := t.TempDir()
		b, _ := newTestBench(t, f, "-scale=5", "-roots=4", "-out", out)
		if text, err := b.run(ctx); text != "" || exitStatus(err) != 130 || len(names(t, out)) > 0 {
			t.Errorf("%q, %v, %v", text, err, names(t, out))
		}
	}
}

// A tree's file is written once it is validated, so each is by itself.
func TestWrittenTreesAreValidatedBefore(t *testing.T) {
	dir := t.TempDir()
	e := &wrongRoots{fakeEngine{together: 3}, []int{3}}
	b, _ := newTestBench(t, &e.fakeEngine, "-scale=5", "-roots=5", "-write-parents", dir)
	b.engine = e
	if _, err := b.run(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "search 3: ") {
		t.Errorf("%v", err)
	}
	if files := names(t, dir); len(files) != 3 {
		t.Errorf("%q", files)
	}
}

// With another engine to look at each search, each is validated by itself.
func TestReferenceEndsBatches(t *testing.T) {
	f := &fakeEngine{together: 3}
	b, _ := newTestBench(t, f, "-scale=5", "-roots=4")
	b.reference = &reference{engine: new(fakeEngine)}
	if _, err := b.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.reference.close(); err != nil {
		t.Error(err)
	}
	if slices.Contains(f.calls, "keep") || b.record.ValidatedTogether != 1 {
		t.Errorf("%v", f.calls)
	}
}

func TestBatchesOfRegeneratedTuplesAreTold(t *testing.T) {
	for together, want := range map[int]string{
		1: "in construction and in every validation, because",
		8: "in construction and in the validation of every 8 searches, because",
	} {
		b, told := newTestBench(t, &fakeEngine{regenerates: true, together: together}, "-scale=5", "-roots=9")
		if _, err := b.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(told.String(), want) {
			t.Errorf("%d together: %s", together, told)
		}
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"graph500/engine"
)

// parseStrategies parses the arguments of a comparison.
func parseStrategies(args []string) (*comparison, error) {
	o, own := &options{catalogue: testCatalogue()}, new(strategiesFlags)
	flags := strategiesParser(o, own)
	names, err := flags.parse(args)
	if err == nil {
		err = checkStrategies(o, flags, names)
	}
	return &comparison{o, names, float64(own.Limit)}, err
}

// newTestComparison returns a comparison on a fake engine with the strategies of the CPU
// engine.
func newTestComparison(t *testing.T, f *fakeEngine, args ...string) (*comparison, *bench) {
	t.Helper()
	c, err := parseStrategies(args)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(testProcess(append([]string{"strategies"}, args...)...), c.options, f, &console{w: new(bytes.Buffer)})
	if err := c.choose(b); err != nil {
		t.Fatal(err)
	}
	return c, b
}

// run runs the comparison.
func run(t *testing.T, c *comparison, b *bench) (string, error) {
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

func (f fullFake) Plan(job engine.Job) []engine.Allocation {
	if job.Strategies[0].Name == "push" {
		return []engine.Allocation{{Name: "too much", Bytes: 1 << 62}}
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

func TestComparisonFlags(t *testing.T) {
	for _, args := range []struct{ args, want string }{
		{"-strategy=push", "flag -strategy does not go with strategies: name the strategies without a flag, or none for all"},
		{"-skip-validation", "flag -skip-validation does not go with strategies: every search is validated"},
		{"-write-parents=x", "flag -write-parents does not go"},
		{"-memory", "flag -memory does not go"},
		{"-residency=prefix -engine=gpu", "flag -residency=prefix: other strategies than default need all neighbours in the memory of the GPU, name this one only"},
		{"-gpus=2", "flag -gpus does not go with strategies: the strategies run on one GPU"},
		{"-kernel=both", `flag -kernel: there is no "both"; all are bfs, sssp`},
		{"-kernel=tree", `flag -kernel: there is no "tree"`},
		{"-check-distances=x", "flag -check-distances does not go"},
		{"-limit=0", "flag -limit: 0 is not in 0.001..604800"},
		{"-limit=NaN", "flag -limit: NaN is not in 0.001..604800"},
		{"-limit=x", `flag -limit: "x" is not`},
		{"-format=official", `flag -format: there is no "official"; all are table`},
		{"-version -scale=99", "flag -scale: 99 is not in 1..31"},
		{"-scale=99", "flag -scale: 99 is not in 1..31"},
		{"-lmit=3", "unknown flag -lmit, the nearest is -limit"},
	} {
		_, err := parseStrategies(strings.Fields(args.args))
		if err == nil || !strings.HasPrefix(err.Error(), args.want) || exitStatus(err) != 2 {
			t.Errorf("%s: %v", args.args, err)
		}
	}
}

func TestStrategiesProgram(t *testing.T) {
	dir := t.TempDir()
	r := succeed(t, dir, "strategies", "-scale=8", "-engine=cpu", "-roots=3", "-out=o", "-format=json", "default", "frontier")
	var document struct {
		Strategies []struct {
			Name      string
			Validated int
			Ratio     float64
		}
	}
	if err := json.Unmarshal([]byte(r.stdout), &document); err != nil {
		t.Fatal(err)
	}
	if len(document.Strategies) != 2 || document.Strategies[0].Name != "frontier" || document.Strategies[1].Ratio != 1 || document.Strategies[0].Validated != 3 {
		t.Errorf("%+v", document)
	}
	for _, name := range []string{"strategies.txt", "strategies.json", "strategies.csv", "strategies.svg"} {
		if info, err := os.Stat(filepath.Join(dir, "o", name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r := succeed(t, dir, "strategies", "-version"); r != succeed(t, dir, "-version") {
		t.Error(r)
	}
	refused(t, finish(t, prepare(dir, nil, "strategies", "-scale=8", "-engine=cpu", "frontir")), 2, `the cpu engine has no strategy "frontir" for bfs, the nearest is frontier`)
}

// Examined is the sum over all levels of a search, including levels that are not
// recorded.
func TestStrategiesExaminedOfADeepSearch(t *testing.T) {
	const vertices = engine.MaxLevels + 500
	var path strings.Builder
	for v := range vertices - 1 {
		fmt.Fprintf(&path, "%d %d\n", v, v+1)
	}
	dir := t.TempDir()
	write(t, dir, "path.txt", path.String())
	succeed(t, dir, "strategies", "-graph=path.txt", "-engine=cpu", "-root=0", "-out=o", "frontier")
	const arcs = 2 * (vertices - 1) // each examined once
	var document struct {
		Strategies []struct {
			Levels, Examined float64
			Searches         []struct {
				LevelCount int64 `json:"level_count"`
				Examined   int64
				Levels     []any
			}
		}
	}
	if err := json.Unmarshal([]byte(read(t, dir, "o/strategies.json")), &document); err != nil {
		t.Fatal(err)
	}
	s := document.Strategies[0]
	if s.Examined != arcs || s.Levels != vertices || s.Searches[0].Examined != arcs || s.Searches[0].LevelCount != vertices || len(s.Searches[0].Levels) != engine.MaxLevels {
		t.Errorf("%g of %d entries examined in %g of %d levels, %d of them kept", s.Examined, arcs, s.Levels, vertices, len(s.Searches[0].Levels))
	}
	rows, err := csv.NewReader(strings.NewReader(read(t, dir, "o/strategies.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if column := slices.Index(rows[0], "examined"); rows[1][column] != fmt.Sprint(arcs) {
		t.Errorf("strategies.csv has %s", rows[1][column])
	}
	if text := read(t, dir, "o/strategies.txt"); !strings.Contains(text, fmt.Sprintf(" %d ", arcs)) {
		t.Error(text)
	}
}

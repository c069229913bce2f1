package report

import (
	"bytes"
	"encoding/csv"
	"io"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"graph500/energy"
	"graph500/engine"
)

// documented returns the names in the tables of docs/results.md by section. Each must
// have a meaning.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string][]string)
	section := ""
	name := regexp.MustCompile("`([^`]+)`")
	for line := range strings.Lines(string(text)) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			section = strings.TrimSpace(heading)
		}
		if section == "" || !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(line, "|")
		if len(cells) != 5 || strings.TrimSpace(cells[3]) == "" {
			t.Errorf("not name, unit and meaning: %s", line)
		}
		for _, match := range name.FindAllStringSubmatch(cells[1], -1) {
			names[section] = append(names[section], match[1])
		}
	}
	return names
}

func fullComparison() *Comparison {
	c := exampleComparison()
	c.Setup = fullSetup()
	c.Kernel = engine.SSSP
	c.Strategies[2].Delta = 0.1
	c.Strategies[2].Searches = slices.Concat(fullRun().Kernels[0].Searches, fullRun().Kernels[1].Searches)
	c.Strategies[2].Counts.SharedAtomics = 5
	c.Strategies[2].Counts.HostBytes, c.Strategies[2].Counts.HostRequests = 96, 2
	return c
}

// The examples of these tests have a value in every field of every type, so that the
// other tests cover new fields.
func TestExamplesAreFull(t *testing.T) {
	seen := make(map[string]bool) // by field: whether it has a value
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			if !strings.HasPrefix(v.Type().PkgPath(), "graph500/") {
				return
			}
			for i := range v.NumField() {
				field := v.Type().String() + "." + v.Type().Field(i).Name
				seen[field] = seen[field] || !v.Field(i).IsZero()
				walk(v.Field(i))
			}
		}
	}
	walk(reflect.ValueOf(fullRun()))
	walk(reflect.ValueOf(fullComparison()))
	for field, has := range seen {
		if !has {
			t.Errorf("%s has no value", field)
		}
	}
	if len(seen) < 60 {
		t.Errorf("only %d fields", len(seen))
	}
}

// docs/results.md contains every field of every file, and no others.
func TestResultsAreDocumented(t *testing.T) {
	names := documented(t)
	searchesIn := func(list string) (all []string) {
		for _, name := range names["Searches"] {
			all = append(all, list+"[]."+name)
		}
		return all
	}
	everyPart := fullRun()
	everyPart.Kernels[0].Energy = append(everyPart.Kernels[0].Energy, Energy{Amount: energy.Amount{Part: energy.System}})
	for file, c := range map[string]struct{ got, want []string }{
		"result.json":     {jsonNames(t, written(t, fullRun())), slices.Concat(names["Both JSON files"], names["result.json"], searchesIn("kernels"))},
		"strategies.json": {jsonNames(t, comparisonText(t, fullComparison())), slices.Concat(names["Both JSON files"], names["strategies.json"], searchesIn("strategies"))},
		"result.csv":      {header(t, func(w io.Writer) error { return CSV(w, fullRun()) }), names["result.csv"]},
		"strategies.csv":  {header(t, func(w io.Writer) error { return ComparisonCSV(w, fullComparison()) }), names["strategies.csv"]},
		"result.bench":    {benchNames(t, everyPart), names["result.bench"]},
	} {
		slices.Sort(c.got)
		slices.Sort(c.want)
		if d := cmp.Diff(c.want, c.got); d != "" {
			t.Errorf("docs/results.md and %s: -documented +written\n%s", file, d)
		}
	}
}

// jsonNames lists the paths of values that are not objects.
func jsonNames(t *testing.T, text string) []string {
	t.Helper()
	found := paths(t, text)
	return slices.DeleteFunc(slices.Collect(maps.Keys(found)), func(path string) bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(found)), func(other string) bool { return strings.HasPrefix(other, path+".") })
	})
}

func header(t *testing.T, write func(io.Writer) error) []string {
	t.Helper()
	var text bytes.Buffer
	if err := write(&text); err != nil {
		t.Fatal(err)
	}
	names, err := csv.NewReader(&text).Read()
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// benchNames lists comments, configuration keys, parts of the name and units.
func benchNames(t *testing.T, r *Run) (names []string) {
	t.Helper()
	results, text := benchmarks(t, r)
	for _, match := range regexp.MustCompile(`(?m)^(# [a-z-]+):`).FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	for _, c := range results[0].Config {
		names = append(names, c.Key)
	}
	last := results[len(results)-1]
	for _, match := range regexp.MustCompile(`(/[a-z]+)=`).FindAllStringSubmatch(string(last.Name), -1) {
		names = append(names, match[1])
	}
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) > 3 && strings.HasPrefix(line, "Benchmark") {
			for i := 3; i < len(fields); i += 2 { // after the name, the count and each value
				names = append(names, fields[i])
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"graph500/engine"
)

func exampleComparison() *Comparison {
	searches := func(seconds ...float64) (list []Search) {
		for _, s := range seconds {
			list = append(list, Search{
				Root: 3, Seconds: s, Tree: engine.Tree{Edges: 1e6, Visited: 500}, LevelCount: 2, Examined: 40,
				Levels: []engine.Level{{Frontier: 1, Found: 9, Examined: 10}, {Frontier: 9, Examined: 30}},
			})
		}
		return list
	}
	return &Comparison{
		Run: Run{
			Source: "kronecker", Scale: 10, EdgeFactor: 16, Engine: "cpu", Hardware: "a machine",
			Graph: engine.Graph{Vertices: 1024, Connected: 900, Tuples: 16384},
		},
		Roots:    []engine.Vertex{3, 4},
		Baseline: "default",
		Strategies: []StrategyResult{
			{Name: "edge", Searches: searches(0.004), Failure: "took too long", Memory: 1 << 20},
			{Name: "push", Searches: searches(0.004, 0.004), Memory: 2 << 20},
			{Name: "default", Doc: "the fastest", Searches: searches(0.001, 0.001), Memory: 3 << 20,
				Counts: &engine.Counts{Examined: 30, Atomics: 12345, SharedAtomics: 0, Launches: 1}},
		},
	}
}

func TestComparisonTable(t *testing.T) {
	want := `kronecker: scale 10, edgefactor 16, 900 vertices with an edge, 16384 edges, searches of each strategy: 2; cpu engine, a machine
  strategy  validated  GTEPS  median ms  levels  edges examined    atomics  shared atomics  launches   memory  ratio to default
  edge         1 of 2      -          -       -               -          -               -         -  1.0 MiB                 -
  push         2 of 2   0.25      4.000     2.0              40          -               -         -  2.0 MiB              0.25
  default      2 of 2      1      1.000     2.0              30  1.234e+04               0         1  3.0 MiB                 1
edge: took too long
`
	var got bytes.Buffer
	if err := ComparisonTable(&got, exampleComparison()); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got.String()); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestComparisonCSV(t *testing.T) {
	want := `strategy,source,scale,edgefactor,engine,hardware,searches,validated,GTEPS,median_time,levels,examined,atomics,shared_atomics,launches,memory_bytes,ratio,failure
edge,kronecker,10,16,cpu,a machine,2,1,,,,,,,,1048576,,took too long
push,kronecker,10,16,cpu,a machine,2,2,0.24999999999999997,0.004,2,40,,,,2097152,0.25,
default,kronecker,10,16,cpu,a machine,2,2,0.9999999999999999,0.001,2,30,12345,0,1,3145728,1,
`
	var got bytes.Buffer
	if err := ComparisonCSV(&got, exampleComparison()); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got.String()); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestComparisonJSON(t *testing.T) {
	var got bytes.Buffer
	if err := ComparisonJSON(&got, exampleComparison()); err != nil {
		t.Fatal(err)
	}
	var d ComparisonDocument
	if err := json.Unmarshal(got.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Strategies) != 3 || d.Strategies[0].Failure == "" || d.Strategies[0].TEPS != 0 || d.Strategies[1].Ratio != 0.25 ||
		d.Strategies[1].Counts != nil || *d.Strategies[2].Counts != (CountsRecord{Root: 3, Examined: 30, Atomics: 12345, Launches: 1}) ||
		len(d.Strategies[2].Searches) != 2 || d.Baseline != "default" || len(d.Roots) != 2 {
		t.Errorf("%+v", d)
	}
}

// The chart is well-formed, with the ladder in order and without what has no
// result, also where there is one rung or none.
func TestComparisonChart(t *testing.T) {
	c := exampleComparison()
	c.Strategies[1], c.Strategies[2] = c.Strategies[2], c.Strategies[1]
	picture := chart(t, c)
	push, fastest := strings.Index(picture, ">push<"), strings.Index(picture, ">default<")
	if push < 0 || fastest < push || strings.Contains(picture, ">edge<") || !strings.Contains(picture, "GTEPS over those of default") {
		t.Error(picture)
	}
	c.Baseline = "another"
	if picture := chart(t, c); !strings.Contains(picture, "GTEPS, harmonic mean") {
		t.Error(picture)
	}
	c.Strategies = c.Strategies[1:2]
	chart(t, c)
	c.Strategies[0].Searches[0].Tree.Edges = 0 // a rate of zero has no logarithm
	chart(t, c)
	c.Strategies = nil
	chart(t, c)
}

func chart(t *testing.T, c *Comparison) string {
	t.Helper()
	var got bytes.Buffer
	if err := ComparisonChart(&got, c); err != nil {
		t.Fatal(err)
	}
	return wellFormed(t, got.String())
}

// Results of several scales and engines come back from JSON and into one
// picture; what is no result is refused.
func TestScaleChart(t *testing.T) {
	var runs []*Document
	var whole string // the JSON of a run
	for _, r := range []Run{
		{Scale: 22, Engine: "gpu", Hardware: "a card", Strategy: "default"},
		{Scale: 20, Engine: "gpu", Hardware: "a card", Strategy: "default"},
		{Scale: 20, Engine: "cpu", Hardware: "cores", Strategy: "push"},
	} {
		r.Searches = []Search{{Seconds: 0.001, Tree: engine.Tree{Edges: 1 << 20}}}
		var text bytes.Buffer
		if err := JSON(&text, &r); err != nil {
			t.Fatal(err)
		}
		whole = text.String()
		d, err := ReadDocument(&text)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, d)
	}
	var got bytes.Buffer
	if err := ScaleChart(&got, runs); err != nil {
		t.Fatal(err)
	}
	picture := wellFormed(t, got.String())
	for _, want := range []string{">a card<", ">cores, push<", ">20<", ">22<"} {
		if !strings.Contains(picture, want) {
			t.Errorf("%s is missing in\n%s", want, picture)
		}
	}
	for _, text := range []string{"", "{}", "[1]", whole + "x", whole + whole, `{"schema_version":1}`, `{"schema_version":1,"bfs":{"teps":{"harmonic_mean":0}}}`} {
		if d, err := ReadDocument(strings.NewReader(text)); err == nil {
			t.Errorf("%q: %+v", text, d)
		}
	}
}

func wellFormed(t *testing.T, picture string) string {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(picture)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return picture
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

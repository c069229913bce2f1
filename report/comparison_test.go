package report

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"graph500/engine"
)

// profileOf returns the profile of a search with these levels.
func profileOf(levels ...engine.Level) Profile {
	var p engine.Profile
	for _, l := range levels {
		p.Add(l)
	}
	return ProfileOf(p)
}

func exampleComparison() *Comparison {
	searches := func(seconds ...float64) (list []Search) {
		for _, s := range seconds {
			search := Search{Root: 3, Seconds: s, Tree: Tree{Edges: 1e6, Visited: 500, Depth: 2}, ValidateSeconds: pointer(0.5)}
			search.Profile = profileOf(engine.Level{Frontier: 1, Found: 9, Examined: 10}, engine.Level{Frontier: 9, Examined: 30})
			list = append(list, search)
		}
		return list
	}
	return &Comparison{
		Setup: Setup{
			Machine: Machine{Processor: "a processor"},
			Engine:  Engine{Name: "cpu", Hardware: "a machine", Threads: 2},
			Input:   Input{Source: Kronecker, Scale: 10, EdgeFactor: 16},
			Graph:   Graph{Vertices: 1024, Connected: 900, Tuples: 16384},
		},
		Kernel:   engine.BFS,
		Roots:    []engine.Vertex{3, 4},
		Baseline: "default",
		Strategies: []StrategyResult{
			{Name: "edge", Searches: searches(0.004), Failure: "took too long", Memory: 1 << 20},
			{Name: "push", Searches: searches(0.004, 0.004), Memory: 2 << 20},
			{Name: "default", Doc: "the fastest", Searches: searches(0.001, 0.001), Memory: 3 << 20,
				Counts: &Counts{Examined: 30, Atomics: 12345, SharedAtomics: 0, Launches: 1}},
		},
	}
}

func TestComparisonTable(t *testing.T) {
	want := `kronecker: scale 10, edgefactor 16, 900 vertices with an edge, 16384 edges, BFS searches of each strategy: 2; cpu engine, a machine
  strategy  validated  GTEPS  median ms  levels  edges examined    atomics  shared atomics  launches   memory  ratio to default
  edge         1 of 2      -          -       -               -          -               -         -  1.0 MiB                 -
  push         2 of 2   0.25      4.000     2.0              40          -               -         -  2.0 MiB              0.25
  default      2 of 2      1      1.000     2.0              30  1.234e+04               0         1  3.0 MiB                 1
edge: took too long
`
	wantText(t, want, func(w io.Writer) error { return ComparisonTable(w, exampleComparison()) })
}

// What went over the bus has columns if a strategy has neighbours in host memory.
func TestComparisonTableOfHostMemory(t *testing.T) {
	want := `kronecker: scale 10, edgefactor 16, 900 vertices with an edge, 16384 edges, BFS searches of each strategy: 2; cpu engine, a machine
  strategy  validated  GTEPS  median ms  levels  edges examined    atomics  shared atomics  launches  host MB  host requests   memory  ratio to default
  edge         1 of 2      -          -       -               -          -               -         -        -              -  1.0 MiB                 -
  push         2 of 2   0.25      4.000     2.0              40          -               -         -        -              -  2.0 MiB              0.25
  default      2 of 2      1      1.000     2.0              30  1.234e+04               0         1     2.56           1234  3.0 MiB                 1
edge: took too long
`
	c := exampleComparison()
	c.Strategies[2].Counts.HostBytes, c.Strategies[2].Counts.HostRequests = 2560000, 1234
	wantText(t, want, func(w io.Writer) error { return ComparisonTable(w, c) })
}

func TestComparisonCSV(t *testing.T) {
	want := `kernel,strategy,delta,source,scale,edgefactor,engine,hardware,searches,validated,GTEPS,median_time,levels,examined,atomics,shared_atomics,launches,host_bytes,host_requests,memory_bytes,ratio,failure
bfs,edge,,kronecker,10,16,cpu,a machine,2,1,,,,,,,,,,1048576,,took too long
bfs,push,,kronecker,10,16,cpu,a machine,2,2,0.24999999999999997,0.004,2,40,,,,,,2097152,0.25,
bfs,default,,kronecker,10,16,cpu,a machine,2,2,0.9999999999999999,0.001,2,30,12345,0,1,,,3145728,1,
`
	wantText(t, want, func(w io.Writer) error { return ComparisonCSV(w, exampleComparison()) })
}

func comparisonText(t *testing.T, c *Comparison) string {
	t.Helper()
	var text bytes.Buffer
	if err := ComparisonJSON(&text, c); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// Reading JSON restores the fields of the types; the other values are computed from them.
func TestComparisonJSON(t *testing.T) {
	c := exampleComparison()
	text := comparisonText(t, c)
	var back Comparison
	if err := json.Unmarshal([]byte(text), &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(c, &back, empty); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	var d struct {
		SchemaVersion int `json:"schema_version"`
		Strategies    []struct {
			Validated int
			TEPS      *float64 `json:"harmonic_mean_teps"`
			Ratio     *float64
			Levels    *float64
			Examined  *float64
		}
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	edge, push, fastest := d.Strategies[0], d.Strategies[1], d.Strategies[2]
	if edge.Validated != 1 || edge.TEPS != nil || edge.Ratio != nil || edge.Levels != nil || edge.Examined != nil {
		t.Errorf("%+v", edge)
	}
	if push.Validated != 2 || !near(*push.TEPS, 0.25e9, 0) || !near(*push.Ratio, 0.25, 0) || *push.Levels != 2 || *push.Examined != 40 {
		t.Errorf("%+v", push)
	}
	if *fastest.Ratio != 1 || *fastest.Examined != 30 || d.SchemaVersion != SchemaVersion {
		t.Errorf("%+v", fastest)
	}
	c.Strategies[1].Searches = nil
	c.Roots = nil
	want := []string{
		"device", "strategies[].counts", "strategies[].delta", "strategies[].examined", "strategies[].harmonic_mean_teps", "strategies[].levels",
		"strategies[].ratio", "strategies[].searches[].device_seconds", "strategies[].searches[].max_distance",
	}
	if got := nulls(t, comparisonText(t, c)); !slices.Equal(got, want) {
		t.Errorf("null are %q", got)
	}
}

// The figures contain all levels, including those that are not recorded.
func TestExaminedBeyondTheLevelsKept(t *testing.T) {
	c := exampleComparison()
	deep := &c.Strategies[1].Searches[0]
	levels := append([]engine.Level{{Frontier: 1, Found: 9, Examined: 10}, {Frontier: 9, Examined: 30}}, slices.Repeat([]engine.Level{{Examined: 2}}, 3*engine.MaxLevels)...)
	deep.Profile = profileOf(levels...)
	f := c.figures(&c.Strategies[1])
	if want := (40 + 40 + 2*3*engine.MaxLevels) / 2.; len(deep.Levels) != engine.MaxLevels || f.examined != want || f.levels != 2+1.5*engine.MaxLevels {
		t.Errorf("%d levels kept, %g examined and not %g, %g levels", len(deep.Levels), f.examined, want, f.levels)
	}
}

package report

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"graph500/engine"
)

// fullRun is a run with a different value in every field.
func fullRun() *Run {
	return &Run{
		Version: "v1.2.3", Commit: "0123abcd", GoVersion: "go1.26.0",
		Host: "node7", Processor: "Some  CPU, 2.0 GHz", Cores: 48, MemoryBytes: 1 << 37, OS: "linux/amd64 6.1.0",
		Started:  time.Date(2026, 11, 21, 4, 5, 6, 789, time.FixedZone("", 3600)),
		Command:  []string{"graph500", "-scale=4", "-graph", "a <b> & \"c\""},
		Engine:   "cpu",
		Hardware: "2 sockets",
		Strategy: "direction", LabelBits: 32,
		Threads: 47,
		Device: &engine.Device{Name: "Some GPU", Driver: "13.0", Architecture: "9.0", BusID: "0000:9b:00.0", Memory: 1 << 37,
			Multiprocessors: 132, ClockMHz: 1980, MemoryClockMHz: 3201},
		CopyBandwidth: 4e9,
		Environment:   map[string]string{"SLURM_JOB_ID": "17", "LOADEDMODULES": "gcc/12"},
		Source:        "kronecker", Scale: 4, EdgeFactor: 3, Seed1: 1<<64 - 1, Seed2: 5,
		Graph:      engine.Graph{Vertices: 16, Connected: 12, Tuples: 48, SelfLoops: 6, Duplicates: 9, Arcs: 66, MaxDegree: 11, Regenerated: true},
		Generation: 0.125, Construction: 0.25,
		Phases: []Phase{{"generation", 0.125, 48}, {"searches", 3.5, 0}},
		Searches: []Search{
			{
				Root: 3, Seconds: 0.5, DeviceSeconds: 0.375, ValidateSeconds: 1.5,
				Tree: engine.Tree{Visited: 12, Edges: 40, SelfLoops: 5, Depth: 2},
				Levels: []engine.Level{
					{Direction: engine.TopDown, Frontier: 1, Found: 7, Examined: 8, Bytes: 1000, Time: 1500 * time.Microsecond},
					{Direction: engine.BottomUp, Frontier: 7, Found: 4, Examined: 13, Bytes: 6e9, Time: 2 * time.Second},
				},
				LevelCount: 2,
			},
			{
				Root: 4294967294, Seconds: 0.25, ValidateSeconds: 0.75,
				Tree: engine.Tree{Visited: 13, Edges: 10, SelfLoops: 1, Depth: 1},
			},
		},
		Validated: true, ValidatedTogether: 7, PeakBytes: 123456789,
		Warnings:      []string{"only 2 usable vertices"},
		NotConforming: []string{"edgefactor is 3, not 16"},
	}
}

func pointer[T any](v T) *T { return &v }

func decodeDocument(t *testing.T, r *Run) Document {
	t.Helper()
	var out bytes.Buffer
	if err := JSON(&out, r); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(&out)
	d.DisallowUnknownFields()
	var got Document
	if err := d.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if d.More() {
		t.Error("more than one object")
	}
	return got
}

func TestJSONRoundTrip(t *testing.T) {
	want := Document{
		SchemaVersion: 1,
		NotConforming: []string{"edgefactor is 3, not 16"},
		LabelBits:     32,
		Started:       time.Date(2026, 11, 21, 3, 5, 6, 789, time.UTC),
		Command:       []string{"graph500", "-scale=4", "-graph", "a <b> & \"c\""},
		Environment:   map[string]string{"SLURM_JOB_ID": "17", "LOADEDMODULES": "gcc/12"},
		Warnings:      []string{"only 2 usable vertices"},
		Program:       ProgramRecord{Version: "v1.2.3", Commit: "0123abcd", GoVersion: "go1.26.0"},
		Machine:       MachineRecord{Host: "node7", Processor: "Some  CPU, 2.0 GHz", Cores: 48, Memory: 137438953472, OS: "linux/amd64 6.1.0"},
		Engine:        EngineRecord{Name: "cpu", Hardware: "2 sockets", Strategy: "direction", Threads: 47},
		Device: &DeviceRecord{Name: "Some GPU", Driver: "13.0", Architecture: "9.0", BusID: "0000:9b:00.0", Memory: 137438953472,
			Multiprocessors: 132, ClockMHz: 1980, MemoryClockMHz: 3201, CopyBandwidth: 4e9},
		Input: InputRecord{Source: "kronecker", Scale: 4, EdgeFactor: 3, Seed1: 18446744073709551615, Seed2: 5},
		Graph: GraphRecord{Vertices: 16, Tuples: 48, Isolated: 4, IsolatedShare: 0.25, SelfLoops: 6,
			Duplicates: 9, Arcs: 66, MaxDegree: 11, TuplesRegenerated: true},
		GraphGeneration:  0.125,
		ConstructionTime: 0.25,
		Phases:           []PhaseRecord{{Name: "generation", Seconds: 0.125, Tuples: 48}, {Name: "searches", Seconds: 3.5}},
		NBFS:             2,
		Validated:        true,

		ValidatedTogether: 7,

		PeakMemory: 123456789,
		BFS: KernelRecord{
			Time:     Statistics{Min: 0.25, FirstQuartile: 0.25, Median: 0.375, ThirdQuartile: 0.5, Max: 0.5, Mean: 0.375, Deviation: 0.17677669529663687},
			Nedge:    Statistics{Min: 10, FirstQuartile: 10, Median: 25, ThirdQuartile: 40, Max: 40, Mean: 25, Deviation: 21.213203435596427},
			Validate: &Statistics{Min: 0.75, FirstQuartile: 0.75, Median: 1.125, ThirdQuartile: 1.5, Max: 1.5, Mean: 1.125, Deviation: 0.5303300858899106},
			// 1/80 and 1/40 seconds an edge: mean 3/160, deviation sqrt(2)/160.
			TEPS: Rates{Min: 40, FirstQuartile: 40, Median: 160. / 3, ThirdQuartile: 80, Max: 80, HarmonicMean: 160. / 3, HarmonicDeviation: 25.141574442188397},
		},
		Searches: []SearchRecord{
			{
				Root: 3, Seconds: 0.5, DeviceSeconds: pointer(0.375), Nedge: 40, TEPS: 80, Visited: 12, SelfLoops: 5,
				Depth: pointer(int64(2)), ValidateSeconds: pointer(1.5), LevelCount: 2,
				Levels: []LevelRecord{
					{Direction: "top-down", Frontier: 1, Found: 7, Examined: 8, Bytes: 1000, Seconds: 0.0015},
					{Direction: "bottom-up", Frontier: 7, Found: 4, Examined: 13, Bytes: 6e9, Seconds: 2},
				},
			},
			{
				Root: 4294967294, Seconds: 0.25, Nedge: 10, TEPS: 40, Visited: 13, SelfLoops: 1,
				Depth: pointer(int64(1)), ValidateSeconds: pointer(0.75), Levels: []LevelRecord{},
			},
		},
	}
	rounding := cmp.Comparer(func(a, b float64) bool { return near(a, b, 0) })
	if d := cmp.Diff(want, decodeDocument(t, fullRun()), rounding); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestJSONWithoutValidation(t *testing.T) {
	r := fullRun()
	r.Validated = false
	d := decodeDocument(t, r)
	if d.Validated || d.BFS.Validate != nil {
		t.Errorf("validated %v, statistics %v", d.Validated, d.BFS.Validate)
	}
	for _, s := range d.Searches {
		if s.Depth != nil || s.ValidateSeconds != nil {
			t.Errorf("depth %v, seconds %v", s.Depth, s.ValidateSeconds)
		}
	}
}

func TestJSONOfABareRun(t *testing.T) {
	r := &Run{Searches: []Search{{}}}
	d := decodeDocument(t, r)
	if !d.Conforming {
		t.Error("not conforming without a reason")
	}
	var out bytes.Buffer
	if err := JSON(&out, r); err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(out.String()) {
		if strings.Contains(l, "null") && !strings.Contains(l, `"depth"`) && !strings.Contains(l, `"validate`) && !strings.Contains(l, `"device`) {
			t.Errorf("absent list or map: %s", l)
		}
	}
}

// Names of fields are a promise to readers of result.json.
func TestJSONNames(t *testing.T) {
	text, err := os.ReadFile("testdata/result.keys")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(string(text))
	var out bytes.Buffer
	if err := JSON(&out, fullRun()); err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(out.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	paths := map[string]bool{}
	walk(v, "", paths)
	got := slices.Sorted(maps.Keys(paths))
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	snake := regexp.MustCompile(`^[a-z0-9_.\[\]]+$`)
	for _, p := range got {
		if !snake.MatchString(p) {
			t.Errorf("%s is not in snake_case", p)
		}
	}
}

// walk collects the paths of an object; the environment's keys are the user's.
func walk(v any, path string, paths map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		if path == "environment" {
			paths[path] = true
			return
		}
		for k, e := range v {
			walk(e, strings.TrimPrefix(path+"."+k, "."), paths)
		}
	case []any:
		for _, e := range v {
			walk(e, path+"[]", paths)
		}
	default:
		paths[path] = true
	}
}

// Numbers are written so that they read back as the same ones.
func TestJSONPrecision(t *testing.T) {
	r := &Run{Searches: []Search{{Seconds: 0.1 + 0.2, Tree: engine.Tree{Edges: 1<<53 - 1}}}, Validated: true}
	d := decodeDocument(t, r)
	if got := d.Searches[0]; got.Seconds != 0.1+0.2 || got.Nedge != 1<<53-1 {
		t.Errorf("%+v", got)
	}
}

package report

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"graph500/energy"
	"graph500/engine"
)

// fullRun is a run of both kernels with a value in every field.
func fullRun() *Run {
	return &Run{
		Setup: fullSetup(),
		Kernels: []KernelRun{
			{
				Kernel: engine.BFS, Strategy: "direction", ValidatedTogether: 7,
				Repetition: &Repetition{Begin: fullStart.Add(time.Minute), End: fullStart.Add(70 * time.Second), Seconds: 10, Searches: 40, Edges: 1000e6},
				Energy: []Energy{
					{Amount: energy.Amount{Part: energy.Boards, Joules: 5000, Seconds: 10}, Searches: 40, Edges: 1000e6},
					{Amount: energy.Amount{Part: energy.Packages, Joules: 800, Seconds: 10}, Searches: 40, Edges: 1000e6},
				},
				Searches: []Search{
					{
						Root: 3, Seconds: 0.5, ValidateSeconds: pointer(1.5),
						Tree: Tree{Visited: 12, Edges: 40, SelfLoops: 5, Depth: 2},
						Profile: Profile{
							LevelCount: 2, Examined: 21, DeviceSeconds: 0.375, HostBytes: 96, HostRequests: 2, RankBytes: 24,
							Levels: []Level{
								{Direction: engine.TopDown, Step: "queue", Frontier: 1, Found: 7, Examined: 8, Bytes: 1000, Seconds: 0.0015},
								{Direction: engine.BottomUp, Step: "dense", Frontier: 7, Found: 4, Examined: 13, Bytes: 6e9, Seconds: 2, HostBytes: 96, HostRequests: 2},
							},
						},
					},
					{
						Root: 14, Seconds: 0.25, ValidateSeconds: pointer(0.75),
						Tree: Tree{Visited: 11, Edges: 10, SelfLoops: 1, Depth: 1},
					},
				},
			},
			{
				Kernel: engine.SSSP, Strategy: "buckets", Delta: 0.1, ValidatedTogether: 1,
				Searches: []Search{
					{
						Root: 3, Seconds: 2, ValidateSeconds: pointer(0.5),
						Tree: Tree{Visited: 12, Edges: 40, SelfLoops: 5, Depth: 5, MaxDistance: 0.7, MaxExact: 33554433},
						Profile: Profile{
							LevelCount: 2, Examined: 19,
							Worklist: &Worklist{Items: 11, Useful: 12, StealsInGroup: 3, StealsInSocket: 4, StealsBeyond: 5},
							Levels: []Level{
								{Step: "push", Frontier: 1, Found: 8, Examined: 11, Seconds: 0.5},
								{Step: "pull", Found: 4, Examined: 8, Seconds: 1},
							},
						},
					},
					{
						Root: 14, Seconds: 1, ValidateSeconds: pointer(0.25),
						Tree: Tree{Visited: 11, Edges: 10, SelfLoops: 1, Depth: 1, MaxDistance: 0.25},
					},
				},
			},
		},
		EnergyCounters: []energy.Description{
			{Part: energy.Boards, Name: "Some GPU 0000:9b:00.0", Update: 0.1}, {Part: energy.Packages, Name: "package-0", Update: 0.001},
		},
		Boards: []Board{{
			BusID: "0000:9b:00.0", Samples: 3, SMClock: Clock{1755, 1980}, MemoryClock: Clock{2600, 2619},
			PowerLimit: 700, ECC: pointer(true), Slowed: []string{"heat"}, OtherProcesses: pointer(2),
		}},
		PeakMemory:    123456789,
		NotConforming: []string{"edgefactor is 3, not 16", "the searches were few"},
	}
}

// onlyBFS is fullRun without the second kernel.
func onlyBFS() *Run {
	r := fullRun()
	r.Kernels = r.Kernels[:1]
	return r
}

// bareRun is a run with one search and no other value.
func bareRun() *Run {
	return &Run{Kernels: []KernelRun{{Kernel: engine.BFS, Searches: []Search{{}}}}}
}

// smallRun is bareRun with what no run lacks: two vertices and their edge.
func smallRun() *Run {
	r := bareRun()
	r.Input.Scale, r.Input.EdgeFactor = 1, 0.5
	r.Graph.Vertices, r.Graph.Tuples = 2, 1
	r.Kernels[0].Searches[0].Tree = Tree{Visited: 2, Edges: 1}
	return r
}

var fullStart = time.Date(2026, 11, 21, 4, 5, 6, 789, time.FixedZone("", 3600))

func fullSetup() Setup {
	return Setup{
		Started:     fullStart,
		Command:     []string{"graph500", "-scale=4", "-graph", "a <b> & \"c\""},
		Environment: map[string]string{"SLURM_JOB_ID": "17", "LOADEDMODULES": "gcc/12"},
		Warnings:    []string{"only 2 usable vertices"},
		Program:     Program{Version: "v1.2.3", Commit: "0123abcd", GoVersion: "go1.26.0"},
		Processes:   []Rank{{Host: "node7", Threads: 40, GPUs: 1, Processors: "0-15,32-47", Memory: 1 << 37, Peak: 1 << 20}, {Host: "node8", Threads: 7, Processors: "0-15", Memory: 1 << 37, Peak: 1 << 21}},
		Machine:     Machine{Host: "node7", Processor: "Some  CPU, 2.0 GHz", Cores: 48, Memory: 1 << 37, OS: "linux/amd64 6.1.0"},
		Engine:      Engine{Name: "cpu", Hardware: "2 sockets", LabelBits: 32, Threads: 47, Exchange: engine.NCCLExchange, NCCL: "2.28.3", Partition: "contiguous-hybrid"},
		Devices: []GPU{{Name: "Some GPU", Driver: "13.0", Architecture: "9.0", BusID: "0000:9b:00.0", Memory: 1 << 37,
			Multiprocessors: 132, ClockMHz: 1980, MemoryClockMHz: 3201}},
		Device: &Device{
			GPU: GPU{Name: "Some GPU", Driver: "13.0", Architecture: "9.0", BusID: "0000:9b:00.0", Memory: 1 << 37,
				Multiprocessors: 132, ClockMHz: 1980, MemoryClockMHz: 3201},
			CopyBandwidth: 4e9, Peak: 1 << 30,
		},
		Input:      Input{Source: Kronecker, Scale: 4, EdgeFactor: 3, Seed1: 1<<64 - 1, Seed2: 5, Weights: "file", Checksum: "0123456789abcdef"},
		Graph:      Graph{Vertices: 16, Connected: 12, Tuples: 48, SelfLoops: 6, Duplicates: 9, Arcs: 66, MaxDegree: 11, Regenerated: true, HostTuples: engine.PageLocked, Prefix: 5, HostBytes: 256},
		Generation: 0.125, Construction: 0.25,
		Phases: []Phase{
			{Name: "generation", Seconds: 0.125, Tuples: 48, Energy: []energy.Amount{{Part: energy.Packages, Joules: 25, Seconds: 0.125}}},
			{Name: "searches", Seconds: 3.5},
		},
	}
}

func pointer[T any](v T) *T { return &v }

// unvalidated is the run without validation.
func unvalidated(r *Run) *Run {
	for _, k := range r.Kernels {
		for i := range k.Searches {
			s := &k.Searches[i]
			s.ValidateSeconds, s.Depth, s.MaxDistance, s.MaxExact = nil, 0, 0, 0
		}
	}
	return r
}

// withoutEnergy is the run without measurements of energy.
func withoutEnergy(r *Run) *Run {
	r.EnergyCounters = nil
	for i := range r.Phases {
		r.Phases[i].Energy = nil
	}
	for i := range r.Kernels {
		r.Kernels[i].Repetition, r.Kernels[i].Energy = nil, nil
	}
	return r
}

// withoutHost removes what went over the bus from a search.
func withoutHost(s *Search) {
	s.HostBytes, s.HostRequests, s.RankBytes = 0, 0, 0
	for i := range s.Levels {
		s.Levels[i].HostBytes, s.Levels[i].HostRequests = 0, 0
	}
}

func written(t *testing.T, r *Run) string {
	t.Helper()
	var out bytes.Buffer
	if err := JSON(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestJSON(t *testing.T) {
	want, err := os.ReadFile("testdata/result.json")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), written(t, fullRun())); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// empty makes nil and empty lists equal in comparisons.
var empty = cmpopts.EquateEmpty()

func TestJSONReadsBack(t *testing.T) {
	for name, r := range map[string]*Run{"full": fullRun(), "not validated": unvalidated(fullRun()), "small": smallRun()} {
		got, err := ReadRun(strings.NewReader(written(t, r)))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(r, got, empty); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
	}
}

// testdata/result-version-<n>.json is the run, in versions 1 and 2 of BFS, written by the
// program of that version.
func TestReadEarlierVersions(t *testing.T) {
	for version, change := range map[string]func(*Run){
		"1": func(r *Run) {
			r.NotConforming = r.NotConforming[:1]
			r.Engine.LabelBits, r.Graph.Connected = 0, 0
			search := &r.Kernels[0].Searches[0]
			search.Examined = 0
			for i := range search.Levels {
				search.Levels[i].Step = ""
			}
		},
		"2": func(*Run) {},
		"3": func(r *Run) {
			r.Kernels = withoutEnergy(fullRun()).Kernels
			withoutHost(&r.Kernels[0].Searches[0])
		},
		"4": func(r *Run) { *r = *fullRun() },
	} {
		text, err := os.ReadFile("testdata/result-version-" + version + ".json")
		if err != nil {
			t.Fatal(err)
		}
		want := withoutEnergy(onlyBFS())
		want.Processes = nil // they came later, like the residency
		want.Input.Checksum = ""
		want.Graph.HostTuples, want.Graph.Prefix, want.Graph.HostBytes = "", 0, 0
		want.Device.Peak, want.Input.Weights = 0, ""
		want.Engine.Exchange, want.Engine.NCCL, want.Engine.Partition = "", "", ""
		withoutHost(&want.Kernels[0].Searches[0])
		change(want)
		want.Boards = nil
		for i := range want.Kernels {
			want.Kernels[i].Searches[0].MaxExact = 0
		}
		got, err := ReadRun(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got, empty); d != "" {
			t.Errorf("version %s: -want +got\n%s", version, d)
		}
	}
}

func TestSourceInVersion1(t *testing.T) {
	text, err := os.ReadFile("testdata/result-version-1.json")
	if err != nil {
		t.Fatal(err)
	}
	for old, want := range map[string]string{"edgefactor is 3, not 16": Kronecker, "the graph comes from a file": "edges.bin", "the edge file holds other edges than the generator makes": "edges.bin"} {
		changed := strings.NewReplacer("edgefactor is 3, not 16", old, `"source": "kronecker"`, `"source": "edges.bin"`).Replace(string(text))
		if got, err := ReadRun(strings.NewReader(changed)); err != nil || got.Input.Source != want {
			t.Errorf("%s: source %q, %v", old, got.Input.Source, err)
		}
	}
}

func TestReadRunRefuses(t *testing.T) {
	whole := written(t, fullRun())
	comparison := new(bytes.Buffer)
	if err := ComparisonJSON(comparison, exampleComparison()); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"":                                    "no result in JSON: EOF",
		"{}":                                  "no result of graph500: it has no schema_version",
		"[1]":                                 "no result in JSON: ",
		whole + "x":                           "something follows the result",
		whole + "}":                           "something follows the result",
		whole + whole:                         "something follows the result",
		`{"schema_version":1}`:                "it has no searches",
		comparison.String():                   "it has no searches",
		`{"schema_version":2,"searches":{}}`:  "no result in JSON: ",
		`{"schema_version":3,"kernels":[{}]}`: "it has no searches",
		strings.Replace(whole, `"schema_version": 5`, `"schema_version": 6`, 1): "its schema_version is 6, this program reads 1 to 5",
	} {
		if r, err := ReadRun(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v, error %v, not %s", text, r, err, want)
		}
	}
}

// nulls lists the paths in JSON whose value is null.
func nulls(t *testing.T, text string) (list []string) {
	t.Helper()
	for path, null := range paths(t, text) {
		if null {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}

// Only unknown values are null; nil lists and maps are written as empty ones.
func TestJSONNulls(t *testing.T) {
	if list := nulls(t, written(t, fullRun())); !slices.Equal(list, []string{"kernels[].delta", "kernels[].repetition", "kernels[].searches[].device_seconds", "kernels[].searches[].max_distance"}) { // of BFS, of the second search
		t.Error(list)
	}
	bare := written(t, bareRun())
	want := []string{"device", "kernels[].delta", "kernels[].repetition", "kernels[].searches[].depth", "kernels[].searches[].device_seconds",
		"kernels[].searches[].max_distance", "kernels[].searches[].validate_seconds", "kernels[].validate"}
	if d := cmp.Diff(want, nulls(t, bare)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	for _, want := range []string{`"conforming": true`, `"not_conforming": []`, `"command": []`, `"environment": {}`, `"phases": []`, `"warnings": []`, `"levels": []`, `"validated": false`} {
		if !strings.Contains(bare, want) {
			t.Errorf("%s is missing in\n%s", want, bare)
		}
	}
}

// paths returns the paths of all values in a JSON object, and whether a value is null.
// It leaves out the keys of the environment, which vary.
func paths(t *testing.T, text string) map[string]bool {
	t.Helper()
	var root any
	if err := json.Unmarshal([]byte(text), &root); err != nil {
		t.Fatal(err)
	}
	found := make(map[string]bool)
	var walk func(v any, path string)
	walk = func(v any, path string) {
		object, isObject := v.(map[string]any)
		array, isArray := v.([]any)
		switch {
		case isObject && path != "environment":
			for k, e := range object {
				walk(e, strings.TrimPrefix(path+"."+k, "."))
			}
		case isArray:
			for _, e := range array {
				walk(e, path+"[]")
			}
		default:
			found[path] = found[path] || v == nil
		}
	}
	walk(root, "")
	return found
}

// Numbers are written with full precision.
func TestJSONPrecision(t *testing.T) {
	r := smallRun()
	r.Input.EdgeFactor, r.Graph.Tuples = 1<<52-0.5, 1<<53-1
	r.Kernels[0].Searches[0] = Search{Seconds: 0.1 + 0.2, Tree: Tree{Visited: 2, Edges: 1<<53 - 1}}
	got, err := ReadRun(strings.NewReader(written(t, r)))
	if err != nil {
		t.Fatal(err)
	}
	if got := got.Kernels[0].Searches[0]; got.Seconds != 0.1+0.2 || got.Edges != 1<<53-1 {
		t.Errorf("%+v", got)
	}
}

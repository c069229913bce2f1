package run

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"graph500/energy"
	"graph500/engine"
)

// packageOf returns a machine with one processor package that takes 100 W. Its counter
// changes every millisecond and starts again at 0 after 65 kJ.
func packageOf(t *testing.T) *fakePackage {
	t.Helper()
	p := &fakePackage{MapFS: fstest.MapFS{}, start: time.Now()}
	p.write("name", "package-0")
	p.write("max_energy_range_uj", "65536000000")
	p.write("energy_uj", "0")
	return p
}

type fakePackage struct {
	fstest.MapFS
	start time.Time
}

func (p *fakePackage) write(file, text string) {
	p.MapFS["sys/class/powercap/intel-rapl:0/"+file] = &fstest.MapFile{Data: []byte(text + "\n")}
}

func (p *fakePackage) ReadFile(name string) ([]byte, error) {
	if strings.HasSuffix(name, "energy_uj") {
		ms := time.Since(p.start) / time.Millisecond
		return fmt.Appendf(nil, "%d\n", int64(ms)*100000%65536000000), nil
	}
	return p.MapFS.ReadFile(name)
}

// Energy is that of the searches without their validation, and of each phase that is
// long enough.
func TestEnergy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeEngine{capacity: 2, takes: map[string]time.Duration{
			"generate": 1000 * time.Second, "construct": 5 * time.Millisecond, "clear": 10 * time.Millisecond,
			"search": 2 * time.Second, "keep": 20 * time.Millisecond, "check": 9 * time.Second,
		}}
		b, text := newTestBench(t, f, "-scale=5", "-roots=4", "-energy")
		b.machine = packageOf(t)
		if _, err := b.run(t.Context(), b.benchmark); err != nil {
			t.Fatal(err)
		}
		joules := map[string]float64{"generation": 100000, "searches": 4 * 203, "validation": 1800, "warm-up": 201}
		for _, p := range b.Record.Phases {
			want, measured := joules[p.Name]
			if measured != (len(p.Energy) == 1) || measured && (math.Abs(p.Energy[0].Joules-want) > 1 || p.Energy[0].Part != energy.Packages) {
				t.Errorf("%+v", p)
			}
		}
		k := b.Record.Kernels[0]
		if len(k.Energy) != 1 || k.Energy[0].Searches != 4 || math.Abs(k.Energy[0].JoulesPerSearch()-203) > 0.5 || math.Abs(k.Energy[0].Watts()-100) > 0.5 {
			t.Errorf("%+v", k.Energy)
		}
		var edges int64
		for _, s := range k.Searches {
			edges += s.Edges
		}
		if k.Energy[0].Edges != edges || k.Repetition != nil {
			t.Errorf("%+v, nedge %d", k, edges)
		}
		if c := b.Record.EnergyCounters; len(c) != 1 || c[0].Name != "package-0" {
			t.Errorf("%+v", c)
		}
		if !strings.Contains(text.String(), "BFS, packages only: 100 W, 203 J a search, ") || strings.Contains(text.String(), "no figure") {
			t.Error(text)
		}
	})
}

// With -repeat-for the energy is that of the repeated searches, which are validated only
// at the end, and not recorded.
func TestRepetition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeEngine{takes: map[string]time.Duration{
			"clear": 2 * time.Millisecond, "search": 10 * time.Millisecond, "check": time.Hour,
			"sssp clear": 2 * time.Millisecond, "sssp search": 10 * time.Millisecond, "sssp check": time.Hour,
		}}
		b, text := newTestBench(t, f, "-scale=5", "-roots=3", "-kernel=both", "-energy", "-repeat-for=1s")
		b.machine = packageOf(t)
		if _, err := b.run(t.Context(), b.benchmark); err != nil {
			t.Fatal(err)
		}
		for _, k := range b.Record.Kernels {
			r := k.Repetition
			if len(k.Searches) != 3 || r == nil || math.Abs(r.Seconds-1.008) > 0.02 || r.End.Sub(r.Begin).Seconds() != r.Seconds {
				t.Fatalf("%+v %+v", k, r)
			}
			var edges int64
			for i := range r.Searches {
				edges += k.Searches[i%3].Edges
			}
			if r.Searches < 60 || r.Edges != edges {
				t.Errorf("%+v, nedge %d", r, edges)
			}
			if len(k.Energy) != 1 || k.Energy[0].Searches != r.Searches || k.Energy[0].Edges != edges || math.Abs(k.Energy[0].Watts()-100) > 1 {
				t.Errorf("%+v", k.Energy)
			}
		}
		begin := b.Record.Kernels[1].Repetition.Begin.UTC().Format("2006-01-02T15:04:05")
		if !strings.Contains(text.String(), "graph500: starting energy loop SSSP at "+begin) || !strings.Contains(text.String(), "graph500: finished energy loop SSSP at ") {
			t.Error(text)
		}
		var names []string
		for _, p := range b.Record.Phases {
			if strings.HasPrefix(p.Name, "bfs") {
				names = append(names, p.Name)
			}
		}
		if d := cmp.Diff([]string{"bfs warm-up", "bfs searches", "bfs validation", "bfs repetition"}, names); d != "" {
			t.Error(d)
		}
	})
}

// A repeated search that goes wrong ends the run without a result.
func TestRepetitionGoesWrong(t *testing.T) {
	for want, bend := range map[string]func(parents []engine.Label){
		"the last repeated search: ": func(parents []engine.Label) {
			for v := range parents {
				parents[v] = engine.None
			}
		},
		"the last repeated search, from root ": func(parents []engine.Label) {
			for v, parent := range parents {
				if int(parent) != v { // all but the root
					parents[v] = engine.None
				}
			}
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &fakeEngine{takes: map[string]time.Duration{"search": time.Second}}
			f.bend = func(call int, parents []engine.Label) {
				if call > 2 { // after the warm-up and the timed searches
					bend(parents)
				}
			}
			b, _ := newTestBench(t, f, "-scale=5", "-roots=2", "-repeat-for=1s")
			if text, err := b.run(t.Context(), b.benchmark); err == nil || !strings.HasPrefix(err.Error(), want) || text != "" {
				t.Errorf("%q %v", text, err)
			}
		})
	}
}

// Without a counter the run goes on. It says so once, and why there is no figure.
func TestNoEnergy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeGPU{free: 1 << 40}
		f.takes = map[string]time.Duration{"search": time.Second}
		b, text := newTestBench(t, f, "-scale=5", "-roots=2", "-energy")
		b.machine = fstest.MapFS{}
		if _, err := b.run(t.Context(), b.benchmark); err != nil {
			t.Fatal(err)
		}
		warnings := strings.Join(b.Record.Warnings, "\n")
		if len(b.Record.Warnings) != 2 || !strings.HasPrefix(b.Record.Warnings[0], "energy, GPU boards only: no figure: ") ||
			!strings.HasPrefix(b.Record.Warnings[1], "energy, packages only: no figure: there is no counter of a processor package") {
			t.Error(warnings)
		}
		if strings.Count(text.String(), "warning: energy") != 2 || len(b.Record.Kernels[0].Energy) > 0 || len(b.Record.EnergyCounters) > 0 {
			t.Error(text)
		}
	})
}

// A kernel whose searches are too short for the counters names -repeat-for.
func TestShortSearchesHaveNoEnergy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeEngine{takes: map[string]time.Duration{"search": 3 * time.Millisecond}}
		b, _ := newTestBench(t, f, "-scale=5", "-roots=2", "-energy")
		b.machine = packageOf(t)
		if _, err := b.run(t.Context(), b.benchmark); err != nil {
			t.Fatal(err)
		}
		const want = "energy of bfs, packages only: no figure: the counter (package-0) changes every 0.001 s, and a figure needs 10 changes within an interval of 0.003 s; let the searches repeat for longer with -repeat-for, such as -repeat-for=30s"
		if len(b.Record.Warnings) != 1 || b.Record.Warnings[0] != want || len(b.Record.Kernels[0].Energy) > 0 {
			t.Errorf("%q", b.Record.Warnings)
		}
	})
}

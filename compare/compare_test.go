package compare

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"graph500/engine"
	"graph500/report"
)

// runOf returns a run of BFS with 64 searches whose times vary by key, and by noise of a
// share of the time. factor multiplies all times.
func runOf(seed uint64, factor, noise float64) *report.Run {
	r := &report.Run{Setup: report.Setup{
		Program: report.Program{Commit: "abc"},
		Machine: report.Machine{Processor: "CPU"},
		Engine:  report.Engine{Name: "cpu", Threads: 4, LabelBits: 48},
		Input:   report.Input{Source: report.Kronecker, Scale: 20, EdgeFactor: 16, Seed1: 2, Seed2: 3},
	}}
	keys, random := rand.New(rand.NewPCG(7, 7)), rand.New(rand.NewPCG(1, seed))
	k := report.KernelRun{Kernel: engine.BFS, Strategy: "default"}
	own := 1 + noise*random.NormFloat64() // of the run
	for i := range 64 {
		s := report.Search{Root: engine.Vertex(63 - i), Seconds: factor * own * (1 + 0.3*keys.Float64()) * (1 + noise*random.NormFloat64()), ValidateSeconds: new(float64)}
		s.Edges, s.Visited = int64(1+i)<<20, 1<<19
		s.Seconds *= float64(s.Edges) * 1e-9
		k.Searches = append(k.Searches, s)
	}
	r.Kernels = []report.KernelRun{k}
	return r
}

func several(n int, seed uint64, factor, noise float64) (runs []*report.Run) {
	for i := range n {
		runs = append(runs, runOf(100*seed+uint64(i), factor, noise))
	}
	return runs
}

func TestVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		a, b []*report.Run
		want Verdict
	}{
		"equal":             {several(1, 1, 1, 0), several(1, 1, 1, 0), Same},
		"the same program":  {several(5, 1, 1, 0.005), several(5, 2, 1, 0.005), Same},
		"faster":            {several(5, 1, 1, 0.01), several(5, 2, 0.8, 0.01), Faster},
		"slower":            {several(5, 1, 1, 0.01), several(5, 2, 1.2, 0.01), Slower},
		"a little faster":   {several(5, 1, 1, 0), several(5, 2, 1/1.05, 0), Faster},
		"within the margin": {several(5, 1, 1, 0.002), several(5, 2, 1.01, 0.002), Same},
		"noise":             {several(3, 1, 1, 0.2), several(3, 2, 1, 0.2), Unclear},
	} {
		lines, err := Compare(c.a, c.b, 0.02)
		if err != nil || len(lines) != 1 || lines[0].Verdict != c.want {
			t.Errorf("%s: %+v, %v", name, lines, err)
			continue
		}
		if l := lines[0]; !(l.Low <= l.Ratio && l.Ratio <= l.High) || l.A.Runs != len(c.a) || l.SingleRuns != (len(c.a) == 1) {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

// The rates are the harmonic means of the searches, and without noise the ratio is exact.
func TestRates(t *testing.T) {
	a, b := runOf(1, 1, 0), runOf(1, 0.5, 0)
	lines, err := Compare([]*report.Run{a}, []*report.Run{b}, 0.02)
	if err != nil {
		t.Fatal(err)
	}
	l := lines[0]
	if want := a.Kernels[0].Rates().HarmonicMean / 1e9; math.Abs(l.A.GTEPS/want-1) > 1e-12 || math.Abs(l.Ratio-2) > 1e-12 || math.Abs(l.Low-2) > 1e-12 || math.Abs(l.High-2) > 1e-12 {
		t.Errorf("%+v, not %v", l, want)
	}
}

// In repeated experiments with runs that differ, about 95 % of the intervals hold the true
// ratio, also of few runs.
func TestIntervalCovers(t *testing.T) {
	const experiments = 40
	numbers := []int{2, 3, 10}
	if testing.Short() {
		numbers = numbers[:1]
	}
	for _, n := range numbers {
		covered := 0
		for i := range experiments {
			a, b := several(n, uint64(1000+i), 1, 0.02), several(n, uint64(5000+i), 1.1, 0.02)
			lines, err := Compare(a, b, 0.02)
			if err != nil {
				t.Fatal(err)
			}
			if l := lines[0]; l.Low <= 1/1.1 && 1/1.1 <= l.High {
				covered++
			}
		}
		if covered < experiments*88/100 {
			t.Errorf("%d runs: %d of %d intervals hold the ratio", n, covered, experiments)
		}
	}
}

func TestRefusals(t *testing.T) {
	changed := func(change func(*report.Run)) []*report.Run {
		r := runOf(3, 1, 0.01)
		change(r)
		return []*report.Run{r}
	}
	for want, b := range map[string][]*report.Run{
		"cannot compare A and B: they have no kernel at the same scale":                                   changed(func(r *report.Run) { r.Input.Scale = 21 }),
		"cannot compare A and B: BFS at scale 20: the edgefactors are 16 and 8":                           changed(func(r *report.Run) { r.Input.EdgeFactor = 8 }),
		"cannot compare A and B: BFS at scale 20: the seeds are 2, 3 and 2, 4":                            changed(func(r *report.Run) { r.Input.Seed2 = 4 }),
		"cannot compare A and B: BFS at scale 20: the graphs are kronecker and a.mtx":                     changed(func(r *report.Run) { r.Input.Source = "a.mtx" }),
		"cannot compare A and B: BFS at scale 20: the graphs of the name kronecker have other edges":      changed(func(r *report.Run) { r.Input.Checksum = "1" }),
		"a run of B was not validated: its searches of BFS at scale 20 may be wrong":                      changed(func(r *report.Run) { r.Kernels[0].Searches[3].ValidateSeconds = nil }),
		"a run of B has a search of BFS at scale 20 without a rate":                                       changed(func(r *report.Run) { r.Kernels[0].Searches[3].Seconds = 0 }),
		"cannot compare A and B: BFS at scale 20: the searches are from other keys":                       changed(func(r *report.Run) { r.Kernels[0].Searches[3].Root = 99 }),
		"the runs of B are not alike: BFS at scale 20, by commit abc and def: name one kind":              append(several(1, 1, 1, 0), changed(func(r *report.Run) { r.Program.Commit = "def" })...),
		"the runs of B are not alike: BFS at scale 20, on CPU, 4 threads and CPU, 8 threads":              append(several(1, 1, 1, 0), changed(func(r *report.Run) { r.Engine.Threads = 8 })...),
		"the runs of B are not alike: BFS at scale 20, the searches are from other keys":                  append(several(1, 1, 1, 0), changed(func(r *report.Run) { r.Kernels[0].Searches = r.Kernels[0].Searches[:8] })...),
		"cannot compare A and B: BFS at scale 20: the searches are from other keys, or found other edges": changed(func(r *report.Run) { r.Kernels[0].Searches[3].Edges++ }),
	} {
		if _, err := Compare(several(2, 1, 1, 0.01), b, 0.02); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, not %s", err, want)
		}
	}
}

func TestText(t *testing.T) {
	a, b := several(1, 1, 1, 0), several(1, 1, 0.5, 0)
	lines, err := Compare(a, b, 0.02)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := Text(&text, a, b, lines, 0.02); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"A: 1 runs, commit abc, cpu engine, CPU, 4 threads\n", "B / A", "2.000..2.000", "faster\n", "Same: within 2 % of each other. Of a single run, "} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing in\n%s", want, text.String())
		}
	}
}

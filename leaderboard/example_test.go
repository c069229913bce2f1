package leaderboard

import (
	"fmt"
	"testing"
	"time"

	"graph500/energy"
	"graph500/engine"
	"graph500/report"
)

// hostile is a name that breaks a page that does not escape it.
const hostile = `<script>document.title="broken"</script>"'><img src=x onerror="document.title='broken'">|_*` + "`"

// exampleRun returns a conforming run of BFS on a CPU. Search i of 64 takes 1 + i/64
// times the given seconds.
func exampleRun(scale int, seconds float64) *report.Run {
	r := &report.Run{Setup: report.Setup{
		Started: time.Date(2026, 11, 20, 12, 0, 0, scale, time.UTC),
		Command: []string{"graph500", fmt.Sprint("-scale=", scale), fmt.Sprint("-out=", seconds, " s")},
		Program: report.Program{Commit: "0123abcd"},
		Machine: report.Machine{Host: "node7", Processor: "Some CPU", Cores: 48},
		Engine:  report.Engine{Name: "cpu", Threads: 47, LabelBits: 48},
		Input:   report.Input{Source: report.Kronecker, Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3},
		Graph:   report.Graph{Vertices: 1 << scale, Tuples: 16 << scale},
		Phases:  []report.Phase{{Name: "searches", Seconds: 100 * seconds}},

		Construction: 10 * seconds,
	}}
	r.Kernels = []report.KernelRun{exampleKernel(engine.BFS, scale, seconds)}
	return r
}

func exampleKernel(k engine.Kernel, scale int, seconds float64) report.KernelRun {
	run := report.KernelRun{Kernel: k, Strategy: "default", ValidatedTogether: 8}
	for i := range 64 {
		s := report.Search{Root: engine.Vertex(3 * i), Seconds: seconds * (1 + float64(i)/64), ValidateSeconds: new(float64)}
		s.Edges, s.Visited, s.Depth = 15<<scale, 1<<scale, 6
		var p engine.Profile
		for level, share := range []float64{0.1, 0.6, 0.3} {
			l := engine.Level{Frontier: int64(level + 1), Found: int64(level + 2), Examined: 9, Seconds: share * s.Seconds}
			if k == engine.BFS {
				l.Direction = engine.TopDown
			}
			p.Add(l)
		}
		s.Profile = report.ProfileOf(p)
		run.Searches = append(run.Searches, s)
	}
	return run
}

// withSSSP adds searches of SSSP to a run.
func withSSSP(r *report.Run, seconds float64) *report.Run {
	r.Kernels = append(r.Kernels, exampleKernel(engine.SSSP, r.Input.Scale, seconds))
	return r
}

// onGPU moves a run to a GPU whose labels are too narrow for the list.
func onGPU(r *report.Run) *report.Run {
	r.Engine = report.Engine{Name: "gpu", Hardware: "Some GPU", Threads: 1, LabelBits: 30}
	r.Device = &report.Device{GPU: report.GPU{Name: "Some GPU", Multiprocessors: 132}}
	r.Devices = []report.GPU{r.Device.GPU}
	r.NotConforming = []string{"labels of 30 bits instead of at least 48"}
	for _, part := range []energy.Part{energy.Packages, energy.Boards} {
		for i := range r.Kernels {
			r.Kernels[i].Energy = append(r.Kernels[i].Energy, report.Energy{Amount: energy.Amount{Part: part, Joules: 1000, Seconds: 2}, Edges: 5e12})
		}
	}
	return r
}

// withFactor gives a run of BFS another edgefactor, and fewer edges to each search.
func withFactor(r *report.Run, factor float64) *report.Run {
	r.Input.EdgeFactor, r.Graph.Tuples = factor, int64(factor)<<r.Input.Scale
	for i := range r.Kernels[0].Searches {
		r.Kernels[0].Searches[i].Edges = r.Graph.Tuples
	}
	return r
}

// changed returns a run after a change.
func changed(r *report.Run, change func(*report.Run)) *report.Run {
	change(r)
	return r
}

// exampleEntries lists runs of every kind. The names of the files say what they are.
func exampleEntries() []Entry {
	return []Entry{
		{"cpu20", exampleRun(20, 0.5)},
		{"cpu20 slower", exampleRun(20, 0.6)},
		{"cpu22 both", withSSSP(exampleRun(22, 2), 9)},
		{"gpu24 both", onGPU(withSSSP(exampleRun(24, 0.001), 0.003))},
		{"gpu26", onGPU(exampleRun(26, 0.003))},
		{"sssp", changed(withSSSP(exampleRun(21, 1), 5), func(r *report.Run) { r.Kernels = r.Kernels[1:] })},
		{"hostile", changed(exampleRun(19, 0.4), func(r *report.Run) {
			r.Machine.Host, r.Machine.Processor, r.Program.Commit, r.Command[0] = hostile, hostile, hostile, hostile
			r.Environment = map[string]string{hostile: hostile}
			r.Warnings, r.Engine.LabelBits, r.NotConforming = []string{hostile}, 32, []string{"labels of 32 bits instead of at least 48"}
			r.Kernels[0].Strategy = hostile
		})},
		{"edgefactor 8", withFactor(exampleRun(20, 0.25), 8)},
		{"edgefactor 32", withFactor(exampleRun(20, 0.75), 32)},
		{"roads", changed(exampleRun(18, 0.125), func(r *report.Run) { r.Input.Source = "roads.mtx" })},
		{"few", changed(exampleRun(20, 0.03), func(r *report.Run) { r.Kernels[0].Searches = r.Kernels[0].Searches[:8] })},
		{"by hand", changed(exampleRun(20, 0.02), func(r *report.Run) { r.NotConforming = []string{"the search keys were given by hand", hostile} })},
		{"not validated", changed(exampleRun(20, 0.01), func(r *report.Run) {
			for i := range r.Kernels[0].Searches {
				r.Kernels[0].Searches[i].ValidateSeconds = nil
			}
		})},
		{"no rate", changed(exampleRun(17, 0.5), func(r *report.Run) { r.Kernels[0].Searches[5].Seconds = 0 })},
	}
}

// exampleBoard returns a board of exampleEntries.
func exampleBoard(tb testing.TB) *Board {
	tb.Helper()
	b := New(exampleEntries())
	if len(b.LeftOut) > 0 {
		tb.Fatal(b.LeftOut)
	}
	return b
}

//go:build cuda

package gpu

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kernels/hostrows"
	"graph500/kronecker"
	"graph500/report"
)

// splitJob is a run of the default search on a generated graph.
func splitJob(scale int) engine.Job {
	vertices, tuples := official(scale)
	return engine.Job{Vertices: vertices, Tuples: tuples, Connected: connected(scale), Strategies: []engine.Strategy{named("default")}, Searches: 64, Delta: 0.1}
}

// splitPathsJob is a run of the default search of shortest paths on a generated graph.
func splitPathsJob(scale int) engine.Job {
	job := splitJob(scale)
	job.Strategies = []engine.Strategy{shortestPaths()}
	return job
}

// startSplit returns an engine of that residency and memory limit, without driverBytes.
func startSplit(t *testing.T, of engine.Strategy, residency engine.Residency, limit uint64) *testEngine {
	t.Helper()
	e := startWith(t, of, limit, 1<<12)
	e.planner.residency = residency
	return e
}

// leastSplit returns the layout of split rows that takes the least memory.
func (p planner) leastSplit(job engine.Job) layout {
	l := layout{capacity: p.splitCapacity(job), groups: construct.MostGroups, batch: 1, byHubs: p.canSplitByHubs([]engine.Job{job})}
	l.words = p.splitRoom(job, l).least
	return l
}

// Rows are split if nothing else fits, and take what is left.
func TestSplitLayouts(t *testing.T) {
	bfs, paths, both := splitJob(28), splitPathsJob(28), splitJob(28)
	both.Strategies = bothKernels()
	for _, c := range []struct {
		job       engine.Job
		gib       uint64
		residency engine.Residency
		splits    bool
		fits      bool
		prefix    uint64 // a prefix of every row that fits
	}{
		{bfs, 139, engine.AutoResidency, false, true, 0},
		{bfs, 139, engine.Resident, false, true, 0},
		{bfs, 139, engine.Prefix, true, true, 60},
		{bfs, 40, engine.AutoResidency, true, true, 40},
		{bfs, 40, engine.Resident, false, false, 0},
		{bfs, 18, engine.AutoResidency, true, true, 8},
		{bfs, 4, engine.AutoResidency, true, false, 0},
		{paths, 139, engine.AutoResidency, false, true, 0},
		{paths, 139, engine.Prefix, true, true, 60},
		{paths, 79, engine.Resident, false, false, 0},
		{paths, 79, engine.AutoResidency, true, true, 40},
		{paths, 40, engine.AutoResidency, true, true, 8},
		{paths, 8, engine.AutoResidency, true, false, 0},
		{both, 139, engine.AutoResidency, true, true, 40},
		{both, 79, engine.AutoResidency, true, true, 20},
		{both, 40, engine.AutoResidency, true, true, 6},
		{both, 8, engine.AutoResidency, true, false, 0},
	} {
		p := planned(c.gib << 30)
		p.residency, p.hubsFrom = c.residency, 1<<23+1
		l := p.layoutOf(c.job)
		if l.splits() != c.splits || l.words < c.prefix*mostRows(c.job) {
			t.Errorf("%v, %d GiB, %s: %+v, prefix %d", kernelsOf(c.job), c.gib, c.residency, l, l.words/mostRows(c.job))
		}
		if peak := engine.Peak(p.plan(c.job, l), engine.DeviceMemory); (peak <= p.limit) != c.fits {
			t.Errorf("%v, %d GiB, %s: %d bytes", kernelsOf(c.job), c.gib, c.residency, peak)
		}
	}
}

// Only the default searches can search split rows.
func TestLayoutsThatDoNotSplit(t *testing.T) {
	both, other, paths := splitJob(20), splitJob(20), splitPathsJob(20)
	both.Strategies = []engine.Strategy{named(defaultStrategy), {Kernel: engine.SSSP, Name: "near-far"}}
	other.Strategies = []engine.Strategy{named("push")}
	paths.Strategies = []engine.Strategy{{Kernel: engine.SSSP, Name: "near-far"}}
	p := planned(1 << 20)
	for _, residency := range engine.Residencies() {
		p.residency = residency
		for _, job := range []engine.Job{both, other, paths} {
			if l := p.layoutOf(job); l.splits() {
				t.Errorf("%s: %+v", residency, l)
			}
		}
	}
}

// The searches of split rows are validated at every memory limit, and take no more than is
// planned.
func TestSearchOfSplitRows(t *testing.T) {
	checkSplit(t, named(defaultStrategy), splitJob, nil)
}

func TestShortestPathsOfSplitRows(t *testing.T) {
	spec := splitSpec()
	c, _ := pathsOnCPU(t, spec.Vertices(), officialWeighted(spec))
	checkSplit(t, shortestPaths(), splitPathsJob, func(e *testEngine, root engine.Label) {
		r, err := e.searcher.Results(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if !sameBits(r.Distances, distancesOnCPU(t, c, root)) {
			t.Fatalf("root %d: other distances", root)
		}
	})
}

// Both kernels search with a part of the rows in host memory, at every memory limit. The least memory, which
// has the ranges of the hubs' rows whole, holds all arcs of this small graph.
func TestBothKernelsOfSplitRows(t *testing.T) {
	spec := devicetest.Official(11)
	job := splitJob(spec.Scale)
	job.Strategies = bothKernels()
	p := planned(0)
	p.part, p.hubsFrom = 1<<12, 1
	smallest := engine.Peak(p.required(job, p.leastSplit(job)), engine.DeviceMemory)
	tuples := officialWeighted(spec)
	_, c, _ := onCPU(t, int(spec.Vertices()), tuples.Edges)
	paths, _ := pathsOnCPU(t, spec.Vertices(), tuples)
	for _, more := range []uint64{0, 20_000} {
		e := startSplit(t, named(defaultStrategy), engine.Prefix, smallest+more)
		if err := e.Prepare(t.Context(), []engine.Plan{e.Plan(job)}); err != nil {
			t.Fatal(err)
		}
		if err := e.Engine.Generate(t.Context(), spec, nil); err != nil {
			t.Fatal(err)
		}
		info, err := e.Engine.Construct(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		bfs, sssp := e.graphs[engine.BFS][0].Info, e.graphs[engine.SSSP][0].Info
		if bfs.HostBytes == 0 || info.HostBytes != bfs.HostBytes+sssp.HostBytes || bfs.Prefix != 0 || info.Prefix != sssp.Prefix {
			t.Errorf("%+v of %+v and %+v", info, bfs, sssp)
		}
		searchers := openSearchers(t, e, bothKernels())
		e.searcher = searchers[0]
		for _, root := range e.keys(t, spec, 2, info) {
			compare(t, e, c, root)
			comparePaths(t, searchers[1], paths, []engine.Label{root})
		}
		e.searcher = nil // openSearchers closes it
		if peak, plan := e.device.Peak(), engine.Peak(e.Plan(job).Memory, engine.DeviceMemory); peak > plan || plan > e.Engine.limit.Bytes {
			t.Errorf("%d bytes more: %d taken, %d planned, limit %d", more, peak, plan, e.Engine.limit.Bytes)
		}
		if most := engine.Peak(e.planner.tailsPlan(job, e.layout, 1), engine.HostMemory); uint64(info.HostBytes) > most {
			t.Errorf("%d bytes more: %d bytes of host memory, %d planned", more, info.HostBytes, most)
		}
	}
}

// splitSpec is the graph of checkSplit.
func splitSpec() kronecker.Spec { return kronecker.Spec{Scale: 12, EdgeFactor: 16, Seed1: 2, Seed2: 3} }

// checkSplit searches split rows at several memory limits, and calls also, unless nil, while
// results of a search are kept.
func checkSplit(t *testing.T, of engine.Strategy, jobOf func(scale int) engine.Job, also func(e *testEngine, root engine.Label)) {
	t.Helper()
	spec := splitSpec()
	job := jobOf(spec.Scale)
	p := planned(0)
	p.part, p.hubsFrom = 1<<12, 1
	smallest := engine.Peak(p.required(job, p.leastSplit(job)), engine.DeviceMemory)
	for _, more := range devicetest.Sized([]uint64{0, 20_000, 60_000, 1 << 30}, []uint64{0, 20_000, 1 << 30}) {
		e := startSplit(t, of, engine.Prefix, smallest+more)
		if err := e.Generate(t.Context(), spec, nil); err != nil {
			t.Fatal(err)
		}
		info, err := e.Construct(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if info.Prefix >= construct.LeastPrefix != job.Weighted() || (info.HostBytes > 0) != (more < 1<<30) {
			t.Errorf("%d bytes more: %+v", more, info)
		}
		for _, root := range e.keys(t, spec, devicetest.Sized(8, 2), info) {
			if err := errors.Join(e.Clear(), e.Search(t.Context(), root), e.searcher.Keep()); err != nil {
				t.Fatal(err)
			}
			if _, err := e.searcher.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			if also != nil {
				also(e, root)
			}
			e.searcher.Drop()
		}
		if peak, plan := e.device.Peak(), engine.Peak(e.Plan(job).Memory, engine.DeviceMemory); peak > plan || plan > e.Engine.limit.Bytes {
			t.Errorf("%d bytes more: %d taken, %d planned, limit %d", more, peak, plan, e.Engine.limit.Bytes)
		}
		if host, most := uint64(info.HostBytes), engine.Peak(e.planner.tailsPlan(job, e.layout, 1), engine.HostMemory); host > most {
			t.Errorf("%d bytes more: %d bytes of host memory, %d planned", more, host, most)
		}
	}
}

// A counted search of split rows says what the search before it read of host memory, level by
// level.
func TestCountsOfSplitRows(t *testing.T) {
	spec := splitSpec()
	job := splitJob(spec.Scale)
	p := planned(0)
	p.part, p.hubsFrom = 1<<12, 1
	e := startSplit(t, named(defaultStrategy), engine.Prefix, engine.Peak(p.required(job, p.leastSplit(job)), engine.DeviceMemory))
	if err := e.Generate(t.Context(), spec, nil); err != nil {
		t.Fatal(err)
	}
	info, err := e.Construct(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	root := e.keys(t, spec, 1, info)[0]
	if err := errors.Join(e.Clear(), e.Search(t.Context(), root)); err != nil {
		t.Fatal(err)
	}
	found, err := e.searcher.Profile()
	if err != nil {
		t.Fatal(err)
	}
	profile := report.ProfileOf(found)
	counts, err := e.searcher.CountWork(t.Context(), engine.Vertex(root))
	if err != nil {
		t.Fatal(err)
	}
	profile.TakeHost(*counts)
	var sum engine.Profile
	for _, l := range profile.Levels {
		sum.Add(engine.Level(l))
	}
	if counts.HostBytes == 0 || profile.HostBytes != counts.HostBytes || sum.HostBytes != counts.HostBytes || sum.HostRequests != counts.HostRequests {
		t.Errorf("counted %d bytes in %d requests, the search has %+v", counts.HostBytes, counts.HostRequests, profile)
	}
	other := report.Profile{Levels: []report.Level{{Frontier: 1}}}
	if other.TakeHost(*counts); other.HostBytes != 0 {
		t.Errorf("a search of other levels: %+v", other)
	}
}

// The searches of neighbours in host memory are validated at every memory limit, and take no
// more than is planned.
func TestSearchOfNeighboursInHostMemory(t *testing.T) {
	spec := devicetest.Official(devicetest.Sized(12, 10))
	job := splitJob(spec.Scale)
	for _, residency := range hostResidencies() {
		p := planned(0)
		p.part, p.residency = 1<<12, residency
		least := layout{capacity: p.part, groups: construct.MostGroups, batch: 1, words: mostRows(job)}
		least.form = hostrows.Form{Residency: residency, Buffer: leastHostBuffer}
		smallest := engine.Peak(p.required(job, least), engine.DeviceMemory)
		for _, more := range devicetest.Sized([]uint64{0, 10_000, 1 << 30}, []uint64{0, 10_000}) {
			t.Run(fmt.Sprintf("%s, %d bytes more", residency, more), func(t *testing.T) {
				checkHostResidency(t, spec, residency, smallest+more)
			})
		}
	}
}

// checkHostResidency constructs a graph and validates searches of it.
func checkHostResidency(t *testing.T, spec kronecker.Spec, residency engine.Residency, limit uint64) {
	t.Helper()
	job, e := splitJob(spec.Scale), startSplit(t, named(defaultStrategy), residency, limit)
	if err := e.Generate(t.Context(), spec, nil); err != nil {
		t.Fatal(err)
	}
	info, err := e.Construct(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if info.Prefix != 0 || info.HostBytes < 4*info.Arcs || e.Info().Residency != residency {
		t.Errorf("%+v, %+v", info, e.layout)
	}
	for _, root := range e.keys(t, spec, 2, info) {
		if err := errors.Join(e.Clear(), e.Search(t.Context(), root)); err != nil {
			t.Fatal(err)
		}
		if _, err := e.check(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if peak, plan := e.device.Peak(), engine.Peak(e.Plan(job).Memory, engine.DeviceMemory); peak > plan || plan > e.Engine.limit.Bytes {
		t.Errorf("%d bytes taken, %d planned, limit %d", peak, plan, e.Engine.limit.Bytes)
	}
	if host, most := uint64(info.HostBytes), engine.Peak(e.planner.tailsPlan(job, e.layout, 1), engine.HostMemory); host > most {
		t.Errorf("%d bytes of host memory, %d planned", host, most)
	}
}

// Buffers are as long as fits, and only the residencies that use them have them.
func TestBuffersOfHostLayouts(t *testing.T) {
	job := splitJob(28)
	for _, residency := range hostResidencies() {
		for _, gib := range []uint64{10, 16, 139} {
			p := planned(gib << 30)
			p.residency = residency
			l := p.layoutOf(job)
			plan := p.plan(job, l)
			if peak := engine.Peak(plan, engine.DeviceMemory); !l.splits() || l.hasPrefix() || peak > p.limit {
				t.Errorf("%d GiB, %s: %+v, %d bytes", gib, residency, l, peak)
			}
			if l.form.Buffer != hostrows.MostBufferOf(residency) {
				t.Errorf("%d GiB, %s: buffers of %d neighbours", gib, residency, l.form.Buffer)
			}
			buffers := false
			for _, a := range plan {
				if strings.Contains(a.Name, "buffers of neighbours") {
					buffers = true
				}
			}
			if want := residency == engine.Subgraph || residency == engine.Partition; buffers != want {
				t.Errorf("%s: buffers: %v", residency, buffers)
			}
		}
	}
}

// A large grid from a file needs the neighbours in host memory if the GPU has little.
func TestLayoutsOfGrid(t *testing.T) {
	job := splitJob(26)
	job.Tuples, job.Loaded = 2*job.Vertices, true
	for _, c := range []struct {
		residency engine.Residency
		gib       float64
	}{{engine.Prefix, 6.7}, {engine.ZeroCopy, 3.25}, {engine.Subgraph, 3.25}} {
		p := planned(uint64(c.gib * (1 << 30)))
		for _, p.residency = range []engine.Residency{c.residency, engine.AutoResidency} {
			if l := p.layoutOf(job); !p.fits(job, l) || l.hasPrefix() != (c.residency == engine.Prefix) {
				t.Errorf("%s: %+v for %.2f GiB, as %s", p.residency, l, c.gib, c.residency)
			}
		}
	}
}

// If little memory is left, buffers are shorter. The list of partitions does not grow beyond it.
func TestShortBuffersOfHostLayouts(t *testing.T) {
	job := splitJob(28)
	for _, residency := range []engine.Residency{engine.Subgraph, engine.Partition} {
		p := planned(1 << 40)
		p.residency = residency
		l := p.layoutOf(job)
		l.groups = construct.MostGroups
		for _, l.form.Buffer = range []uint64{1 << 20, 1 << 14} {
			p.limit = engine.Peak(p.required(job, l), engine.DeviceMemory)
			got := p.layoutOf(job)
			if got.form.Buffer < l.form.Buffer || engine.Peak(p.required(job, got), engine.DeviceMemory) > p.limit {
				t.Errorf("%s: buffers of %d neighbours where %d fit", residency, got.form.Buffer, l.form.Buffer)
			}
		}
		p.limit = minimalMemory
		if got := p.layoutOf(job); got.form.Buffer != leastHostBuffer || got.groups != construct.MostGroups {
			t.Errorf("%s: %+v is not the layout of the least memory", residency, got)
		}
	}
}

// Below the least memory, the plan says what the least is.
func TestSplitRowsDoNotFit(t *testing.T) {
	checkSplitDoesNotFit(t, named(defaultStrategy), splitJob(16), "rows of a level", "neighbours")
	checkSplitDoesNotFit(t, shortestPaths(), splitPathsJob(16), "arcs by weight", "arcs beyond the prefix")
}

// checkSplitDoesNotFit checks that the plan of a job for little memory has those lines.
func checkSplitDoesNotFit(t *testing.T, of engine.Strategy, job engine.Job, lines ...string) {
	t.Helper()
	e := startSplit(t, of, engine.AutoResidency, minimalMemory)
	plan := e.Plan(job).Memory
	if peak := engine.Peak(plan, engine.DeviceMemory); peak <= e.Engine.limit.Bytes || !e.planner.layoutOf(job).splits() {
		t.Errorf("%d bytes of %d, %+v", peak, e.Engine.limit.Bytes, e.planner.layoutOf(job))
	}
	has := func(name string) bool {
		for _, a := range plan {
			if strings.HasPrefix(a.Name, name) && a.Bytes > 0 {
				return true
			}
		}
		return false
	}
	for _, line := range lines {
		if !has(line) {
			t.Errorf("no %s in %+v", line, plan)
		}
	}
}

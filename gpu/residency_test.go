//go:build cuda

package gpu

import (
	"strings"
	"testing"

	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kronecker"
)

// splitJob is a run of the default search on a generated graph.
func splitJob(scale int) engine.Job {
	vertices, tuples := official(scale)
	return engine.Job{Vertices: vertices, Tuples: tuples, Strategies: []engine.Strategy{named("default")}, Searches: 64, Delta: 0.1}
}

// startSplit returns an engine of that residency and memory limit, without driverBytes.
func startSplit(t *testing.T, residency engine.Residency, limit uint64) *testEngine {
	t.Helper()
	e := startWith(t, named("default"), limit, 1<<12)
	e.planner.residency = residency
	return e
}

// Rows are split if nothing else fits, and take what is left.
func TestSplitLayouts(t *testing.T) {
	job := splitJob(28)
	for _, c := range []struct {
		gib       uint64
		residency engine.Residency
		splits    bool
		fits      bool
		prefix    uint64 // a prefix of every row that fits
	}{
		{139, engine.AutoResidency, false, true, 0},
		{139, engine.Resident, false, true, 0},
		{139, engine.Prefix, true, true, 60},
		{40, engine.AutoResidency, true, true, 40},
		{40, engine.Resident, false, false, 0},
		{18, engine.AutoResidency, true, true, 8},
		{4, engine.AutoResidency, true, false, 0},
	} {
		p := planned(c.gib << 30)
		p.residency = c.residency
		l := p.layoutOf(job)
		if l.splits() != c.splits || l.words < c.prefix*splitRows(job) {
			t.Errorf("%d GiB, %s: %+v", c.gib, c.residency, l)
		}
		if peak := engine.Peak(p.plan(job, l), engine.DeviceMemory); (peak <= p.limit) != c.fits {
			t.Errorf("%d GiB, %s: %d bytes", c.gib, c.residency, peak)
		}
	}
}

// Only the default search of BFS can search split rows.
func TestLayoutsThatDoNotSplit(t *testing.T) {
	paths, other := splitJob(20), splitJob(20)
	paths.Strategies = []engine.Strategy{{Kernel: engine.SSSP, Name: defaultStrategy}}
	other.Strategies = []engine.Strategy{named("push")}
	p := planned(1 << 20)
	for _, residency := range engine.Residencies() {
		p.residency = residency
		for _, job := range []engine.Job{paths, other} {
			if l := p.layoutOf(job); l.splits() {
				t.Errorf("%s: %+v", residency, l)
			}
		}
	}
}

// The search of split rows is validated at every memory limit, and takes no more than is
// planned.
func TestSearchOfSplitRows(t *testing.T) {
	spec := kronecker.Spec{Scale: 12, EdgeFactor: 16, Seed1: 2, Seed2: 3}
	job := splitJob(spec.Scale)
	p := planned(0)
	p.part = 1 << 12
	least := layout{capacity: p.part, groups: construct.MostGroups, batch: 1, words: construct.LeastWords(splitRows(job))}
	smallest := engine.Peak(p.required(job, least), engine.DeviceMemory)
	for _, more := range []uint64{0, 50_000, 200_000, 1 << 30} {
		e := startSplit(t, engine.Prefix, smallest+more)
		if err := e.Generate(t.Context(), spec, nil); err != nil {
			t.Fatal(err)
		}
		info, err := e.Construct(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if info.Prefix < construct.LeastPrefix || more < 1<<30 && info.HostBytes == 0 {
			t.Errorf("%d bytes more: %+v", more, info)
		}
		for _, root := range e.keys(t, spec, 8, info) {
			if err := e.Clear(); err != nil {
				t.Fatal(err)
			}
			if err := e.Search(t.Context(), root); err != nil {
				t.Fatal(err)
			}
			if _, err := e.check(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if peak, plan := e.device.Peak(), engine.Peak(e.Plan(job), engine.DeviceMemory); peak > plan || plan > e.limit.Bytes {
			t.Errorf("%d bytes more: %d taken, %d planned, limit %d", more, peak, plan, e.limit.Bytes)
		}
		if host, most := uint64(info.HostBytes), engine.Peak(e.layout.tailsPlan(job), engine.HostMemory); host > most {
			t.Errorf("%d bytes more: %d bytes of host memory, %d planned", more, host, most)
		}
	}
}

// Below the least memory, the plan says what the least is.
func TestSplitRowsDoNotFit(t *testing.T) {
	e := startSplit(t, engine.AutoResidency, minimalMemory)
	job := splitJob(16)
	plan := e.Plan(job)
	if peak := engine.Peak(plan, engine.DeviceMemory); peak <= e.limit.Bytes || !e.layoutOf(job).splits() {
		t.Errorf("%d bytes of %d, %+v", peak, e.limit.Bytes, e.layoutOf(job))
	}
	has := func(name string) bool {
		for _, a := range plan {
			if strings.HasPrefix(a.Name, name) && a.Bytes > 0 {
				return true
			}
		}
		return false
	}
	if !has("neighbours") || !has("neighbours beyond the prefix") {
		t.Errorf("%+v", plan)
	}
}

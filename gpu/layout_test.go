//go:build cuda

package gpu

import (
	"testing"

	"graph500/engine"
	"graph500/kernels"
)

// planned returns an engine without a device that plans for so many free bytes.
func planned(t *testing.T, free uint64) *Engine {
	t.Helper()
	return &Engine{part: regeneratedPart, free: free}
}

func official(scale int) (vertices, tuples uint64) { return 1 << scale, 16 << scale }

// officialJob is a run of the default search.
func officialJob(scale int, loaded bool) engine.Job {
	vertices, tuples := official(scale)
	return engine.Job{Vertices: vertices, Tuples: tuples, Loaded: loaded, Strategy: named("default"), Searches: 64}
}

// TestLayouts has a device of 139 GiB, as an H200 has free, and a smaller one.
func TestLayouts(t *testing.T) {
	const all = 0
	for _, c := range []struct {
		free   uint64
		scale  int
		loaded bool
		want   layout // room all: for all tuples
		fits   bool
	}{
		{139 << 30, 1, false, layout{all, kernels.LeastGroups}, true},
		{139 << 30, 24, false, layout{all, kernels.LeastGroups}, true},
		{139 << 30, 28, false, layout{all, kernels.LeastGroups}, true},
		{139 << 30, 28, true, layout{all, kernels.LeastGroups}, true},
		{139 << 30, 29, false, layout{regeneratedPart, 5}, true},
		{139 << 30, 29, true, layout{all, kernels.MostGroups}, false},
		{139 << 30, 30, false, layout{regeneratedPart, kernels.MostGroups}, false},
		{79 << 30, 28, false, layout{regeneratedPart, kernels.LeastGroups}, true},
		{23 << 30, 26, true, layout{all, 7}, true},
	} {
		job := officialJob(c.scale, c.loaded)
		if c.want.room == all {
			c.want.room = job.Tuples
		}
		e := planned(t, c.free)
		if got := e.layoutOf(job); got != c.want {
			t.Errorf("scale %d, %d GiB, loaded %v: %+v, want %+v", c.scale, c.free>>30, c.loaded, got, c.want)
		}
		if peak := engine.Peak(e.Plan(job), engine.DeviceMemory); peak <= c.free != c.fits {
			t.Errorf("scale %d, %d GiB, loaded %v: %d bytes", c.scale, c.free>>30, c.loaded, peak)
		}
	}
}

// TestLayoutsAtTheEdges takes the last byte away from each layout in turn.
func TestLayoutsAtTheEdges(t *testing.T) {
	for _, loaded := range []bool{false, true} {
		job := officialJob(28, loaded)
		free := uint64(1) << 50
		var before layout
		for {
			e := planned(t, free)
			l := e.layoutOf(job)
			peak := engine.Peak(e.plan(job, l), engine.DeviceMemory)
			if peak > free { // nothing fits: what takes least
				room := uint64(regeneratedPart)
				if loaded {
					room = job.Tuples
				}
				if l != (layout{room, kernels.MostGroups}) {
					t.Errorf("loaded %v: %+v where nothing fits", loaded, l)
				}
				break
			}
			if l == before || l.room > before.room && before.room > 0 || l.room == before.room && l.groups < before.groups {
				t.Fatalf("loaded %v: %+v with %d bytes, after %+v", loaded, l, free, before)
			}
			if again := planned(t, peak).layoutOf(job); again != l {
				t.Fatalf("loaded %v: %+v takes %d bytes, with which it is %+v", loaded, l, peak, again)
			}
			free, before = peak-1, l
		}
		if regenerated := before.room < job.Tuples; regenerated == loaded {
			t.Errorf("loaded %v: the smallest layout is %+v", loaded, before)
		}
	}
}

// A layout that is in use stays, whatever is free by then.
func TestLayoutStays(t *testing.T) {
	e := planned(t, 1<<40)
	e.tuples, e.layout = new(kernels.Tuples), layout{17, 9}
	if l := e.layoutOf(officialJob(20, false)); l != e.layout {
		t.Errorf("%+v", l)
	}
}

// TestKeptTrees chooses the number of trees that are validated together.
func TestKeptTrees(t *testing.T) {
	for _, c := range []struct {
		free   uint64
		scale  int
		loaded bool
		want   int
	}{
		{139 << 30, 28, false, 0}, // all tuples fit
		{139 << 30, 28, true, 0},
		{139 << 30, 29, false, mostKept},
		{139 << 30, 29, true, 0},  // nor are these made again
		{139 << 30, 30, false, 0}, // nothing fits
		{79 << 30, 28, false, mostKept},
	} {
		e := planned(t, c.free)
		if got := e.kept(officialJob(c.scale, c.loaded)); got != c.want {
			t.Errorf("scale %d, %d GiB, loaded %v: %d trees, want %d", c.scale, c.free>>30, c.loaded, got, c.want)
		}
	}
}

// The trees are as many as fit beside what a search needs, and the plan names
// them.
func TestKeptTreesFit(t *testing.T) {
	job := officialJob(29, false)
	seen := map[int]bool{}
	for free := uint64(139 << 30); ; free -= 1 << 28 {
		e := planned(t, free)
		l := e.layoutOf(job)
		alone := e.plan(job, l)
		if engine.Peak(alone, engine.DeviceMemory) > free {
			break
		}
		trees := e.kept(job)
		seen[trees] = true
		plan := e.Plan(job)
		others := len(alone) + len(e.spare(job, alone))
		if trees == 0 && len(plan) != others || trees > 0 && plan[len(plan)-1] != keptTrees(job.Vertices, trees) {
			t.Fatalf("%d bytes: %d trees, %+v", free, trees, plan)
		}
		fits := func(trees int) bool {
			plan := append(alone, keptTrees(job.Vertices, trees), engine.Allocation{Bytes: free / spared, Place: engine.DeviceMemory, Phase: engine.Searching})
			return engine.Peak(plan, engine.DeviceMemory) <= free
		}
		if trees == 1 || trees > mostKept || trees > 0 && !fits(trees) || engine.Peak(plan, engine.DeviceMemory) > free {
			t.Fatalf("%d bytes: %d trees", free, trees)
		}
		if next := max(2, trees+1); next <= mostKept && fits(next) {
			t.Fatalf("%d bytes: %d trees, though %d fit", free, trees, next)
		}
	}
	if len(seen) < 3 {
		t.Errorf("only %v were chosen", seen)
	}
}

// A strategy that needs more leaves fewer trees; the graph stays as it lies.
func TestKeptTreesOfAnotherStrategy(t *testing.T) {
	job := officialJob(29, false)
	e := planned(t, 139<<30)
	e.layout, e.vertices = e.layoutOf(job), job.Vertices
	e.tuples = new(kernels.Tuples)
	before := e.kept(job)
	takes := func(bytes uint64) engine.Job {
		job.Strategy.Memory = func(_, _ uint64) []engine.Allocation {
			return []engine.Allocation{{Name: "much", Bytes: bytes, Phase: engine.Searching}}
		}
		return job
	}
	if after := e.kept(takes(50 << 30)); after >= before || after < 2 {
		t.Errorf("%d trees, %d before", after, before)
	}
	if after := e.kept(takes(62 << 30)); after != 0 {
		t.Errorf("%d trees, %d before", after, before)
	}
}

func TestPlanSaysWhatIsRegenerated(t *testing.T) {
	job := officialJob(29, false)
	if got := planned(t, 139<<30).Plan(job)[0]; got != (engine.Allocation{Name: "tuples, a part at a time", Bytes: 8 * regeneratedPart, Place: engine.DeviceMemory}) {
		t.Errorf("%+v", got)
	}
	if got := planned(t, 1<<40).Plan(job)[0]; got != (engine.Allocation{Name: "tuples", Bytes: 8 * job.Tuples, Place: engine.DeviceMemory}) {
		t.Errorf("%+v", got)
	}
}

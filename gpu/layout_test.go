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
	s, ok := lookUp(DefaultStrategy)
	if !ok {
		t.Fatal("no default strategy")
	}
	return &Engine{strategy: s, part: regeneratedPart, free: free}
}

func official(scale int) (vertices, tuples uint64) { return 1 << scale, 16 << scale }

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
		vertices, tuples := official(c.scale)
		if c.want.room == all {
			c.want.room = tuples
		}
		e := planned(t, c.free)
		if got := e.layoutOf(vertices, tuples, c.loaded); got != c.want {
			t.Errorf("scale %d, %d GiB, loaded %v: %+v, want %+v", c.scale, c.free>>30, c.loaded, got, c.want)
		}
		if peak := engine.Peak(e.Plan(vertices, tuples, c.loaded), engine.DeviceMemory); peak <= c.free != c.fits {
			t.Errorf("scale %d, %d GiB, loaded %v: %d bytes", c.scale, c.free>>30, c.loaded, peak)
		}
	}
}

// TestLayoutsAtTheEdges takes the last byte away from each layout in turn.
func TestLayoutsAtTheEdges(t *testing.T) {
	vertices, tuples := official(28)
	for _, loaded := range []bool{false, true} {
		free := uint64(1) << 50
		var before layout
		for {
			e := planned(t, free)
			l := e.layoutOf(vertices, tuples, loaded)
			peak := engine.Peak(e.plan(vertices, tuples, loaded, l), engine.DeviceMemory)
			if peak > free { // nothing fits: what takes least
				room := uint64(regeneratedPart)
				if loaded {
					room = tuples
				}
				if l != (layout{room, kernels.MostGroups}) {
					t.Errorf("loaded %v: %+v where nothing fits", loaded, l)
				}
				break
			}
			if l == before || l.room > before.room && before.room > 0 || l.room == before.room && l.groups < before.groups {
				t.Fatalf("loaded %v: %+v with %d bytes, after %+v", loaded, l, free, before)
			}
			if again := planned(t, peak).layoutOf(vertices, tuples, loaded); again != l {
				t.Fatalf("loaded %v: %+v takes %d bytes, with which it is %+v", loaded, l, peak, again)
			}
			free, before = peak-1, l
		}
		if regenerated := before.room < tuples; regenerated == loaded {
			t.Errorf("loaded %v: the smallest layout is %+v", loaded, before)
		}
	}
}

// A layout that is in use stays, whatever is free by then.
func TestLayoutStays(t *testing.T) {
	e := planned(t, 1<<40)
	e.tuples, e.layout = new(kernels.Tuples), layout{17, 9}
	vertices, tuples := official(20)
	if l := e.layoutOf(vertices, tuples, false); l != e.layout {
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
		vertices, tuples := official(c.scale)
		e := planned(t, c.free)
		if got := e.kept(vertices, tuples, c.loaded); got != c.want {
			t.Errorf("scale %d, %d GiB, loaded %v: %d trees, want %d", c.scale, c.free>>30, c.loaded, got, c.want)
		}
	}
}

// The trees are as many as fit beside what a search needs, and the plan names
// them.
func TestKeptTreesFit(t *testing.T) {
	vertices, tuples := official(29)
	seen := map[int]bool{}
	for free := uint64(139 << 30); ; free -= 1 << 28 {
		e := planned(t, free)
		l := e.layoutOf(vertices, tuples, false)
		alone := e.plan(vertices, tuples, false, l)
		if engine.Peak(alone, engine.DeviceMemory) > free {
			break
		}
		trees := e.kept(vertices, tuples, false)
		seen[trees] = true
		plan := e.Plan(vertices, tuples, false)
		others := len(alone) + len(e.spare(vertices, tuples, false, alone))
		if trees == 0 && len(plan) != others || trees > 0 && plan[len(plan)-1] != keptTrees(vertices, trees) {
			t.Fatalf("%d bytes: %d trees, %+v", free, trees, plan)
		}
		fits := func(trees int) bool {
			plan := append(alone, keptTrees(vertices, trees), engine.Allocation{Bytes: free / spared, Place: engine.DeviceMemory, Phase: engine.Searching})
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
	vertices, tuples := official(29)
	e := planned(t, 139<<30)
	e.layout, e.vertices = e.layoutOf(vertices, tuples, false), vertices
	e.tuples = new(kernels.Tuples)
	before := e.kept(vertices, tuples, false)
	e.strategy.plan = func(_, _, _ uint64) []engine.Allocation {
		return []engine.Allocation{{Name: "much", Bytes: 50 << 30, Phase: engine.Searching}}
	}
	if after := e.kept(vertices, tuples, false); after >= before || after < 2 {
		t.Errorf("%d trees, %d before", after, before)
	}
	e.strategy.plan = func(_, _, _ uint64) []engine.Allocation {
		return []engine.Allocation{{Name: "more", Bytes: 62 << 30, Phase: engine.Searching}}
	}
	if after := e.kept(vertices, tuples, false); after != 0 {
		t.Errorf("%d trees, %d before", after, before)
	}
}

func TestPlanSaysWhatIsRegenerated(t *testing.T) {
	vertices, tuples := official(29)
	if got := planned(t, 139<<30).Plan(vertices, tuples, false)[0]; got != (engine.Allocation{Name: "tuples, a part at a time", Bytes: 8 * regeneratedPart, Place: engine.DeviceMemory}) {
		t.Errorf("%+v", got)
	}
	if got := planned(t, 1<<40).Plan(vertices, tuples, false)[0]; got != (engine.Allocation{Name: "tuples", Bytes: 8 * tuples, Place: engine.DeviceMemory}) {
		t.Errorf("%+v", got)
	}
}

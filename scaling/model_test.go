package scaling

import (
	"math"
	"testing"

	"graph500/engine"
)

// simple is a machine with round figures.
func simple(gpus int) Machine {
	return Machine{
		GPUs: gpus, Memory: 100e9, GraphShare: 0.5, Peer: 8, Network: 2, Latency: 3, Start: 100, Message: 7,
		Launch: 1000, Level: 10, PeerLevel: 20, Arc: 0, Label: 2, LookUps: 0.5, Hit: 4, Miss: 12, Cache: 16,
	}
}

// flat is a profile of scale 10, 1,024 labels: one level of each direction. Both have more
// found vertices than the bitmap has words of four bytes.
func flat() Profile {
	return Profile{Scale: 10, Levels: []Level{
		{Place: -1, Direction: engine.TopDown, Share: 1, Frontier: 0.125, Found: 0.25, Arcs: 0.5},
		{Place: 0, Direction: engine.BottomUp, Share: 0.5, Frontier: 0.25, Found: 0.5, Arcs: 1},
	}}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// Look-ups of a bitmap of 128 bytes in a cache of 16: 1/8 hits.
func TestLookUp(t *testing.T) {
	m := simple(1)
	for bitmap, want := range map[float64]float64{8: 4, 16: 4, 32: 8, 128: 11, 1e12: 12} {
		if got := m.lookUp(bitmap); math.Abs(got-want) > 1e-6 {
			t.Errorf("%g bytes: %g, want %g", bitmap, got, want)
		}
	}
}

// Hand-calculated times of 1,024 labels: bitmap 128 bytes.
func TestTime(t *testing.T) {
	extra := flat().levelsAt(10) // scale of the profile: no extrapolation
	if extra != 1.5 {
		t.Fatal(extra)
	}
	for _, test := range []struct {
		name        string
		gpus, nodes int
		layout      Layout
		want        Time
	}{
		// Levels 1000 + 1.5*10; work 1024 * (2 + 0.5*11).
		{"one GPU", 1, 1, Ranges, Time{Levels: 1015, Work: 7680}},
		// Levels + 1.5*20; half the work. Each level receives half a bitmap, 64 bytes; pairs:
		// 8 bytes * 256 / 2 GPUs, half of them from the other: 512.
		{"two GPUs", 2, 1, Ranges, Time{Levels: 1045, Work: 3840, Peer: (64 + 64 + 512) / 8.0}},
		// A node receives half a bitmap for each of two levels. Pairs: 8*256/2, half of them:
		// 512. Latencies: top-down 100+3 and 100+3+7, bottom-up half of 100+3.
		{"two nodes", 1, 2, Ranges, Time{Levels: 1045, Work: 3840, Network: (64+64+512)/2.0 + 213 + 51.5}},
		// A grid of 2 x 2, a GPU each. Bitmaps: 128 * (1/2*1/2 + 1/2*1/2) = 64. Pairs
		// 8*256/4 * 1/2 = 256, parents 4*512/4 * 1/2 = 256. A bitmap of 64 bytes is looked up:
		// 4/4 + 12*3/4 = 10. Latencies: top-down 100+3 and 100+3+7, bottom-up half of 103+2*103.
		{"grid", 1, 4, Grid, Time{Levels: 1045, Work: 256 * (2 + 0.5*10), Network: (64+64+256+256)/2.0 + 213 + 154.5}},
		// The same with two GPUs a node: the bitmap comes through both, pairs and parents go to
		// twice as many GPUs. Peers: 128 * (1/2+1/2) bytes, half of them from the other GPU, for
		// each level; of the pairs and parents a quarter stays in the node: 256/4 and 256/4, half.
		{"grid of two GPUs", 2, 4, Grid, Time{Levels: 1045, Work: 128 * (2 + 0.5*10), Peer: (64 + 64 + 32 + 32) / 8.0,
			Network: (64+64)/2.0/2 + (128+128)/2.0 + 213 + 154.5}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Run{Machine: simple(test.gpus), Profile: flat(), Scale: 10, Nodes: test.nodes, Layout: test.layout}.Time()
			if !near(got.Levels, test.want.Levels) || !near(got.Work, test.want.Work) || !near(got.Peer, test.want.Peer) || !near(got.Network, test.want.Network) {
				t.Errorf("%+v, want %+v", got, test.want)
			}
		})
	}
}

// Arcs of top-down levels cost time, with the imbalance of the GPU that has most.
func TestArcs(t *testing.T) {
	r := Run{Machine: simple(2), Profile: flat(), Scale: 10, Nodes: 1}
	before := r.Time().Work
	r.Machine.Arc = 3
	if got, want := r.Time().Work-before, 512*0.5*3*Imbalance(10, 2, 1); !near(got, want) {
		t.Errorf("%g, want %g", got, want)
	}
}

// A level that finds little sends a list: 4 bytes a vertex, 8 above scale 32.
func TestLists(t *testing.T) {
	p := Profile{Scale: 10, Levels: []Level{{Direction: engine.BottomUp, Share: 1, Found: 1.0 / 1024}}}
	for scale, want := range map[int]float64{10: 4, 33: 8 * (1 << 23)} {
		r := Run{Machine: simple(1), Profile: p, Scale: scale, Nodes: 2}
		if got := r.Time().Network - 103; !near(got, want/2/2) {
			t.Errorf("scale %d: %g, want %g", scale, got, want/4)
		}
	}
}

func TestGrid(t *testing.T) {
	for nodes, want := range map[int][2]float64{4: {2, 2}, 8: {2, 4}, 16: {4, 4}, 512: {16, 32}, 1024: {32, 32}} {
		if rows, columns := (Run{Nodes: nodes, Layout: Grid}).grid(); rows != want[0] || columns != want[1] {
			t.Errorf("%d nodes: %g x %g", nodes, rows, columns)
		}
	}
}

// Scale 20 on one GPU: 33 * 4 bytes a label and three bitmaps. On several, the arcs of
// the fullest count.
func TestBytes(t *testing.T) {
	r := Run{Machine: simple(1), Scale: 20, Nodes: 1}
	if got, want := r.Bytes(), float64(132<<20+3<<17); got != want {
		t.Errorf("%g, want %g", got, want)
	}
	r.Nodes, r.Layout = 4, Grid
	if got, want := r.Bytes(), (128*r.imbalance()+4)*(1<<18)+3<<17; !near(got, want) {
		t.Errorf("grid: %g, want %g", got, want)
	}
	r.Layout, r.Scale = Ranges, 33
	if got, want := r.Bytes(), (256*r.imbalance()+8)*(1<<31)+3<<30; !near(got, want) {
		t.Errorf("wide labels: %g, want %g", got, want)
	}
	if r.Machine.Memory = 2 * r.Bytes(); !r.Fits() {
		t.Error("does not fit")
	}
	if r.Machine.Memory *= 0.999; r.Fits() {
		t.Error("fits")
	}
}

func TestNewProfile(t *testing.T) {
	level := func(d engine.Direction, frontier, found, examined int64) engine.Level {
		return engine.Level{Direction: d, Frontier: frontier, Found: found, Examined: examined}
	}
	got := NewProfile(2, [][]engine.Level{
		{level(engine.TopDown, 1, 2, 3), level(engine.BottomUp, 2, 1, 4), level(engine.TopDown, 1, 0, 1)},
		{level(engine.TopDown, 1, 1, 1), level(engine.TopDown, 1, 1, 2)},
	})
	want := []Level{
		{-2, engine.TopDown, 0.5, 1.0 / 8, 1.0 / 8, 1.0 / 8},
		{-1, engine.TopDown, 1, 2.0 / 8, 3.0 / 8, 5.0 / 8},
		{0, engine.BottomUp, 0.5, 2.0 / 8, 1.0 / 8, 4.0 / 8},
		{1, engine.TopDown, 0.5, 1.0 / 8, 0, 1.0 / 8},
	}
	if got.Scale != 2 || got.Count() != 2.5 || len(got.Levels) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got.Levels[i] != want[i] {
			t.Errorf("level %d: %+v, want %+v", i, got.Levels[i], want[i])
		}
	}
}

// A faster machine is never slower, and a larger graph never takes less time or memory.
func TestMonotone(t *testing.T) {
	p := Counted()[len(Counted())-1]
	for _, layout := range []Layout{Ranges, Grid} {
		for _, nodes := range []int{1, 4, 64, 1024} {
			if layout == Grid && nodes < 4 {
				continue
			}
			for scale := 20; scale <= 40; scale += 4 {
				r := Run{H200(), p, scale, nodes, layout}
				total := r.Time().Total()
				larger, wider := r, r
				larger.Scale++
				wider.Nodes *= 4
				if larger.Time().Total() <= total || larger.Bytes() <= r.Bytes() {
					t.Errorf("%v, %d nodes: scale %d is not below %d", layout, nodes, scale, scale+1)
				}
				if wider.Time().Work >= r.Time().Work || wider.Bytes() >= r.Bytes() {
					t.Errorf("%v, scale %d: more nodes than %d do not help", layout, scale, nodes)
				}
				if nodes > 1 && layout == Ranges && wider.latency(engine.TopDown) <= r.latency(engine.TopDown) {
					t.Errorf("latency of %d nodes is not below that of %d", nodes, 4*nodes)
				}
				for _, parameter := range parameters() {
					doubled := r
					*parameter.of(&doubled.Machine) *= 2
					rate := parameter.unit == 1e9 || parameter.name == "second-level cache"
					if after := doubled.Time().Total(); rate && after > total || !rate && after < total {
						t.Errorf("%v, scale %d, %d nodes: %s doubled: %g s, before %g", layout, scale, nodes, parameter.name, after, total)
					}
				}
			}
		}
	}
}

// Best takes a layout that fits, the faster one.
func TestBest(t *testing.T) {
	p := Counted()[len(Counted())-1]
	for _, test := range []struct {
		scale, nodes int
		layout       Layout
		fits         bool
	}{{24, 1, Ranges, true}, {33, 1, Ranges, false}, {28, 4, Ranges, true}, {36, 64, Grid, true}, {48, 1024, Ranges, false}} {
		best, fits := Run{Machine: H200(), Profile: p, Scale: test.scale, Nodes: test.nodes}.Best()
		if fits != test.fits || fits && best.Layout != test.layout {
			t.Errorf("scale %d on %d nodes: %v, %v", test.scale, test.nodes, best.Layout, fits)
		}
	}
}

// The largest of few parts of few labels, and the known limits.
func TestImbalance(t *testing.T) {
	if got := Imbalance(20, 1, 1); got != 1 {
		t.Error(got)
	}
	for scale := 10; scale <= 40; scale += 5 {
		for _, parts := range []int{2, 64, 8192} {
			got := Imbalance(scale, parts, 1)
			// The part with the label of the largest degree has at least that.
			hub := math.Pow(zeroBit, float64(scale)) * float64(parts)
			if got < max(1, 0.99*hub) || got > float64(parts) || got != Imbalance(scale, parts, 1) {
				t.Errorf("scale %d, %d parts: %g", scale, parts, got)
			}
		}
		if Imbalance(scale, 8, 1) > Imbalance(scale, 1024, 1) {
			t.Errorf("scale %d: less imbalance in more parts", scale)
		}
	}
}

// The model agrees with the measured figures within its stated error, which is no larger
// than it must be.
func TestMeasured(t *testing.T) {
	counted := Counted()
	p, worst := counted[len(counted)-1], 0.0
	for _, m := range Measured() {
		difference := math.Abs(m.Run(H200(), p).GTEPS()/m.GTEPS - 1)
		worst = max(worst, difference)
		if difference > StatedError {
			t.Errorf("%+v: modelled %.0f", m, m.Run(H200(), p).GTEPS())
		}
	}
	if worst < StatedError-0.01 {
		t.Errorf("the largest difference is %.3f", worst)
	}
}

// Efficiency is relative to the highest measured rate of one GPU, 1,676 GTEPS.
func TestEfficiency(t *testing.T) {
	r := Run{Machine: simple(2), Profile: flat(), Scale: 10, Nodes: 2}
	if want := 16 * 1024 / r.Time().Total() / 1e9 / 4 / 1676; !near(r.Efficiency()*1e12, want*1e12) {
		t.Errorf("%g, want %g", r.Efficiency(), want)
	}
}

// Needed is the first scale that reaches an efficiency.
func TestNeeded(t *testing.T) {
	p := Counted()[0]
	for _, nodes := range []int{1, 2, 64} {
		for _, efficiency := range []float64{0.01, 0.1, 0.4} {
			reaches := func(scale int) bool {
				best, fits := Run{Machine: H200(), Profile: p, Scale: scale, Nodes: nodes}.Best()
				return fits && best.Efficiency() >= efficiency
			}
			scale := Needed(H200(), p, nodes, efficiency)
			if scale > 0 && !reaches(scale) {
				t.Errorf("%d nodes: scale %d does not reach %g", nodes, scale, efficiency)
			}
			for s := 16; s < 48 && (scale == 0 || s < scale); s++ {
				if reaches(s) {
					t.Errorf("%d nodes: scale %d reaches %g, and not only %d", nodes, s, efficiency, scale)
				}
			}
		}
	}
	largest := LargestScale(H200(), p, 4)
	for scale, want := range map[int]bool{largest: true, largest + 1: false} {
		if _, fits := (Run{Machine: H200(), Profile: p, Scale: scale, Nodes: 4}).Best(); fits != want {
			t.Errorf("scale %d on 4 nodes: %v", scale, fits)
		}
	}
}

func TestNumbers(t *testing.T) {
	for got, want := range map[string]string{
		number(0.5): "0.5", number(999): "999", number(1653): "1,653", number(1234567): "1,234,567",
		modelled(4138.2): "4,140", modelled(115716): "116,000", modelled(0.12345): "0.123", modelled(999.7): "1,000",
		percent(0.445): "44 %", percent(0.0346): "3.5 %", percent(0.000017): "0.0017 %", percent(0.0999): "10 %", percent(1): "100 %",
		perLabel(0): "0", perLabel(2.5e-7): "2.5e-07", perLabel(1.145): "1.1",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

//go:build cuda

package construct

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
	"graph500/kronecker"
)

// newArcTails returns poisoned host memory.
func newArcTails(t *testing.T, d *device.Device, n uint64) *device.HostArray[Arc] {
	t.Helper()
	tails, err := device.Uncleared[Arc](d, int(max(1, n)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range tails.Host() {
		tails.Host()[i] = Arc{math.MaxUint32, -1}
	}
	t.Cleanup(func() {
		if err := tails.Free(); err != nil {
			t.Error(err)
		}
	})
	return tails
}

// checkWeightedSplit builds a graph with its rows in arcs of the device's memory, and
// compares it with the tuples and with the graph that is not split.
func checkWeightedSplit(t *testing.T, d *device.Device, vertices uint64, tuples engine.Tuples, groups int, arcs uint64) {
	t.Helper()
	input := loaded(t, d, tuples)
	defer devicetest.Close(t, input)
	want := constructWeighted(t, d, vertices, input, groups)
	tails := newArcTails(t, d, MostTails(vertices, uint64(len(tuples.Edges)), arcs))
	free := d.Free()
	devicetest.Dirty(t, d, 64*len(tuples.Edges)+64*int(vertices)+1<<20)
	g, err := WeightedSplit(t.Context(), d, vertices, input, groups, SplitArcs{arcs, tails})
	if err != nil {
		t.Fatal(err)
	}
	checkNeed(t, g, tupleDegrees(vertices, tuples.Edges), arcs)
	w := readWeighted(t, g, vertices)
	w.join(t, g)
	w.check(t, vertices, tuples)
	w.compare(t, want)
	if err := errors.Join(g.Close(), g.Close()); err != nil {
		t.Fatal(err)
	}
	if d.Free() != free {
		t.Fatalf("%d bytes are free after %d", d.Free(), free)
	}
}

// checkNeed checks that the prefix is the longest one for that many arcs, and what the rows
// of these degrees take.
func checkNeed(t *testing.T, g *WeightedGraph, degrees []int, arcs uint64) {
	t.Helper()
	taken, sectors := needOf(degrees, int(g.Prefix))
	if g.Arcs.Len() != taken || uint64(taken) > arcs {
		t.Errorf("prefix %d: %d arcs, want %d, at most %d", g.Prefix, g.Arcs.Len(), taken, arcs)
	}
	if g.Info.Prefix != int64(g.Prefix) || !g.IsSplit() || g.Info.HostBytes != int64(64*sectors) {
		t.Errorf("facts %+v, want %d sectors of host memory, prefix %d", g.Info, sectors, g.Prefix)
	}
	if longer, _ := needOf(degrees, int(g.Prefix)+1); uint64(longer) <= arcs && sectors > 0 {
		t.Errorf("prefix %d, but one more takes %d of %d arcs", g.Prefix, longer, arcs)
	}
}

// join gives split rows the form that they have if they are not split.
func (w *weightedRows) join(t *testing.T, g *WeightedGraph) {
	t.Helper()
	w.info.Prefix, w.info.HostBytes = 0, 0
	var arcs []Arc
	var front, used uint64
	tails := g.Tails.Host()
	for place, third := range w.thirds {
		row := &w.rows[third.Row]
		if row.Start.Offset() != front {
			t.Fatalf("row at place %d begins at %d, want %d", place, row.Start.Offset(), front)
		}
		row.Start += RowStart(uint64(len(arcs)) - front)
		inFront := min(row.Degree, g.Prefix)
		arcs = append(arcs, w.arcs[front:][:inFront]...)
		front += uint64(inFront)
		if rest := uint64(row.Degree - inFront); rest > 0 {
			tail := w.arcs[front]
			at := uint64(tail.To) | uint64(math.Float32bits(tail.Weight))<<32
			if at != used {
				t.Fatalf("the tail of the row at place %d begins at %d, want %d", place, at, used)
			}
			arcs = append(arcs, tails[at:][:rest]...)
			used += (rest + SectorArcs - 1) / SectorArcs * SectorArcs
			front++
		}
	}
	if front != uint64(len(w.arcs)) {
		t.Fatalf("rows end at %d of %d", front, len(w.arcs))
	}
	w.arcs = arcs
}

// compare compares a graph with another one of the same tuples, whose arcs of equal weight
// can have another order.
func (w *weightedRows) compare(t *testing.T, want *weightedRows) {
	t.Helper()
	if w.info != want.info || !slices.Equal(w.index, want.index) || !slices.Equal(w.labels, want.labels) || !slices.Equal(w.order, want.order) {
		t.Fatalf("other facts, index, labels or order: %+v, want %+v", w.info, want.info)
	}
	compare := func(a, b Arc) int { return cmp.Or(cmp.Compare(a.Weight, b.Weight), cmp.Compare(a.To, b.To)) }
	for r, row := range w.rows {
		other := want.rows[r]
		if row.Start != other.Start || row.Degree != other.Degree || row.Place != other.Place {
			t.Fatalf("row %d is %+v, want %+v", r, row, other)
		}
		got := slices.SortedFunc(slices.Values(w.arcs[row.Start.Offset():][:row.Degree]), compare)
		if !slices.Equal(got, slices.SortedFunc(slices.Values(want.arcs[row.Start.Offset():][:row.Degree]), compare)) {
			t.Fatalf("row %d has other arcs: %v", r, got)
		}
	}
}

// leastArcs returns the least arcs of device memory for the rows of the tuples.
func leastArcs(vertices uint64, edges []engine.Edge) uint64 {
	least, _ := needOf(tupleDegrees(vertices, edges), LeastPrefix)
	return uint64(least)
}

func TestWeightedSplitRandom(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(5, 6))
	for range devicetest.Sized(30, 4) {
		vertices := 1 + r.IntN(5000)
		edges := make([]engine.Edge, r.IntN(40000))
		for i := range edges {
			hub := func() engine.Local { return engine.Local(float64(vertices) * r.Float64() * r.Float64() * r.Float64()) }
			edges[i] = engine.Edge{U: hub(), V: hub()}
		}
		least := leastArcs(uint64(vertices), edges)
		checkWeightedSplit(t, d, uint64(vertices), weigh(r, edges), LeastGroups+r.IntN(MostGroups-LeastGroups), least+r.Uint64N(2*uint64(len(edges))+1))
	}
}

func TestWeightedSplitSmallGraphs(t *testing.T) {
	d := devicetest.Open(t)
	graphs := smallWeighted()
	graphs["nothing"] = weightedCase{}
	graphs["no edges"] = weightedCase{vertices: 5000}
	for name, c := range graphs {
		t.Run(name, func(t *testing.T) {
			tuples := weigh(rand.New(rand.NewPCG(7, 8)), c.edges)
			least := leastArcs(c.vertices, c.edges)
			checkWeightedSplit(t, d, c.vertices, tuples, LeastGroups, least)
			checkWeightedSplit(t, d, c.vertices, tuples, LeastGroups, least+2*uint64(len(c.edges)))
		})
	}
}

// WeightedSplit takes no more memory than its plan says, from regenerated tuples too.
func TestWeightedSplitInItsPlan(t *testing.T) {
	const scale, arcs = 12, 40000
	spec := devicetest.Official(scale)
	tuples := engine.Tuples{Edges: devicetest.OfficialTuples(scale), Weights: make([]float32, spec.Tuples())}
	kronecker.New(spec).Weights(tuples.Weights, 0)
	for _, room := range []uint64{spec.Tuples(), spec.Tuples() / 4} {
		plan := append(generate.Config{Count: spec.Tuples(), Capacity: room, Weighted: true}.Plan(), WeightedSplitPlan(spec.Vertices(), spec.Vertices(), spec.Tuples(), MostGroups, arcs)...)
		d := devicetest.OpenWith(t, device.Options{})
		if err := d.Reserve(engine.Peak(plan, engine.DeviceMemory)); err != nil {
			t.Fatal(err)
		}
		devicetest.Dirty(t, d, int(d.Free()))
		input := generatetest.Generate(t, d, spec, generate.Config{Capacity: room, Weighted: true})
		g, err := WeightedSplit(t.Context(), d, spec.Vertices(), input, MostGroups,
			SplitArcs{arcs, newArcTails(t, d, MostTails(spec.Vertices(), spec.Tuples(), arcs))})
		if err != nil {
			t.Fatal(err)
		}
		checkNeed(t, g, tupleDegrees(spec.Vertices(), tuples.Edges), arcs)
		w := readWeighted(t, g, spec.Vertices())
		w.join(t, g)
		w.check(t, spec.Vertices(), tuples)
		devicetest.Close(t, g)
		devicetest.Close(t, input)
	}
}

func TestWeightedSplitDoesNotFit(t *testing.T) {
	d := devicetest.Open(t)
	spec := devicetest.Official(10)
	input := loaded(t, d, engine.Tuples{Edges: devicetest.OfficialTuples(10), Weights: make([]float32, spec.Tuples())})
	defer devicetest.Close(t, input)
	free := d.Free()
	_, err := WeightedSplit(t.Context(), d, spec.Vertices(), input, LeastGroups, SplitArcs{100, newArcTails(t, d, 4*spec.Tuples())})
	if memory := new(device.MemoryError); !errors.As(err, &memory) || memory.Available != 800 {
		t.Errorf("100 arcs: %v", err)
	}
	if _, err = WeightedSplit(t.Context(), d, spec.Vertices(), input, LeastGroups, SplitArcs{20000, newArcTails(t, d, 32)}); err == nil {
		t.Error("four sectors of host memory were enough")
	}
	if d.Free() != free {
		t.Errorf("%d bytes are free after %d", d.Free(), free)
	}
}

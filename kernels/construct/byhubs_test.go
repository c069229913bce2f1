//go:build cuda

package construct

import (
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	plain "graph500/kernels/hubs/reference"
)

// checkByHubs compares a graph of the order ByHubs with that of the plain builder.
func checkByHubs(t *testing.T, d *device.Device, vertices uint64, tuples []engine.Edge, hubs, chunk uint64) {
	t.Helper()
	devicetest.Dirty(t, d, 128*len(tuples)+128*int(vertices)+1<<20)
	free := d.Free()
	f := Form{Order: ByHubs, Devices: 1, Groups: LeastGroups, Hubs: hubs, Chunk: chunk}
	l := load(t, d, f, vertices, engine.Tuples{Edges: tuples})
	graphs, err := l.build(t, f)
	if err != nil {
		t.Fatal(err)
	}
	g := graphs[0].ByHubs
	want := plain.Build(vertices, tuples, int(hubs), chunk, []uint64{vertices})[0]
	same(t, "ChunkRows", g.ChunkRows, want.ChunkRows)
	same(t, "Vertices", g.Vertices, want.Vertices)
	same(t, "RowLabels", g.RowLabels, want.RowLabels)
	same(t, "First", g.First, want.First)
	same(t, "Heads", g.Heads, want.Heads)
	same(t, "Seconds", g.Seconds, want.Seconds)
	same(t, "FurtherAt", g.FurtherAt, want.FurtherAt)
	same(t, "Further", g.Further, want.Further)
	same(t, "SingleHub", g.SingleHub, want.SingleHub)
	same(t, "RowListAt", g.RowListAt, want.RowListAt)
	same(t, "RowLists", g.RowLists, want.RowLists)
	same(t, "FirstRows", g.FirstRows, want.FirstRows)
	same(t, "LeavesAt", g.LeavesAt, want.LeavesAt)
	same(t, "Leaves", g.Leaves, want.Leaves)
	same(t, "HubLabels", g.HubLabels, want.HubLabels)
	same(t, "HubListAt", g.HubListAt, want.HubListAt)
	same(t, "HubLists", g.HubLists, want.HubLists)
	same(t, "HubRowAt", g.HubRowAt, want.HubRowAt)
	same(t, "HubRowList", g.HubRowList, want.HubRowList)
	devicetest.Close(t, l.input.Tuples[0], graphs[0])
	if d.Free() != free {
		t.Fatalf("%d bytes are free after %d", d.Free(), free)
	}
}

func same[T, S comparable](t *testing.T, name string, got device.Array[T], want []S) {
	t.Helper()
	all := devicetest.Host(t, got)
	if len(all) != len(want) {
		t.Fatalf("%s has %d elements, want %d", name, len(all), len(want))
	}
	for i, x := range all {
		if any(x) != any(want[i]) && !sameNumber(x, want[i]) {
			t.Fatalf("%s[%d] = %v, want %v", name, i, x, want[i])
		}
	}
}

// sameNumber compares labels of type engine.Label with numbers.
func sameNumber(x, y any) bool {
	a, ok := x.(engine.Label)
	b, number := y.(uint32)
	return ok && number && uint32(a) == b
}

func TestByHubsRandomGraphs(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(1, 3))
	for range devicetest.Sized(300, 20) {
		vertices := 1 + r.IntN(1000)
		tuples := devicetest.RandomTuples(r, vertices)
		checkByHubs(t, d, uint64(vertices), tuples, uint64(r.IntN(1+r.IntN(200))), 1<<r.IntN(13))
	}
}

func TestByHubsSmallGraphs(t *testing.T) {
	d := devicetest.Open(t)
	for name, tuples := range devicetest.SmallGraphs() {
		for _, hubs := range []uint64{0, 1, 2, 5} {
			t.Run(name, func(t *testing.T) { checkByHubs(t, d, vertexCount(tuples), tuples, hubs, 4) })
		}
	}
}

func TestByHubsOfficialGraphs(t *testing.T) {
	d := devicetest.Open(t)
	for _, scale := range devicetest.Sized([]int{10, 16}, []int{8, 10}) {
		checkByHubs(t, d, 1<<scale, devicetest.OfficialTuples(scale), 1<<(scale-4), 1024)
	}
}

// vertexCount returns a number of vertices that has all labels of the tuples and one more.
func vertexCount(tuples []engine.Edge) uint64 {
	if len(tuples) == 0 {
		return 1
	}
	last := slices.MaxFunc(tuples, func(a, b engine.Edge) int { return int(max(a.U, a.V)) - int(max(b.U, b.V)) })
	return uint64(max(last.U, last.V)) + 2
}

func TestByHubsPlan(t *testing.T) {
	d := devicetest.Open(t)
	for _, scale := range devicetest.Sized([]int{12, 16}, []int{11}) {
		f := Form{Order: ByHubs, Devices: 1, Groups: LeastGroups, Hubs: 1 << (scale - 4), Chunk: 1024}
		tuples := devicetest.OfficialTuples(scale)
		l := load(t, d, f, 1<<scale, engine.Tuples{Edges: tuples})
		before := d.Free()
		graphs, err := l.build(t, f)
		if err != nil {
			t.Fatal(err)
		}
		vertices := uint64(1) << scale
		plan := Plan(Sizes{vertices, uint64(len(tuples)), vertices, vertices}, f, All(vertices))
		if taken, most := d.Peak(), engine.Peak(plan, engine.DeviceMemory)+uint64(8*len(tuples)); taken > most {
			t.Errorf("scale %d: construction takes %d bytes, the plan has %d", scale, taken, most)
		}
		if taken, most := before-d.Free(), engine.PeakIn(plan, engine.DeviceMemory, engine.Searching); taken > most {
			t.Errorf("scale %d: the graph takes %d bytes, the plan has %d", scale, taken, most)
		}
		devicetest.Close(t, l.input.Tuples[0], graphs[0])
	}
}

//go:build cuda

package construct

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
	"graph500/kernels/hubs"
	plain "graph500/kernels/hubs/reference"
)

// Kernel 1 has shared memory for as many ranges as a device can have.
func TestMostRanges(t *testing.T) {
	source, err := os.ReadFile("hubs.cu")
	if err != nil {
		t.Fatal(err)
	}
	_, constant, _ := strings.Cut(string(source), "mostRanges = ")
	var most, least int
	if _, err := fmt.Sscanf(constant, "%d * %d", &most, &least); err != nil || most*least != plain.MostRanges {
		t.Errorf("hubs.cu has shared memory for %d * %d ranges (%v), not for %d", most, least, err, plain.MostRanges)
	}
}

// checkByHubs compares a graph of the order ByHubs, on the devices of a team, with that of the plain
// builder: whole, and split with the least and some more memory of the devices.
func checkByHubs(t *testing.T, team *device.Team, vertices uint64, tuples []engine.Edge, hubs, chunk uint64) {
	t.Helper()
	f := Form{Order: ByHubs, Devices: team.Count(), Balanced: true, Groups: LeastGroups, Hubs: hubs, Chunk: chunk}
	checkByHubsOf(t, team, vertices, tuples, f)
	s := Sizes{vertices, uint64(len(tuples)), vertices, vertices}
	least, most, _ := SplitByHubs(s, f, All(vertices))
	r := rand.New(rand.NewPCG(vertices, least))
	for _, f.Split.Words = range []uint64{least, least + r.Uint64N(most-least)/16} {
		checkByHubsOf(t, team, vertices, tuples, f)
	}
}

// hostFor allocates the host memory for split rows of a form, and returns a function that frees it.
func hostFor(t *testing.T, team *device.Team, f Form, s Sizes) (tails []*device.HostArray[engine.Label], free func()) {
	t.Helper()
	if f.Split.Words > 0 {
		_, _, words := SplitByHubs(s, f, All(s.Vertices))
		for _, d := range team.Devices() {
			host, err := device.Pinned[engine.Label](d, int(words))
			if err != nil {
				t.Fatal(err)
			}
			tails = append(tails, host)
		}
	}
	return tails, func() {
		for _, host := range tails {
			if err := host.Free(); err != nil {
				t.Error(err)
			}
		}
	}
}

func checkByHubsOf(t *testing.T, team *device.Team, vertices uint64, tuples []engine.Edge, f Form) {
	t.Helper()
	devices := team.Devices()
	free := make([]uint64, len(devices))
	for i, d := range devices {
		devicetest.Dirty(t, d, 128*len(tuples)+128*int(vertices)+1<<20)
		free[i] = d.Free()
	}
	tails, freeHost := hostFor(t, team, f, Sizes{vertices, uint64(len(tuples)), vertices, vertices})
	defer freeHost()
	shares := generatetest.LoadShares(t, devices, generate.Config{}, engine.Tuples{Edges: tuples})
	graphs, err := Build(t.Context(), team, Input{Vertices: vertices, Tuples: shares, Tails: tails}, f)
	if err != nil {
		t.Fatal(err)
	}
	var ends []uint64
	for _, r := range graphs[0].Ranges {
		ends = append(ends, r.End)
	}
	var onHost uint64
	for i, want := range plain.Build(vertices, tuples, int(f.Hubs), f.Chunk, ends) {
		samePart(t, graphs[i].ByHubs, want)
		onHost += graphs[i].ByHubs.Sizes.OnHost.Sum()
	}
	if info := graphs[0].Info; uint64(info.HostBytes) != hubs.PieceBytes*onHost || info.Prefix != 0 {
		t.Fatalf("%d pieces in host memory, %+v", onHost, info)
	}
	for i, d := range devices {
		devicetest.Close(t, shares[i], graphs[i])
		if d.Free() != free[i] {
			t.Fatalf("%d bytes are free after %d", d.Free(), free[i])
		}
	}
}

// samePart compares a part with that of the plain builder.
func samePart(t *testing.T, g *hubs.Graph, want *plain.Part) {
	t.Helper()
	if g.FirstLabel != want.FirstLabel || g.FirstRow != want.FirstRow {
		t.Fatalf("the part begins at label %d and row %d, not at %d and %d", g.FirstLabel, g.FirstRow, want.FirstLabel, want.FirstRow)
	}
	same(t, "ChunkRows", g.ChunkRows, want.ChunkRows)
	same(t, "Vertices", g.Vertices, want.Vertices)
	same(t, "RowLabels", g.RowLabels, want.RowLabels)
	same(t, "FirstAt", g.FirstAt, want.FirstAt)
	same(t, "FirstPlaces", g.FirstPlaces, want.FirstPlaces)
	same(t, "Firsts", g.Firsts, want.Firsts)
	same(t, "Heads", g.Heads, want.Heads)
	same(t, "Seconds", g.Seconds, want.Seconds)
	same(t, "FurtherAt", g.FurtherAt, want.FurtherAt)
	sameLists(t, "Further", g.Further, want.Further)
	same(t, "SingleHub", g.SingleHub, want.SingleHub)
	same(t, "RowListAt", g.RowListAt, want.RowListAt)
	sameRowLists(t, g, want)
	same(t, "FirstRows", g.FirstRows, want.FirstRows)
	same(t, "LeavesAt", g.LeavesAt, want.LeavesAt)
	same(t, "Leaves", g.Leaves, want.Leaves)
	same(t, "HubLabels", g.HubLabels, want.HubLabels)
	same(t, "HubListAt", g.HubListAt, want.HubListAt)
	sameLists(t, "HubLists", g.HubLists, want.HubLists)
	same(t, "HubRowAt", g.HubRowAt, want.HubRowAt)
	same(t, "HubRangeAt", g.HubRangeAt, want.HubRangeAt)
	sameHubRows(t, g, want)
}

// sameRowLists compares the lists of rows, whose first pieces and others can be apart.
func sameRowLists(t *testing.T, g *hubs.Graph, want *plain.Part) {
	t.Helper()
	if g.RowPrefix == hubs.WholeRows {
		same(t, "RowLists", g.RowLists.OnDevice, want.RowLists)
		return
	}
	prefixAt, prefixes, tails := want.SplitRows(g.RowPrefix)
	same(t, "RowPrefixAt", g.RowPrefixAt, prefixAt)
	same(t, "RowLists", g.RowLists.OnDevice, prefixes)
	same(t, "RowLists in host memory", g.RowLists.OnHost, tails)
}

// sameHubRows compares the lists of rows of hubs, in which the rows of a range are in no order.
func sameHubRows(t *testing.T, g *hubs.Graph, want *plain.Part) {
	t.Helper()
	got := append(devicetest.Host(t, g.HubRowList.OnDevice), devicetest.Host(t, g.HubRowList.OnHost)...)
	if len(got) != len(want.HubRowList) {
		t.Fatalf("HubRowList has %d pieces, want %d", len(got), len(want.HubRowList))
	}
	inOrder := func(pieces [][4]uint32) (rows []uint32) {
		for _, p := range pieces {
			rows = append(rows, p[:]...)
		}
		starts := want.HubRangeAt
		for h := range want.Hubs {
			list := rows[plain.RowsEach*want.HubRowAt[h]:]
			ranges := uint64(len(starts)) / want.Hubs
			for r := h * ranges; r < (h+1)*ranges-1; r++ {
				slices.Sort(list[starts[r]:starts[r+1]])
			}
		}
		return rows
	}
	if !slices.Equal(inOrder(got), inOrder(slices.Clone(want.HubRowList))) {
		t.Fatal("HubRowList has other rows")
	}
}

// sameLists compares lists, of which some can be in host memory.
func sameLists[T comparable](t *testing.T, name string, got hubs.Lists[T], want []T) {
	t.Helper()
	if got.Len() != len(want) {
		t.Fatalf("%s has %d pieces, want %d", name, got.Len(), len(want))
	}
	same(t, name, got.OnDevice, want[:got.OnDevice.Len()])
	same(t, name+" in host memory", got.OnHost, want[got.OnDevice.Len():])
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

// eachTeam runs a test on one device, on 2 and on 3.
func eachTeam(t *testing.T, test func(t *testing.T, team *device.Team)) {
	t.Run("one", func(t *testing.T) { test(t, devicetest.Team(t, []*device.Device{devicetest.Open(t)})) })
	devicetest.EachPeers(t, []int{2, 3}, func(t *testing.T, devices []*device.Device) { test(t, devicetest.Team(t, devices)) })
}

func TestByHubsRandomGraphs(t *testing.T) { eachTeam(t, testByHubsRandomGraphs) }

func testByHubsRandomGraphs(t *testing.T, team *device.Team) {
	r := rand.New(rand.NewPCG(1, 3))
	for range devicetest.Sized(300, 20/team.Count()) {
		vertices := 1 + r.IntN(1000+devicetest.Sized(3000, 1000)*(team.Count()-1))
		tuples := devicetest.RandomTuples(r, vertices)
		checkByHubs(t, team, uint64(vertices), tuples, uint64(r.IntN(1+r.IntN(200))), 1<<r.IntN(13))
	}
}

func TestByHubsSmallGraphs(t *testing.T) { eachTeam(t, testByHubsSmallGraphs) }

func testByHubsSmallGraphs(t *testing.T, team *device.Team) {
	for name, tuples := range devicetest.SmallGraphs() {
		for _, hubs := range devicetest.Sized([]uint64{0, 1, 2, 5}, []uint64{0, 2}) {
			t.Run(name, func(t *testing.T) { checkByHubs(t, team, vertexCount(tuples), tuples, hubs, 4) })
		}
	}
}

func TestByHubsOfficialGraphs(t *testing.T) { eachTeam(t, testByHubsOfficialGraphs) }

func testByHubsOfficialGraphs(t *testing.T, team *device.Team) {
	for _, scale := range devicetest.Sized([]int{10, 16}, []int{8, 10}) {
		checkByHubs(t, team, 1<<scale, devicetest.OfficialTuples(scale), 1<<(scale-4), 1024)
	}
}

func TestByHubsStops(t *testing.T) { eachTeam(t, testByHubsStops) }

// testByHubsStops ends a construction at each of its looks at the context, in short tests at every fourth.
func testByHubsStops(t *testing.T, team *device.Team) {
	const vertices = 64
	tuples := devicetest.RandomTuples(rand.New(rand.NewPCG(1, 4)), vertices)
	f := Form{Order: ByHubs, Devices: team.Count(), Balanced: true, Groups: LeastGroups, Hubs: 8, Chunk: 4}
	devices := team.Devices()
	shares := generatetest.LoadShares(t, devices, generate.Config{}, engine.Tuples{Edges: tuples})
	var free []uint64
	for _, d := range devices {
		free = append(free, d.Free())
	}
	looks := 0
	for ended := true; ended; looks += devicetest.Sized(1, 4) {
		ctx := &endingContext{Context: context.Background()}
		ctx.looks.Store(int64(looks))
		graphs, err := Build(ctx, team, Input{Vertices: vertices, Tuples: shares}, f)
		if ended = err != nil; ended && !errors.Is(err, errEnded) {
			t.Fatalf("after %d looks: %v", looks, err)
		}
		for _, g := range slices.Backward(graphs) {
			devicetest.Close(t, g)
		}
		for i, d := range devices {
			if d.Free() != free[i] {
				t.Fatalf("after %d looks device %d has %d bytes, %d before", looks, i, d.Free(), free[i])
			}
		}
	}
	if looks < 20 {
		t.Fatalf("the context was looked at %d times", looks)
	}
	for _, s := range slices.Backward(shares) {
		devicetest.Close(t, s)
	}
}

var errEnded = errors.New("ended")

// endingContext ends after a number of looks at it.
type endingContext struct {
	context.Context
	looks atomic.Int64
}

func (c *endingContext) Err() error {
	if c.looks.Add(-1) < 0 {
		return errEnded
	}
	return nil
}

// vertexCount returns a number of vertices that has all labels of the tuples and one more.
func vertexCount(tuples []engine.Edge) uint64 {
	if len(tuples) == 0 {
		return 1
	}
	last := slices.MaxFunc(tuples, func(a, b engine.Edge) int { return int(max(a.U, a.V)) - int(max(b.U, b.V)) })
	return uint64(max(last.U, last.V)) + 2
}

// TestByHubsPlan plans graphs of rows of all classes and of leaves, of which a plan has bounds only.
func TestByHubsPlan(t *testing.T) {
	scale := devicetest.Sized(16, 11)
	vertices := uint64(1) << scale
	var star, pairs, path []engine.Edge
	for v := range engine.Label(vertices - 1) {
		star, path = append(star, engine.Edge{U: 0, V: v + 1}), append(path, engine.Edge{U: v, V: v + 1})
		if v%2 == 0 {
			pairs = append(pairs, engine.Edge{U: v, V: v + 1})
		}
	}
	official := devicetest.OfficialTuples(scale)
	for _, g := range []struct {
		name   string
		tuples []engine.Edge
		hubs   uint64
	}{
		{"official", official, vertices / 16}, {"official without hubs", official, 0}, {"star", star, 1}, {"star without hubs", star, 0},
		{"pairs", pairs, 0}, {"path", path, vertices / 2}, {"path without hubs", path, 0},
	} {
		t.Run(g.name, func(t *testing.T) {
			eachTeam(t, func(t *testing.T, team *device.Team) { checkByHubsPlan(t, team, vertices, g.tuples, g.hubs) })
		})
	}
}

// checkByHubsPlan checks that a graph, and its construction, take no more memory than planned.
func checkByHubsPlan(t *testing.T, team *device.Team, vertices uint64, tuples []engine.Edge, hubs uint64) {
	devices := team.Devices()
	f := Form{Order: ByHubs, Devices: len(devices), Groups: LeastGroups, Hubs: hubs, Chunk: 1024}
	shares := generatetest.LoadShares(t, devices, generate.Config{}, engine.Tuples{Edges: tuples})
	var before []uint64
	for _, d := range devices {
		before = append(before, d.Free())
	}
	graphs, err := Build(t.Context(), team, Input{Vertices: vertices, Tuples: shares}, f)
	if err != nil {
		t.Fatal(err)
	}
	for i, labels := range Ranges(vertices, len(devices)) {
		plan := Plan(Sizes{vertices, uint64(len(tuples)), vertices, labels.End - labels.First}, f, labels)
		if taken, most := devices[i].Peak(), engine.Peak(plan, engine.DeviceMemory)+8*shares[i].Len(); taken > most {
			t.Errorf("construction takes %d bytes, the plan has %d", taken, most)
		}
		if taken, most := before[i]-devices[i].Free(), engine.PeakIn(plan, engine.DeviceMemory, engine.Searching); taken > most {
			t.Errorf("the graph takes %d bytes, the plan has %d", taken, most)
		}
		devicetest.Close(t, shares[i], graphs[i])
	}
}

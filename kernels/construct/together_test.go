//go:build cuda

package construct

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/graph"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
	"graph500/parallel"
)

// loadShares copies the tuples to the device as that many shares.
func loadShares(t *testing.T, d *device.Device, tuples []engine.Edge, number int) []*generate.Tuples {
	t.Helper()
	return generatetest.LoadShares(t, slices.Repeat([]*device.Device{d}, number), generate.Config{}, engine.Tuples{Edges: tuples})
}

// closeBackward closes the list in reverse order.
func closeBackward[T interface{ Close() error }](t *testing.T, list []T) {
	t.Helper()
	for _, x := range slices.Backward(list) {
		devicetest.Close(t, x)
	}
}

// constructTogether builds a graph of shares that all lie on one device.
func constructTogether(t *testing.T, d *device.Device, vertices uint64, shares []*generate.Tuples, groups int, hubs uint64) []*Graph {
	t.Helper()
	devicetest.Dirty(t, d, 64*int(vertices)+1<<20)
	graphs, err := ConstructTogether(t.Context(), devicetest.Team(t, slices.Repeat([]*device.Device{d}, len(shares))), vertices, shares, groups, hubs)
	if err != nil {
		t.Fatal(err)
	}
	return graphs
}

// join copies the graphs to the host as one, after a check of the parts that do not
// follow from the whole graph.
func join(t *testing.T, vertices uint64, graphs []*Graph) (whole hostGraph) {
	t.Helper()
	whole.info, whole.hubs = graphs[0].Info, devicetest.Host(t, graphs[0].Hubs)
	for k, g := range graphs {
		if g.Info != whole.info || !slices.Equal(devicetest.Host(t, g.Hubs), whole.hubs) {
			t.Fatalf("graph %d has other facts or hubs than graph 0: %+v, not %+v", k, g.Info, whole.info)
		}
		if g.Labels != Ranges(vertices, len(graphs))[k] {
			t.Fatalf("graph %d has the labels %v", k, g.Labels)
		}
		before := uint64(len(whole.rows))
		for _, word := range devicetest.Host(t, g.Index) {
			whole.index = append(whole.index, word+before<<32)
		}
		rows, start, arcs := devicetest.Host(t, g.Rows), uint64(len(whole.neighbors)), uint64(0)
		for _, r := range rows {
			arcs += uint64(r.Degree)
			r.Start += start
			whole.rows = append(whole.rows, r)
		}
		neighbors := make([]engine.Local, arcs)
		if err := g.Neighbors.Read(0, neighbors); err != nil {
			t.Fatal(err)
		}
		whole.neighbors = append(whole.neighbors, neighbors...)
	}
	return whole
}

// checkTogether compares the graph of shares with the graph of one device.
func checkTogether(t *testing.T, d *device.Device, vertices uint64, tuples []engine.Edge, number, groups int, hubs uint64) {
	t.Helper()
	free := d.Free()
	want := construct(t, d, vertices, tuples, hubs)
	shares := loadShares(t, d, tuples, number)
	graphs := constructTogether(t, d, vertices, shares, groups, hubs)
	if !join(t, vertices, graphs).equal(want) {
		t.Errorf("%d shares of %d tuples and %d vertices in %d groups: another graph", number, len(tuples), vertices, groups)
	}
	closeBackward(t, graphs)
	closeBackward(t, shares)
	if d.Free() != free {
		t.Errorf("%d bytes are free after %d", d.Free(), free)
	}
}

func TestRanges(t *testing.T) {
	for _, vertices := range []uint64{0, 1, 1023, 1024, 1025, 5000, 1 << 20, 1<<30 - 1} {
		for count := 1; count <= 17; count++ {
			ranges, next := Ranges(vertices, count), uint64(0)
			least, most := ranges[0].tiles(), ranges[0].tiles()
			for _, r := range ranges {
				if r.First != next || r.End < r.First || r.First%tileLabels != 0 && r.First != vertices {
					t.Errorf("%d vertices: range %v after %d", vertices, r, next)
				}
				next, least, most = r.End, min(least, r.tiles()), max(most, r.tiles())
			}
			if next != vertices || most > least+1 {
				t.Errorf("%d vertices: %v", vertices, ranges)
			}
		}
	}
}

func TestTogetherRandom(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(7, 8))
	for i := range devicetest.Sized(100, 20) {
		vertices, tuples := randomTuples(r, 15, 15)
		number, groups, hubs := 1+r.IntN(5), 1+r.IntN(8), r.Uint64N(1+2*vertices)
		t.Run(fmt.Sprint(i), func(t *testing.T) { checkTogether(t, d, vertices, tuples, number, groups, hubs) })
	}
}

func TestTogetherSmall(t *testing.T) {
	d := devicetest.Open(t)
	star := make([]engine.Edge, 5000)
	for i := range star {
		star[i] = engine.Edge{U: engine.Local(i + 1), V: 0}
	}
	for _, c := range []struct {
		vertices uint64
		tuples   []engine.Edge
	}{
		{0, nil},
		{1, []engine.Edge{{U: 0, V: 0}}},
		{5000, nil},
		{3000, []engine.Edge{{U: 1, V: 1}, {U: 2999, V: 2999}, {U: 1, V: 1}}},
		{3000, []engine.Edge{{U: 2999, V: 3}}},
		{5000, slices.Repeat([]engine.Edge{{U: 7, V: 4033}, {U: 4033, V: 7}}, 500)},
		{5001, star},
		{1 << 18, star},
	} {
		for _, number := range []int{1, 2, 3, 4, device.MostTogether} {
			checkTogether(t, d, c.vertices, c.tuples, number, 1, 100)
		}
	}
}

// TestTogetherOfficial builds official graphs from shares in memory and from regenerated
// ones, and looks up vertices at their owners.
func TestTogetherOfficial(t *testing.T) {
	d := devicetest.Open(t)
	for _, c := range []struct {
		scale, number, groups int
		room                  uint64
	}{{9, 2, 1, 1001}, {11, 2, LeastGroups, 1 << 20}, {12, 3, 1, 5000}, {13, 4, 1, 1 << 20}, {13, 5, MostGroups, 26214}} {
		if testing.Short() && c.scale > 12 {
			continue
		}
		spec := devicetest.Official(c.scale)
		tuples := devicetest.OfficialTuples(c.scale)
		want := construct(t, d, spec.Vertices(), tuples, mostHubs)
		var shares []*generate.Tuples
		for k := range c.number {
			first, count := generate.ShareOf(spec.Tuples(), c.number, k)
			shares = append(shares, generatetest.Generate(t, d, spec, generate.Config{First: first, Count: count, Capacity: c.room}))
		}
		graphs := constructTogether(t, d, spec.Vertices(), shares, c.groups, mostHubs)
		want.info.Regenerated = !shares[0].Whole()
		if !join(t, spec.Vertices(), graphs).equal(want) {
			t.Errorf("%+v: another graph", c)
		}
		for _, g := range graphs {
			checkHas(t, g, want)
		}
		closeBackward(t, graphs)
		if _, err := ConstructTogether(t.Context(), devicetest.Team(t, slices.Repeat([]*device.Device{d}, c.number)), spec.Vertices()-1, shares, 1, mostHubs); err == nil {
			t.Error("constructed with too few vertices")
		}
		closeBackward(t, shares)
	}
}

// checkHas looks up the first and the last vertices of the range and some between.
func checkHas(t *testing.T, g *Graph, whole hostGraph) {
	t.Helper()
	var asked []engine.Vertex
	var want []bool
	for v := g.Labels.First; v < g.Labels.End; v += 1 + (g.Labels.End-v)/5 {
		asked = append(asked, engine.Vertex(v))
		want = append(want, whole.index[v/32]>>(v%32)&1 != 0)
	}
	if got, err := g.Has(asked); err != nil || !slices.Equal(got, want) {
		t.Errorf("vertices %v: %v, want %v (%v)", asked, got, want, err)
	}
	for _, v := range []uint64{g.Labels.First - 1, g.Labels.End} {
		if _, err := g.Has([]engine.Vertex{engine.Vertex(v)}); err == nil {
			t.Errorf("vertex %d is in %v", v, g.Labels)
		}
	}
}

// TestTogetherMemory compares the peak of the memory with the plan for the sizes of the
// graph, and those sizes with the plan before construction.
func TestTogetherMemory(t *testing.T) {
	const groups = 3
	scale := devicetest.Sized(16, 12)
	spec := devicetest.Official(scale)
	tuples := devicetest.OfficialTuples(scale)
	arcs := make([]uint64, tilesOf(spec.Vertices(), tileLabels))
	for _, e := range tuples {
		if e.U != e.V {
			arcs[e.U/tileLabels]++
			arcs[e.V/tileLabels]++
		}
	}
	for _, number := range []int{1, 3} {
		d := devicetest.Open(t)
		shares := loadShares(t, d, tuples, number)
		graphs, err := ConstructTogether(t.Context(), devicetest.Team(t, slices.Repeat([]*device.Device{d}, number)), spec.Vertices(), shares, groups, mostHubs)
		if err != nil {
			t.Fatal(err)
		}
		// All parts are on one device, which counts in all of them at the same time.
		used, peak := uint64(0), uint64(0)
		for _, s := range shares {
			used += engine.Peak(generate.Config{Count: s.Len(), Loaded: true}.Plan(), engine.DeviceMemory)
		}
		z := sizes{vertices: spec.Vertices(), tuples: spec.Tuples(), groups: groups, hubs: mostHubs}
		used += uint64(number) * new(construction).countingGroup(z).Bytes()
		for k, g := range graphs {
			z := z
			z.labels, z.connected = g.Labels, uint64(g.Info.Connected)
			z.rows, z.arcs, z.neighbors = uint64(g.Rows.Len()), uint64(g.Neighbors.Len()), uint64(g.Neighbors.Len())
			first, end := g.Labels.ofTiles()
			z.largestTile = slices.Max(arcs[first:end])
			used += new(Graph).group(z).Bytes()
			peak = max(peak, used+new(construction).sortingGroup(z).Bytes())
			worst := worstSizes(spec.Vertices(), g.Labels, spec.Tuples(), groups)
			if z.rows > worst.rows || z.arcs > worst.arcs || z.largestTile > worst.largestTile || z.connected > worst.connected {
				t.Errorf("%d shares: range %d has %+v, planned %+v", number, k, z, worst)
			}
		}
		if d.Peak() != peak {
			t.Errorf("%d shares: %d bytes are used, want %d", number, d.Peak(), peak)
		}
		closeBackward(t, graphs)
		closeBackward(t, shares)
	}
}

// TestTogetherPlan requires that more devices need less memory each.
func TestTogetherPlan(t *testing.T) {
	for _, scale := range []int{24, 28, 29} {
		vertices, tuples := uint64(1)<<scale, uint64(16)<<scale
		one := engine.Peak(Plan(vertices, tuples, LeastGroups, 1<<20), engine.DeviceMemory)
		if same := engine.Peak(PlanRange(vertices, Ranges(vertices, 1)[0], tuples, LeastGroups, 1<<20), engine.DeviceMemory); same != one {
			t.Errorf("scale %d: %d bytes for the whole range, %d for the graph", scale, same, one)
		}
		for _, number := range []int{2, 4, 8} {
			each := engine.Peak(PlanRange(vertices, Ranges(vertices, number)[number-1], tuples, LeastGroups, 1<<20), engine.DeviceMemory)
			if fixed := 16 * vertices; each-fixed > (one+one/2)/uint64(number) {
				t.Errorf("scale %d on %d devices: %d bytes each, %d on one device", scale, number, each, one)
			}
		}
	}
}

// TestTogetherErrors expects the error of package graph for labels out of range in several
// shares, and an error for another number of shares than devices.
func TestTogetherErrors(t *testing.T) {
	d := devicetest.Open(t)
	tuples := slices.Repeat([]engine.Edge{{U: 1, V: 2}}, 10_000)
	tuples[7_777], tuples[2_600], tuples[2_601] = engine.Edge{U: 4, V: 9}, engine.Edge{U: 3, V: 9}, engine.Edge{U: 12, V: 0}
	team := parallel.NewTeam(1)
	defer team.Close()
	for number := 1; number <= 5; number++ {
		shares := loadShares(t, d, tuples, number)
		free := d.Free()
		for _, vertices := range []uint64{0, 2, 9, 10} {
			_, want := graph.Build(t.Context(), team, graph.WholeGraph(vertices), engine.Tuples{Edges: tuples})
			_, err := ConstructTogether(t.Context(), devicetest.Team(t, slices.Repeat([]*device.Device{d}, number)), vertices, shares, 1, 7)
			if err == nil || err.Error() != want.Error() {
				t.Errorf("%d vertices: error %q, want %q", vertices, err, want)
			}
		}
		if d.Free() != free {
			t.Errorf("%d bytes are free after %d", d.Free(), free)
		}
		closeBackward(t, shares)
	}
	for _, c := range [][2]int{{0, 0}, {1, 2}, {2, 1}} {
		shares := loadShares(t, d, nil, c[1])
		if _, err := ConstructTogether(t.Context(), devicetest.Team(t, slices.Repeat([]*device.Device{d}, c[0])), 10, shares, 1, 7); err == nil {
			t.Errorf("%d shares on %d devices", c[1], c[0])
		}
		closeBackward(t, shares)
	}
}

// TestTogetherOutOfMemory increases the free memory until construction succeeds.
func TestTogetherOutOfMemory(t *testing.T) {
	spec := devicetest.Official(7)
	d := devicetest.OpenWith(t, device.Options{})
	if err := d.Reserve(2 << 20); err != nil {
		t.Fatal(err)
	}
	shares := loadShares(t, d, devicetest.OfficialTuples(7), 2)
	failed, enough := make(map[string]bool), false
	for room := uint64(0); room < d.Free(); room += 16 * device.Alignment {
		_, free := devicetest.Borrowed[byte](t, d, int(d.Free()-room))
		graphs, err := ConstructTogether(t.Context(), devicetest.Team(t, []*device.Device{d, d}), spec.Vertices(), shares, LeastGroups, 10)
		var full *device.MemoryError
		switch {
		case err == nil:
			enough = true
			closeBackward(t, graphs)
		case enough || !errors.As(err, &full):
			t.Errorf("%d bytes are free: %v", room, err)
		default:
			failed[full.Name] = true
		}
		if d.Free() != room {
			t.Fatalf("%d bytes are free after %d", d.Free(), room)
		}
		free()
		if enough {
			break
		}
	}
	if !enough || !failed["degrees and ranks"] || !failed["arcs to sort"] {
		t.Errorf("%v, success %v", failed, enough)
	}
	closeBackward(t, shares)
}

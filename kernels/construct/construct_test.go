//go:build cuda

package construct

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
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

// hostGraph is a Graph in host memory, without the unused end of Neighbors.
type hostGraph struct {
	info      engine.Graph
	index     []uint64
	rows      []Row
	neighbors []engine.Local
	hubs      []engine.Local
}

// mostHubs is smaller than the number of vertices of some graphs.
const mostHubs = 5000

func construct(t *testing.T, d *device.Device, vertices uint64, tuples []engine.Edge, hubs uint64) hostGraph {
	t.Helper()
	devicetest.Dirty(t, d, 64*len(tuples)+64*int(vertices)+1<<20)
	input := generatetest.Load(t, d, generate.Config{}, engine.Tuples{Edges: tuples})
	h := constructFrom(t, d, vertices, input, LeastGroups, hubs)
	if err := input.Each(t.Context(), func(part generate.Part) error {
		if !slices.Equal(devicetest.Host(t, device.As[engine.Edge](part.Edges)), tuples) {
			t.Fatal("the tuples were changed")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	devicetest.Close(t, input)
	return h
}

// constructFrom builds a graph, copies it to the host and closes it.
func constructFrom(t *testing.T, d *device.Device, vertices uint64, tuples *generate.Tuples, groups int, hubs uint64) hostGraph {
	t.Helper()
	free := d.Free()
	g, err := Construct(t.Context(), d, vertices, tuples, groups, hubs)
	if err != nil {
		t.Fatal(err)
	}
	h := hostGraph{
		info:      g.Info,
		index:     devicetest.Host(t, g.Index),
		rows:      devicetest.Host(t, g.Rows),
		neighbors: make([]engine.Local, g.Info.Arcs),
		hubs:      devicetest.Host(t, g.Hubs),
	}
	if err := errors.Join(g.Neighbors.Read(0, h.neighbors), g.Close(), g.Close()); err != nil {
		t.Fatal(err)
	}
	if d.Free() != free {
		t.Fatalf("%d bytes are free after %d", d.Free(), free)
	}
	return h
}

func (g hostGraph) equal(h hostGraph) bool {
	return g.info == h.info && slices.Equal(g.index, h.index) && slices.Equal(g.rows, h.rows) &&
		slices.Equal(g.hubs, h.hubs) && slices.Equal(g.neighbors, h.neighbors)
}

// checkGraph compares a graph with the one that package graph builds, and checks the
// given number of hubs.
func checkGraph(t *testing.T, g hostGraph, vertices uint64, tuples []engine.Edge, hubs uint64) {
	t.Helper()
	team := parallel.NewTeam(2)
	defer team.Close()
	want, err := graph.Build(t.Context(), team, graph.WholeGraph(vertices), engine.Tuples{Edges: tuples})
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	if g.info != want.Info {
		t.Fatalf("Info = %+v, want %+v", g.info, want.Info)
	}

	count := make([]uint32, vertices)
	for _, e := range tuples {
		if e.U != e.V {
			count[e.U]++
			count[e.V]++
		}
	}
	byCount := func(a, b engine.Local) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	}

	if uint64(len(g.index)) < (vertices+31)/32 {
		t.Fatalf("the index has %d words for %d vertices", len(g.index), vertices)
	}
	rows := uint64(0)
	for w, word := range g.index {
		if word>>32 != rows {
			t.Fatalf("word %d of the index has %d rows before it, want %d", w, word>>32, rows)
		}
		rows += uint64(bits.OnesCount32(uint32(word)))
		for b := range 32 {
			v := uint64(32*w + b)
			if has := word>>b&1 != 0; has != (v < vertices && want.Has(engine.Local(v))) {
				t.Fatalf("the index says %v for vertex %d", has, v)
			}
		}
	}
	if int64(len(g.rows)) != want.Info.Connected {
		t.Fatalf("%d rows, want %d", len(g.rows), want.Info.Connected)
	}
	labels := make([]engine.Local, 0, len(g.rows))
	for v := range vertices {
		if want.Has(engine.Local(v)) {
			labels = append(labels, engine.Local(v))
		}
	}
	var row []engine.Local
	for r, got := range g.rows {
		if got.Label != labels[r] {
			t.Fatalf("row %d is that of vertex %d, want %d", r, got.Label, labels[r])
		}
		row = append(row[:0], want.NeighborsOf(got.Label)...)
		slices.SortFunc(row, byCount)
		if uint64(len(g.neighbors)) < got.Start+uint64(got.Degree) ||
			!slices.Equal(row, g.neighbors[got.Start:got.Start+uint64(got.Degree)]) {
			t.Fatalf("row of vertex %d (%d neighbours at offset %d) differs from the %d neighbours of package graph",
				got.Label, got.Degree, got.Start, len(row))
		}
	}
	slices.SortFunc(labels, byCount)
	if want := labels[:min(uint64(len(labels)), hubs)]; !slices.Equal(g.hubs, want) {
		t.Fatalf("%d hubs are %v..., want %d, %v...", len(g.hubs), g.hubs[:min(10, len(g.hubs))], len(want), want[:min(10, len(want))])
	}
}

func TestConstructSmall(t *testing.T) {
	d := devicetest.Open(t)
	star := func(leaves int) []engine.Edge {
		e := make([]engine.Edge, leaves)
		for i := range e {
			e[i] = engine.Edge{U: engine.Local(i + 1), V: 0}
			if i%2 == 0 {
				e[i] = engine.Edge{U: 0, V: engine.Local(i + 1)}
			}
		}
		return e
	}
	path := func(vertices int) []engine.Edge {
		e := make([]engine.Edge, vertices-1)
		for i := range e {
			e[i] = engine.Edge{U: engine.Local(i), V: engine.Local(i + 1)}
		}
		return e
	}
	var complete []engine.Edge
	for u := range engine.Local(700) {
		for v := range u + 1 {
			complete = append(complete, engine.Edge{U: u, V: v})
		}
	}
	for _, c := range []struct {
		name     string
		vertices uint64
		tuples   []engine.Edge
	}{
		{"empty", 0, nil},
		{"one vertex", 1, nil},
		{"one vertex with a loop", 1, []engine.Edge{{U: 0, V: 0}}},
		{"no tuples", 5000, nil},
		{"self loops only", 33, []engine.Edge{{U: 1, V: 1}, {U: 32, V: 32}, {U: 1, V: 1}}},
		{"one edge", 2, []engine.Edge{{U: 1, V: 0}}},
		{"one edge, far apart", 1 << 26, []engine.Edge{{U: 1<<26 - 1, V: 3}}},
		{"one edge, ends of the index", 1025, []engine.Edge{{U: 1024, V: 0}}},
		{"duplicates only", 40, slices.Repeat([]engine.Edge{{U: 7, V: 33}, {U: 33, V: 7}}, 5000)},
		{"two pairs", 100, []engine.Edge{{U: 98, V: 99}, {U: 1, V: 0}, {U: 99, V: 98}}},
		{"path", 100_001, path(100_001)},
		{"star", 1<<20 + 1, star(1 << 20)},
		{"star twice", 5001, slices.Concat(star(5000), star(5000))},
		{"complete", 701, complete},
		{"all in one tile", 4_000_000, star(1023)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && max(c.vertices, uint64(len(c.tuples))) > 1<<18 {
				t.Skip("large")
			}
			checkGraph(t, construct(t, d, c.vertices, c.tuples, mostHubs), c.vertices, c.tuples, mostHubs)
		})
	}
}

// randomTuples returns random tuples, of which often many have few sources. Numbers of
// vertices and tuples of all magnitudes below 2^bits are equally likely.
func randomTuples(r *rand.Rand, vertexBits, tupleBits uint) (vertices uint64, tuples []engine.Edge) {
	vertices = 1 + r.Uint64N(1<<r.UintN(vertexBits))
	tuples = make([]engine.Edge, r.IntN(1<<r.UintN(tupleBits)))
	spread := 1 + r.Uint64N(vertices)
	for i := range tuples {
		tuples[i] = engine.Edge{U: engine.Local(r.Uint64N(spread)), V: engine.Local(r.Uint64N(vertices))}
	}
	return vertices, tuples
}

func TestConstructRandom(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range devicetest.Sized(120, 20) {
		vertices, tuples := randomTuples(r, 16, 17)
		hubs := r.Uint64N(1 + 2*vertices)
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			checkGraph(t, construct(t, d, vertices, tuples, hubs), vertices, tuples, hubs)
		})
	}
}

func TestConstructKronecker(t *testing.T) {
	d := devicetest.Open(t)
	for _, scale := range devicetest.Sized([]int{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20}, []int{4, 9, 13}) {
		t.Run(fmt.Sprint(scale), func(t *testing.T) {
			vertices, tuples := uint64(1)<<scale, devicetest.OfficialTuples(scale)
			g := construct(t, d, vertices, tuples, mostHubs)
			checkGraph(t, g, vertices, tuples, mostHubs)

			if !construct(t, d, vertices, tuples, mostHubs).equal(g) {
				t.Error("two constructions differ")
			}
		})
	}
}

// TestConstructRegenerated builds official graphs from regenerated tuples and from
// tuples in memory, with more groups of rows than useful.
func TestConstructRegenerated(t *testing.T) {
	d := devicetest.Open(t)
	for _, c := range []struct {
		scale  int
		room   uint64
		groups int
	}{
		{4, 1, LeastGroups},
		{4, 255, MostGroups},
		{9, 1001, 7},
		{13, 1 << 16, LeastGroups},
		{13, 1<<17 - 1, MostGroups},
		{13, 1 << 17, MostGroups},
		{13, 1 << 20, 2 * MostGroups},
		{16, 100_003, MostGroups},
	} {
		if testing.Short() && c.scale > 9 && c.room != 1<<17-1 {
			continue
		}
		spec := devicetest.Official(c.scale)
		want := construct(t, d, spec.Vertices(), devicetest.OfficialTuples(c.scale), mostHubs)
		tuples := generatetest.Generate(t, d, spec, generate.Config{Capacity: c.room})
		if want.info.Regenerated = c.room < spec.Tuples(); want.info.Regenerated {
			if err := tuples.Each(t.Context(), func(part generate.Part) error { return part.Edges.Fill(devicetest.Poison) }); err != nil {
				t.Fatal(err)
			}
		}
		devicetest.Dirty(t, d, 64*len(want.neighbors))
		if !constructFrom(t, d, spec.Vertices(), tuples, c.groups, mostHubs).equal(want) {
			t.Errorf("scale %d, capacity %d tuples, %d groups: another graph", c.scale, c.room, c.groups)
		}
		if _, err := Construct(t.Context(), d, spec.Vertices()-1, tuples, c.groups, mostHubs); err == nil {
			t.Errorf("scale %d: constructed with too few vertices", c.scale)
		}
		devicetest.Close(t, tuples)
	}
}

// TestConstructInItsPlan builds official graphs in an arena of the planned size, filled
// with poison before.
func TestConstructInItsPlan(t *testing.T) {
	for _, c := range []struct {
		scale  int
		room   uint64
		groups int
	}{{1, 1, LeastGroups}, {4, 1 << 20, LeastGroups}, {9, 1 << 20, MostGroups}, {9, 1001, LeastGroups}, {13, 1 << 16, MostGroups}, {16, 1 << 20, LeastGroups}} {
		if testing.Short() && c.scale > 9 {
			continue
		}
		t.Run(fmt.Sprint(c.scale, c.room, c.groups), func(t *testing.T) {
			spec := devicetest.Official(c.scale)
			plan := append(generate.Config{Count: spec.Tuples(), Capacity: c.room}.Plan(), Plan(spec.Vertices(), spec.Tuples(), c.groups, mostHubs)...)
			d := devicetest.OpenWith(t, device.Options{})
			if err := d.Reserve(engine.Peak(plan, engine.DeviceMemory)); err != nil {
				t.Fatal(err)
			}
			devicetest.Dirty(t, d, int(d.Free()))
			tuples := generatetest.Generate(t, d, spec, generate.Config{Capacity: c.room})
			g := constructFrom(t, d, spec.Vertices(), tuples, c.groups, mostHubs)
			g.info.Regenerated = false
			checkGraph(t, g, spec.Vertices(), devicetest.OfficialTuples(c.scale), mostHubs)
			devicetest.Close(t, tuples)
		})
	}
}

// TestHas looks up vertices in random order, some more than once, in numbers around the
// batch size.
func TestHas(t *testing.T) {
	d := devicetest.Open(t)
	const vertices = 3000
	r := rand.New(rand.NewPCG(5, 6))
	tuples := make([]engine.Edge, vertices/2)
	has := make([]bool, vertices)
	for i := range tuples {
		e := engine.Edge{U: engine.Local(r.IntN(vertices)), V: engine.Local(r.IntN(vertices))}
		if i%9 == 0 {
			e.V = e.U
		}
		tuples[i] = e
		if e.U != e.V {
			has[e.U], has[e.V] = true, true
		}
	}
	input := generatetest.Load(t, d, generate.Config{}, engine.Tuples{Edges: tuples})
	g, err := Construct(t.Context(), d, vertices, input, LeastGroups, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer devicetest.Close(t, input, g)
	for _, count := range []int{0, 1, queryBatch - 1, queryBatch, queryBatch + 1, 3*queryBatch + 5} {
		if err := errors.Join(g.queries.Fill(0), g.answers.Fill(devicetest.Poison)); err != nil {
			t.Fatal(err)
		}
		asked, want := make([]engine.Vertex, count), make([]bool, count)
		for i := range asked {
			v := r.IntN(vertices)
			asked[i], want[i] = engine.Vertex(v), has[v]
		}
		if got, err := g.Has(asked); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d vertices: %v, want %v (%v)", count, got, want, err)
		}
	}
}

// TestSortPortions sorts more keys than one launch processes.
func TestSortPortions(t *testing.T) {
	if testing.Short() {
		t.Skip("more than 2^28 keys")
	}
	d := devicetest.Open(t)
	const count = sortPortion + 3*sortTile/2
	var keys, other device.Array[uint64]
	var s sorter
	group := device.Group{Alive: engine.Construction, Arrays: append(s.arrays(count), device.Of(&keys, "keys", count), device.Of(&other, "other keys", count))}
	if d.Free() < group.Bytes() {
		t.Skipf("%d bytes of device memory are free", d.Free())
	}
	held, err := d.Borrow(group)
	if err != nil {
		t.Fatal(err)
	}
	host := make([]uint64, count)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range host {
		host[i] = r.Uint64()>>44<<32 | uint64(i)
	}
	if err := errors.Join(keys.Write(0, host), other.Fill(devicetest.Poison)); err != nil {
		t.Fatal(err)
	}
	swapped, err := s.sort(launcher{d}, sortable{keys: keys}, sortable{keys: other}, count, 32, 20)
	if err != nil {
		t.Fatal(err)
	}
	sorted := keys
	if swapped {
		sorted = other
	}
	if err := sorted.Read(0, host); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < count; i++ {
		if host[i-1] >= host[i] {
			t.Fatalf("key %d is %x and key %d is %x", i-1, host[i-1], i, host[i])
		}
	}
	if err := held.Free(); err != nil {
		t.Fatal(err)
	}
}

// TestConstructOutside expects the error of package graph.
func TestConstructOutside(t *testing.T) {
	d := devicetest.Open(t)
	tuples := slices.Repeat([]engine.Edge{{U: 1, V: 2}}, 100_000)
	tuples[77_777] = engine.Edge{U: 4, V: 9}
	tuples[77_778] = engine.Edge{U: 10, V: 10}
	input := generatetest.Load(t, d, generate.Config{}, engine.Tuples{Edges: tuples})
	defer devicetest.Close(t, input)
	free := d.Free()
	team := parallel.NewTeam(1)
	defer team.Close()
	for _, vertices := range []uint64{0, 2, 9, 10} {
		_, want := graph.Build(t.Context(), team, graph.WholeGraph(vertices), engine.Tuples{Edges: tuples})
		_, err := Construct(t.Context(), d, vertices, input, LeastGroups, mostHubs)
		if err == nil || err.Error() != want.Error() {
			t.Errorf("%d vertices: error %q, want %q", vertices, err, want)
		}
		if d.Free() != free {
			t.Errorf("%d vertices: %d bytes are free after %d", vertices, d.Free(), free)
		}
	}
}

// TestConstructOutOfMemory increases the free memory until construction succeeds.
func TestConstructOutOfMemory(t *testing.T) {
	spec := devicetest.Official(7)
	d := devicetest.OpenWith(t, device.Options{})
	plan := append(generate.Config{Count: spec.Tuples(), Loaded: true}.Plan(), Plan(spec.Vertices(), spec.Tuples(), LeastGroups, mostHubs)...)
	if err := d.Reserve(engine.Peak(plan, engine.DeviceMemory)); err != nil {
		t.Fatal(err)
	}
	tuples := generatetest.Load(t, d, generate.Config{}, engine.Tuples{Edges: devicetest.OfficialTuples(7)})
	defer devicetest.Close(t, tuples)
	failed, enough := make(map[string]bool), false
	for room := uint64(0); room <= d.Free(); room += 8 * device.Alignment {
		_, free := devicetest.Borrowed[byte](t, d, int(d.Free()-room))
		g, err := Construct(t.Context(), d, spec.Vertices(), tuples, LeastGroups, mostHubs)
		var full *device.MemoryError
		switch {
		case err == nil:
			enough = true
			devicetest.Close(t, g)
		case enough || !errors.As(err, &full):
			t.Errorf("%d bytes are free: %v", room, err)
		default:
			failed[full.Name] = true
		}
		if d.Free() != room {
			t.Fatalf("%d bytes are free after %d", d.Free(), room)
		}
		free()
	}
	for _, name := range []string{"degrees and ranks", "neighbours", "arcs to sort", "sorted arcs"} {
		if !failed[name] {
			t.Errorf("the allocation of the %s never failed", name)
		}
	}
	if !enough {
		t.Error("construction never succeeded")
	}
}

func TestConstructStops(t *testing.T) {
	d := devicetest.Open(t)
	input := generatetest.Load(t, d, generate.Config{}, engine.Tuples{})
	defer devicetest.Close(t, input)
	free := d.Free()
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if _, err := Construct(ctx, d, 10, input, LeastGroups, mostHubs); !errors.Is(err, stop) {
		t.Errorf("error %v of an ended context", err)
	}
	if d.Free() != free {
		t.Errorf("%d bytes are free after %d", d.Free(), free)
	}
}

// TestGroupLabels uses the sizes of Kronecker graphs. At scale 26, keys that are one
// bit shorter save the seventh pass.
func TestGroupLabels(t *testing.T) {
	for _, c := range []struct {
		vertices, rows uint64
		inMemory       bool
		want           uint64
	}{
		{1, 2, true, 1024},
		{1 << 20, 645_820, true, 1 << 18},
		{1 << 24, 8_870_408, true, 1 << 22},
		{9_000_000, 9_000_000, true, 1 << 22},
		{1 << 26, 32_805_143, true, 1 << 23},
		{1 << 26, 32_805_143, false, 1 << 24},
	} {
		if got := groupLabels(c.vertices, c.rows, LeastGroups, c.inMemory); got != c.want {
			t.Errorf("%d rows of %d vertices are sorted in groups of %d labels, want %d", c.rows, c.vertices, got, c.want)
		}
	}
}

// TestConstructPlan bounds the planned bytes per tuple for several numbers of groups.
func TestConstructPlan(t *testing.T) {
	for _, scale := range []int{20, 24, 28, 29} {
		vertices, tuples := uint64(1)<<scale, uint64(16)<<scale
		for groups, most := range map[int]float64{LeastGroups: 20, 5: 17.9, 8: 15.3, MostGroups: 11.6} {
			if peak := engine.Peak(Plan(vertices, tuples, groups, 1<<20), engine.DeviceMemory); float64(peak) > most*float64(tuples) {
				t.Errorf("scale %d in %d groups needs %d bytes, %.2f per tuple", scale, groups, peak, float64(peak)/float64(tuples))
			}
		}
	}
}

// TestConstructPlanOfHubs plans graphs of few vertices with many edges. The key buffers
// must hold any tile of labels with the vertex of largest degree, which has
// 2 * 0.76^scale of the tuples.
func TestConstructPlanOfHubs(t *testing.T) {
	for scale := range 25 {
		for _, edgefactor := range []uint64{16, 1024, 4096} {
			vertices := uint64(1) << scale
			tuples := edgefactor * vertices
			hub := 2 * math.Pow(0.76, float64(scale)) * float64(tuples)
			tile := min(2*float64(tuples), hub+2*float64(tuples)/float64(tilesOf(vertices, tileLabels)))
			plan := Plan(vertices, tuples, MostGroups, mostHubs)
			for _, name := range []string{"arcs to sort", "sorted arcs"} {
				i := slices.IndexFunc(plan, func(a engine.Allocation) bool { return a.Name == name })
				if i < 0 || float64(plan[i].Bytes) < 8*tile {
					t.Errorf("scale %d, edgefactor %d: a tile of %.0f %s does not fit: %+v", scale, edgefactor, tile, name, plan)
				}
			}
		}
	}
}

// TestGroupsFit checks that the key buffers hold every group of whole tiles of labels,
// and all rows at once.
func TestGroupsFit(t *testing.T) {
	for _, c := range []struct{ arcs, largest, rows uint64 }{
		{0, 0, 0}, {2, 1, 2}, {2, 2, 2}, {1 << 20, 1 << 20, 1024}, {1 << 20, 1024, 1 << 20}, {1 << 34, 1 << 25, 1 << 28},
	} {
		for groups := LeastGroups; groups <= MostGroups; groups++ {
			if keys := groupCapacity(c.arcs, c.largest, c.rows, groups); keys < c.largest || keys < c.rows || keys < c.arcs/uint64(groups) || keys > max(c.arcs, c.rows) {
				t.Errorf("%+v in %d groups: capacity for %d keys", c, groups, keys)
			}
		}
	}
}

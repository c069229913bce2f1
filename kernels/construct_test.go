//go:build cuda

package kernels

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

	"graph500/engine"
	"graph500/graph"
	"graph500/parallel"
)

// hostGraph is a Graph in the host's memory, without the unused end of
// Neighbors.
type hostGraph struct {
	info      engine.Graph
	index     []uint64
	rows      []Row
	neighbors []engine.Local
	hubs      []engine.Local
}

// dirty leaves something other than zeros in memory that Construct gets next.
func dirty(t *testing.T, d *Device, bytes int) {
	t.Helper()
	a, err := Alloc[byte](d, "dirt", bytes)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.Fill(0xA5), a.Free()); err != nil {
		t.Fatal(err)
	}
}

func construct(t *testing.T, d *Device, vertices uint64, tuples []engine.Edge) hostGraph {
	t.Helper()
	release, err := d.Use()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	dirty(t, d, 64*len(tuples)+64*int(vertices)+1<<20)
	input, err := Alloc[engine.Edge](d, "tuples", len(tuples))
	if err != nil {
		t.Fatal(err)
	}
	if err := input.Write(0, tuples); err != nil {
		t.Fatal(err)
	}
	g, err := Construct(context.Background(), d, vertices, HoldTuples(input), LeastGroups)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(testHost(t, input), tuples) {
		t.Fatal("the tuples were changed")
	}
	if err := input.Free(); err != nil {
		t.Fatal(err)
	}
	return toHost(t, g)
}

// toHost copies a graph to the host and closes it.
func toHost(t *testing.T, g *Graph) hostGraph {
	t.Helper()
	h := hostGraph{
		info:      g.Info,
		index:     testHost(t, g.Index),
		rows:      testHost(t, g.Rows),
		neighbors: make([]engine.Local, g.Info.Arcs),
		hubs:      testHost(t, g.Hubs),
	}
	if err := errors.Join(g.Neighbors.Read(0, h.neighbors), g.Close()); err != nil {
		t.Fatal(err)
	}
	return h
}

func (g hostGraph) equal(h hostGraph) bool {
	return g.info == h.info && slices.Equal(g.index, h.index) && slices.Equal(g.rows, h.rows) &&
		slices.Equal(g.hubs, h.hubs) && slices.Equal(g.neighbors, h.neighbors)
}

// checkGraph compares everything with the graph that package graph builds.
func checkGraph(t *testing.T, g hostGraph, vertices uint64, tuples []engine.Edge) {
	t.Helper()
	team := parallel.NewTeam(2)
	defer team.Close()
	want, err := graph.Build(context.Background(), team, vertices, tuples)
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
			t.Fatalf("row of vertex %d (%d neighbours from %d) differs from the %d of package graph",
				got.Label, got.Degree, got.Start, len(row))
		}
	}
	slices.SortFunc(labels, byCount)
	if hubs := labels[:min(len(labels), maxHubs)]; !slices.Equal(g.hubs, hubs) {
		t.Fatalf("hubs are %v..., want %v...", g.hubs[:min(10, len(g.hubs))], hubs[:min(10, len(hubs))])
	}
}

func TestConstructSmall(t *testing.T) {
	d := testDevice(t)
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
			checkGraph(t, construct(t, d, c.vertices, c.tuples), c.vertices, c.tuples)
		})
	}
}

func TestConstructRandom(t *testing.T) {
	d := testDevice(t)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range sized(120, 20) {
		vertices := 1 + r.Uint64N(1<<r.UintN(16))
		tuples := make([]engine.Edge, r.IntN(1<<r.UintN(17)))
		spread := 1 + r.Uint64N(vertices)
		for j := range tuples {
			tuples[j] = engine.Edge{U: engine.Local(r.Uint64N(spread)), V: engine.Local(r.Uint64N(vertices))}
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			checkGraph(t, construct(t, d, vertices, tuples), vertices, tuples)
		})
	}
}

func TestConstructKronecker(t *testing.T) {
	d := testDevice(t)
	for _, scale := range sized([]int{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20}, []int{4, 9, 13}) {
		t.Run(fmt.Sprint(scale), func(t *testing.T) {
			vertices, tuples := uint64(1)<<scale, officialTuples(scale)
			g := construct(t, d, vertices, tuples)
			checkGraph(t, g, vertices, tuples)

			if !construct(t, d, vertices, tuples).equal(g) {
				t.Error("two constructions differ")
			}
		})
	}
}

// TestConstructRegenerated makes official graphs of tuples that are there a part
// at a time, and of all of them, in more groups of rows than pay.
func TestConstructRegenerated(t *testing.T) {
	d := testDevice(t)
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
		spec := officialSpec(c.scale)
		want := construct(t, d, spec.Vertices(), officialTuples(c.scale))
		tuples, err := NewTuples(d, spec, c.room)
		if err != nil {
			t.Fatal(err)
		}
		if want.info.Regenerated = c.room < spec.Tuples(); want.info.Regenerated {
			err = tuples.memory.Fill(poison)
		} else {
			err = tuples.Make(t.Context(), func(uint64) {})
		}
		if err != nil {
			t.Fatal(err)
		}
		dirty(t, d, 64*len(want.neighbors))
		g, err := Construct(t.Context(), d, spec.Vertices(), tuples, c.groups)
		if err != nil {
			t.Fatal(err)
		}
		if !toHost(t, g).equal(want) {
			t.Errorf("scale %d, room for %d tuples, %d groups: another graph", c.scale, c.room, c.groups)
		}
		if _, err := Construct(t.Context(), d, spec.Vertices()-1, tuples, c.groups); err == nil {
			t.Errorf("scale %d: constructed with too few vertices", c.scale)
		}
		if err := tuples.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSortPortions sorts more keys than one launch takes.
func TestSortPortions(t *testing.T) {
	if testing.Short() {
		t.Skip("more than 2^28 keys")
	}
	d := testDevice(t)
	if free, _, err := d.Memory(); err != nil || free < 12<<30 {
		t.Skipf("%d bytes of device memory are free (%v)", free, err)
	}
	const count = sortPortion + 3*sortTile/2
	host := make([]uint64, count)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range host {
		host[i] = r.Uint64()>>44<<32 | uint64(i)
	}
	keys, err := Alloc[uint64](d, "keys", count)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Alloc[uint64](d, "other keys", count)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSorter(d, &launcher{d: d}, count)
	if err != nil {
		t.Fatal(err)
	}
	if err := keys.Write(0, host); err != nil {
		t.Fatal(err)
	}
	swapped, err := s.sort(keys, other, count, 32, 20)
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
	if err := errors.Join(keys.Free(), other.Free(), s.free()); err != nil {
		t.Fatal(err)
	}
}

// TestConstructOutside expects the error of package graph.
func TestConstructOutside(t *testing.T) {
	d := testDevice(t)
	tuples := slices.Repeat([]engine.Edge{{U: 1, V: 2}}, 100_000)
	tuples[77_777] = engine.Edge{U: 4, V: 9}
	tuples[77_778] = engine.Edge{U: 10, V: 10}
	input, err := Alloc[engine.Edge](d, "tuples", len(tuples))
	if err != nil {
		t.Fatal(err)
	}
	defer input.Free()
	if err := input.Write(0, tuples); err != nil {
		t.Fatal(err)
	}
	team := parallel.NewTeam(1)
	defer team.Close()
	for _, vertices := range []uint64{0, 2, 9, 10} {
		_, want := graph.Build(context.Background(), team, vertices, tuples)
		_, err = Construct(context.Background(), d, vertices, HoldTuples(input), LeastGroups)
		if err == nil || err.Error() != want.Error() {
			t.Errorf("%d vertices: error %q, want %q", vertices, err, want)
		}
	}
}

func TestConstructStops(t *testing.T) {
	d := testDevice(t)
	input, err := Alloc[engine.Edge](d, "tuples", 0)
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(stop)
	if _, err := Construct(ctx, d, 10, HoldTuples(input), LeastGroups); !errors.Is(err, stop) {
		t.Errorf("error %v of an ended context", err)
	}
}

// TestGroupLabels has the sizes of Kronecker graphs: at scale 26 a key of one
// bit less saves the seventh pass.
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
		if got := groupLabels(c.vertices, c.rows, c.inMemory); got != c.want {
			t.Errorf("%d rows of %d vertices are sorted in groups of %d labels, want %d", c.rows, c.vertices, got, c.want)
		}
	}
}

// TestConstructMemory holds the plan to one buffer of the size of the arcs
// beside the graph, and to less the more groups there are.
func TestConstructMemory(t *testing.T) {
	for _, scale := range []int{20, 24, 28, 29} {
		vertices, tuples := uint64(1)<<scale, uint64(16)<<scale
		for groups, most := range map[int]float64{LeastGroups: 20, 5: 17.9, 8: 15.3, MostGroups: 11.6} {
			if peak := engine.Peak(ConstructMemory(vertices, tuples, groups), engine.DeviceMemory); float64(peak) > most*float64(tuples) {
				t.Errorf("scale %d in %d groups takes %d bytes, %.2f a tuple", scale, groups, peak, float64(peak)/float64(tuples))
			}
		}
	}
}

// TestConstructMemoryOfHubs holds the plan to graphs of few vertices with many
// edges: there must be room to sort any one tile of labels with the vertex of
// highest degree, which has 2 * 0.76^scale of the tuples.
func TestConstructMemoryOfHubs(t *testing.T) {
	for scale := range 25 {
		for _, edgefactor := range []uint64{16, 1024, 4096} {
			vertices := uint64(1) << scale
			tuples := edgefactor * vertices
			hub := 2 * math.Pow(0.76, float64(scale)) * float64(tuples)
			tile := min(2*float64(tuples), hub+2*float64(tuples)/float64(tilesOf(vertices, tileLabels)))
			var sorting uint64
			for _, a := range ConstructMemory(vertices, tuples, MostGroups) {
				if a.Name == "sorting space" {
					sorting = a.Bytes
				}
			}
			if float64(sorting) < 16*tile {
				t.Errorf("scale %d, edgefactor %d: %d bytes to sort a tile of %.0f arcs", scale, edgefactor, sorting, tile)
			}
		}
	}
}

// TestGroupsFit holds groups to what there is room for: whole tiles of labels,
// whatever their sizes, and all rows at once.
func TestGroupsFit(t *testing.T) {
	for _, c := range []struct{ arcs, largest, rows uint64 }{
		{0, 0, 0}, {2, 1, 2}, {2, 2, 2}, {1 << 20, 1 << 20, 1024}, {1 << 20, 1024, 1 << 20}, {1 << 34, 1 << 25, 1 << 28},
	} {
		for groups := LeastGroups; groups <= MostGroups; groups++ {
			if room := groupCapacity(c.arcs, c.largest, c.rows, groups); room < c.largest || room < c.rows || room < c.arcs/uint64(groups) || room > max(c.arcs, c.rows) {
				t.Errorf("%+v in %d groups: room for %d keys", c, groups, room)
			}
		}
	}
}

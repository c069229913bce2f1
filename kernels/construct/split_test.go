//go:build cuda

package construct

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
)

// newTails returns poisoned host memory.
func newTails(t *testing.T, d *device.Device, n uint64) *device.HostArray[engine.Local] {
	t.Helper()
	tails, err := device.Uncleared[engine.Local](d, int(max(1, n)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range tails.Host() {
		tails.Host()[i] = engine.None
	}
	t.Cleanup(func() {
		if err := tails.Free(); err != nil {
			t.Error(err)
		}
	})
	return tails
}

// needOf returns the words and the sectors that rows of these degrees take.
func needOf(degrees []int, prefix int) (words, sectors int) {
	for _, degree := range degrees {
		if degree <= prefix {
			words += degree
			continue
		}
		words += prefix + 1
		sectors += (degree - prefix + SectorArcs - 1) / SectorArcs
	}
	return words, sectors
}

// tupleDegrees returns the number of tuples at each vertex, without self loops.
func tupleDegrees(vertices uint64, tuples []engine.Edge) []int {
	degrees := make([]int, vertices)
	for _, e := range tuples {
		if e.U != e.V {
			degrees[e.U]++
			degrees[e.V]++
		}
	}
	return degrees
}

// checkSplit builds a graph with its rows in words of device memory, and compares it with
// the graph that is not split.
func checkSplit(t *testing.T, d *device.Device, vertices uint64, tuples []engine.Edge, groups int, words uint64) {
	t.Helper()
	input := generatetest.Load(t, d, generate.Config{}, engine.Tuples{Edges: tuples})
	defer devicetest.Close(t, input)
	want := constructFrom(t, d, vertices, input, groups, mostHubs)
	tails := newTails(t, d, MostTails(vertices, uint64(len(tuples)), words))
	free := d.Free()
	devicetest.Dirty(t, d, 64*len(tuples)+64*int(vertices)+1<<20)
	g, err := ConstructSplit(t.Context(), d, vertices, input, groups, mostHubs, Split{Words: words, Tails: tails})
	if err != nil {
		t.Fatal(err)
	}
	checkRows(t, g, want)
	degrees := tupleDegrees(vertices, tuples)
	if taken, _ := needOf(degrees, int(g.Prefix)); g.Neighbors.Len() != taken || uint64(taken) > words {
		t.Errorf("prefix %d: %d words, want %d, at most %d", g.Prefix, g.Neighbors.Len(), taken, words)
	}
	if _, most := needOf(degrees, int(g.Prefix)); g.Info.HostBytes%32 != 0 || g.Info.HostBytes > int64(32*most) || (g.Info.HostBytes > 0) != g.hasTails(t) {
		t.Errorf("%d bytes of host memory, at most %d sectors", g.Info.HostBytes, most)
	}
	if longer, sectors := needOf(degrees, int(g.Prefix)+1); uint64(longer) <= words && sectors > 0 {
		t.Errorf("prefix %d, but one more takes %d of %d words", g.Prefix, longer, words)
	}
	if err := errors.Join(g.Close(), g.Close()); err != nil {
		t.Fatal(err)
	}
	if d.Free() != free {
		t.Fatalf("%d bytes are free after %d", d.Free(), free)
	}
}

// hasTails reports whether a row is longer than the prefix.
func (g *Graph) hasTails(t *testing.T) bool {
	return slices.ContainsFunc(devicetest.Host(t, g.Rows), func(r Row) bool { return r.Degree > g.Prefix })
}

// checkRows compares a graph with split rows with the graph that is not split.
func checkRows(t *testing.T, g *Graph, want hostGraph) {
	t.Helper()
	want.info.Prefix, want.info.HostBytes = int64(g.Prefix), g.Info.HostBytes
	if g.Info != want.info || !g.IsSplit() || !slices.Equal(devicetest.Host(t, g.Index), want.index) || !slices.Equal(devicetest.Host(t, g.Hubs), want.hubs) {
		t.Fatalf("other facts, index or hubs: %+v, want %+v", g.Info, want.info)
	}
	checkLists(t, g, want)
}

// checkLists compares the rows of a graph with split rows with those that are not split.
func checkLists(t *testing.T, g *Graph, want hostGraph) {
	t.Helper()
	rows, prefix := devicetest.Host(t, g.Rows), uint64(g.Prefix)
	used := 0 // duplicates leave words at the end
	for _, row := range rows {
		used += int(min(uint64(row.Degree), prefix+1))
	}
	front := devicetest.First(t, g.Neighbors, used)
	if len(rows) != len(want.rows) {
		t.Fatalf("%d rows, want %d", len(rows), len(want.rows))
	}
	var end uint64
	for r, row := range rows {
		if row.Label != want.rows[r].Label || row.Degree != want.rows[r].Degree || row.Start != end {
			t.Fatalf("row %d is %+v, want the start %d and otherwise %+v", r, row, end, want.rows[r])
		}
		list := want.neighbors[want.rows[r].Start:][:row.Degree]
		inFront := min(prefix, uint64(row.Degree))
		got := slices.Clone(front[row.Start:][:inFront])
		end = row.Start + inFront
		if rest := uint64(row.Degree) - inFront; rest > 0 {
			got = append(got, g.Tails.Host()[SectorArcs*uint64(front[end]):][:rest]...)
			end++
		}
		if !slices.Equal(got, list) {
			t.Fatalf("row %d is %v, want %v", r, got, list)
		}
	}
}

func TestSplitRandom(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(21, 1))
	for range devicetest.Sized(30, 8) {
		vertices := 1 + r.IntN(5000)
		tuples := make([]engine.Edge, r.IntN(40000))
		for i := range tuples {
			hub := func() engine.Local { return engine.Local(float64(vertices) * r.Float64() * r.Float64() * r.Float64()) }
			tuples[i] = engine.Edge{U: hub(), V: hub()}
		}
		least, _ := needOf(tupleDegrees(uint64(vertices), tuples), LeastPrefix)
		checkSplit(t, d, uint64(vertices), tuples, LeastGroups+r.IntN(MostGroups-LeastGroups), uint64(least+r.IntN(2*len(tuples)+1)))
	}
}

func TestSplitOfficial(t *testing.T) {
	d := devicetest.Open(t)
	spec, tuples := devicetest.Official(12), devicetest.OfficialTuples(12)
	for _, words := range []uint64{20000, 50000, 2 * spec.Tuples()} {
		checkSplit(t, d, spec.Vertices(), tuples, LeastGroups, words)
	}
}

func TestSplitNasty(t *testing.T) {
	d := devicetest.Open(t)
	star := make([]engine.Edge, 3000)
	for i := range star {
		star[i] = engine.Edge{U: 1500, V: engine.Local(i)}
	}
	for _, c := range []struct {
		name     string
		vertices uint64
		tuples   []engine.Edge
	}{
		{"nothing", 0, nil},
		{"no edges", 5000, nil},
		{"one vertex", 1, nil},
		{"self loops", 10, []engine.Edge{{U: 3, V: 3}, {U: 9, V: 9}}},
		{"duplicates", 10, []engine.Edge{{U: 3, V: 4}, {U: 4, V: 3}, {U: 3, V: 4}, {U: 3, V: 4}, {U: 3, V: 4}, {U: 3, V: 4}, {U: 3, V: 4}}},
		{"star", 3000, star},
	} {
		t.Run(c.name, func(t *testing.T) {
			least, _ := needOf(tupleDegrees(c.vertices, c.tuples), LeastPrefix)
			checkSplit(t, d, c.vertices, c.tuples, LeastGroups, uint64(least))
			checkSplit(t, d, c.vertices, c.tuples, LeastGroups, uint64(least)+2*uint64(len(c.tuples)))
		})
	}
}

// ConstructSplit takes no more memory than SplitPlan says, from regenerated tuples too.
func TestSplitInItsPlan(t *testing.T) {
	const scale = 12
	spec := devicetest.Official(scale)
	for _, room := range []uint64{spec.Tuples(), spec.Tuples() / 4} {
		const words = 40000
		plan := append(generate.Config{Count: spec.Tuples(), Capacity: room}.Plan(), SplitPlan(spec.Vertices(), spec.Vertices(), spec.Tuples(), MostGroups, mostHubs, Split{Words: words})...)
		d := devicetest.OpenWith(t, device.Options{})
		if err := d.Reserve(engine.Peak(plan, engine.DeviceMemory)); err != nil {
			t.Fatal(err)
		}
		tuples := generatetest.Generate(t, d, spec, generate.Config{Capacity: room})
		g, err := ConstructSplit(t.Context(), d, spec.Vertices(), tuples, MostGroups, mostHubs,
			Split{Words: words, Tails: newTails(t, d, MostTails(spec.Vertices(), spec.Tuples(), words))})
		if err != nil {
			t.Fatal(err)
		}
		devicetest.Close(t, g)
		devicetest.Close(t, tuples)
	}
}

// Without a prefix all neighbours are in the host's memory, and a row has one word.
func TestSplitWithoutPrefix(t *testing.T) {
	d := devicetest.Open(t)
	for _, c := range []struct {
		vertices uint64
		tuples   []engine.Edge
	}{
		{0, nil}, {10, nil}, {5, []engine.Edge{{U: 3, V: 3}}}, {5, []engine.Edge{{U: 3, V: 4}, {U: 4, V: 3}}}, {1 << 10, devicetest.OfficialTuples(10)},
	} {
		input := generatetest.Load(t, d, generate.Config{}, engine.Tuples{Edges: c.tuples})
		want := constructFrom(t, d, c.vertices, input, LeastGroups, mostHubs)
		rows := uint64(len(want.rows))
		tails := newTails(t, d, MostWithoutPrefix(rows, uint64(len(c.tuples))))
		g, err := ConstructSplit(t.Context(), d, c.vertices, input, LeastGroups, mostHubs, Split{Words: rows, Tails: tails, NoPrefix: true})
		if err != nil {
			t.Fatal(err)
		}
		checkRows(t, g, want)
		if g.Prefix != 0 || uint64(g.Neighbors.Len()) != rows {
			t.Errorf("prefix %d, %d words of %d rows", g.Prefix, g.Neighbors.Len(), rows)
		}
		devicetest.Close(t, input, g)
		if rows == 0 {
			continue
		}
		input = generatetest.Load(t, d, generate.Config{}, engine.Tuples{Edges: c.tuples})
		if _, err := ConstructSplit(t.Context(), d, c.vertices, input, LeastGroups, mostHubs, Split{Words: rows - 1, Tails: tails, NoPrefix: true}); err == nil {
			t.Errorf("%d rows fit into %d words", rows, rows-1)
		}
		devicetest.Close(t, input)
	}
}

func TestSplitDoesNotFit(t *testing.T) {
	d := devicetest.Open(t)
	spec := devicetest.Official(10)
	input := generatetest.Load(t, d, generate.Config{}, engine.Tuples{Edges: devicetest.OfficialTuples(10)})
	defer devicetest.Close(t, input)
	free := d.Free()
	_, err := ConstructSplit(t.Context(), d, spec.Vertices(), input, LeastGroups, mostHubs, Split{Words: 100, Tails: newTails(t, d, 4*spec.Tuples())})
	if memory := new(device.MemoryError); !errors.As(err, &memory) || memory.Available != 400 {
		t.Errorf("100 words: %v", err)
	}
	if _, err = ConstructSplit(t.Context(), d, spec.Vertices(), input, LeastGroups, mostHubs, Split{Words: 20000, Tails: newTails(t, d, 32)}); err == nil {
		t.Error("one sector of host memory was enough")
	}
	if d.Free() != free {
		t.Errorf("%d bytes are free after %d", d.Free(), free)
	}
}

// TestSplitTogether builds split rows on several devices, with different room on each, and
// compares them with the rows of one.
func TestSplitTogether(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(21, 2))
	for _, number := range []int{1, 2, 3, device.MostTogether} {
		vertices := uint64(1 + r.IntN(6000))
		tuples := make([]engine.Edge, r.IntN(30000))
		for i := range tuples {
			hub := func() engine.Local { return engine.Local(float64(vertices) * r.Float64() * r.Float64() * r.Float64()) }
			tuples[i] = engine.Edge{U: hub(), V: hub()}
		}
		want := construct(t, d, vertices, tuples, mostHubs)
		degrees := tupleDegrees(vertices, tuples)
		shares := loadShares(t, d, tuples, number)
		var into []Split
		fitting := 1 << 30 // the longest prefix that fits all devices
		for _, labels := range Ranges(vertices, number) {
			own := degrees[labels.First:labels.End]
			least, _ := needOf(own, LeastPrefix)
			words := least + r.IntN(len(tuples)+1)
			into = append(into, Split{Words: uint64(words), Tails: newTails(t, d, MostTails(labels.End-labels.First, uint64(len(tuples)), uint64(words)))})
			fitting = min(fitting, longestOf(own, words))
		}
		devicetest.Dirty(t, d, 64*len(tuples)+64*int(vertices)+1<<20)
		graphs, err := SplitTogether(t.Context(), devicetest.Team(t, slices.Repeat([]*device.Device{d}, number)), vertices, shares, 1+r.IntN(8), mostHubs, into)
		if err != nil {
			t.Fatal(err)
		}
		var rows int
		for k, g := range graphs {
			if g.Prefix != graphs[0].Prefix || g.Info != graphs[0].Info || g.Labels != Ranges(vertices, number)[k] {
				t.Fatalf("graph %d of %d has the prefix %d of %d, labels %v, facts %+v", k, number, g.Prefix, graphs[0].Prefix, g.Labels, g.Info)
			}
			checkLists(t, g, hostGraph{rows: want.rows[rows:][:g.Rows.Len()], neighbors: want.neighbors})
			rows += g.Rows.Len()
		}
		if longest := slices.Max(append(degrees, 0)); rows != len(want.rows) || longest > LeastPrefix && int(graphs[0].Prefix) != min(fitting, longest) {
			t.Errorf("%d of %d rows, prefix %d, want %d of at most %d", rows, len(want.rows), graphs[0].Prefix, fitting, longest)
		}
		closeBackward(t, graphs)
		closeBackward(t, shares)
	}
}

// longestOf returns the longest prefix, up to the largest degree, with which rows of these
// degrees fit into words.
func longestOf(degrees []int, words int) int {
	longest := LeastPrefix
	for most := slices.Max(append(degrees, 0)); longest < most; longest++ {
		if taken, _ := needOf(degrees, longest+1); taken > words {
			return longest
		}
	}
	return 1 << 30
}

package graph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/engine"
	"graph500/parallel"
)

// hubGraphs returns small graphs that expose typical errors of orders by hubs.
func hubGraphs() map[string][]engine.Edge {
	g := map[string][]engine.Edge{
		"no tuple":   nil,
		"one edge":   {{U: 0, V: 1}},
		"loops":      {{U: 3, V: 3}, {U: 3, V: 3}},
		"duplicates": {{U: 1, V: 2}, {U: 2, V: 1}, {U: 1, V: 2}, {U: 1, V: 1}},
	}
	for i := engine.Label(1); i < 700; i++ {
		g["star"] = append(g["star"], engine.Edge{U: 5, V: i - 1 + i/6})
		g["path"] = append(g["path"], engine.Edge{U: i - 1, V: i})
		g["stars in a row"] = append(g["stars in a row"], engine.Edge{U: i / 100 * 100, V: i}, engine.Edge{U: i / 100 * 100, V: (i/100 + 1) * 100})
		g["pairs"] = append(g["pairs"], engine.Edge{U: 2 * i, V: 2*i + 1})
	}
	for i := range engine.Label(90) {
		for j := range i {
			g["complete"] = append(g["complete"], engine.Edge{U: i, V: j})
		}
	}
	return g
}

// checkByHubs compares every vertex of g with the sets of neighbours of the tuples, and checks
// the orders that searches rely on.
func checkByHubs(t *testing.T, g *ByHubs, vertices int, tuples []engine.Edge) {
	t.Helper()
	sets := reference(vertices, tuples)
	if len(g.First) != vertices {
		t.Fatalf("%d first neighbours", len(g.First))
	}
	hubAt := map[engine.Label]uint16{}
	for h, hub := range g.Hubs {
		hubAt[hub.Label] = uint16(h)
		if h > 0 && len(sets[hub.Label]) > len(sets[g.Hubs[h-1].Label]) {
			t.Fatalf("hub %d has a higher degree than the one before", h)
		}
	}
	leaves := int64(0)
	places := map[uint32]bool{}
	for v, set := range sets {
		v := engine.Label(v)
		if g.Has(v) != (len(set) > 0) {
			t.Fatalf("Has(%d) is wrong", v)
		}
		if len(set) == 0 {
			continue
		}
		var hubs []uint16
		for w := range set {
			if h, ok := hubAt[w]; ok {
				hubs = append(hubs, h)
			}
		}
		slices.Sort(hubs)
		hubs = append(hubs, NoHub)
		if hubs[0] != NoHub && g.First[v] != g.Hubs[hubs[0]].Label || !set[g.First[v]] {
			t.Fatalf("first neighbour of %d is %d", v, g.First[v])
		}
		place, leaf := g.Find(v)
		if leaf {
			leaves++
			if len(set) != 1 || len(sets[g.First[v]]) == 1 {
				t.Fatalf("%d is no leaf", v)
			}
			if center, leaf := g.Find(g.First[v]); leaf || center != place {
				t.Fatalf("leaf %d has center %d", v, place)
			}
			continue
		}
		if places[place] {
			t.Fatalf("%d is two vertices", place)
		}
		places[place] = true
		var list RowList
		var first uint16
		var next uint64
		all := hubs[:len(hubs)-1]
		if place&HubBit != 0 {
			h := &g.Hubs[place&^HubBit]
			if h.Label != v || h.First != g.First[v] || h.Degree() != uint64(len(set)) {
				t.Fatalf("%d is hub %+v", v, h)
			}
			if got := g.HubsOf(h); !slices.Equal(got, all) {
				t.Fatalf("hub %d has hubs %v, want %v", v, got, all)
			}
			list, first, next = RowList{Rows: g.RowsOf(h), Leaves: g.LeavesOf(h)}, h.Hub, h.Next
			for i := 1; i < len(list.Rows); i++ {
				if g.ChunkOf[list.Rows[i]>>6] < g.ChunkOf[list.Rows[i-1]>>6] {
					t.Fatalf("rows of hub %d are not in the order of the chunks", v)
				}
			}
		} else {
			if g.LabelOf(place) != v {
				t.Fatalf("row %d has label %d, not %d", place, g.LabelOf(place), v)
			}
			list, first = g.ListOf(place), g.Records[place].Hub
			next = ^uint64(0)
			if len(all) >= 2 {
				next = g.Records[place].Next
				got := slices.Sorted(slices.Values(list.Further))
				if want := all[min(5, len(all)):]; !slices.Equal(got, want) {
					t.Fatalf("%d has further hubs %v, want %v", v, got, want)
				}
			}
			if flag := g.Records[place].List&HasLeaves != 0; flag != (len(list.Leaves) > 0) {
				t.Fatalf("%d has the flag of leaves %v", v, flag)
			}
			degrees := func(place uint32) int { return len(sets[g.LabelOf(place)]) }
			for i, r := range list.Rows {
				if i >= 4 && degrees(r) > degrees(list.Rows[3]) {
					t.Fatalf("rows of %d are not in order", v)
				}
			}
		}
		if first != hubs[0] {
			t.Fatalf("%d has first hub %d, want %d", v, first, hubs[0])
		}
		for i := range 4 {
			want := uint16(NoHub)
			if len(all) > i+1 {
				want = all[i+1]
			}
			if got := uint16(next >> (16 * i)); got != want {
				t.Fatalf("%d has hub %d as number %d, want %d", v, got, i+1, want)
			}
		}
		seen := len(all)
		for _, r := range list.Rows {
			w := g.LabelOf(r)
			if at, leaf := g.Find(w); !set[w] || leaf || at != r {
				t.Fatalf("%d has row %d of label %d", v, r, w)
			}
			seen++
		}
		for _, w := range list.Leaves {
			if at, leaf := g.Find(w); !set[w] || !leaf || at != place {
				t.Fatalf("%d has leaf %d", v, w)
			}
			seen++
		}
		if seen != len(set) {
			t.Fatalf("%d has %d neighbours, want %d", v, seen, len(set))
		}
	}
	if leaves != g.Leaves {
		t.Fatalf("%d leaves, want %d", g.Leaves, leaves)
	}
	checkRuns(t, g)
}

// checkRuns checks that chunks and runs cover all rows in order.
func checkRuns(t *testing.T, g *ByHubs) {
	t.Helper()
	for c := range g.Chunks[:len(g.Chunks)-1] {
		chunk, next := g.Chunks[c], g.Chunks[c+1]
		if chunk.Row%64 != 0 || chunk.Row > chunk.Several || chunk.Several > chunk.Single || chunk.Single > chunk.Last || chunk.Last > next.Row || next.Row-chunk.Last >= 64 {
			t.Fatalf("chunk %d: %+v, %+v", c, chunk, next)
		}
		row := chunk.Row
		for i, run := range g.Runs[chunk.Run:next.Run] {
			if chunk.Run+uint32(i) == chunk.SingleRun && row != chunk.Several {
				t.Fatalf("rows with one hub begin at %d, not %d", row, chunk.Several)
			}
			for ; row <= chunk.Row+uint32(run.Last); row++ {
				r := g.Records[row]
				if several := row < chunk.Several; r.Hub != run.Hub || several != (r.List&SeveralHubs != 0) {
					t.Fatalf("row %d in run %+v: %+v", row, run, r)
				}
			}
		}
		if row != chunk.Single {
			t.Fatalf("the runs of chunk %d end at %d, not %d", c, row, chunk.Single)
		}
		for ; row < chunk.Last; row++ {
			if g.Records[row].Hub != NoHub {
				t.Fatalf("row %d has hub %d", row, g.Records[row].Hub)
			}
		}
	}
}

func buildByHubs(t *testing.T, workers, vertices int, tuples []engine.Edge, form HubForm, keep bool) {
	t.Helper()
	team := parallel.NewTeam(workers)
	defer team.Close()
	rows, err := Build(t.Context(), team, WholeGraph(uint64(vertices)), engine.Tuples{Edges: tuples})
	if err != nil {
		t.Fatal(err)
	}
	g, err := rows.ByHubs(t.Context(), team, form, keep)
	if err != nil {
		t.Fatal(err)
	}
	checkByHubs(t, g, vertices, tuples)
	if keep {
		check(t, rows, vertices, tuples)
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	checkByHubs(t, g, vertices, tuples)
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestByHubsOfSmallGraphs(t *testing.T) {
	for name, tuples := range hubGraphs() {
		for _, bits := range []uint{6, 8, 16} {
			t.Run(fmt.Sprint(name, bits), func(t *testing.T) {
				buildByHubs(t, 2, 1500, tuples, HubForm{bits, MostHubs}, bits == 8)
			})
		}
	}
}

func TestByHubsOfRandomGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for range 200 {
		vertices := 1 + r.IntN(1<<(1+r.IntN(11)))
		if r.IntN(3) == 0 {
			vertices = 64 * (1 + vertices/64)
		}
		tuples := make([]engine.Edge, r.IntN(1<<r.IntN(13)+1))
		for i := range tuples { // powers of a uniform number turn low labels into hubs
			x, y := r.Float64(), r.Float64()
			tuples[i] = engine.Edge{U: engine.Label(x * x * x * float64(vertices)), V: engine.Label(y * y * float64(vertices))}
		}
		buildByHubs(t, 1+r.IntN(3), vertices, tuples, HubForm{uint(6 + r.IntN(11)), r.IntN(1 << r.IntN(10))}, r.IntN(2) == 0)
	}
}

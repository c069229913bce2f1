package graph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/cluster"
	"graph500/engine"
	"graph500/parallel"
	"graph500/partition"
	"graph500/vector"
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

// hubShares are the shares of one graph, or a whole graph.
type hubShares struct {
	parts []*ByHubs
	sets  []map[engine.Label]bool // neighbours by vertex
	hubs  map[engine.Label]uint16
}

// checkByHubs compares every vertex of the shares of a graph with the sets of neighbours of the
// tuples, and checks the orders that searches rely on.
func checkByHubs(t *testing.T, parts []*ByHubs, vertices int, tuples []engine.Edge) {
	t.Helper()
	s := hubShares{parts, reference(vertices, tuples), map[engine.Label]uint16{}}
	for h, hub := range parts[0].Hubs {
		s.hubs[hub.Label] = uint16(h)
		if h > 0 && len(s.sets[hub.Label]) > len(s.sets[parts[0].Hubs[h-1].Label]) {
			t.Fatalf("hub %d has a higher degree than the one before", h)
		}
	}
	owned, connected, arcs := 0, int64(0), int64(0)
	for _, g := range parts {
		if len(g.Hubs) != len(s.hubs) {
			t.Fatalf("%d and %d hubs", len(g.Hubs), len(s.hubs))
		}
		s.checkVertices(t, g)
		s.checkHubLists(t, g)
		checkRuns(t, g)
		owned, connected, arcs = owned+len(g.First), connected+g.Connected, arcs+g.Arcs
	}
	if info := parts[0].Info; owned != vertices || connected != info.Connected || arcs != info.Arcs {
		t.Fatalf("%d own vertices, %d with a neighbour, %d arcs of a graph with %+v", owned, connected, arcs, info)
	}
}

// hubsOf returns the numbers of the hubs among the neighbours of v.
func (s *hubShares) hubsOf(v engine.Label) (hubs []uint16) {
	for w := range s.sets[v] {
		if h, ok := s.hubs[w]; ok {
			hubs = append(hubs, h)
		}
	}
	slices.Sort(hubs)
	return hubs
}

// isLeaf reports whether v is a leaf.
func (s *hubShares) isLeaf(v engine.Label) bool {
	if _, isHub := s.hubs[v]; isHub || len(s.sets[v]) != 1 {
		return false
	}
	for w := range s.sets[v] {
		return len(s.sets[w]) > 1
	}
	return false
}

// checkVertices checks the vertices of a share.
func (s *hubShares) checkVertices(t *testing.T, g *ByHubs) {
	t.Helper()
	leaves := int64(0)
	places := map[uint32]bool{}
	for i, first := range g.First {
		v := g.FirstLabel + engine.Label(i)
		set := s.sets[v]
		if g.Has(engine.Label(i)) != (len(set) > 0) {
			t.Fatalf("Has(%d) is wrong", v)
		}
		place, ok := g.Find(v)
		if len(set) == 0 {
			if ok {
				t.Fatalf("%d without a neighbour is found", v)
			}
			continue
		}
		hubs := s.hubsOf(v)
		if len(hubs) > 0 && first != g.Hubs[hubs[0]].Label || !set[first] {
			t.Fatalf("first neighbour of %d is %d", v, first)
		}
		if ok == s.isLeaf(v) {
			t.Fatalf("Find(%d) is %v", v, ok)
		}
		if !ok {
			leaves++
			continue
		}
		if places[place] {
			t.Fatalf("%d is two vertices", place)
		}
		places[place] = true
		if place&HubBit != 0 {
			h := &g.Hubs[place&^HubBit]
			if h.Label != v || h.First != first || int(h.Degree) != len(set) || !slices.Equal(g.AllHubsOf(h), hubs) {
				t.Fatalf("%d is hub %+v with hubs %v, want %v", v, h, g.AllHubsOf(h), hubs)
			}
			checkFirst(t, v, h.Hub, h.Next, hubs)
			continue
		}
		s.checkRow(t, g, v, place, hubs)
	}
	if leaves != g.Leaves {
		t.Fatalf("%d leaves, want %d", g.Leaves, leaves)
	}
}

// checkRow checks a row, which has the given hubs.
func (s *hubShares) checkRow(t *testing.T, g *ByHubs, v engine.Label, place uint32, hubs []uint16) {
	t.Helper()
	if g.LabelOf(place) != v || g.LabelOfAny(g.FirstRow+place) != v {
		t.Fatalf("row %d has labels %d and %d, not %d", place, g.LabelOf(place), g.LabelOfAny(g.FirstRow+place), v)
	}
	list, next := g.ListOf(place), ^uint64(0)
	if len(hubs) >= 2 {
		next = g.Records[place].Next
		if got, want := slices.Sorted(slices.Values(list.Further)), hubs[min(5, len(hubs)):]; !slices.Equal(got, want) {
			t.Fatalf("%d has further hubs %v, want %v", v, got, want)
		}
		checkFirst(t, v, g.Records[place].Hub, next, hubs)
	} else {
		checkFirst(t, v, g.Records[place].Hub, next, append(slices.Clone(hubs), NoHub)[:1])
	}
	if flag := g.Records[place].List&HasLeaves != 0; flag != (len(list.Leaves) > 0) {
		t.Fatalf("%d has the flag of leaves %v", v, flag)
	}
	s.checkNeighbors(t, g, v, list, len(s.sets[v])-len(hubs))
	degree := func(r uint32) int { return len(s.sets[g.LabelOfAny(r)]) }
	for i, r := range list.Rows {
		if i >= 4 && degree(r) > degree(list.Rows[3]) {
			t.Fatalf("rows of %d are not in order", v)
		}
	}
}

// checkFirst checks the first five hubs of a vertex.
func checkFirst(t *testing.T, v engine.Label, first uint16, next uint64, hubs []uint16) {
	t.Helper()
	for i := range 5 {
		want, got := uint16(NoHub), first
		if i < len(hubs) {
			want = hubs[i]
		}
		if i > 0 {
			got = uint16(next >> (16 * (i - 1)))
		}
		if got != want {
			t.Fatalf("%d has hub %d as number %d, want %d", v, got, i, want)
		}
	}
}

// checkNeighbors checks the rows and leaves among the neighbours of v, so many together.
func (s *hubShares) checkNeighbors(t *testing.T, g *ByHubs, v engine.Label, list RowList, n int) {
	t.Helper()
	if len(list.Rows)+len(list.Leaves) != n {
		t.Fatalf("%d has %d rows and %d leaves, want %d", v, len(list.Rows), len(list.Leaves), n)
	}
	seen := map[engine.Label]bool{}
	for _, r := range list.Rows {
		owner := s.parts[0]
		if g.RowLabels != nil {
			share, found := slices.BinarySearch(g.FirstRows, int(r)+1)
			if share--; !found && share < 0 {
				t.Fatalf("row %d is of no share", r)
			}
			owner = s.parts[share]
		}
		w := g.LabelOfAny(r)
		if at, ok := owner.Find(w); !s.sets[v][w] || seen[w] || !ok || at != r-owner.FirstRow {
			t.Fatalf("%d has row %d of label %d", v, r, w)
		}
		seen[w] = true
	}
	for _, w := range list.Leaves {
		if !s.sets[v][w] || seen[w] || !s.isLeaf(w) {
			t.Fatalf("%d has leaf %d", v, w)
		}
		seen[w] = true
	}
}

// checkHubLists checks what a share has of the lists of all hubs.
func (s *hubShares) checkHubLists(t *testing.T, g *ByHubs) {
	t.Helper()
	for i := range g.Hubs {
		h := &g.Hubs[i]
		var hubs []uint16
		others := 0
		for w := range s.sets[h.Label] {
			if uint64(w)-uint64(g.FirstLabel) >= uint64(len(g.First)) {
				continue
			}
			if hub, ok := s.hubs[w]; ok {
				hubs = append(hubs, hub)
			} else {
				others++
			}
		}
		slices.Sort(hubs)
		if !slices.Equal(g.HubsOf(h), hubs) || int(h.OwnArcs()) != others+len(hubs) {
			t.Fatalf("hub %d has own hubs %v, want %v", i, g.HubsOf(h), hubs)
		}
		rows := g.RowsOf(h)
		s.checkNeighbors(t, g, h.Label, RowList{Rows: rows, Leaves: g.LeavesOf(h)}, others)
		for i, r := range rows {
			if int(r-g.FirstRow) >= len(g.ChunkOf)<<6 || i > 0 && g.ChunkOf[(r-g.FirstRow)>>6] < g.ChunkOf[(rows[i-1]-g.FirstRow)>>6] {
				t.Fatalf("rows of hub %d are not own ones in the order of the chunks", h.Label)
			}
		}
	}
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
	checkByHubs(t, []*ByHubs{g}, vertices, tuples)
	if keep {
		check(t, rows, vertices, tuples)
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	checkByHubs(t, []*ByHubs{g}, vertices, tuples)
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
}

// buildHubShares converts the shares of ranks that are goroutines.
func buildHubShares(t *testing.T, ranks, workers, vertices int, tuples []engine.Edge, form HubForm) {
	t.Helper()
	ranges := partition.NewRanges(uint64(vertices), ranks)
	parts := make([]*ByHubs, ranks)
	if err := errors.Join(cluster.RunInProcess(t.Context(), ranks, func(ctx context.Context, w *cluster.World) error {
		team := parallel.NewTeam(workers)
		defer team.Close()
		of, arcs := shareOf(ctx, w, ranges, tuples)
		rows, err := Build(ctx, team, of, engine.Tuples{Edges: arcs})
		if err != nil {
			return err
		}
		parts[w.Rank()], err = rows.ByHubs(ctx, team, form, false)
		return errors.Join(err, rows.Close())
	})...); err != nil {
		t.Fatal(err)
	}
	checkByHubs(t, parts, vertices, tuples)
	for _, g := range parts {
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// shareOf returns the share of a rank and its arcs.
func shareOf(ctx context.Context, w *cluster.World, ranges partition.Ranges, tuples []engine.Edge) (of Share, arcs []engine.Edge) {
	of = Share{
		Vertices: ranges.Vertices(), Shares: w.Size(), Number: w.Rank(), Tuples: int64(len(tuples)),
		Gather: func(own, all []uint32) error { return cluster.GatherAll(ctx, w, own, all) },
		Sum:    func(v []int64) error { return w.Sum(ctx, v) },
		Max:    func(v []int64) error { return w.Max(ctx, v) },
	}
	of.First, of.Owned = ranges.Range(w.Rank())
	for _, e := range tuples {
		if e.U == e.V {
			of.SelfLoops++
			continue
		}
		for _, a := range []engine.Edge{e, {U: e.V, V: e.U}} {
			if ranges.Owner(a.U) == w.Rank() {
				arcs = append(arcs, engine.Edge{U: a.U - engine.Label(of.First), V: a.V})
			}
		}
	}
	return of, arcs
}

func TestByHubsOfSmallGraphs(t *testing.T) {
	for name, tuples := range hubGraphs() {
		for _, bits := range []uint{6, 8, 16} {
			if testing.Short() && bits != 8 {
				continue
			}
			t.Run(fmt.Sprint(name, bits), func(t *testing.T) {
				buildByHubs(t, 2, 1500, tuples, HubForm{bits, MostHubs}, bits == 8)
				for _, ranks := range []int{3, 40} { // of 40 ranks many own no vertex
					if ranks > 3 && bits != 8 {
						continue
					}
					buildHubShares(t, ranks, 2, 1500, tuples, HubForm{bits, MostHubs})
				}
			})
		}
	}
}

func TestByHubsOfRandomGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	graphs := 200
	if testing.Short() {
		graphs = 60
	}
	for range graphs {
		vertices := 1 + r.IntN(1<<(1+r.IntN(11)))
		if r.IntN(3) == 0 {
			vertices = 64 * (1 + vertices/64)
		}
		tuples := make([]engine.Edge, r.IntN(1<<r.IntN(13)+1))
		for i := range tuples { // powers of a uniform number turn low labels into hubs
			x, y := r.Float64(), r.Float64()
			tuples[i] = engine.Edge{U: engine.Label(x * x * x * float64(vertices)), V: engine.Label(y * y * float64(vertices))}
		}
		form := HubForm{uint(6 + r.IntN(11)), r.IntN(1 << r.IntN(10))}
		buildByHubs(t, 1+r.IntN(3), vertices, tuples, form, r.IntN(2) == 0)
		buildHubShares(t, 2+r.IntN(4), 1+r.IntN(3), vertices, tuples, form)
	}
}

// TestHubsOf compares the choice of hubs with a sort of all vertices, also if many have degrees above
// those that are counted one by one.
func TestHubsOf(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for i := range 300 {
		team := parallel.NewTeam(1 + i%3)
		degree := make([]uint32, 1+r.IntN(400))
		for v := range degree {
			degree[v] = r.Uint32N(1 + r.Uint32N(1<<r.IntN(19)))
		}
		want := int64(r.IntN(len(degree)+2)) - 1
		all := make([]engine.Label, len(degree))
		for v := range all {
			all[v] = engine.Label(v)
		}
		slices.SortStableFunc(all, func(x, y engine.Label) int { return cmp.Compare(degree[y], degree[x]) })
		hubs, byLabel := hubsOf(team, degree, want, 2)
		team.Close()
		if int64(len(hubs)) > max(want, 0) || !slices.Equal(hubs, all[:len(hubs)]) {
			t.Fatalf("degrees %d, %d wanted: hubs %d", degree, want, hubs)
		}
		if n := len(hubs); n > 0 && degree[hubs[n-1]] < 2 {
			t.Fatalf("degrees %d: hub with less than two", degree)
		} else if n < len(all) && int64(n) < want && degree[all[n]] >= 2 {
			same := 0 // vertices of this degree, which all would have been hubs
			for _, d := range degree {
				if min(d, 1<<16) == min(degree[all[n]], 1<<16) {
					same++
				}
			}
			if int64(n+same) <= want {
				t.Fatalf("degrees %d, %d wanted: %d hubs", degree, want, n)
			}
		}
		slices.Sort(hubs)
		if !slices.Equal(hubs, byLabel) {
			t.Fatalf("hubs %d, by label %d", hubs, byLabel)
		}
	}
}

// TestConversionFormsAgree compares the vector forms of the steps that convert a row with plain loops,
// for rows of all lengths and kinds of neighbours.
func TestConversionFormsAgree(t *testing.T) {
	const vertices, sameLow, poison = 5000, 4, 0xbadbad
	label := func(i int) engine.Label { return engine.Label(i/sameLow + i%sameLow<<slotBits) }
	r := rand.New(rand.NewPCG(33, 34))
	step := 1
	if testing.Short() {
		step = 4
	}
	numbers, code := &hubNumbers{byLabel: make([]uint16, sameLow<<slotBits+1)}, make([]uint32, sameLow<<slotBits)
	for i := 0; i < 600; i += step {
		hubs, leaves, rowBits := r.IntN(vertices), r.IntN(3), r.IntN(32)
		clear(numbers.slots[:])
		for k := range vertices {
			v := label(k)
			numbers.byLabel[v] = 0
			if code[v] = r.Uint32N(leafCode); r.IntN(3) < leaves {
				code[v] = leafCode
			}
		}
		labels := make([]engine.Label, hubs)
		for h, k := range r.Perm(vertices)[:hubs] {
			labels[h] = label(k)
			numbers.byLabel[labels[h]] = NoHub - uint16(h)
		}
		numbers.setSlots(labels)
		row := make([]uint32, i%70+r.IntN(1+i))
		for i, k := range r.Perm(vertices)[:len(row)] {
			row[i] = label(k)
		}
		type outcome struct {
			Best                      uint16
			Hubs                      int
			List, Rows, Codes, Leaves []uint32
			Numbers, Sorted           []uint16
		}
		run := func(form vector.Form) (o outcome) {
			o.List = slices.Repeat([]uint32{poison}, len(row))
			o.Best, o.Hubs = numberHubs(form, o.List, row, numbers)
			w := &hubWorker{form: form}
			w.split(&hubBuilder{code: code, rowBits: rowBits, to: &ByHubs{Hubs: make([]HubRecord, hubs)}}, o.List)
			o.Numbers, o.Codes, o.Leaves, o.Rows = w.hubs, w.codes, w.leaves, w.rows
			if len(w.hubs) > 0 {
				o.Sorted = slices.Repeat([]uint16{NoHub}, len(w.hubs))
				w.sortHubs(o.Sorted)
			}
			return o
		}
		var want outcome
		for _, v := range row {
			switch h := numbers.byLabel[v]; {
			case h != 0:
				want.Best, want.Hubs = max(want.Best, h), want.Hubs+1
				want.List = append(want.List, engine.None-NoHub+uint32(h))
				want.Numbers = append(want.Numbers, NoHub-h)
				continue
			case code[v] == leafCode:
				want.Leaves = append(want.Leaves, v)
			default:
				want.Rows, want.Codes = append(want.Rows, code[v]&(1<<rowBits-1)), append(want.Codes, code[v])
			}
			want.List = append(want.List, v)
		}
		want.Sorted = slices.Sorted(slices.Values(want.Numbers))
		for _, form := range vector.Forms() {
			if got := run(form); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%s form, row of %d, %d hubs:\n%+v\nwant\n%+v", form, len(row), hubs, got, want)
			}
		}
	}
}

// TestBestOfRow compares the rows and hubs that come first in a list with a plain sort, among them a row 0
// whose code is 0. No row or hub may be lost.
func TestBestOfRow(t *testing.T) {
	const rowBits = 8
	r := rand.New(rand.NewPCG(37, 38))
	for i := range 2000 {
		w := &hubWorker{}
		for _, row := range r.Perm(1 << rowBits)[:i%40] {
			class := r.Uint32N(1 << (i % 9))
			w.codes = append(w.codes, class<<rowBits|uint32(row))
			w.rows = append(w.rows, uint32(row))
			w.hubs = append(w.hubs, uint16(row))
		}
		byCode := slices.Clone(w.codes)
		slices.SortFunc(byCode, func(x, y uint32) int { return cmp.Compare(y, x) })
		all, hubs := slices.Sorted(slices.Values(w.rows)), slices.Sorted(slices.Values(w.hubs))
		w.bestRows(1<<rowBits - 1)
		for k := range 4 {
			if len(w.rows) > 4 && w.rows[k] != byCode[k]%(1<<rowBits) {
				t.Fatalf("rows %d, codes %d by size", w.rows, byCode)
			}
		}
		if got := slices.Sorted(slices.Values(w.rows)); !slices.Equal(got, all) {
			t.Fatalf("rows %d, want %d", got, all)
		}
		list := make([]uint32, len(hubs)+1)
		first, end := w.firstHubs(list, 0)
		got := first[:min(5, len(hubs))]
		if end > 0 {
			further := halves(list, 1+len(hubs)-len(first))
			if int(further[0]) != len(further)-1 || end != (len(further)+1)/2 {
				t.Fatalf("%d further hubs in %d words, want %d", further[0], end, len(further)-1)
			}
			got = append(slices.Clone(got), slices.Sorted(slices.Values(further[1:]))...)
		}
		if !slices.Equal(got, hubs) {
			t.Fatalf("hubs %d, want %d", got, hubs)
		}
	}
}

// TestDegreeClass checks that classes have their number of bits, do not fall with the degree, and are
// exact for small degrees.
func TestDegreeClass(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 36))
	for size := range leafCodeBit + 1 {
		last, lastClass := uint32(0), uint32(0)
		for degree := uint32(0); degree >= last; degree += 1 + r.Uint32N(1+degree/16) {
			class := degreeClass(degree, size)
			if class < lastClass || class >= 1<<size || size > 5 && degree < 1<<(size-5) && class != degree {
				t.Fatalf("class %d of %d bits for degree %d, %d for %d", class, size, degree, lastClass, last)
			}
			last, lastClass = degree, class
		}
		if want := uint32(1)<<size - 1; size <= 5 && degreeClass(1<<32-1, size) != want {
			t.Fatalf("class %d of %d bits for the largest degree", degreeClass(1<<32-1, size), size)
		}
	}
}

package cpu

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"graph500/cluster"
	"graph500/engine"
	"graph500/graph"
	"graph500/vector"
)

// alwaysDense begins the dense pass as soon as a hub is in the frontier.
var alwaysDense = hubRule{alpha: 1 << 62}

// loadByHubs returns a searcher with the default strategy of a graph in the given form.
func loadByHubs(t *testing.T, threads, vertices int, tuples []engine.Edge, form graph.HubForm, rule hubRule) testSearch {
	t.Helper()
	e := New(cluster.Alone(), threads)
	loadInto(t, e, "push", vertices, tuples).Searcher.Close()
	g, err := e.graph.ByHubs(t.Context(), e.team, form, true)
	if err = errors.Join(err, e.byHubs.Close()); err != nil {
		t.Fatal(err)
	}
	e.byHubs = g
	s := searchOf(t, e, "default")
	s.method.(*byHubs).rule = rule
	return s
}

// TestByHubsEdgeCases searches graphs that are far from those of the benchmark with and without
// the dense pass, with few hubs and many, and short chunks.
func TestByHubsEdgeCases(t *testing.T) {
	for name, tuples := range edgeCases() {
		vertices := extent(tuples)
		for _, hubs := range []int{0, 1, 3, 40, graph.MostHubs} {
			if testing.Short() && hubs%2 > 0 {
				continue
			}
			for i, rule := range []hubRule{alwaysDense, newByHubs().(*byHubs).rule} {
				t.Run(fmt.Sprint(name, hubs, i), func(t *testing.T) {
					e := loadByHubs(t, 1+2*i, vertices, tuples, graph.HubForm{ChunkBits: 6, Hubs: hubs}, rule)
					defer e.Close()
					for _, root := range []engine.Label{0, 1, 5, engine.Label(vertices - 1)} {
						checkSearch(t, e, vertices, tuples, root)
					}
				})
			}
		}
	}
}

// randomHubGraph draws a graph with hubs, leaves, pairs, chains and several components.
func randomHubGraph(r *rand.Rand) (int, []engine.Edge) {
	vertices := 1 + r.IntN(1<<(1+r.IntN(12)))
	used := 1 + r.IntN(vertices)
	tuples := make([]engine.Edge, r.IntN(1<<r.IntN(13)+1))
	for i := range tuples { // powers of a uniform number turn low labels into hubs
		x, y := r.Float64(), r.Float64()
		tuples[i] = engine.Edge{U: engine.Label(x * x * x * float64(used)), V: engine.Label(y * y * float64(used))}
		if r.IntN(8) == 0 { // a chain, which makes levels beyond the dense pass
			u := engine.Label(r.IntN(vertices))
			tuples[i] = engine.Edge{U: u, V: min(u+1, engine.Label(vertices-1))}
		}
	}
	return vertices, tuples
}

// TestByHubsRandomGraphs draws graphs with hubs, leaves, pairs and several components, forms of
// them and rules for the dense pass, and takes the vector forms in turn.
func TestByHubsRandomGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	graphs := 400
	if testing.Short() {
		graphs = 60
	}
	for i := range graphs {
		vertices, tuples := randomHubGraph(r)
		form := graph.HubForm{ChunkBits: uint(6 + r.IntN(6)), Hubs: r.IntN(1 << r.IntN(12))}
		rule := hubRule{alpha: 1 << r.IntN(12), arcs: uint64(r.IntN(1 << r.IntN(9)))}
		e := loadByHubs(t, 1+r.IntN(3), vertices, tuples, form, rule)
		forms := vector.Forms()
		e.method.(*byHubs).form = forms[i%len(forms)]
		for range 4 {
			checkSearch(t, e, vertices, tuples, engine.Label(r.IntN(vertices)))
		}
		if err := e.Close(); err != nil {
			t.Fatal(i, err)
		}
	}
}

// corePath returns a complete graph of so many vertices with a path of so many behind it.
func corePath(core, length int) (int, []engine.Edge) {
	var tuples []engine.Edge
	for i := range engine.Label(core) {
		for j := range i {
			tuples = append(tuples, engine.Edge{U: i, V: j})
		}
	}
	for i := engine.Label(core); i < engine.Label(core)+engine.Label(length); i++ {
		tuples = append(tuples, engine.Edge{U: i - 1, V: i})
	}
	return extent(tuples), tuples
}

// TestByHubsManyLeaves counts the levels of graphs whose rows have about as many leaves as a byte
// counts, and more.
func TestByHubsManyLeaves(t *testing.T) {
	const centers = 6
	var tuples []engine.Edge
	for c, next := engine.Label(0), engine.Label(centers); c < centers; c++ {
		for other := range c {
			tuples = append(tuples, engine.Edge{U: c, V: other})
		}
		for range []int{manyLeaves - 1, manyLeaves, manyLeaves + 1, 3 * manyLeaves, 0, 1}[c] {
			tuples = append(tuples, engine.Edge{U: next, V: c})
			next++
		}
	}
	vertices := extent(tuples)
	for hubs := range 3 {
		for _, rule := range []hubRule{alwaysDense, newByHubs().(*byHubs).rule} {
			e := loadByHubs(t, 2, vertices, tuples, graph.HubForm{ChunkBits: 6, Hubs: hubs}, rule)
			for root := range engine.Label(centers + 1) {
				checkSearch(t, e, vertices, tuples, root)
			}
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestByHubsLateLevels searches a long path behind a dense core: the levels after the dense pass
// must not examine all that is left again and again.
func TestByHubsLateLevels(t *testing.T) {
	const core, length = 60, 100000
	vertices, tuples := corePath(core, length)
	e := loadByHubs(t, 2, vertices, tuples, graph.HubForm{ChunkBits: 10, Hubs: core / 2}, alwaysDense)
	defer e.Close()
	e.Clear()
	if err := e.Search(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if tree := e.validated(t); tree.Visited != int64(vertices) {
		t.Fatalf("%+v", tree)
	}
	p := e.levels(t)
	if p.LevelCount < length || p.Examined > 20*int64(len(tuples)) {
		t.Fatalf("%d levels, %d neighbours examined", p.LevelCount, p.Examined)
	}
}

// TestByHubsDenseSteps checks that the official graph is searched with a dense pass, and that the
// first hub settles most rows.
func TestByHubsDenseSteps(t *testing.T) {
	e := official(t, 14, "default", 1)
	defer e.Close()
	s := e.method.(*byHubs)
	for _, root := range []engine.Vertex{1, 2, 3, 4, 5} {
		if !e.engine.has(engine.Label(root)) {
			continue
		}
		if err := errors.Join(e.Clear(), e.Search(t.Context(), root)); err != nil {
			t.Fatal(err)
		}
		p := e.levels(t)
		if s.dense < 0 || !slices.ContainsFunc(p.Levels, func(l engine.Level) bool { return l.Direction == engine.BottomUp }) {
			t.Fatalf("no dense pass: %+v", p.Levels)
		}
		e.validated(t)
	}
}

// TestHubHitsFormsAgree compares the forms of the first step of the hub pass.
func TestHubHitsFormsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	s := new(byHubs)
	hubs := make([]uint16, 40*64)
	for range 50 {
		for i := range s.hubsBefore {
			s.hubsBefore[i] = r.Uint64() & r.Uint64()
		}
		s.hubsBefore[hubWords-1] &^= 1 << 63 // graph.NoHub
		for i := range hubs {
			hubs[i] = uint16(r.Uint32() | r.Uint32()&r.Uint32()) // NoHub too
		}
		for i := range 64 {
			hubs[i] = uint16(graph.NoHub - i)
		}
		words := 1 + r.IntN(len(hubs)/64)
		hits := func(form vector.Form) []uint64 {
			s.form = form
			hits := make([]uint64, words)
			s.hubHits(hits, hubs)
			return hits
		}
		plain := hits(vector.Plain)
		for i, h := range hubs[:64*words] {
			if plain[i>>6]>>(i&63)&1 != s.hubsBefore[h>>6]>>(h&63)&1 {
				t.Fatalf("hub %d of %d: %d", i, words, h)
			}
		}
		for _, form := range vector.Forms()[1:] {
			if other := hits(form); !slices.Equal(plain, other) {
				t.Fatalf("%d words: the plain form and the %s form differ:\n%x\n%x", words, form, plain, other)
			}
		}
	}
}

// TestUnvisitedFormsAgree compares the forms of the first step of claims, for rows and for hubs, with a
// plain loop.
func TestUnvisitedFormsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	bitmap := make([]uint64, hubWords)
	for range 300 {
		share := r.Uint64N(4) // from none to all
		for i := range bitmap {
			bitmap[i] = []uint64{0, r.Uint64(), r.Uint64() | r.Uint64(), ^uint64(0)}[share]
		}
		var rows []uint32
		var hubs []uint16
		for x := r.IntN(3000); x < graph.MostHubs && len(rows) < 500; x += 1 + r.IntN(1+r.IntN(200)) {
			rows, hubs = append(rows, uint32(x)), append(hubs, uint16(x))
		}
		var want []uint32
		for _, x := range rows {
			if bitmap[x>>6]>>(x&63)&1 == 0 {
				want = append(want, x)
			}
		}
		for _, form := range vector.Forms() {
			to := slices.Repeat([]uint32{0xdeadbeef}, len(rows)+lanes)
			if n := unvisited(form, to, rows, bitmap, 0); !slices.Equal(to[:n], want) {
				t.Fatalf("%s form, %d rows: %d\nwant %d", form, len(rows), to[:n], want)
			}
			to = slices.Repeat([]uint32{0xdeadbeef}, len(hubs)+lanes)
			n := unvisited(form, to, hubs, bitmap, graph.HubBit)
			for i, id := range to[:n] {
				to[i] = id ^ graph.HubBit
			}
			if !slices.Equal(to[:n], want) {
				t.Fatalf("%s form, %d hubs: %d\nwant %d", form, len(hubs), to[:n], want)
			}
		}
	}
}

// TestMarkRows compares the bits of rising rows with those of a plain loop, behind bits that are set.
func TestMarkRows(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for range 200 {
		words, want := make([]uint64, 64), make([]uint64, 64)
		var rows []uint32
		for row, share := uint32(r.IntN(64)), 1+r.IntN(20); row < 64*64; row += 1 + r.Uint32N(uint32(share)) {
			rows = append(rows, row)
			want[row>>6] |= 1 << (row & 63)
		}
		at := r.IntN(len(rows) + 1)
		markRows(words, rows[:at])
		markRows(words, rows[at:])
		if !slices.Equal(words, want) {
			t.Fatalf("%d and %d rows:\n%x\n%x", at, len(rows)-at, words, want)
		}
	}
}

// TestByHubsFormsAgree compares the forms of the steps of the dense pass on the official graph.
func TestByHubsFormsAgree(t *testing.T) {
	e := official(t, 16, "default", 1)
	defer e.Close()
	s := e.method.(*byHubs)
	type outcome struct {
		failing, open, row, parent, rest []uint32
		hubRow, hub, left                []uint32
		parents                          []engine.Label
		found                            []uint64
		single                           int
	}
	steps := 0
	var withHub, settled, left int
	for root := engine.Vertex(0); steps < 40; root++ {
		if !e.engine.has(engine.Label(root)) {
			continue
		}
		if err := errors.Join(e.Clear(), e.Search(t.Context(), root)); err != nil || s.dense < 0 {
			t.Fatal(err)
		}
		for c := range s.g.Chunks[:len(s.g.Chunks)-1] {
			chunk := s.g.Chunks[c]
			set := rowSet{bitmap: s.visited}
			if c%2 == 1 { // other rows, given by their complement
				set = rowSet{bitmap: s.unvisited, flip: ^uint64(0)}
			}
			run := func(form vector.Form) (o outcome) {
				s.form = form
				l := new(denseLists)
				clear(s.found)
				o.parents = make([]engine.Label, 1<<s.g.ChunkBits)
				n := s.failingRows(&l.failing, s.g.Runs[chunk.Run:chunk.SingleRun], chunk.Row, chunk.Row, 0)
				o.failing = slices.Clone(l.failing[:n])
				n = s.tryNext(l, n, o.parents)
				n = s.failingRows(&l.open, s.g.Runs[chunk.SingleRun:s.g.Chunks[c+1].Run], chunk.Row, chunk.Several, n)
				o.single = n
				for row := chunk.Single; row < chunk.Last; row++ {
					l.open[n] = row
					n++
				}
				o.open = slices.Clone(l.open[:n])
				hits, rest := s.tryRows(l, n, s.g.Lists[chunk.List:], set)
				o.row, o.parent, o.rest = slices.Clone(l.row[:hits]), slices.Clone(l.parent[:hits]), slices.Clone(l.open[:rest])
				hits, rest = s.tryFurther(l, rest, s.g.Lists[chunk.List:])
				o.hubRow, o.hub, o.left = slices.Clone(l.row[:hits]), slices.Clone(l.parent[:hits]), slices.Clone(l.open[:rest])
				o.found = slices.Clone(s.found)
				return o
			}
			plain := run(vector.Plain)
			if len(plain.failing) > 0 && len(plain.row) > 0 && len(plain.rest) > 0 {
				steps++
			}
			withHub += len(plain.hub)
			left += len(plain.left)
			settled += len(plain.rest) - len(plain.hub) - len(plain.left)
			for _, form := range vector.Forms()[1:] {
				if vector := run(form); !reflect.DeepEqual(plain, vector) {
					t.Fatalf("root %d, chunk %d: the plain form and the %s form differ: %d and %d failing, %d and %d open, %d and %d found, %d and %d tried further, %d and %d with a further hub, %d and %d left", root, c, form,
						len(plain.failing), len(vector.failing), len(plain.open), len(vector.open), len(plain.row), len(vector.row), len(plain.rest), len(vector.rest),
						len(plain.hub), len(vector.hub), len(plain.left), len(vector.left))
				}
			}
		}
	}
	if withHub == 0 || settled == 0 || left == 0 {
		t.Errorf("of the rows tried further %d have a hub in the frontier, %d have nothing left to try and %d have", withHub, settled, left)
	}
}

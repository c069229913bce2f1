package cpu

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/engine"
	"graph500/graph"
	"graph500/parallel"
	"graph500/vector"
)

// TestVectorFormsAgree compares the Go form and the vector form of steps 1 and 2
// on random states of a graph with hubs, leaves and isolated vertices.
func TestVectorFormsAgree(t *testing.T) {
	if vector.Chosen() != vector.AVX512 {
		t.Skip("this processor lacks AVX-512")
	}
	r := rand.New(rand.NewPCG(5, 6))
	const vertices = 3*chunk/2 + 37
	tuples := make([]engine.Edge, 5*vertices)
	for i := range tuples {
		x, y := r.Float64(), r.Float64()
		tuples[i] = engine.Edge{U: engine.Label(x * x * x * vertices), V: engine.Label(y * y * vertices)}
	}
	h, done := loadHybrid(t, 1, vertices, tuples)
	defer done()
	words := len(h.visited)
	for _, density := range []float64{0, 0.001, 0.02, 0.3, 0.7, 0.99, 1} {
		clear(h.visited)
		for v := range engine.Label(vertices) {
			if h.g.Has(v) && r.Float64() < density {
				h.visited[v>>6] |= 1 << (v & 63)
			}
		}
		h.updateHubs(true)

		type outcome struct {
			found, open, hits, rest int
			next                    []uint64
			parents                 []engine.Label
			lists                   [][]uint32
		}
		run := func(vector bool, lo, hi int) (o outcome) {
			fill(h.parents, engine.None)
			b := newBottomUp(h.g, h.parents, h.hubs)
			b.vector = vector
			o.next = make([]uint64, words)
			for i := range o.next {
				o.next[i] = r.Uint64() // garbage: every word of the chunk must be overwritten
			}
			o.found, o.open = b.tryHubs(h.visited, o.next, lo, hi)
			o.lists = append(o.lists, slices.Clone(b.open.v[:o.open]), slices.Clone(b.open.row[:o.open]), slices.Clone(b.open.first[:o.open]))
			o.hits, o.rest = b.tryRecords(h.visited, o.open)
			o.lists = append(o.lists, slices.Clone(b.hit.v[:o.hits]), slices.Clone(b.hit.parent[:o.hits]), slices.Clone(b.open.v[:o.rest]), slices.Clone(b.open.row[:o.rest]))
			o.next = o.next[lo:hi]
			o.parents = slices.Clone(h.parents)
			return o
		}
		for lo := 0; lo < words; lo += 17 {
			hi := min(lo+1+r.IntN(chunkWords), words)
			plain, vector := run(false, lo, hi), run(true, lo, hi)
			if plain.found != vector.found || plain.open != vector.open || plain.hits != vector.hits || plain.rest != vector.rest ||
				!slices.Equal(plain.next, vector.next) || !slices.Equal(plain.parents, vector.parents) {
				t.Fatalf("density %v, words %d-%d: plain %d %d %d %d, vector %d %d %d %d (or bitmaps or parents differ)", density, lo, hi,
					plain.found, plain.open, plain.hits, plain.rest, vector.found, vector.open, vector.hits, vector.rest)
			}
			for i := range plain.lists {
				if !slices.Equal(plain.lists[i], vector.lists[i]) {
					t.Fatalf("density %v, words %d-%d: list %d is %v in the plain form and %v in the vector form", density, lo, hi, i, plain.lists[i], vector.lists[i])
				}
			}
		}
	}
}

// TestBottomUpOnly searches the edge-case graphs with bottom-up levels only, in
// both forms. The direction rule never does this on such small graphs. N is a
// multiple of 64 or next to one.
func TestBottomUpOnly(t *testing.T) {
	forms := []bool{false}
	if vector.Chosen() == vector.AVX512 {
		forms = append(forms, true)
	}
	for name, tuples := range edgeCases() {
		extras := []int{0, 63, 1, 64, 100}
		if testing.Short() {
			extras = extras[:2]
		}
		for _, extra := range extras {
			for _, vector := range forms {
				t.Run(fmt.Sprint(name, extra, vector), func(t *testing.T) {
					searchBottomUp(t, extent(tuples)+extra, tuples, vector)
				})
			}
		}
	}
}

func searchBottomUp(t *testing.T, vertices int, tuples []engine.Edge, vector bool) {
	h, done := loadHybrid(t, 2, vertices, tuples)
	defer done()
	for _, b := range h.bottomUp {
		b.vector = vector
	}
	for _, root := range []engine.Label{0, 1, 5} {
		if !h.g.Has(root) {
			continue
		}
		fill(h.parents, engine.None)
		h.clearVisited()
		h.parents[root] = root
		h.visited[root>>6] |= 1 << (root & 63)
		h.updateHubs(true)
		for {
			found, _ := h.bottomUpLevel(context.Background())
			h.visited, h.nextVisited = h.nextVisited, h.visited
			if found == 0 {
				break
			}
			h.updateHubs(false)
		}
		checkParents(t, h.parents, vertices, tuples, root)
	}
}

// loadHybrid returns the part of a search of several ranks that one of them does alone, for a
// graph of which it has all rows.
func loadHybrid(t *testing.T, threads, vertices int, tuples []engine.Edge) (h *hybrid, done func()) {
	t.Helper()
	n := uint64(vertices)
	of := graph.Share{
		Vertices: n, Shares: 2, Owned: n, Padded: (n + 63) &^ 63, Tuples: int64(len(tuples)),
		Gather: func(own, all []uint32) error { copy(all, own); return nil },
		Sum:    func([]int64) error { return nil },
		Max:    func([]int64) error { return nil },
	}
	var arcs []engine.Edge
	for _, e := range tuples {
		if e.U != e.V {
			arcs = append(arcs, e, engine.Edge{U: e.V, V: e.U})
		}
	}
	team := parallel.NewTeam(threads)
	g, err := graph.Build(t.Context(), team, of, engine.Tuples{Edges: arcs})
	if err != nil {
		t.Fatal(err)
	}
	h = new(hybrid)
	arrays := h.arrays(wholeSize(n, uint64(len(tuples)), uint64(g.Info.Connected), uint64(g.Info.Arcs)))
	if err := arrays.Alloc(); err != nil {
		t.Fatal(err)
	}
	if err := h.start(t.Context(), &input{g: g, team: team, parents: make([]engine.Label, vertices)}); err != nil {
		t.Fatal(err)
	}
	return h, func() {
		if err := errors.Join(g.Close(), arrays.Free()); err != nil {
			t.Error(err)
		}
		team.Close()
	}
}

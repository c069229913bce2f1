package cpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/engine"
)

// TestVectorFormsAgree compares the Go form and the vector form of steps 1 and 2
// on random states of a graph with hubs, leaves and isolated vertices.
func TestVectorFormsAgree(t *testing.T) {
	if vectorUnit() == "" {
		t.Skip("this processor lacks the instructions of the vector forms")
	}
	r := rand.New(rand.NewPCG(5, 6))
	const vertices = 3*chunk/2 + 37
	tuples := make([]engine.Edge, 5*vertices)
	for i := range tuples {
		x, y := r.Float64(), r.Float64()
		tuples[i] = engine.Edge{U: engine.Local(x * x * x * vertices), V: engine.Local(y * y * vertices)}
	}
	e := load(t, 1, "default", vertices, tuples)
	defer e.Close()
	h := e.method.(*hybrid)
	words := len(h.visited)
	for _, density := range []float64{0, 0.001, 0.02, 0.3, 0.7, 0.99, 1} {
		clear(h.visited)
		for v := range engine.Local(vertices) {
			if e.graph.Has(v) && r.Float64() < density {
				h.visited[v>>6] |= 1 << (v & 63)
			}
		}
		h.updateHubs(true)

		type outcome struct {
			found, open, hits, rest int
			next                    []uint64
			parents                 []engine.Local
			lists                   [][]uint32
		}
		run := func(vector bool, lo, hi int) (o outcome) {
			e.Clear()
			b := newBottomUp(e.graph, e.results.Parents, h.hubs)
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
			o.parents = slices.Clone(e.results.Parents)
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
	if vectorUnit() != "" {
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
	e := load(t, 2, "default", vertices, tuples)
	defer e.Close()
	h := e.method.(*hybrid)
	for _, b := range h.bottomUp {
		b.vector = vector
	}
	for _, root := range []engine.Local{0, 1, 5} {
		if !e.graph.Has(root) {
			continue
		}
		e.Clear()
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
		checkParents(t, e, vertices, tuples, root)
	}
}

package synthetic

import (
	"math"
	"slices"
	"testing"

	"graph500/engine"
)

// made returns all tuples of a graph, made in parts of that length.
func made(g Graph, part uint64) engine.Tuples {
	t := engine.Tuples{Edges: make([]engine.Edge, g.Tuples()), Weights: make([]float32, g.Tuples())}
	for first := uint64(0); first < g.Tuples(); first += part {
		end := min(first+part, g.Tuples())
		g.Fill(engine.Tuples{Edges: t.Edges[first:end], Weights: t.Weights[first:end]}, first)
	}
	return t
}

// A tuple depends on its number only, and not on whether there are weights.
func TestParts(t *testing.T) {
	for _, g := range []Graph{
		Grid{Scale: 5, Keep: 0.5, Seed: 1},
		RMAT{Scale: 5, EdgeFactor: 3, Quadrants: [4]float64{0.45, 0.25, 0.15, 0.15}, Seed: 1},
		Crawl{Scale: 5, Seed: 1},
		Shuffled{Grid{Scale: 5, Keep: 0.5, Seed: 1}},
	} {
		all := made(g, g.Tuples())
		parts := made(g, 7)
		if !slices.Equal(all.Edges, parts.Edges) || !slices.Equal(all.Weights, parts.Weights) {
			t.Errorf("%+v: parts differ", g)
		}
		plain := engine.Tuples{Edges: make([]engine.Edge, g.Tuples())}
		g.Fill(plain, 0)
		if !slices.Equal(all.Edges, plain.Edges) {
			t.Errorf("%+v: tuples without weights differ", g)
		}
		for i, w := range all.Weights {
			if e := all.Edges[i]; !(w >= 0 && w < 1) || uint64(max(e.U, e.V)) >= g.Vertices() {
				t.Errorf("%+v: tuple %v with weight %v", g, e, w)
			}
		}
		if distinct := len(slices.Compact(slices.Sorted(slices.Values(all.Weights)))); distinct < len(all.Weights)*9/10 {
			t.Errorf("%+v: %d weights of %d tuples", g, distinct, len(all.Weights))
		}
	}
}

// A whole grid of 2^5 vertices, 8 wide and 4 high, has 7*4 + 8*3 edges between neighbours.
func TestGrid(t *testing.T) {
	edges := 0
	for i, e := range made(Grid{Scale: 5, Keep: 1}, 1<<10).Edges {
		if int(e.U) != i/2 {
			t.Fatalf("tuple %d is %v", i, e)
		}
		if e.U == e.V {
			continue
		}
		edges++
		across := e.V == e.U+1 && e.U/8 == e.V/8
		if down := e.V == e.U+8; !across && !down {
			t.Errorf("tuple %d is %v", i, e)
		}
	}
	if edges != 52 {
		t.Errorf("%d edges", edges)
	}
	kept := 0
	for _, e := range made(Grid{Scale: 14, Keep: 0.75, Seed: 3}, 1<<20).Edges {
		if e.U != e.V {
			kept++
		}
	}
	if share := float64(kept) / (2 * 127 * 128); math.Abs(share-0.75) > 0.01 {
		t.Errorf("%v of the edges are kept", share)
	}
}

// The quadrants have their shares, at the highest and at the lowest bit.
func TestQuadrants(t *testing.T) {
	g := RMAT{Scale: 10, EdgeFactor: 40, Quadrants: [4]float64{0.4, 0.3, 0.2, 0.1}, Seed: 2}
	edges := made(g, g.Tuples()).Edges
	for _, bit := range []int{0, 9} {
		var counts [4]int
		for _, e := range edges {
			counts[e.U>>bit&1<<1|e.V>>bit&1]++
		}
		for k, n := range counts {
			if share := float64(n) / float64(len(edges)); math.Abs(share-g.Quadrants[k]) > 0.01 {
				t.Errorf("bit %d: quadrant %d has %v, want %v", bit, k, share, g.Quadrants[k])
			}
		}
	}
	other := g
	other.Seed = 4
	if slices.Equal(made(other, g.Tuples()).Edges, edges) {
		t.Error("another seed makes the same graph")
	}
}

func TestCheck(t *testing.T) {
	for _, q := range [][4]float64{{1, 0.1, -0.1, 0}, {0.5, 0.5, 0.5, 0}, {math.NaN(), 1, 0, 0}, {2, -1, 0, 0}} {
		if (RMAT{Quadrants: q}).Check() == nil {
			t.Errorf("%v are probabilities", q)
		}
	}
	if err := (RMAT{Quadrants: [4]float64{0.45, 0.25, 0.15, 0.15}}).Check(); err != nil {
		t.Error(err)
	}
}

// Shuffling gives each label another one.
func TestShuffle(t *testing.T) {
	for _, scale := range []int{1, 2, 9, 10, 13} {
		seen := map[uint32]bool{}
		for x := range uint32(1) << scale {
			seen[shuffle(x, 1<<scale-1)] = true
		}
		if len(seen) != 1<<scale {
			t.Errorf("scale %d: %d labels", scale, len(seen))
		}
	}
}

package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/conformance"
	"graph500/engine"
	"graph500/vector"
)

// TestVectorFormsOfShortestPaths searches by every form of the code with vector instructions:
// graphs with hubs, grids, and official graphs.
func TestVectorFormsOfShortestPaths(t *testing.T) {
	searches := 4
	if testing.Short() {
		searches = 1
	}
	r := rand.New(rand.NewPCG(21, 22))
	grid := engine.Tuples{Edges: gridEdges(60)}
	for range grid.Edges {
		grid.Weights = append(grid.Weights, r.Float32())
	}
	for _, form := range vector.Forms() {
		for _, of := range []engine.Strategy{boundedOf(t), obimOf(t)} {
			t.Run(fmt.Sprint(form, " ", of.Name), func(t *testing.T) {
				official := officialWeighted(t, 12, of)
				hubs := loadWeighted(t, 2, of, 5000, hubGraph(r, 5000))
				for _, x := range []pathSearch{official, hubs, loadWeighted(t, 2, of, 60*60, grid)} {
					switch s := x.method.(type) {
					case *bounded:
						s.form = form
					case *obim:
						s.form = form
					}
					for range searches {
						x.check(t, x.tuples.Edges[r.IntN(len(x.tuples.Edges))].U)
					}
					if err := x.Close(); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
		tuples := hubGraph(r, 3000)
		g := conformance.Graph{Name: fmt.Sprint(form, " over ranks"), Vertices: 3000, Tuples: tuples, Roots: []engine.Label{tuples.Edges[0].U, tuples.Edges[1].V}}
		pathsOver(2, func(s *bounded) { s.form = form }, nil).Check(t, g)
	}
}

// TestSweepFormsAgree relaxes kept arcs between few vertices in all forms, with many arcs to
// a vertex beside each other, until none changes a distance. The forms end with the same
// distances, and every parent is that of an arc that fits.
func TestSweepFormsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	for _, arcs := range []int{0, 1, 15, 16, 17, 100, sweepBatch, sweepBatch + 7, 5000} {
		vertices := 2 + arcs/3
		kept := make([]keptArc, arcs)
		for i := range kept {
			kept[i] = keptArc{to: uint32(i / 3), from: r.Uint32N(uint32(vertices)), weight: r.Float32() * float32(r.IntN(3))}
		}
		before := make([]uint32, vertices)
		for v := range before {
			before[v] = engine.UnreachedBits
			if r.IntN(2) == 0 {
				before[v] = math.Float32bits(1 + 10*r.Float32())
			}
		}
		before[0] = math.Float32bits(1)
		var want []uint32
		for _, form := range vector.Forms() {
			words := (vertices + 63) / 64
			s := bounded{form: form, distances: slices.Clone(before), parents: make([]engine.Label, vertices), changed: make([]uint64, words), newChanged: make([]uint64, words)}
			for v := range s.parents {
				s.parents[v] = engine.None
			}
			for all := true; ; all = false {
				found, examined := s.sweep(new(pullWorker), kept, all)
				if all && examined != int64(arcs) || found > examined {
					t.Fatalf("%v, %d arcs: %d relaxed, %d improvements", form, arcs, examined, found)
				}
				if found == 0 {
					break
				}
				s.changed, s.newChanged = s.newChanged, make([]uint64, words)
			}
			if want == nil {
				want = s.distances
			}
			if !slices.Equal(s.distances, want) {
				t.Fatalf("%v, %d arcs: other distances than in the plain form", form, arcs)
			}
			for v, p := range s.parents {
				fits := func(arc keptArc) bool {
					return arc.to == uint32(v) && arc.from == p && add(s.distances[p], arc.weight) == s.distances[v]
				}
				if improved := s.distances[v] != before[v]; improved != (p != engine.None) || improved && !slices.ContainsFunc(kept, fits) {
					t.Fatalf("%v, %d arcs: vertex %d has parent %d", form, arcs, v, p)
				}
			}
		}
		for _, arc := range kept {
			if d := want[arc.from]; d < engine.InfiniteBits && add(d, arc.weight) < want[arc.to] {
				t.Fatalf("%d arcs: %+v improves a distance", arcs, arc)
			}
		}
	}
}

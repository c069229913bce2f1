package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"graph500/engine"
	"graph500/vector"
)

// TestVectorFormsOfShortestPaths searches by every form of the code with vector instructions:
// graphs with hubs, grids, and official graphs.
func TestVectorFormsOfShortestPaths(t *testing.T) {
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
					for range 4 {
						x.check(t, x.tuples.Edges[r.IntN(len(x.tuples.Edges))].U)
					}
					if err := x.Close(); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
		tuples := hubGraph(r, 3000)
		x := rankPaths{ranks: 2, threads: 2, vertices: 3000, tuples: tuples}
		x.change = func(s *rankedBounded) { s.form = form }
		x.check(t, tuples.Edges[0].U, tuples.Edges[1].V)
	}
}

package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"graph500/engine"
)

// obimOf returns the strategy.
func obimOf(t *testing.T) engine.Strategy {
	t.Helper()
	s, ok := lookUp(engine.Strategy{Kernel: engine.SSSP, Name: "obim"})
	if !ok {
		t.Fatal("no strategy obim")
	}
	return s.Strategy
}

// TestOBIMDeltas has one bucket for all distances, one for each, and all between. The
// width changes the order only.
func TestOBIMDeltas(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for name, edges := range edgeCases() {
		for kind, weights := range weightings(len(edges), r) {
			t.Run(name+" "+kind, func(t *testing.T) {
				s := loadWeighted(t, 1+r.IntN(8), obimOf(t), extent(edges), engine.Tuples{Edges: edges, Weights: weights})
				defer s.Close()
				for _, delta := range []float32{math.SmallestNonzeroFloat32, 1e-4, 0.1, math.MaxFloat32} {
					s.method.(*obim).delta = delta
					s.check(t, 0)
				}
			})
		}
	}
}

// TestOBIMWork checks that buckets save work, with one worker, whose order is always
// the same, and that several workers share the work.
func TestOBIMWork(t *testing.T) {
	var steals int64
	for _, scale := range []int{8, 12, 14} {
		for _, threads := range []int{1, 2, 7} {
			t.Run(fmt.Sprint(scale, " ", threads), func(t *testing.T) {
				all := officialWeighted(t, scale, obimOf(t))
				defer all.Close()
				s := loadWeighted(t, threads, obimOf(t), all.vertices, all.tuples)
				defer s.Close()
				s.method.(*obim).delta = 0.01
				connected := s.engine.weightedGraph.Info.Connected
				for _, e := range s.tuples.Edges[:3] {
					s.check(t, e.U)
					for _, n := range s.method.(*obim).bags.Counts().Steals {
						steals += n
					}
					p, err := s.Profile()
					if err != nil {
						t.Fatal(err)
					}
					l := p.Levels[0]
					if p.LevelCount != 1 || l.Found < l.Frontier-1 || l.Examined < l.Frontier || l.Examined != p.Examined {
						t.Errorf("%+v", p)
					}
					if threads == 1 && 5*l.Frontier > 6*connected {
						t.Errorf("%d vertices expanded, the graph has %d", l.Frontier, connected)
					}
				}
			})
		}
	}
	if t.Logf("%d steals", steals); steals == 0 {
		t.Error("no chunk was stolen: the test shows little of several workers")
	}
}

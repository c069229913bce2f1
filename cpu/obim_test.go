package cpu

import (
	"fmt"
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

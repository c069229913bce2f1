package kronecker

import (
	"math"
	"testing"

	"graph500/engine"
)

func TestMaxConnected(t *testing.T) {
	for scale := 2; scale <= 16; scale++ {
		for _, edgeFactor := range []int{1, 4, 16} {
			s := Spec{Scale: scale, EdgeFactor: edgeFactor, Seed1: 2, Seed2: 3}
			tuples := make([]engine.Edge, s.Tuples())
			New(s).Edges(tuples, 0)
			connected := make([]bool, s.Vertices())
			for _, e := range tuples {
				if e.U != e.V {
					connected[e.U], connected[e.V] = true, true
				}
			}
			count := 0.0
			for _, c := range connected {
				if c {
					count++
				}
			}
			bound, root := float64(s.MaxConnected()), math.Sqrt(float64(s.Vertices()))
			if count > bound || bound > math.Min(float64(s.Vertices()), count+13*root) {
				t.Errorf("scale %d, edgefactor %d: %v vertices, bound %v", scale, edgeFactor, count, bound)
			}
		}
	}
}

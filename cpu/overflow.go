package cpu

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"graph500/engine"
	"graph500/graph"
)

// An SSSP method never stores an infinite distance: it does not relax an arc that leads to
// one. A vertex is then left unreached if the sums along all its paths are infinite.

// mayOverflow reports whether the length of a path can be infinite. The sum of a distance
// and a weight is rounded to the distance or to at most twice the weight above it, so a
// path of n-1 arcs has at most the length 2(n-1) times the largest weight.
func mayOverflow(g *graph.WeightedCSR) bool {
	return 2*float64(g.Info.Connected)*float64(g.MaxWeight) > math.MaxFloat32
}

// checkSums returns an error if an unreached vertex has a reached neighbour.
func (s *Searcher) checkSums(ctx context.Context) error {
	var overflow atomic.Bool
	d := s.results.Distances
	err := s.engine.team.For(ctx, len(d), 1<<12, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			if d[v] == engine.Unreached {
				continue
			}
			for _, arc := range s.engine.weightedGraph.ArcsOf(engine.Local(v)) {
				if d[arc.To] == engine.Unreached {
					overflow.Store(true)
				}
			}
		}
	})
	if err == nil && overflow.Load() {
		err = fmt.Errorf("cpu: root %d: the sum of the weights on every path to a vertex exceeds the range of float32", s.root)
	}
	return err
}

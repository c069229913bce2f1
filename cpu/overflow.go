package cpu

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"graph500/engine"
	"graph500/graph"
	"graph500/parallel"
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
	d := s.results.Distances
	found, err := findOverflow(ctx, s.engine.team, s.engine.weightedGraph, d, d)
	if err == nil && found {
		err = overflowError(s.root)
	}
	return err
}

// findOverflow reports whether a reached vertex has an unreached neighbour. own are the
// distances of the vertices of g, from the first one on, and all those of their neighbours.
func findOverflow(ctx context.Context, team *parallel.Team, g *graph.WeightedCSR, own, all []float32) (bool, error) {
	var overflow atomic.Bool
	err := team.For(ctx, len(own), 1<<12, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			if own[v] == engine.Unreached {
				continue
			}
			for _, arc := range g.ArcsOf(engine.Local(v)) {
				if all[arc.To] == engine.Unreached {
					overflow.Store(true)
				}
			}
		}
	})
	return overflow.Load(), err
}

// overflowError is the error of a search from root that leaves a vertex unreached because
// of infinite sums.
func overflowError(root engine.Vertex) error {
	return fmt.Errorf("cpu: root %d: the sum of the weights on every path to a vertex exceeds the range of float32", root)
}

package validate

import (
	"context"
	"math"

	"graph500/engine"
	"graph500/parallel"
)

// checkDistances checks the rules of SSSP, after checkPaths.
func (c *single) checkDistances(ctx context.Context, tuples engine.Tuples, s Search) error {
	if err := c.findNoDistance(ctx, s); err != nil {
		return err
	}
	if _, first := c.sum(); first.distance != never {
		v := engine.Vertex(first.distance)
		return DistanceError(s.Root, v, s.Parents[v], s.Distances[v])
	}
	if err := c.relaxTuples(ctx, tuples, s); err != nil {
		return err
	}
	if err := c.findUnjoined(ctx); err != nil {
		return err
	}
	switch _, first := c.sum(); {
	case first.outside != never:
		return OutsideError(first.outside, tuples.At(int(first.outside)), len(s.Parents))
	case first.weight != never:
		return WeightError(first.weight, tuples.Weights[first.weight])
	case first.apart != never:
		v := engine.Label(first.apart)
		p := s.Parents[v]
		least, err := leastWeight(ctx, c.team, tuples, v, p)
		if err != nil {
			return err
		}
		return TightError(s.Root, engine.Vertex(v), p, s.Distances[v], s.Distances[p], least)
	case first.tuple != never:
		ends := tuples.At(int(first.tuple))
		distances := [2]float32{s.Distances[ends.U], s.Distances[ends.V]}
		return RelaxedError(s.Root, first.tuple, ends, tuples.Weights[first.tuple], distances)
	}
	return nil
}

// findNoDistance finds the smallest vertex that breaks rule Distance, and the largest
// distance.
func (c *single) findNoDistance(ctx context.Context, s Search) error {
	return c.team.For(ctx, len(s.Parents), vertexGrain, func(number, lo, hi int) {
		w := &c.workers[number]
		for v := lo; v < hi; v++ {
			d := math.Float32bits(s.Distances[v])
			if !validDistance(s.Parents[v] != engine.None, engine.Vertex(v) == s.Root, d) {
				w.first.distance = min(w.first.distance, int64(v))
				return
			}
			if s.Parents[v] != engine.None {
				w.counts.farthest = max(w.counts.farthest, d)
			}
		}
	})
}

// validDistance reports whether a distance with the given bits obeys the rule Distance. As
// an unsigned number, the bits of a negative number, -0 included, or of NaN or +Inf are at
// least those of +Inf.
func validDistance(inTree, isRoot bool, distance uint32) bool {
	switch {
	case !inTree:
		return distance == unreached
	case isRoot:
		return distance == 0
	}
	return distance < infinite
}

// relaxTuples examines every tuple once, for the rules Tight and Relaxed and for the
// counts. The distances must satisfy rule Distance.
func (c *single) relaxTuples(ctx context.Context, tuples engine.Tuples, s Search) error {
	return c.team.For(ctx, tuples.Len(), tupleGrain, func(number, lo, hi int) {
		w := &c.workers[number]
		edges, first := tuples.View(lo, hi, &w.edges)
		for lo < hi {
			end := min(lo+block, hi)
			part := engine.Tuples{Edges: edges[lo-first : end-first], Weights: tuples.Weights[lo:end]}
			passed, found := relax(s.Distances, part, &w.tight)
			w.counts.edges += int64(passed)
			for _, e := range w.tight[:found] {
				if s.Parents[e.V] == e.U {
					c.join(e.V)
				}
			}
			lo += passed
			if passed < len(part.Edges) {
				classifyWeighted(w, s.Distances, lo, part.Edges[passed], part.Weights[passed])
				lo++
			}
		}
	})
}

// relax examines tuples up to the first one that is invalid or a self loop, or that
// leads out of the tree, lies outside it or shortens a distance. It returns the number
// of tuples before it, and stores the ends of those that fit in tight, the possible
// parent as U and the child as V; found is their number.
func relax(distances []float32, tuples engine.Tuples, tight *[2 * block]engine.Edge) (passed, found int) {
	const mask = 2*block - 1
	weights := tuples.Weights[:len(tuples.Edges)]
	for i, e := range tuples.Edges {
		w := weights[i]
		if uint64(e.U) >= uint64(len(distances)) || uint64(e.V) >= uint64(len(distances)) || !isWeight(w) {
			return i, found
		}
		a, b := distances[e.U], distances[e.V]
		viaU, viaV := float32(a+w), float32(b+w)
		if e.U == e.V || a < 0 || b < 0 || viaU < b || viaV < a {
			return i, found
		}
		tight[found&mask] = e
		if viaU == b {
			found++
		}
		tight[found&mask] = engine.Edge{U: e.V, V: e.U}
		if viaV == a {
			found++
		}
	}
	return len(tuples.Edges), found
}

// isWeight reports whether w is a finite number of 0 or more.
func isWeight(w float32) bool { return w >= 0 && w <= math.MaxFloat32 }

// classifyWeighted handles the tuple with the given index, at which relax stopped.
func classifyWeighted(w *singleWorker, distances []float32, index int, e engine.Edge, weight float32) {
	first := &w.first
	switch {
	case uint64(e.U) >= uint64(len(distances)) || uint64(e.V) >= uint64(len(distances)):
		first.outside = min(first.outside, int64(index))
	case !isWeight(weight):
		first.weight = min(first.weight, int64(index))
	case distances[e.U] < 0 && distances[e.V] < 0: // another component
	case e.U == e.V:
		w.counts.loops++
	default:
		first.tuple = min(first.tuple, int64(index))
	}
}

// leastWeight returns the least weight of the tuples that join u and v, or
// engine.Unreached if there is none.
func leastWeight(ctx context.Context, team *parallel.Team, tuples engine.Tuples, u, v engine.Label) (float32, error) {
	found := make([]float32, team.Size())
	for i := range found {
		found[i] = engine.Unreached
	}
	err := team.For(ctx, tuples.Len(), tupleGrain, func(number, lo, hi int) {
		var buffer []engine.Edge
		edges, first := tuples.View(lo, hi, &buffer)
		for i, e := range edges[lo-first : hi-first] {
			if (e == engine.Edge{U: u, V: v} || e == engine.Edge{U: v, V: u}) {
				found[number] = lighter(found[number], tuples.Weights[lo+i])
			}
		}
	})
	least := engine.Unreached
	for _, w := range found {
		least = lighter(least, w)
	}
	return least, err
}

// lighter returns the smaller weight. engine.Unreached stands for none.
func lighter(a, b float32) float32 {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}

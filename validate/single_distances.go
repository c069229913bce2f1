package validate

import (
	"context"
	"math"
	"unsafe"

	"graph500/cluster"
	"graph500/engine"
)

// paths are the distances that a search claims, and the weights of the tuples, in the types of a run.
type paths[L Number, W float32 | uint32] struct {
	distances []L
	weights   []W
	heaviest  W // valid weights are 0 to this one

	// order returns the place of a distance in their order. It is none for an unvisited vertex,
	// and below limit for others.
	order       func(L) uint64
	none, limit uint64
}

// checkDistances checks the rules of SSSP, after checkPaths.
func (c *single) checkDistances(ctx context.Context, tuples engine.Tuples, s Search, _ uint32) (singleCounts, error) {
	if c.integers {
		return checkDistancesOf(ctx, c, tuples, s, paths[uint64, uint32]{
			s.Exact, integersOf(tuples.Weights), engine.LargestInteger,
			func(d uint64) uint64 { return d }, engine.UnreachedExact, 1 << 63,
		})
	}
	// As an unsigned number, the bits of a negative number, -0 included, or of NaN or +Inf are at
	// least those of +Inf.
	return checkDistancesOf(ctx, c, tuples, s, paths[float32, float32]{
		s.Distances, tuples.Weights, math.MaxFloat32,
		func(d float32) uint64 { return uint64(math.Float32bits(d)) }, unreached, infinite,
	})
}

// integersOf returns the whole numbers that are the weights of tuples, in the same memory.
func integersOf(weights []float32) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(weights))), len(weights))
}

// checkDistancesOf is checkDistances for distances of a type.
func checkDistancesOf[L Number, W float32 | uint32](ctx context.Context, c *single, tuples engine.Tuples, s Search, p paths[L, W]) (counts singleCounts, err error) {
	if err := findNoDistance(ctx, c, s, p); err != nil {
		return counts, err
	}
	_, first, err := c.sum(ctx)
	switch {
	case err != nil:
		return counts, err
	case first.distance != never:
		v := engine.Vertex(first.distance)
		return counts, DistanceError(s.Root, v, s.Parents[v], p.distances[v])
	}
	if err := relaxTuples(ctx, c, tuples, s, p); err != nil {
		return counts, err
	}
	if err := c.findUnjoined(ctx); err != nil {
		return counts, err
	}
	if counts, first, err = c.sum(ctx); err != nil {
		return counts, err
	}
	if err := c.checkInput(ctx, tuples, first.outside, first.weight); err != nil {
		return counts, err
	}
	switch {
	case first.apart != never:
		v := engine.Label(first.apart)
		parent := s.Parents[v]
		least, err := leastWeight[L](ctx, c, tuples, p.weights, v, parent)
		if err != nil {
			return counts, err
		}
		return counts, TightError(s.Root, engine.Vertex(v), parent, p.distances[v], p.distances[parent], least)
	case first.tuple != never:
		ends, weight, err := tupleAt[W](ctx, c.part, tuples, first.tuple)
		if err != nil {
			return counts, err
		}
		distances := [2]L{p.distances[ends.U], p.distances[ends.V]}
		return counts, RelaxedError(s.Root, first.tuple, ends, L(weight), distances)
	}
	return counts, nil
}

// findNoDistance finds the smallest own vertex that breaks rule Distance, and the largest
// distance.
func findNoDistance[L Number, W float32 | uint32](ctx context.Context, c *single, s Search, p paths[L, W]) error {
	return c.team.For(ctx, c.end-c.first, vertexGrain, func(number, lo, hi int) {
		w := &c.workers[number]
		for v := c.first + lo; v < c.first+hi; v++ {
			d, inTree := p.order(p.distances[v]), s.Parents[v] != engine.None
			if !validDistance(inTree, engine.Vertex(v) == s.Root, d, p.none, p.limit) {
				w.first.distance = min(w.first.distance, int64(v))
				return
			}
			if inTree {
				w.counts.farthest = max(w.counts.farthest, d)
			}
		}
	})
}

// validDistance reports whether a distance obeys the rule Distance. It is given by its place in the
// order of distances: none stands for an unvisited vertex, and others are below limit.
func validDistance(inTree, isRoot bool, distance, none, limit uint64) bool {
	switch {
	case !inTree:
		return distance == none
	case isRoot:
		return distance == 0
	}
	return distance < limit
}

// relaxTuples examines every own tuple once, for the rules Tight and Relaxed and for the
// counts. The distances must satisfy rule Distance.
func relaxTuples[L Number, W float32 | uint32](ctx context.Context, c *single, tuples engine.Tuples, s Search, p paths[L, W]) error {
	return c.team.For(ctx, tuples.Len(), tupleGrain, func(number, lo, hi int) {
		w := &c.workers[number]
		edges, first := tuples.View(lo, hi, &w.edges)
		for lo < hi {
			end := min(lo+block, hi)
			part := edges[lo-first : end-first]
			passed, found := p.relax(part, p.weights[lo:end], &w.tight)
			w.counts.edges += int64(passed)
			for _, e := range w.tight[:found] {
				if s.Parents[e.V] == e.U {
					c.join(e.V)
				}
			}
			lo += passed
			if passed < len(part) {
				p.classify(w, c.tuple+int64(lo), part[passed], p.weights[lo])
				lo++
			}
		}
	})
}

// relax examines tuples up to the first one that is invalid or a self loop, or that
// leads out of the tree, lies outside it or shortens a distance. It returns the number
// of tuples before it, and stores the ends of those that fit in tight, the possible
// parent as U and the child as V; found is their number.
func (p *paths[L, W]) relax(edges []engine.Edge, weights []W, tight *[2 * block]engine.Edge) (passed, found int) {
	const mask = 2*block - 1
	distances, heaviest, none := p.distances, p.heaviest, unreachedOf[L]()
	weights = weights[:len(edges)]
	for i, e := range edges {
		w := weights[i]
		if uint64(e.U) >= uint64(len(distances)) || uint64(e.V) >= uint64(len(distances)) || !(w >= 0 && w <= heaviest) {
			return i, found
		}
		a, b := distances[e.U], distances[e.V]
		viaU, viaV := L(a+L(w)), L(b+L(w))
		if e.U == e.V || a == none || b == none || viaU < b || viaV < a {
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
	return len(edges), found
}

// classify handles the tuple with the given index in the list, at which relax stopped.
func (p *paths[L, W]) classify(w *singleWorker, index int64, e engine.Edge, weight W) {
	first, distances, none := &w.first, p.distances, unreachedOf[L]()
	switch {
	case uint64(e.U) >= uint64(len(distances)) || uint64(e.V) >= uint64(len(distances)):
		first.outside = min(first.outside, index)
	case !(weight >= 0 && weight <= p.heaviest):
		first.weight = min(first.weight, index)
	case distances[e.U] == none && distances[e.V] == none: // another component
	case e.U == e.V:
		w.counts.loops++
	default:
		first.tuple = min(first.tuple, index)
	}
}

// leastWeight returns the least weight of the tuples of all ranks that join u and v, or that of an
// unvisited vertex if there is none.
func leastWeight[L Number, W float32 | uint32](ctx context.Context, c *single, tuples engine.Tuples, weights []W, u, v engine.Label) (L, error) {
	least := unreachedOf[L]()
	found := make([]L, c.team.Size())
	for i := range found {
		found[i] = least
	}
	if err := c.team.For(ctx, tuples.Len(), tupleGrain, func(number, lo, hi int) {
		var buffer []engine.Edge
		edges, first := tuples.View(lo, hi, &buffer)
		for i, e := range edges[lo-first : hi-first] {
			if (e == engine.Edge{U: u, V: v} || e == engine.Edge{U: v, V: u}) {
				found[number] = lighter(found[number], L(weights[lo+i]))
			}
		}
	}); err != nil {
		return least, err
	}
	for _, w := range found {
		least = lighter(least, w)
	}
	all, err := cluster.Values(ctx, c.world, least)
	for _, w := range all {
		least = lighter(least, w)
	}
	if least == 0 {
		least = 0 // not -0
	}
	return least, err
}

// lighter returns the smaller weight. The distance of an unvisited vertex stands for none.
func lighter[L Number](a, b L) L {
	if none := unreachedOf[L](); a == none || b != none && b < a {
		return b
	}
	return a
}

package validate

import (
	"context"
	"math"

	"graph500/cluster"
	"graph500/engine"
)

// checkDistances checks the rule Distance, after findDepths. It gathers the distances of
// all vertices and returns the largest one.
func (c *ranks) checkDistances(ctx context.Context) (largest float32, err error) {
	s, wrong, farthest := &c.search, int64(never), uint32(0)
	for i, distance := range s.Distances {
		v := c.first + engine.Label(i)
		if !validDistance(s.Parents[i] != engine.None, engine.Vertex(v) == s.Root, uint64(math.Float32bits(distance)), unreached, infinite) {
			wrong = int64(v)
			break
		}
		if s.Parents[i] != engine.None {
			farthest = max(farthest, math.Float32bits(distance))
		}
	}
	copy(c.ownDistances, s.Distances)
	if err := cluster.Gather(ctx, c.world, c.ownDistances, c.distances, c.bounds); err != nil {
		return 0, err
	}
	if wrong, err = c.least(ctx, wrong); err != nil {
		return 0, err
	}
	if wrong == never {
		most := []int64{int64(farthest)} // the bits ascend with the distance
		err := c.world.Max(ctx, most)
		return math.Float32frombits(uint32(most[0])), err
	}
	parent, err := c.parentOf(ctx, engine.Label(wrong))
	if err != nil {
		return 0, err
	}
	return 0, DistanceError(s.Root, engine.Vertex(wrong), parent, c.distances[wrong])
}

// examineDistances counts tuples, the first of which has the given index, and lists the
// pairs of ends that can be vertex and parent because the weight fits their distances. The
// distances must satisfy rule Distance.
func (c *ranks) examineDistances(w *rankWorker, tuples engine.Tuples, index int64) {
	distances, n := c.distances, c.ranges.Vertices()
	for i, e := range tuples.Edges {
		weight := tuples.Weights[i]
		if uint64(e.U) >= n || uint64(e.V) >= n {
			w.outside = min(w.outside, index+int64(i))
			continue
		}
		if !isWeight(weight) {
			w.weight = min(w.weight, index+int64(i))
			continue
		}
		a, b := distances[e.U], distances[e.V]
		viaU, viaV := float32(a+weight), float32(b+weight)
		switch {
		case a < 0 && b < 0: // another component
			continue
		case e.U == e.V:
			w.loops++
			continue
		case a < 0 || b < 0 || viaU < b || viaV < a:
			w.tuple = min(w.tuple, index+int64(i))
			continue
		}
		w.edges++
		if viaU == b {
			c.propose(w, e.V, e.U)
		}
		if viaV == a {
			c.propose(w, e.U, e.V)
		}
	}
}

// tightError returns the error of rule Tight for v with the given parent.
func (c *ranks) tightError(ctx context.Context, tuples engine.Tuples, v, parent engine.Label) error {
	own, err := leastWeight[float32](ctx, c.team, tuples, tuples.Weights, v, parent)
	if err != nil {
		return err
	}
	if own == 0 {
		own = 0 // -0 has large bits
	}
	bits, err := c.least(ctx, int64(math.Float32bits(own))) // those of engine.Unreached are the largest
	if err != nil {
		return err
	}
	return TightError(c.search.Root, engine.Vertex(v), parent, c.distances[v], c.distances[parent], math.Float32frombits(uint32(bits)))
}

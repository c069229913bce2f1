//go:build cuda

package validate

import (
	"context"
	"math"

	"graph500/engine"
	"graph500/kernels/generate"
	cores "graph500/validate"
)

// beginPaths checks the rules of SSSP that need no tuples, and prepares the pass over the
// tuples.
func (k *Trees) beginPaths(ctx context.Context, i int, results Results) error {
	c, t := k.checkers[i], k.columns
	if err := c.findDepths(ctx, results.Parents, k.roots[i]); err != nil {
		return err
	}
	if err := t.kernels.distances.launch(results.Parents.Address(), results.Distances.Address(), uint64(c.vertices), uint64(c.root),
		uint64(t.width), uint64(i), t.joined.Address(), c.factsAddress()); err != nil {
		return err
	}
	if err := c.readFacts(ctx); err != nil {
		return err
	}
	if c.hostFacts.Distance == noPlace {
		return nil
	}
	v := engine.Label(c.hostFacts.Distance)
	parent, distance, err := t.of(i, v)
	if err != nil {
		return err
	}
	return cores.DistanceError(c.root, engine.Vertex(v), parent, distance)
}

// relax processes a part of the tuples for the first count searches.
func (k *Trees) relax(count int, part generate.Part) error {
	if err := k.columns.relax(count, part, k.facts.Address()); err != nil {
		return err
	}
	for _, c := range k.checkers[:count] {
		if err := c.keepBroken(part); err != nil {
			return err
		}
	}
	return nil
}

// findApart finds the smallest vertex of search i without a mark.
func (k *Trees) findApart(i int) error {
	c, t := k.checkers[i], k.columns
	return t.kernels.apart.launch(t.joined.Address(), uint64(c.vertices), uint64(t.width), uint64(i), c.factsAddress())
}

// pathsVerdict returns the facts of a tree, or the error of the first broken rule, once all
// facts are in host memory. least returns the least weight of the tuples that join vertex
// Apart to its parent.
func (k *Trees) pathsVerdict(i int, least func() (float32, error)) (engine.Tree, error) {
	c := k.checkers[i]
	f := &c.hostFacts
	switch {
	case f.Outside != noPlace:
		return engine.Tree{}, c.outsideError()
	case f.Weight != noPlace:
		return engine.Tree{}, cores.WeightError(int64(f.Weight), math.Float32frombits(f.InvalidWeight))
	case f.Apart != noPlace:
		weight, err := least()
		if err != nil {
			return engine.Tree{}, err
		}
		return engine.Tree{}, k.tightError(i, weight)
	case f.Tuple != noPlace:
		return engine.Tree{}, k.relaxedError(i)
	}
	return c.tree(), nil
}

// tightError returns the error of rule Tight. least is the least weight of the tuples that
// join the vertex to its parent.
func (k *Trees) tightError(i int, least float32) error {
	c, t := k.checkers[i], k.columns
	v := engine.Label(c.hostFacts.Apart)
	parent, distance, err := t.of(i, v)
	if err != nil {
		return err
	}
	_, ofParent, err := t.of(i, parent)
	if err != nil {
		return err
	}
	return cores.TightError(c.root, engine.Vertex(v), parent, distance, ofParent, least)
}

// leastWeight returns the least weight of the tuples of a list that join vertex Apart to its
// parent, engine.Unreached if none does. It passes over the tuples again.
func (k *Trees) leastWeight(ctx context.Context, i int, tuples *generate.Tuples) (float32, error) {
	c, t := k.checkers[i], k.columns
	v := engine.Label(c.hostFacts.Apart)
	parent, _, err := t.of(i, v)
	if err != nil {
		return 0, err
	}
	if err := k.each(ctx, tuples, func(part generate.Part) error {
		return t.kernels.leastWeight.launch(part.Address(), part.Weights.Address(), uint64(part.Count), uint64(v), uint64(parent), c.factsAddress())
	}); err != nil {
		return 0, err
	}
	err = c.readFacts(ctx)
	return math.Float32frombits(c.hostFacts.LeastWeight), err
}

// relaxedError returns the error of rule Relaxed.
func (k *Trees) relaxedError(i int) error {
	f := &k.checkers[i].hostFacts
	ends := edge(f.TupleEnds)
	var distances [2]float32
	for j, at := range []engine.Label{ends.U, ends.V} {
		var err error
		if _, distances[j], err = k.columns.of(i, at); err != nil {
			return err
		}
	}
	return cores.RelaxedError(k.checkers[i].root, int64(f.Tuple), ends, math.Float32frombits(f.TupleWeight), distances)
}

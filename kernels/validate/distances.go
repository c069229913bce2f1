//go:build cuda

package validate

import (
	"context"
	"fmt"
	"math"

	"graph500/engine"
	"graph500/kernels/generate"
	rules "graph500/validate"
)

// checkPaths is Check for SSSP.
func (k *Trees) checkPaths(ctx context.Context, tuples *generate.Tuples) ([]engine.Tree, error) {
	if tuples.Len() > 0 && !tuples.Weighted() {
		return nil, fmt.Errorf("validate: 0 weights for %d tuples", tuples.Len())
	}
	return k.finish(ctx, tuples, work{
		begin: func(i int, results Results) error { return k.beginPaths(ctx, i, results) },
		look:  k.relax,
		end:   func(i int) (engine.Tree, error) { return k.endPaths(ctx, i, tuples) },
	})
}

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
	v := engine.Local(c.hostFacts.Distance)
	parent, distance, err := t.of(i, v)
	if err != nil {
		return err
	}
	return rules.DistanceError(c.root, engine.Vertex(v), parent, distance)
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

// endPaths returns the facts of the tree, or the error of the first broken rule.
func (k *Trees) endPaths(ctx context.Context, i int, tuples *generate.Tuples) (engine.Tree, error) {
	c, t := k.checkers[i], k.columns
	if err := t.kernels.apart.launch(t.joined.Address(), uint64(c.vertices), uint64(t.width), uint64(i), c.factsAddress()); err != nil {
		return engine.Tree{}, err
	}
	if err := c.readFacts(ctx); err != nil {
		return engine.Tree{}, err
	}
	f := &c.hostFacts
	switch {
	case f.Outside != noPlace:
		return engine.Tree{}, c.outsideError()
	case f.Weight != noPlace:
		return engine.Tree{}, rules.WeightError(int64(f.Weight), math.Float32frombits(f.InvalidWeight))
	case f.Apart != noPlace:
		return engine.Tree{}, k.tightError(ctx, i, tuples)
	case f.Tuple != noPlace:
		return engine.Tree{}, k.relaxedError(i)
	}
	return c.tree(), nil
}

// tightError returns the error of rule Tight. It passes over the tuples again.
func (k *Trees) tightError(ctx context.Context, i int, tuples *generate.Tuples) error {
	c, t := k.checkers[i], k.columns
	v := engine.Local(c.hostFacts.Apart)
	parent, distance, err := t.of(i, v)
	if err != nil {
		return err
	}
	_, ofParent, err := t.of(i, parent)
	if err != nil {
		return err
	}
	if err := k.each(ctx, tuples, func(part generate.Part) error {
		return t.kernels.leastWeight.launch(part.Edges.Address(), part.Weights.Address(), uint64(part.Count), uint64(v), uint64(parent), c.factsAddress())
	}); err != nil {
		return err
	}
	if err := c.readFacts(ctx); err != nil {
		return err
	}
	least := math.Float32frombits(c.hostFacts.LeastWeight)
	return rules.TightError(c.root, engine.Vertex(v), parent, distance, ofParent, least)
}

// relaxedError returns the error of rule Relaxed.
func (k *Trees) relaxedError(i int) error {
	f := &k.checkers[i].hostFacts
	ends := edge(f.TupleEnds)
	var distances [2]float32
	for j, at := range []engine.Local{ends.U, ends.V} {
		var err error
		if _, distances[j], err = k.columns.of(i, at); err != nil {
			return err
		}
	}
	return rules.RelaxedError(k.checkers[i].root, int64(f.Tuple), ends, math.Float32frombits(f.TupleWeight), distances)
}

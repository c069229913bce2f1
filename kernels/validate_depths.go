//go:build cuda

package kernels

import (
	"context"
	"math/bits"

	"graph500/engine"
	"graph500/validate"
)

// findDepths checks the rules Root, Entry and Path and fills the table. Rounds
// settle at least one level each, usually several, and end the work when a
// round settles nothing: official trees need six. A tree too deep for the bytes
// of the table, which 127 rounds would show at the latest, is done by doubling.
func (v *Validator) findDepths(ctx context.Context) error {
	if err := v.reset(); err != nil {
		return err
	}
	n, root := uint64(v.vertices), uint64(v.root)
	parents, table, facts := v.parents.Address(), v.table.Address(), v.facts.Address()
	if err := v.kernels.start.launch(parents, n, root, table, facts); err != nil {
		return err
	}
	f := &v.found
	withDepth := int64(1) // the root
	for {
		for round := range settleRounds {
			if err := v.kernels.settle.launch(parents, n, table, facts, uint64(round)); err != nil {
				return err
			}
		}
		if err := v.readFacts(ctx); err != nil {
			return err
		}
		switch {
		case engine.Vertex(f.RootParent) != v.root:
			return validate.RootError(v.root, f.RootParent, v.vertices)
		case f.Entry != noPlace:
			return v.vertexError(f.Entry, func(root, at engine.Vertex, parent engine.Local) *validate.Error {
				return validate.EntryError(root, at, parent, v.vertices)
			})
		case f.TooDeep != 0:
			return v.findDeepDepths(ctx)
		}
		for _, settled := range f.Settled {
			withDepth += int64(settled)
		}
		if f.Settled[settleRounds-1] == 0 {
			break
		}
		clear(f.Settled[:])
		if err := v.writeFacts(); err != nil {
			return err
		}
	}
	if withDepth != f.Visited {
		if err := v.kernels.unsettled.launch(table, n, facts); err != nil {
			return err
		}
		if err := v.readFacts(ctx); err != nil {
			return err
		}
		return v.pathError()
	}
	v.form = plainBytes
	if f.Deepest <= hashedDeepest {
		v.form = hashedBytes
		return v.kernels.hash.launch(parents, n, table)
	}
	return nil
}

// findDeepDepths checks rule Path and fills the wide table, for a tree of any
// depth: each of at most log2 of its depth passes doubles the length of the
// ways that are known.
func (v *Validator) findDeepDepths(ctx context.Context) (err error) {
	if v.wide == nil {
		if v.wide, err = Alloc[uint64](v.device, "table of validation for deep trees", v.vertices); err != nil {
			return err
		}
	}
	n, root := uint64(v.vertices), uint64(v.root)
	parents, jumps, facts := v.parents.Address(), v.wide.Address(), v.facts.Address()
	if err := v.kernels.jumpStart.launch(parents, n, root, jumps); err != nil {
		return err
	}
	// In a cycle jumps are never whole.
	for range bits.Len64(n) {
		v.found.Left = 0
		if err := v.writeFacts(); err != nil {
			return err
		}
		if err := v.kernels.jump.launch(n, root, jumps, facts); err != nil {
			return err
		}
		if err := v.readFacts(ctx); err != nil {
			return err
		}
		if v.found.Left == 0 {
			break
		}
	}
	if err := v.kernels.widen.launch(parents, n, root, jumps, facts); err != nil {
		return err
	}
	if err := v.readFacts(ctx); err != nil {
		return err
	}
	if v.found.Path != noPlace {
		return v.pathError()
	}
	v.form = wideEntries
	return nil
}

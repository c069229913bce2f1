//go:build cuda

package validate

import (
	"context"
	"fmt"
	"math/bits"

	"graph500/device"
	"graph500/engine"
	cores "graph500/validate"
)

// findDepths checks the rules Root, Entry and Path of a tree and fills the table. Each round
// settles at least one level, usually several; official trees need six rounds. The
// rounds end when one settles nothing. A tree that is too deep for a table of bytes,
// which shows after at most 127 rounds, is handled by findDeepDepths.
func (c *checker) findDepths(ctx context.Context, parents device.Array[engine.Label], root engine.Vertex) error {
	if uint64(root) >= uint64(c.vertices) {
		return cores.RootError(root, engine.None, c.vertices)
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	c.parents, c.root = parents, root
	if err := c.reset(); err != nil {
		return err
	}
	n := uint64(c.vertices)
	entries, table, facts := parents.Address(), c.table.Address(), c.factsAddress()
	if err := c.kernels.start.launch(entries, n, uint64(root), table, facts); err != nil {
		return err
	}
	f := &c.hostFacts
	settledCount := uint64(1) // the root
	for {
		for round := range settleRounds {
			if err := c.kernels.settle.launch(entries, n, table, facts, uint64(round)); err != nil {
				return err
			}
		}
		if err := c.readFacts(ctx); err != nil {
			return err
		}
		switch {
		case engine.Vertex(f.RootParent) != c.root:
			return cores.RootError(c.root, f.RootParent, c.vertices)
		case f.Entry != noPlace:
			return c.vertexError(f.Entry, func(root, at engine.Vertex, parent engine.Label) *cores.Error {
				return cores.EntryError(root, at, parent, c.vertices)
			})
		case f.TooDeep != 0:
			return c.findDeepDepths(ctx)
		}
		for _, settled := range f.Settled {
			settledCount += uint64(settled)
		}
		if f.Settled[settleRounds-1] == 0 {
			break
		}
		clear(f.Settled[:])
		if err := c.writeFacts(); err != nil {
			return err
		}
	}
	if settledCount != f.Visited {
		if err := c.kernels.unsettled.launch(table, n, facts); err != nil {
			return err
		}
		if err := c.readFacts(ctx); err != nil {
			return err
		}
		return c.pathError()
	}
	c.form = plainBytes
	return nil
}

// findDeepDepths checks rule Path and fills deepTable, for a tree of any depth. It
// uses pointer jumping: each pass doubles the length of the known paths to ancestors,
// so about log2 of the depth passes suffice.
func (c *checker) findDeepDepths(ctx context.Context) (err error) {
	if c.deepTable.Len() == 0 {
		if err := c.borrow(c.deep(uint64(c.vertices))); err != nil {
			return err
		}
	}
	n, root := uint64(c.vertices), uint64(c.root)
	parents, jumps, facts := c.parents.Address(), c.deepTable.Address(), c.factsAddress()
	if err := c.kernels.jumpStart.launch(parents, n, root, jumps); err != nil {
		return err
	}
	// The jumps of a cycle never become complete, so the number of passes is limited.
	for range bits.Len64(n) {
		c.hostFacts.Left = 0
		if err := c.writeFacts(); err != nil {
			return err
		}
		if err := c.kernels.jump.launch(n, root, jumps, facts); err != nil {
			return err
		}
		if err := c.readFacts(ctx); err != nil {
			return err
		}
		if c.hostFacts.Left == 0 {
			break
		}
	}
	if err := c.kernels.deepTable.launch(parents, n, root, jumps, facts); err != nil {
		return err
	}
	if err := c.readFacts(ctx); err != nil {
		return err
	}
	if c.hostFacts.Path != noPlace {
		return c.pathError()
	}
	if c.hostFacts.Deepest > maxDepth {
		return fmt.Errorf("validate: a tree of depth %d, but a GPU can check at most %d", c.hostFacts.Deepest-1, maxDepth-1)
	}
	c.form = deepEntries
	return nil
}

//go:build cuda

package validate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/generate"
)

// Trees are parent trees of one graph that are validated together: each part of
// the tuples, which may have to be made for it, is looked at once for all of
// them. One tree alone is looked at where the search wrote it; of several each is
// copied.
type Trees struct {
	device   *device.Device
	live     device.Array[engine.Local] // that searches write
	checkers []*checker
	copies   []device.Array[engine.Local] // of more than one tree, by checker
	kept     []engine.Vertex              // roots of the trees that are kept
	held     *device.Held
	borrowed []*device.Held // tables of deep trees
}

// group declares the memory of that many trees.
func (k *Trees) group(vertices uint64, trees int) device.Group {
	var arrays []device.Declared
	k.checkers, k.copies = make([]*checker, trees), make([]device.Array[engine.Local], trees)
	for i := range k.checkers {
		k.checkers[i] = &checker{}
		arrays = append(arrays, k.checkers[i].arrays(vertices)...)
		if trees > 1 {
			arrays = append(arrays, device.Of(&k.copies[i], "parents kept for validation", vertices))
		}
	}
	return device.Group{Alive: engine.Searching, Arrays: arrays}
}

// Plan lists the memory to validate that many trees of N vertices together. Each
// that is 127 levels deep or deeper takes that of DeepPlan in addition.
func Plan(vertices uint64, trees int) []engine.Allocation {
	return new(Trees).group(vertices, trees).Plan()
}

// NewTrees returns room for that many trees, at least one, of the vertices that
// have an entry in live, where searches write.
func NewTrees(d *device.Device, live device.Array[engine.Local], trees int) (*Trees, error) {
	if live.Len() > mostVertices {
		return nil, fmt.Errorf("validate: %d vertices, at most %d can be checked on a GPU", live.Len(), mostVertices)
	}
	kernels, err := find(d)
	if err != nil {
		return nil, err
	}
	k := &Trees{device: d, live: live}
	if k.held, err = d.Take(k.group(uint64(live.Len()), trees)); err != nil {
		return nil, err
	}
	for _, c := range k.checkers {
		c.device, c.vertices, c.kernels, c.borrow = d, live.Len(), kernels, k.borrow
	}
	return k, nil
}

// Room is the number of trees that can be kept.
func (k *Trees) Room() int { return len(k.checkers) }

// Keep keeps the tree that is in live, right or wrong. Unless it is alone, the
// array may be written when Keep returns.
func (k *Trees) Keep(root engine.Vertex) error {
	if len(k.kept) == k.Room() {
		return fmt.Errorf("%d searches are kept already", len(k.kept))
	}
	if k.Room() > 1 {
		if err := errors.Join(k.copies[len(k.kept)].CopyFrom(k.live), k.device.Synchronize()); err != nil {
			return err
		}
	}
	k.kept = append(k.kept, root)
	return nil
}

// Parents are those of kept tree number i.
func (k *Trees) Parents(i int) device.Array[engine.Local] {
	if k.Room() > 1 {
		return k.copies[i]
	}
	return k.live
}

// Drop forgets the trees that are kept.
func (k *Trees) Drop() { k.kept = k.kept[:0] }

// Check checks that each tree is a breadth-first tree of exactly the component of
// its root in the graph of the tuples, and returns their facts in the order in
// which they were kept. A broken rule gives a *validate.Error, the same as that of
// validate.Checker: the first broken rule at the smallest vertex or tuple that
// breaks it, with the facts of the trees before it; what comes with another error
// has no meaning. The parents are only read. When ctx ends first, Check returns the
// cause.
func (k *Trees) Check(ctx context.Context, tuples *generate.Tuples) ([]engine.Tree, error) {
	return k.finish(ctx, tuples, func(i int) error { return k.checkers[i].begin(ctx, k.Parents(i), k.kept[i]) })
}

// CountEdges returns the facts without any check; Depth is 0. Visited are the
// entries other than engine.None.
func (k *Trees) CountEdges(ctx context.Context, tuples *generate.Tuples) ([]engine.Tree, error) {
	return k.finish(ctx, tuples, func(i int) error { return k.checkers[i].beginCount(ctx, k.Parents(i)) })
}

func (k *Trees) finish(ctx context.Context, tuples *generate.Tuples, begin func(i int) error) ([]engine.Tree, error) {
	begun := k.checkers[:len(k.kept)]
	var broken error // by the tree after those that have begun
	for i := range begun {
		if broken = begin(i); broken != nil {
			begun = begun[:i]
			break
		}
	}
	if len(begun) == 0 { // the tuples need not be made
		return nil, broken
	}
	if err := tuples.Each(ctx, func(part device.Array[engine.Edge], count int, first uint64) error {
		for _, c := range begun {
			if err := c.look(part, count, first); err != nil {
				return err
			}
		}
		if tuples.Whole() {
			return nil // reading the facts waits; to wait here as well takes 10 µs a tree
		}
		return k.device.Synchronize() // or the end of ctx would be seen late
	}); err != nil {
		return nil, err
	}
	var facts []engine.Tree
	for _, c := range begun {
		tree, err := c.end(ctx)
		if err != nil {
			return facts, err
		}
		facts = append(facts, tree)
	}
	return facts, broken
}

// Close gives the memory back. Nil trees stay as they are.
func (k *Trees) Close() error {
	if k == nil {
		return nil
	}
	var errs []error
	for _, held := range slices.Backward(k.borrowed) {
		errs = append(errs, held.Free())
	}
	return errors.Join(append(errs, k.held.Free())...)
}

// borrow takes the table of a deep tree, until Close.
func (k *Trees) borrow(g device.Group) error {
	held, err := k.device.Borrow(g)
	if err == nil {
		k.borrowed = append(k.borrowed, held)
	}
	return err
}

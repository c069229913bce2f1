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

// Trees is a batch of parent trees of one graph that are validated together. One pass
// over the tuples, which may have to be regenerated for it, serves the whole batch. With
// a capacity of one tree, the tree stays in the array that the search wrote; with more,
// each tree is copied.
type Trees struct {
	device   *device.Device
	live     device.Array[engine.Local] // written by the searches
	checkers []*checker
	copies   []device.Array[engine.Local] // by checker, if the capacity is more than one
	roots    []engine.Vertex              // of the trees in the batch
	held     *device.Held
	borrowed []*device.Held // tables of deep trees
}

// group declares the memory for a capacity of that many trees.
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

// Plan lists the memory to validate that many trees together. Each tree of 127 levels or
// more needs the memory of DeepPlan in addition.
func Plan(vertices uint64, trees int) []engine.Allocation {
	return new(Trees).group(vertices, trees).Plan()
}

// NewTrees returns an empty batch with a capacity of that many trees, at least one. live
// is the array of parents that the searches write, with one entry per vertex.
func NewTrees(d *device.Device, live device.Array[engine.Local], trees int) (*Trees, error) {
	if live.Len() > maxVertices {
		return nil, fmt.Errorf("validate: %d vertices, but a GPU can check at most %d", live.Len(), maxVertices)
	}
	kernels, err := findKernels(d)
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

// Capacity returns the largest number of trees in the batch.
func (k *Trees) Capacity() int { return len(k.checkers) }

// Keep adds the tree in live, right or wrong, to the batch. With a capacity of more than
// one, live may be overwritten when Keep returns. A full batch is an error.
func (k *Trees) Keep(root engine.Vertex) error {
	if len(k.roots) == k.Capacity() {
		return fmt.Errorf("the validation batch is full: it has %d searches", len(k.roots))
	}
	if k.Capacity() > 1 {
		if err := errors.Join(k.copies[len(k.roots)].CopyFrom(k.live), k.device.Synchronize()); err != nil {
			return err
		}
	}
	k.roots = append(k.roots, root)
	return nil
}

// Parents returns the parents of tree number i of the batch.
func (k *Trees) Parents(i int) device.Array[engine.Local] {
	if k.Capacity() > 1 {
		return k.copies[i]
	}
	return k.live
}

// Drop empties the batch.
func (k *Trees) Drop() { k.roots = k.roots[:0] }

// Check checks that each tree of the batch is a breadth-first tree of exactly the
// component of its root in the graph of the tuples. It returns the facts of the trees in
// the order of the batch. A broken rule gives the same *validate.Error as
// validate.Checker: the first broken rule at the smallest vertex or tuple that breaks
// it, together with the facts of the trees before. With any other error the facts are
// meaningless. Check does not change the parents. It returns the cause of ctx if ctx
// ends.
func (k *Trees) Check(ctx context.Context, tuples *generate.Tuples) ([]engine.Tree, error) {
	return k.finish(ctx, tuples, func(i int) error { return k.checkers[i].begin(ctx, k.Parents(i), k.roots[i]) })
}

// CountEdges returns the facts of the trees without checking any rule. Visited is the
// number of entries other than engine.None; Depth is 0.
func (k *Trees) CountEdges(ctx context.Context, tuples *generate.Tuples) ([]engine.Tree, error) {
	return k.finish(ctx, tuples, func(i int) error { return k.checkers[i].beginCount(ctx, k.Parents(i)) })
}

func (k *Trees) finish(ctx context.Context, tuples *generate.Tuples, begin func(i int) error) ([]engine.Tree, error) {
	begun := k.checkers[:len(k.roots)]
	var broken error // of the tree after those in begun
	for i := range begun {
		if broken = begin(i); broken != nil {
			begun = begun[:i]
			break
		}
	}
	if len(begun) == 0 { // no pass over the tuples is needed
		return nil, broken
	}
	if err := tuples.Each(ctx, func(part generate.Part) error {
		for _, c := range begun {
			if err := c.look(part); err != nil {
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

// Close frees the memory. Close of nil Trees does nothing.
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

// borrow allocates the table of a deep tree, until Close.
func (k *Trees) borrow(g device.Group) error {
	held, err := k.device.Borrow(g)
	if err == nil {
		k.borrowed = append(k.borrowed, held)
	}
	return err
}

//go:build cuda

package kernels

import (
	"context"
	"errors"
	"fmt"

	"graph500/engine"
)

// KeptTrees are parent trees of one graph that wait to be validated together:
// each part of the tuples, which may have to be made for it, is looked at once
// for all of them.
type KeptTrees struct {
	device   *Device
	vertices uint64
	places   []keptTree // of which the first are taken
	taken    int
}

// keptTree is one tree and what its validation needs.
type keptTree struct {
	validator *Validator
	parents   *Array[engine.Local]
	root      engine.Vertex
}

// NewKeptTrees returns no trees, of graphs of that many vertices. Memory is
// taken when trees come: KeptTreesMemory for the largest number of trees that
// wait at once, and that of DeepValidatorMemory for each that is deep.
func NewKeptTrees(d *Device, vertices uint64) *KeptTrees {
	return &KeptTrees{device: d, vertices: vertices}
}

// KeptTreesMemory returns the bytes that so many trees take.
func KeptTreesMemory(vertices uint64, trees int) uint64 {
	return uint64(trees) * (4*vertices + ValidatorMemory(vertices))
}

// Keep copies a tree, right or wrong. It is done with the parents when it
// returns.
func (k *KeptTrees) Keep(parents *Array[engine.Local], root engine.Vertex) error {
	if uint64(parents.Len()) != k.vertices {
		return fmt.Errorf("kept trees: %d parents for %d vertices", parents.Len(), k.vertices)
	}
	if k.taken == len(k.places) {
		if err := k.add(); err != nil {
			return err
		}
	}
	place := &k.places[k.taken]
	if err := place.parents.CopyFrom(parents); err != nil {
		return err
	}
	place.root = root
	k.taken++
	return k.device.Synchronize()
}

// Parents are those of kept tree number i.
func (k *KeptTrees) Parents(i int) *Array[engine.Local] { return k.places[i].parents }

// Drop forgets the trees.
func (k *KeptTrees) Drop() { k.taken = 0 }

// Places returns the number of trees that memory was taken for.
func (k *KeptTrees) Places() int { return len(k.places) }

// add makes one more place.
func (k *KeptTrees) add() error {
	v, err := NewValidator(k.device, k.vertices)
	if err != nil {
		return err
	}
	parents, err := Alloc[engine.Local](k.device, "parents kept for validation", int(k.vertices))
	if err != nil {
		return errors.Join(err, v.Close())
	}
	k.places = append(k.places, keptTree{validator: v, parents: parents})
	return nil
}

// Validate checks the trees as Validator.Tree does, returns their facts in the
// order in which they were kept. Where one breaks a rule, its error comes with the facts of the trees before it; what comes with another
// error has no meaning.
func (k *KeptTrees) Validate(ctx context.Context, tuples *Tuples) ([]engine.Tree, error) {
	return k.finish(ctx, tuples, func(t keptTree) error { return t.validator.Begin(ctx, t.parents, t.root) })
}

// Count returns the facts as Validator.Count does.
func (k *KeptTrees) Count(ctx context.Context, tuples *Tuples) ([]engine.Tree, error) {
	return k.finish(ctx, tuples, func(t keptTree) error { return t.validator.BeginCount(ctx, t.parents) })
}

func (k *KeptTrees) finish(ctx context.Context, tuples *Tuples, begin func(keptTree) error) ([]engine.Tree, error) {
	begun := k.places[:k.taken]
	var broken error // by the tree after those that have begun
	for i, t := range begun {
		if broken = begin(t); broken != nil {
			begun = begun[:i]
			break
		}
	}
	if len(begun) == 0 { // the tuples need not be made
		return nil, broken
	}
	if err := tuples.Each(ctx, func(part *Array[engine.Edge], count int, first uint64) error {
		for _, t := range begun {
			if err := t.validator.Tuples(part, count, first); err != nil {
				return err
			}
		}
		return k.device.Synchronize() // or the end of ctx would be seen late
	}); err != nil {
		return nil, err
	}
	var facts []engine.Tree
	for _, t := range begun {
		tree, err := t.validator.End(ctx)
		if err != nil {
			return facts, err
		}
		facts = append(facts, tree)
	}
	return facts, broken
}

// Close gives the memory back. Nil trees stay as they are.
func (k *KeptTrees) Close() error {
	if k == nil {
		return nil
	}
	var errs []error
	for _, t := range k.places {
		errs = append(errs, t.validator.Close(), t.parents.Free())
	}
	k.places, k.taken = nil, 0
	return errors.Join(errs...)
}

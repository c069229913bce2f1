//go:build cuda

package kernels

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"graph500/engine"
	"graph500/validate"
)

const (
	settleRounds  = 8  // rounds of validate.cuh
	hashedDeepest = 15 // the largest depth+1 of a table of bytes with 4 bits of depth
	noPlace       = 1<<63 - 1
)

// validationFacts is validate::Facts of validate.cuh.
type validationFacts struct {
	Entry, Path, Edge      int64 // smallest vertex that breaks the rule, or noPlace
	Level, Outside         int64 // smallest tuple, likewise
	Visited, Edges, Loops  int64
	LevelEnds, OutsideEnds engine.Edge
	RootParent             engine.Local
	Deepest                uint32 // largest depth+1
	TooDeep                uint32 // 1 if a depth does not fit a byte
	Left                   uint32 // jumps that may not be whole yet
	Settled                [settleRounds]uint32
}

// Validator checks parent trees of one graph by the rules of package validate,
// with the same errors and facts, from the tuples and the parents alone.
//
// Validators of several trees can take turns over each part of the tuples
// (Begin or BeginCount, Tuples for each part, End); KeptTrees do.
type Validator struct {
	device   *Device
	vertices int
	kernels  validateKernels

	// table holds the bytes of validate.cuh, four a word, and in Count a bit a
	// vertex. wide takes its place for trees deeper than a byte can say; it is
	// allocated when the first of them comes.
	table *Array[uint32]
	wide  *Array[uint64]
	facts *Array[validationFacts]

	// The tree between Begin and End.
	parents *Array[engine.Local]
	root    engine.Vertex
	form    tableForm
	found   validationFacts
}

// tableForm says which form of validate.cuh the table has.
type tableForm uint8

const (
	hashedBytes tableForm = iota // Bytes<4>
	plainBytes                   // Bytes<7>
	wideEntries                  // Wide
	countedBits                  // a bit for each vertex of a tree that is not checked
)

// NewValidator returns a validator for graphs of that many vertices. It takes
// ValidatorMemory(vertices) of the device's memory for all its life, and
// DeepValidatorMemory(vertices) more from the first tree on that is 127 levels
// deep or deeper.
func NewValidator(d *Device, vertices uint64) (*Validator, error) {
	if vertices > 1<<31-1 {
		return nil, fmt.Errorf("validate: %d vertices, at most %d can be checked on a GPU", vertices, 1<<31-1)
	}
	v := &Validator{device: d, vertices: int(vertices)}
	err := v.kernels.load(d)
	if err == nil {
		v.table, err = Alloc[uint32](d, "table of validation", (v.vertices+3)/4)
	}
	if err == nil {
		v.facts, err = Alloc[validationFacts](d, "facts of validation", 1)
	}
	if err != nil {
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

// ValidatorMemory returns the bytes that NewValidator takes.
func ValidatorMemory(vertices uint64) uint64 {
	return (vertices+3)/4*4 + uint64(unsafe.Sizeof(validationFacts{}))
}

// DeepValidatorMemory returns the bytes that a tree of 127 levels or more takes
// in addition.
func DeepValidatorMemory(vertices uint64) uint64 { return 8 * vertices }

// Close gives the memory back.
func (v *Validator) Close() error {
	return errors.Join(v.table.Free(), v.wide.Free(), v.facts.Free())
}

// Tree checks that parents is a breadth-first tree of exactly the component of
// root in the graph of the tuples and returns its facts. A broken rule gives a
// *validate.Error, the same as that of validate.Checker: the first broken rule
// at the smallest vertex or tuple that breaks it. The parents are only read.
// When ctx ends first, Tree returns the cause.
func (v *Validator) Tree(ctx context.Context, tuples *Tuples, parents *Array[engine.Local], root engine.Vertex) (engine.Tree, error) {
	if err := v.Begin(ctx, parents, root); err != nil {
		return engine.Tree{}, err
	}
	return v.finish(ctx, tuples)
}

// Count returns the facts of a tree without any check; its Depth is 0. Visited
// are the entries other than engine.None.
func (v *Validator) Count(ctx context.Context, tuples *Tuples, parents *Array[engine.Local]) (engine.Tree, error) {
	if err := v.BeginCount(ctx, parents); err != nil {
		return engine.Tree{}, err
	}
	return v.finish(ctx, tuples)
}

func (v *Validator) finish(ctx context.Context, tuples *Tuples) (engine.Tree, error) {
	if err := tuples.Each(ctx, v.Tuples); err != nil {
		return engine.Tree{}, err
	}
	return v.End(ctx)
}

// Begin checks the rules that need no tuples, and prepares the look at them.
// The parents must stay as they are until End.
func (v *Validator) Begin(ctx context.Context, parents *Array[engine.Local], root engine.Vertex) error {
	switch n := v.vertices; {
	case parents.Len() != n:
		return validate.SizeError(root, parents.Len(), n)
	case uint64(root) >= uint64(n):
		return validate.RootError(root, engine.None, n)
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	v.parents, v.root = parents, root
	return v.findDepths(ctx)
}

// BeginCount prepares the look at the tuples for Count.
func (v *Validator) BeginCount(ctx context.Context, parents *Array[engine.Local]) error {
	if parents.Len() != v.vertices {
		return validate.SizeError(0, parents.Len(), v.vertices)
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := v.reset(); err != nil {
		return err
	}
	v.parents, v.root, v.form = parents, 0, countedBits
	return v.kernels.mark.launch(parents.Address(), uint64(v.vertices), v.table.Address(), v.facts.Address())
}

// Tuples looks at the first count tuples of the array, of which the first has
// the given index in the list of all tuples. It returns when the work is
// queued: the array may be filled anew by what is launched after it.
func (v *Validator) Tuples(tuples *Array[engine.Edge], count int, index uint64) error {
	if count < 0 || count > tuples.Len() {
		return fmt.Errorf("validate: %d tuples of an array of %d", count, tuples.Len())
	}
	if count == 0 {
		return nil
	}
	args := []uint64{tuples.Address(), uint64(count), index}
	if v.form != countedBits {
		args = append(args, v.parents.Address())
	}
	args = append(args, uint64(v.vertices), v.entries(), v.facts.Address())
	if err := v.kernels.tuples[v.form].launch(args...); err != nil {
		return err
	}
	// The ends of tuples that break a rule are for the error message.
	return v.kernels.keep.Launch(1, 1, 0, tuples.Address(), uint64(count), index, v.facts.Address())
}

// entries is the address of the table.
func (v *Validator) entries() uint64 {
	if v.form == wideEntries {
		return v.wide.Address()
	}
	return v.table.Address()
}

// End returns the facts of the tree, or the first broken rule.
func (v *Validator) End(ctx context.Context) (engine.Tree, error) {
	if v.form != countedBits {
		unjoined := v.kernels.unjoined
		if v.form == wideEntries {
			unjoined = v.kernels.unjoinedWide
		}
		if err := unjoined.launch(v.entries(), uint64(v.vertices), uint64(v.root), v.facts.Address()); err != nil {
			return engine.Tree{}, err
		}
	}
	if err := v.readFacts(ctx); err != nil {
		return engine.Tree{}, err
	}
	f := &v.found
	switch {
	case f.Outside != noPlace:
		return engine.Tree{}, validate.OutsideError(f.Outside, f.OutsideEnds, v.vertices)
	case f.Edge != noPlace:
		return engine.Tree{}, v.vertexError(f.Edge, validate.EdgeError)
	case f.Level != noPlace:
		return engine.Tree{}, v.levelError()
	}
	return engine.Tree{Visited: f.Visited, Edges: f.Edges, SelfLoops: f.Loops, Depth: int64(f.Deepest) - 1}, nil
}

// reset forgets what was found, but that the root has a depth.
func (v *Validator) reset() error {
	v.found = validationFacts{Entry: noPlace, Path: noPlace, Edge: noPlace, Level: noPlace, Outside: noPlace, Deepest: 1}
	return v.writeFacts()
}

func (v *Validator) writeFacts() error {
	return v.facts.Write(0, []validationFacts{v.found})
}

// readFacts waits for everything launched so far.
func (v *Validator) readFacts(ctx context.Context) error {
	var f [1]validationFacts
	err := v.facts.Read(0, f[:])
	v.found = f[0]
	if err != nil {
		return err
	}
	return context.Cause(ctx)
}

//go:build cuda

package generate

import (
	"context"
	"errors"

	"graph500/device"
	"graph500/engine"
	"graph500/kronecker"
)

// generatePiece is the largest number of tuples that are generated between two checks
// of the context.
const generatePiece = 1 << 26

// Tuples is the list of input tuples of a graph. All of them are in the device's
// memory, or only one part at a time: the generator then regenerates each part in
// each pass over the list.
type Tuples struct {
	device    *device.Device
	count     uint64
	memory    device.Array[engine.Edge] // all tuples, or the current part
	generator *Generator                // nil for loaded tuples
	held      *device.Held
}

// group declares the memory of count tuples, capacity of which are in memory at once.
func (t *Tuples) group(count, capacity uint64) device.Group {
	name := "tuples"
	if capacity < count {
		name = "tuples, a part at a time"
	}
	arrays := []device.Declared{device.Of(&t.memory, name, min(capacity, count))}
	if t.generator != nil {
		arrays = append(arrays, t.generator.arrays()...)
	}
	return device.Group{Alive: engine.Always, Arrays: arrays}
}

// Plan lists the memory of count tuples, capacity of which are in memory at once.
// Loaded tuples need no generator.
func Plan(count, capacity uint64, loaded bool) []engine.Allocation {
	t := &Tuples{}
	if !loaded {
		t.generator = &Generator{}
	}
	return t.group(count, capacity).Plan()
}

// New allocates memory for the tuples of an official graph, at most capacity of them
// at once. Make generates them.
func New(d *device.Device, spec kronecker.Spec, capacity uint64) (*Tuples, error) {
	t := &Tuples{device: d, count: spec.Tuples(), generator: &Generator{}}
	var err error
	if t.held, err = d.Take(t.group(t.count, capacity)); err != nil {
		return nil, err
	}
	if err := t.generator.prepare(d, spec); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// From copies tuples to the device.
func From(d *device.Device, tuples []engine.Edge) (*Tuples, error) {
	t := &Tuples{device: d, count: uint64(len(tuples))}
	var err error
	if t.held, err = d.Take(t.group(t.count, t.count)); err != nil {
		return nil, err
	}
	if err := t.memory.Write(0, tuples); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Len returns the number of tuples of the list.
func (t *Tuples) Len() uint64 { return t.count }

// Whole reports whether all tuples are in memory.
func (t *Tuples) Whole() bool { return uint64(t.memory.Len()) == t.count }

// Scale returns the scale of generated tuples, or 0 for loaded ones.
func (t *Tuples) Scale() int {
	if t.generator == nil {
		return 0
	}
	return t.generator.scale
}

// At returns tuple number i. All tuples must be in memory.
func (t *Tuples) At(i uint64) (engine.Edge, error) {
	var e [1]engine.Edge
	err := t.memory.Read(int(i), e[:])
	return e[0], err
}

// Make generates every tuple once and calls progress after each piece with the number
// of generated tuples. Each part that does not fit in memory overwrites the part
// before it.
func (t *Tuples) Make(ctx context.Context, progress func(done uint64)) error {
	for first := uint64(0); first < t.count; {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		at, n := 0, min(generatePiece, t.memory.Len(), int(t.count-first))
		if t.Whole() {
			at = int(first)
		}
		if err := t.generator.Edges(t.memory, at, n, first); err != nil {
			return err
		}
		if err := t.device.Synchronize(); err != nil {
			return err
		}
		first += uint64(n)
		progress(first)
	}
	return nil
}

// Each calls look for each part of the tuples, in order. The part is the first count
// elements of the array; its first tuple has number first in the list. look may only
// queue work in the stream that reads the part: the next part may overwrite it in
// stream order. Each returns the cause of ctx when ctx ends.
func (t *Tuples) Each(ctx context.Context, look func(part device.Array[engine.Edge], count int, first uint64) error) error {
	for first := uint64(0); first < t.count; first += uint64(t.memory.Len()) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		n := min(t.memory.Len(), int(t.count-first))
		if !t.Whole() {
			if err := t.generator.Edges(t.memory, 0, n, first); err != nil {
				return err
			}
		}
		if err := look(t.memory, n, first); err != nil {
			return err
		}
	}
	return nil
}

// Close frees the memory. Close of nil Tuples does nothing.
func (t *Tuples) Close() error {
	if t == nil {
		return nil
	}
	return t.held.Free()
}

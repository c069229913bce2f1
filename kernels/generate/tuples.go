//go:build cuda

package generate

import (
	"context"
	"errors"
	"fmt"

	"graph500/device"
	"graph500/engine"
	"graph500/kronecker"
)

// generatePiece is the largest number of tuples that are generated between two checks
// of the context.
const generatePiece = 1 << 26

// Tuples is the list of input tuples of a graph, with or without weights. All of them
// are in the device's memory, or only one part at a time: the generator then regenerates
// each part in each pass over the list.
type Tuples struct {
	device    *device.Device
	count     uint64
	weighted  bool
	edges     device.Array[engine.Edge] // of all tuples, or of the current part
	weights   device.Array[float32]     // of the same tuples; empty if not weighted
	generator *Generator                // nil for loaded tuples
	held      *device.Held
}

// Part is a part of the tuples in the device's memory: the first Count elements of the
// arrays.
type Part struct {
	Edges   device.Array[engine.Edge]
	Weights device.Array[float32] // by tuple; empty if the tuples have no weights
	Count   int
	First   uint64 // number of the first tuple of the part in the list
}

// group declares the memory of count tuples, capacity of which are in memory at once.
func (t *Tuples) group(count, capacity uint64) device.Group {
	suffix := ""
	if capacity < count {
		suffix = ", a part at a time"
	}
	arrays := []device.Declared{device.Of(&t.edges, "tuples"+suffix, min(capacity, count))}
	if t.weighted {
		arrays = append(arrays, device.Of(&t.weights, "weights"+suffix, min(capacity, count)))
	}
	if t.generator != nil {
		arrays = append(arrays, t.generator.arrays()...)
	}
	return device.Group{Alive: engine.Always, Arrays: arrays}
}

// Plan lists the memory of count tuples, capacity of which are in memory at once.
// Loaded tuples need no generator, tuples without weights no array of weights.
func Plan(count, capacity uint64, loaded, weighted bool) []engine.Allocation {
	t := &Tuples{weighted: weighted}
	if !loaded {
		t.generator = &Generator{weighted: weighted}
	}
	return t.group(count, capacity).Plan()
}

// New allocates memory for the tuples of an official graph and, if weighted, for their
// weights, at most capacity of them at once. Make generates them.
func New(d *device.Device, spec kronecker.Spec, capacity uint64, weighted bool) (*Tuples, error) {
	t := &Tuples{device: d, count: spec.Tuples(), weighted: weighted, generator: &Generator{weighted: weighted}}
	var err error
	if t.held, err = d.Take(t.group(t.count, capacity)); err != nil {
		return nil, err
	}
	if err := t.generator.prepare(d, spec); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// From copies tuples to the device, with their weights unless those are nil.
func From(d *device.Device, tuples engine.Tuples) (*Tuples, error) {
	t := &Tuples{device: d, count: uint64(len(tuples.Edges)), weighted: tuples.Weights != nil}
	if t.weighted && len(tuples.Weights) != len(tuples.Edges) {
		return nil, fmt.Errorf("%d weights for %d tuples", len(tuples.Weights), len(tuples.Edges))
	}
	var err error
	if t.held, err = d.Take(t.group(t.count, t.count)); err != nil {
		return nil, err
	}
	if err := errors.Join(t.edges.Write(0, tuples.Edges), t.weights.Write(0, tuples.Weights)); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Len returns the number of tuples of the list.
func (t *Tuples) Len() uint64 { return t.count }

// Weighted reports whether the tuples have weights.
func (t *Tuples) Weighted() bool { return t.weighted }

// Whole reports whether all tuples are in memory.
func (t *Tuples) Whole() bool { return uint64(t.edges.Len()) == t.count }

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
	err := t.edges.Read(int(i), e[:])
	return e[0], err
}

// WeightAt returns the weight of tuple number i. All tuples must be in memory.
func (t *Tuples) WeightAt(i uint64) (float32, error) {
	var w [1]float32
	err := t.weights.Read(int(i), w[:])
	return w[0], err
}

// Make generates every tuple once and calls progress after each piece with the number
// of generated tuples. Each part that does not fit in memory overwrites the part
// before it.
func (t *Tuples) Make(ctx context.Context, progress func(done uint64)) error {
	for first := uint64(0); first < t.count; {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		at, n := 0, min(generatePiece, t.edges.Len(), int(t.count-first))
		if t.Whole() {
			at = int(first)
		}
		if err := t.generator.generate(t.edges, t.weights, at, n, first); err != nil {
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

// Each calls look for each part of the tuples, in order. look may only queue work in the
// stream that reads the part: the next part may overwrite it in stream order. Each
// returns the cause of ctx when ctx ends.
func (t *Tuples) Each(ctx context.Context, look func(Part) error) error {
	for first := uint64(0); first < t.count; first += uint64(t.edges.Len()) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		n := min(t.edges.Len(), int(t.count-first))
		if !t.Whole() {
			if err := t.generator.generate(t.edges, t.weights, 0, n, first); err != nil {
				return err
			}
		}
		if err := look(Part{t.edges, t.weights, n, first}); err != nil {
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

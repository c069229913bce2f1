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

// Tuples is the list of input tuples of a graph, with or without weights, or a share of
// it (shares.go). All of them are in the device's memory, or only one part at a time: each
// pass over the list then regenerates each part, or copies it from the host's memory
// (host.go).
type Tuples struct {
	device    *device.Device
	first     uint64 // number of the first tuple in the whole list
	count     uint64
	whole     bool
	weighted  bool
	wide      bool                        // labels have 48 bits
	edges     device.Array[engine.Edge]   // of all tuples, or of the current part; empty if wide
	edges48   device.Array[engine.Edge48] // the same if wide; else empty
	weights   device.Array[float32]       // of the same tuples; empty if not weighted
	generator *Generator                  // nil for loaded tuples
	host      *hostTuples                 // loaded tuples of which the device has a part at a time, else nil
	shares    []*Tuples                   // of a view of all shares; the arrays are those of one of them
	own       int                         // number of that share
	held      *device.Held
}

// Part is a part of the tuples in the device's memory: the first Count elements of the
// arrays.
type Part struct {
	Edges   device.Array[engine.Edge]
	Edges48 device.Array[engine.Edge48] // instead of Edges if labels have 48 bits
	Weights device.Array[float32]       // by tuple; empty if the tuples have no weights
	Count   int
	First   uint64 // number of the first tuple of the part in the whole list
}

// IsWide reports whether labels have 48 bits.
func (p Part) IsWide() bool { return p.Edges48.Len() > 0 }

// Address returns the address of the first edge, for the kernels of the module that ModuleOf
// names.
func (p Part) Address() uint64 {
	if p.IsWide() {
		return p.Edges48.Address()
	}
	return p.Edges.Address()
}

// Read copies edges, from index at on, to the host.
func (p Part) Read(at int, to []engine.Edge) error {
	if !p.IsWide() {
		return p.Edges.Read(at, to)
	}
	return readWide(p.Edges48, at, to)
}

// group declares the memory of count tuples, capacity of which are in memory at once.
func (t *Tuples) group(count, capacity uint64) device.Group {
	if t.host != nil {
		return device.Group{Alive: engine.Always, Arrays: t.hostArrays(capacity)}
	}
	suffix := ""
	if capacity < count {
		suffix = ", a part at a time"
	}
	arrays := []device.Declared{device.Of(&t.edges, "tuples"+suffix, min(capacity, count))}
	if t.wide {
		arrays[0] = device.Of(&t.edges48, "tuples with labels of 48 bits"+suffix, min(capacity, count))
	}
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
	return (&Tuples{weighted: weighted}).plan(count, capacity, loaded)
}

// plan is Plan with the weights and labels of t.
func (t *Tuples) plan(count, capacity uint64, loaded bool) []engine.Allocation {
	switch {
	case !loaded:
		t.generator = &Generator{}
	case capacity < count:
		t.host = new(hostTuples)
	}
	return t.group(count, capacity).Plan()
}

// New allocates memory for the tuples of an official graph and, if weighted, for their
// weights, at most capacity of them at once. Make generates them.
func New(d *device.Device, spec kronecker.Spec, capacity uint64, weighted bool) (*Tuples, error) {
	return NewShare(d, spec, 0, spec.Tuples(), capacity, weighted)
}

// From copies tuples to the device, with their weights unless those are nil.
func From(d *device.Device, tuples engine.Tuples) (*Tuples, error) {
	return FromShare(d, tuples, 0)
}

// Len returns the number of tuples of the list.
func (t *Tuples) Len() uint64 { return t.count }

// First returns the number of the first tuple in the whole list: 0 unless this is a share.
func (t *Tuples) First() uint64 { return t.first }

// Weighted reports whether the tuples have weights.
func (t *Tuples) Weighted() bool { return t.weighted }

// Whole reports whether all tuples are in memory.
func (t *Tuples) Whole() bool { return t.whole }

// Scale returns the scale of generated tuples, or 0 for loaded ones.
func (t *Tuples) Scale() int {
	if t.generator == nil {
		return 0
	}
	return t.generator.scale
}

// At returns tuple number i of the whole list, of loaded tuples or of generated ones that
// are all in memory. Those of a share must have it.
func (t *Tuples) At(i uint64) (engine.Edge, error) {
	if t.shares != nil {
		return t.shareWith(i).At(i)
	}
	if t.host != nil {
		return hostAt(t.host.edges, i)
	}
	var e [1]engine.Edge
	err := t.part().Read(int(i)-int(t.first), e[:])
	return e[0], err
}

// WeightAt returns the weight of tuple number i under the conditions of At.
func (t *Tuples) WeightAt(i uint64) (float32, error) {
	if t.shares != nil {
		return t.shareWith(i).WeightAt(i)
	}
	if t.host != nil {
		return hostAt(t.host.weights, i)
	}
	var w [1]float32
	err := t.weights.Read(int(i)-int(t.first), w[:])
	return w[0], err
}

// Make generates every tuple once and calls progress after each piece with the number
// of generated tuples. Each part that does not fit in memory overwrites the part
// before it.
func (t *Tuples) Make(ctx context.Context, progress func(done uint64)) error {
	for done := uint64(0); done < t.count; {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		at, n := 0, min(generatePiece, t.room(), int(t.count-done))
		if t.Whole() {
			at = int(done)
		}
		if err := t.generate(at, n, t.first+done); err != nil {
			return err
		}
		if err := t.device.Synchronize(); err != nil {
			return err
		}
		done += uint64(n)
		progress(done)
	}
	return nil
}

// Each calls look for each part of the tuples, in order, except in a view of all shares
// (Join). look may only queue work in the stream that reads the part: the next part may
// overwrite it in stream order. Each returns the cause of ctx when ctx ends.
func (t *Tuples) Each(ctx context.Context, look func(Part) error) error {
	if t.Whole() && t.shares != nil {
		return t.eachShare(ctx, look)
	}
	if t.host != nil {
		return t.eachOnHost(ctx, look)
	}
	for done := uint64(0); done < t.count; done += uint64(t.room()) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		first, n := t.first+done, min(t.room(), int(t.count-done))
		if !t.Whole() {
			if err := t.generate(0, n, first); err != nil {
				return err
			}
		}
		part := t.part()
		part.Count, part.First = n, first
		if err := look(part); err != nil {
			return err
		}
	}
	return nil
}

// part returns the arrays.
func (t *Tuples) part() Part { return Part{Edges: t.edges, Edges48: t.edges48, Weights: t.weights} }

// room returns the number of tuples that the arrays hold.
func (t *Tuples) room() int { return max(t.edges.Len(), t.edges48.Len()) }

// generate generates count tuples, from number first on, at index at of the arrays.
func (t *Tuples) generate(at, count int, first uint64) error {
	if t.wide {
		return t.generator.generateWide(t.edges48, t.weights, at, count, first)
	}
	return t.generator.generate(t.edges, t.weights, at, count, first)
}

// Close frees the memory. Close of nil Tuples or of a view does nothing.
func (t *Tuples) Close() error {
	if t == nil {
		return nil
	}
	return errors.Join(t.host.close(), t.held.Free())
}

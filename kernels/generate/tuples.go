//go:build cuda

package generate

import (
	"context"
	"errors"

	"graph500/device"
	"graph500/engine"
)

// generatePiece is the largest number of tuples that are generated between two checks
// of the context.
const generatePiece = 1 << 26

// Tuples are those tuples of a list that a device has (Config), or a view of all of them
// (Join, All). All are in the device's memory, or only one part at a time: each pass over them
// then generates each part again, or copies it from the host's memory (host.go).
type Tuples struct {
	device    *device.Device
	config    Config
	whole     bool                  // all are in memory
	edges     device.Array[uint32]  // of all tuples, or of the current part; Config.words each
	weights   device.Array[float32] // of the same tuples; empty if not weighted
	generator *Generator            // nil for loaded tuples
	host      *hostTuples           // loaded tuples of which the device has a part at a time, else nil
	shares    []*Tuples             // of a view of all shares; the arrays are those of one of them
	own       int                   // number of that share
	held      *device.Held
}

// Part is a part of the tuples in the device's memory: the first Count tuples of the arrays.
type Part struct {
	Edges   device.Array[uint32]  // engine.Edge, or engine.Edge48, as words
	Weights device.Array[float32] // by tuple; empty if the tuples have no weights
	Count   int
	First   uint64 // number of the first tuple of the part in the whole list
	wide    bool
}

// IsWide reports whether labels have 48 bits.
func (p Part) IsWide() bool { return p.wide }

// Address returns the address of the first edge, for the kernels of the module that ModuleOf
// names.
func (p Part) Address() uint64 { return p.Edges.Address() }

// Read copies edges, from index at on, to the host.
func (p Part) Read(at int, to []engine.Edge) error { return readEdges(p.Edges, at, to, p.wide) }

// group declares the memory.
func (t *Tuples) group() device.Group {
	if t.host != nil {
		return device.Group{Alive: engine.Always, Arrays: t.hostArrays()}
	}
	suffix := ""
	if t.config.inParts() {
		suffix = ", a part at a time"
	}
	room := t.config.room()
	arrays := []device.Declared{device.Of(&t.edges, t.config.name()+suffix, t.config.words()*room)}
	if t.config.Weighted {
		arrays = append(arrays, device.Of(&t.weights, "weights"+suffix, room))
	}
	if t.generator != nil {
		arrays = append(arrays, t.generator.arrays()...)
	}
	return device.Group{Alive: engine.Always, Arrays: arrays}
}

// Len returns the number of tuples of the list.
func (t *Tuples) Len() uint64 { return t.config.Count }

// First returns the number of the first tuple in the whole list: 0 unless this is a share.
func (t *Tuples) First() uint64 { return t.config.First }

// Weighted reports whether the tuples have weights.
func (t *Tuples) Weighted() bool { return t.config.Weighted }

// IsWide reports whether labels have 48 bits.
func (t *Tuples) IsWide() bool { return t.config.Wide }

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
		return t.host.at(i - t.config.First)
	}
	var e [1]engine.Edge
	err := t.part().Read(int(i)-int(t.config.First), e[:])
	return e[0], err
}

// WeightAt returns the weight of tuple number i under the conditions of At.
func (t *Tuples) WeightAt(i uint64) (float32, error) {
	if t.shares != nil {
		return t.shareWith(i).WeightAt(i)
	}
	if t.host != nil {
		return t.host.weightAt(i - t.config.First)
	}
	var w [1]float32
	err := t.weights.Read(int(i)-int(t.config.First), w[:])
	return w[0], err
}

// Make generates every tuple once and calls progress after each piece with the number
// of generated tuples. Each part that does not fit in memory overwrites the part
// before it.
func (t *Tuples) Make(ctx context.Context, progress func(done uint64)) error {
	for done := uint64(0); done < t.config.Count; {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		at, n := 0, min(generatePiece, t.room(), int(t.config.Count-done))
		if t.Whole() {
			at = int(done)
		}
		if err := t.generator.generate(t.edges, t.weights, at, n, t.config.First+done); err != nil {
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
	for done := uint64(0); done < t.config.Count; done += uint64(t.room()) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		first, n := t.config.First+done, min(t.room(), int(t.config.Count-done))
		if !t.Whole() {
			if err := t.generator.generate(t.edges, t.weights, 0, n, first); err != nil {
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
func (t *Tuples) part() Part { return Part{Edges: t.edges, Weights: t.weights, wide: t.config.Wide} }

// room returns the number of tuples that the arrays hold.
func (t *Tuples) room() int { return t.edges.Len() / int(t.config.words()) }

// Close frees the memory. Close of nil Tuples or of a view does nothing.
func (t *Tuples) Close() error {
	if t == nil {
		return nil
	}
	return errors.Join(t.host.close(), t.held.Free())
}

//go:build cuda

package generate

import (
	"context"
	"errors"

	"graph500/device"
	"graph500/engine"
	"graph500/kronecker"
)

// generatePiece is the largest number of tuples that are made between two looks
// at the context.
const generatePiece = 1 << 26

// Tuples are the input tuples of a graph, in order. All of them are in the
// device's memory, or there is room for a part of them only: then the generator
// makes every part again whenever someone goes through them.
type Tuples struct {
	device    *device.Device
	count     uint64
	memory    device.Array[engine.Edge] // all tuples, or the part made last
	generator *Generator                // nil if the tuples come from elsewhere
	held      *device.Held
}

// group declares the memory of count tuples, of which there is room for so many.
func (t *Tuples) group(count, room uint64) device.Group {
	name := "tuples"
	if room < count {
		name = "tuples, a part at a time"
	}
	arrays := []device.Declared{device.Of(&t.memory, name, min(room, count))}
	if t.generator != nil {
		arrays = append(arrays, t.generator.arrays()...)
	}
	return device.Group{Alive: engine.Always, Arrays: arrays}
}

// Plan lists the memory of count tuples, of which there is room for so many, and
// which come from elsewhere if they are loaded.
func Plan(count, room uint64, loaded bool) []engine.Allocation {
	t := &Tuples{}
	if !loaded {
		t.generator = &Generator{}
	}
	return t.group(count, room).Plan()
}

// New takes memory for room of the tuples of an official graph, or for all if
// room is larger. Make makes them.
func New(d *device.Device, spec kronecker.Spec, room uint64) (*Tuples, error) {
	t := &Tuples{device: d, count: spec.Tuples(), generator: &Generator{}}
	var err error
	if t.held, err = d.Take(t.group(t.count, room)); err != nil {
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

// Len is the number of tuples.
func (t *Tuples) Len() uint64 { return t.count }

// Whole reports whether all tuples are in memory.
func (t *Tuples) Whole() bool { return uint64(t.memory.Len()) == t.count }

// Scale is that of generated tuples, 0 of others.
func (t *Tuples) Scale() int {
	if t.generator == nil {
		return 0
	}
	return t.generator.scale
}

// At returns a tuple that is in memory.
func (t *Tuples) At(i uint64) (engine.Edge, error) {
	var e [1]engine.Edge
	err := t.memory.Read(int(i), e[:])
	return e[0], err
}

// Make makes every tuple once and says after each piece how many are made. What
// there is no room for is made in vain.
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

// Each shows all tuples to look, in order and a part at a time: count tuples
// from the beginning of the array, of which the first is number first of all.
// look must be done with them, as far as the stream is concerned, when it
// returns. If ctx ends, so does Each, with the cause.
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

// Close gives the memory back. Nil tuples stay as they are.
func (t *Tuples) Close() error {
	if t == nil {
		return nil
	}
	return t.held.Free()
}

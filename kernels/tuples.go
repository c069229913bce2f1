//go:build cuda

package kernels

import (
	"context"
	"errors"

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
	count     uint64
	memory    *Array[engine.Edge] // all tuples, or the part made last
	generator *Generator          // nil if the tuples come from elsewhere
}

// NewTuples takes memory for room of the tuples of an official graph, or for
// all if room is larger. Make makes them.
func NewTuples(d *Device, spec kronecker.Spec, room uint64) (*Tuples, error) {
	t := &Tuples{count: spec.Tuples()}
	var err error
	if t.generator, err = NewGenerator(d, spec); err != nil {
		return nil, err
	}
	if t.memory, err = Alloc[engine.Edge](d, "tuples", int(min(room, t.count))); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// HoldTuples returns the tuples of an array, which is theirs from then on.
func HoldTuples(tuples *Array[engine.Edge]) *Tuples {
	return &Tuples{count: uint64(tuples.Len()), memory: tuples}
}

// Len is the number of tuples.
func (t *Tuples) Len() uint64 { return t.count }

// Whole reports whether all tuples are in memory.
func (t *Tuples) Whole() bool { return uint64(t.memory.Len()) == t.count }

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
		if err := t.memory.device.Synchronize(); err != nil {
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
func (t *Tuples) Each(ctx context.Context, look func(part *Array[engine.Edge], count int, first uint64) error) error {
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
	err := t.memory.Free()
	if t.generator != nil {
		err = errors.Join(err, t.generator.Close())
	}
	return err
}

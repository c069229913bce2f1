//go:build cuda

package kernels

import (
	"context"
	"errors"
	"slices"
	"testing"

	"graph500/engine"
	"graph500/kronecker"
)

// officialSpec is the Kronecker graph of edge factor 16 and the usual seeds.
func officialSpec(scale int) kronecker.Spec {
	return kronecker.Spec{Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3}
}

// TestTuples goes through generated tuples twice, for all kinds of room.
func TestTuples(t *testing.T) {
	d := testDevice(t)
	const scale, count = 7, 16 << 7
	want := officialTuples(scale)
	for _, room := range []uint64{1, 2, 3, 1000, count/2 - 1, count / 2, count - 1, count, count + 1, 1 << 40} {
		tuples, err := NewTuples(d, officialSpec(scale), room)
		if err != nil {
			t.Fatal(err)
		}
		if err := tuples.memory.Fill(poison); err != nil {
			t.Fatal(err)
		}
		if tuples.Len() != count || tuples.Whole() != (room >= count) || tuples.memory.Len() != int(min(room, count)) {
			t.Fatalf("room for %d: %d tuples, %d in memory", room, tuples.Len(), tuples.memory.Len())
		}
		made := uint64(0)
		if err := tuples.Make(t.Context(), func(done uint64) {
			if done <= made {
				t.Errorf("room for %d: %d made, after %d", room, done, made)
			}
			made = done
		}); err != nil || made != count {
			t.Fatalf("room for %d: %d made, %v", room, made, err)
		}
		for range 2 {
			var got []engine.Edge
			if err := tuples.Each(t.Context(), func(part *Array[engine.Edge], count int, first uint64) error {
				if first != uint64(len(got)) {
					t.Fatalf("room for %d: tuple %d after %d", room, first, len(got))
				}
				host := make([]engine.Edge, count)
				err := part.Read(0, host)
				got = append(got, host...)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("room for %d: other tuples", room)
			}
			if !tuples.Whole() {
				if err := tuples.memory.Fill(poison); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := tuples.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestTuplesHeld goes through tuples of an array, and through none.
func TestTuplesHeld(t *testing.T) {
	d := testDevice(t)
	for _, want := range [][]engine.Edge{nil, {{U: 1, V: 2}, {U: 3, V: 3}}} {
		array, err := Alloc[engine.Edge](d, "tuples", len(want))
		if err != nil {
			t.Fatal(err)
		}
		if err := array.Write(0, want); err != nil {
			t.Fatal(err)
		}
		tuples := HoldTuples(array)
		var got []engine.Edge
		if err := tuples.Each(t.Context(), func(part *Array[engine.Edge], count int, first uint64) error {
			got = testHost(t, part)[:count]
			return nil
		}); err != nil || !slices.Equal(got, want) || tuples.Len() != uint64(len(want)) || !tuples.Whole() {
			t.Errorf("%v, want %v (%v)", got, want, err)
		}
		if err := errors.Join(tuples.Close(), tuples.Close()); err != nil {
			t.Error(err)
		}
	}
	var none *Tuples
	if err := none.Close(); err != nil {
		t.Error(err)
	}
}

// TestTuplesStop ends the context after the third part, and refuses the third.
func TestTuplesStop(t *testing.T) {
	d := testDevice(t)
	tuples, err := NewTuples(d, officialSpec(7), 100)
	if err != nil {
		t.Fatal(err)
	}
	defer tuples.Close()
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	parts := 0
	if err := tuples.Each(ctx, func(*Array[engine.Edge], int, uint64) error {
		if parts++; parts == 3 {
			cancel(stop)
		}
		return nil
	}); err != stop || parts != 3 {
		t.Errorf("%v after %d parts", err, parts)
	}
	if err := tuples.Make(ctx, func(uint64) { t.Error("made") }); err != stop {
		t.Error(err)
	}
	if err := tuples.Each(t.Context(), func(*Array[engine.Edge], int, uint64) error {
		if parts--; parts == 0 {
			return stop
		}
		return nil
	}); err != stop || parts != 0 {
		t.Errorf("%v, %d parts too many", err, parts)
	}
}

func TestTuplesOutOfMemory(t *testing.T) {
	d := testDevice(t)
	free, _, err := d.Memory()
	if err != nil {
		t.Fatal(err)
	}
	var full *MemoryError
	if _, err := NewTuples(d, kronecker.Spec{Scale: 30, EdgeFactor: 1 << 20, Seed1: 2, Seed2: 3}, free); !errors.As(err, &full) {
		t.Error(err)
	}
	after, _, err := d.Memory()
	if err != nil || after < free-1<<24 {
		t.Errorf("%d bytes are free after %d, %v", after, free, err)
	}
}

//go:build cuda

package generate

import (
	"context"
	"errors"
	"slices"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kronecker"
)

// checkTaken compares what was taken of the arena with what is said to be.
func checkTaken(t *testing.T, taken uint64, plan []engine.Allocation) {
	t.Helper()
	if want := engine.Peak(plan, engine.DeviceMemory); taken != want {
		t.Errorf("%d bytes were taken, the plan says %d", taken, want)
	}
}

// TestTuples goes through generated tuples twice, for all kinds of room.
func TestTuples(t *testing.T) {
	d := devicetest.Open(t)
	const scale, count = 7, 16 << 7
	want := devicetest.OfficialTuples(scale)
	for _, room := range []uint64{1, 2, 3, 1000, count/2 - 1, count / 2, count - 1, count, count + 1, 1 << 40} {
		free := d.Free()
		tuples, err := New(d, devicetest.Official(scale), room)
		if err != nil {
			t.Fatal(err)
		}
		checkTaken(t, free-d.Free(), Plan(count, room, false))
		if err := tuples.memory.Fill(devicetest.Poison); err != nil {
			t.Fatal(err)
		}
		if tuples.Len() != count || tuples.Whole() != (room >= count) || tuples.memory.Len() != int(min(room, count)) || tuples.Scale() != scale {
			t.Fatalf("room for %d: %d tuples of scale %d, %d in memory", room, tuples.Len(), tuples.Scale(), tuples.memory.Len())
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
			if err := tuples.Each(t.Context(), func(part device.Array[engine.Edge], count int, first uint64) error {
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
				if err := tuples.memory.Fill(devicetest.Poison); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := tuples.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestTuplesFromElsewhere goes through tuples of the host, and through none.
func TestTuplesFromElsewhere(t *testing.T) {
	d := devicetest.Open(t)
	for _, want := range [][]engine.Edge{nil, {{U: 1, V: 2}, {U: 3, V: 3}}} {
		free := d.Free()
		tuples, err := From(d, want)
		if err != nil {
			t.Fatal(err)
		}
		count := uint64(len(want))
		checkTaken(t, free-d.Free(), Plan(count, count, true))
		var got []engine.Edge
		if err := tuples.Each(t.Context(), func(part device.Array[engine.Edge], count int, first uint64) error {
			got = devicetest.Host(t, part)[:count]
			return nil
		}); err != nil || !slices.Equal(got, want) || tuples.Len() != count || !tuples.Whole() || tuples.Scale() != 0 {
			t.Errorf("%v, want %v (%v)", got, want, err)
		}
		for i, e := range want {
			if got, err := tuples.At(uint64(i)); err != nil || got != e {
				t.Errorf("tuple %d is %v, want %v (%v)", i, got, e, err)
			}
		}
		if _, err := tuples.At(count); err == nil {
			t.Error("a tuple beyond the last one")
		}
		if err := errors.Join(tuples.Close(), tuples.Close()); err != nil || d.Free() != free {
			t.Errorf("%d bytes are free after %d, %v", d.Free(), free, err)
		}
	}
	var none *Tuples
	if err := none.Close(); err != nil {
		t.Error(err)
	}
}

// TestTuplesStop ends the context after the third part, and refuses the third.
func TestTuplesStop(t *testing.T) {
	d := devicetest.Open(t)
	tuples, err := New(d, devicetest.Official(7), 100)
	if err != nil {
		t.Fatal(err)
	}
	defer devicetest.Close(t, tuples)
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	parts := 0
	if err := tuples.Each(ctx, func(device.Array[engine.Edge], int, uint64) error {
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
	if err := tuples.Each(t.Context(), func(device.Array[engine.Edge], int, uint64) error {
		if parts--; parts == 0 {
			return stop
		}
		return nil
	}); err != stop || parts != 0 {
		t.Errorf("%v, %d parts too many", err, parts)
	}
}

// TestTuplesOutOfMemory asks for more than there is: of tuples, of what the
// generator needs beside them, and of a generator that cannot be.
func TestTuplesOutOfMemory(t *testing.T) {
	d := devicetest.OpenWith(t, device.Options{})
	const size = 1 << 20
	if err := d.Reserve(size); err != nil {
		t.Fatal(err)
	}
	spec := kronecker.Spec{Scale: 30, EdgeFactor: 1 << 20, Seed1: 2, Seed2: 3}
	for room, name := range map[uint64]string{
		size/8 + 1: "tuples, a part at a time",
		size / 8:   "streams of the generator",
	} {
		var full *device.MemoryError
		if _, err := New(d, spec, room); !errors.As(err, &full) || full.Name != name {
			t.Errorf("room for %d: %v", room, err)
		}
	}
	spec.Scale = 33
	if _, err := New(d, spec, 1); err == nil {
		t.Error("tuples of scale 33")
	}
	var full *device.MemoryError
	if _, err := From(d, make([]engine.Edge, size/8+1)); !errors.As(err, &full) {
		t.Error(err)
	}
	if d.Free() != size {
		t.Errorf("%d bytes are free of %d", d.Free(), size)
	}
}

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

// checkMemory compares the used bytes of the arena with a plan.
func checkMemory(t *testing.T, used uint64, plan []engine.Allocation) {
	t.Helper()
	if want := engine.Peak(plan, engine.DeviceMemory); used != want {
		t.Errorf("%d bytes are used, %d planned", used, want)
	}
}

// TestTuples passes over generated tuples twice, with several capacities.
func TestTuples(t *testing.T) {
	d := devicetest.Open(t)
	const scale, count = 7, 16 << 7
	want := devicetest.OfficialTuples(scale)
	for _, capacity := range []uint64{1, 2, 3, 1000, count/2 - 1, count / 2, count - 1, count, count + 1, 1 << 40} {
		free := d.Free()
		tuples, err := New(d, devicetest.Official(scale), capacity)
		if err != nil {
			t.Fatal(err)
		}
		checkMemory(t, free-d.Free(), Plan(count, capacity, false))
		if err := tuples.memory.Fill(devicetest.Poison); err != nil {
			t.Fatal(err)
		}
		if tuples.Len() != count || tuples.Whole() != (capacity >= count) || tuples.memory.Len() != int(min(capacity, count)) || tuples.Scale() != scale {
			t.Fatalf("capacity %d: %d tuples of scale %d, %d in memory", capacity, tuples.Len(), tuples.Scale(), tuples.memory.Len())
		}
		generated := uint64(0)
		if err := tuples.Make(t.Context(), func(done uint64) {
			if done <= generated {
				t.Errorf("capacity %d: %d generated, after %d", capacity, done, generated)
			}
			generated = done
		}); err != nil || generated != count {
			t.Fatalf("capacity %d: %d generated, %v", capacity, generated, err)
		}
		for range 2 {
			var got []engine.Edge
			if err := tuples.Each(t.Context(), func(part device.Array[engine.Edge], count int, first uint64) error {
				if first != uint64(len(got)) {
					t.Fatalf("capacity %d: tuple %d after %d", capacity, first, len(got))
				}
				host := make([]engine.Edge, count)
				err := part.Read(0, host)
				got = append(got, host...)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("capacity %d: other tuples", capacity)
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

// TestLoadedTuples passes over loaded tuples, and over an empty list.
func TestLoadedTuples(t *testing.T) {
	d := devicetest.Open(t)
	for _, want := range [][]engine.Edge{nil, {{U: 1, V: 2}, {U: 3, V: 3}}} {
		free := d.Free()
		tuples, err := From(d, want)
		if err != nil {
			t.Fatal(err)
		}
		count := uint64(len(want))
		checkMemory(t, free-d.Free(), Plan(count, count, true))
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

// TestTuplesStop ends the context after the third part, then returns an error for the
// third part.
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
	if err := tuples.Make(ctx, func(uint64) { t.Error("generated") }); err != stop {
		t.Error(err)
	}
	if err := tuples.Each(t.Context(), func(device.Array[engine.Edge], int, uint64) error {
		if parts--; parts == 0 {
			return stop
		}
		return nil
	}); err != stop || parts != 0 {
		t.Errorf("%v, %d parts left", err, parts)
	}
}

// TestTuplesOutOfMemory runs out of memory for the tuples and for the generator's
// tables, and fails to prepare a generator.
func TestTuplesOutOfMemory(t *testing.T) {
	d := devicetest.OpenWith(t, device.Options{})
	const size = 1 << 20
	if err := d.Reserve(size); err != nil {
		t.Fatal(err)
	}
	spec := kronecker.Spec{Scale: 30, EdgeFactor: 1 << 20, Seed1: 2, Seed2: 3}
	for capacity, name := range map[uint64]string{
		size/8 + 1: "tuples, a part at a time",
		size / 8:   "streams of the generator",
	} {
		var full *device.MemoryError
		if _, err := New(d, spec, capacity); !errors.As(err, &full) || full.Name != name {
			t.Errorf("capacity %d: %v", capacity, err)
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

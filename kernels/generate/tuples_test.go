//go:build cuda

package generate

import (
	"context"
	"errors"
	"math"
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

// collect passes over the tuples and returns copies of all parts.
func collect(t *testing.T, tuples *Tuples) (got engine.Tuples) {
	t.Helper()
	if err := tuples.Each(t.Context(), func(part Part) error {
		if part.First != uint64(len(got.Edges)) {
			t.Fatalf("tuple %d after %d", part.First, len(got.Edges))
		}
		got.Edges = append(got.Edges, devicetest.First(t, part.Edges, part.Count)...)
		if tuples.Weighted() {
			got.Weights = append(got.Weights, devicetest.First(t, part.Weights, part.Count)...)
		} else if part.Weights.Len() > 0 {
			t.Errorf("%d weights of tuples without weights", part.Weights.Len())
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return got
}

// sameTuples reports whether two lists have the same tuples with the same weights, bit
// for bit.
func sameTuples(a, b engine.Tuples) bool {
	return slices.Equal(a.Edges, b.Edges) && slices.EqualFunc(a.Weights, b.Weights, func(x, y float32) bool {
		return math.Float32bits(x) == math.Float32bits(y)
	})
}

// TestTuples passes over generated tuples twice, with several capacities.
func TestTuples(t *testing.T) {
	d := devicetest.Open(t)
	const scale, count = 7, 16 << 7
	want := engine.Tuples{Edges: devicetest.OfficialTuples(scale), Weights: make([]float32, count)}
	kronecker.New(devicetest.Official(scale)).Weights(want.Weights, 0)
	for _, capacity := range []uint64{1, 2, 3, 1000, count/2 - 1, count / 2, count - 1, count, count + 1, 1 << 40} {
		checkGenerated(t, d, scale, capacity, engine.Tuples{Edges: want.Edges})
		checkGenerated(t, d, scale, capacity, want)
	}
}

// checkGenerated compares the tuples of an official graph with those of the host, which
// have weights or not.
func checkGenerated(t *testing.T, d *device.Device, scale int, capacity uint64, want engine.Tuples) {
	t.Helper()
	count, weighted := uint64(len(want.Edges)), want.Weights != nil
	free := d.Free()
	tuples, err := New(d, devicetest.Official(scale), capacity, weighted)
	if err != nil {
		t.Fatal(err)
	}
	checkMemory(t, free-d.Free(), Plan(count, capacity, false, weighted))
	poison := func() {
		if err := errors.Join(tuples.edges.Fill(devicetest.Poison), tuples.weights.Fill(devicetest.Poison)); err != nil {
			t.Fatal(err)
		}
	}
	poison()
	if tuples.Len() != count || tuples.Whole() != (capacity >= count) || tuples.edges.Len() != int(min(capacity, count)) || tuples.Scale() != scale || tuples.Weighted() != weighted {
		t.Fatalf("capacity %d: %d tuples of scale %d, %d in memory", capacity, tuples.Len(), tuples.Scale(), tuples.edges.Len())
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
		if got := collect(t, tuples); !sameTuples(got, want) {
			t.Fatalf("capacity %d: other tuples", capacity)
		}
		if !tuples.Whole() {
			poison()
		}
	}
	devicetest.Close(t, tuples)
	if d.Free() != free {
		t.Errorf("%d bytes are free after %d", d.Free(), free)
	}
}

// TestLoadedTuples passes over loaded tuples, and over an empty list.
func TestLoadedTuples(t *testing.T) {
	d := devicetest.Open(t)
	edges := []engine.Edge{{U: 1, V: 2}, {U: 3, V: 3}}
	for _, want := range []engine.Tuples{{}, {Edges: edges}, {Edges: edges, Weights: []float32{0.25, 1e30}}, {Weights: []float32{}}} {
		free := d.Free()
		tuples, err := From(d, want)
		if err != nil {
			t.Fatal(err)
		}
		count := uint64(len(want.Edges))
		checkMemory(t, free-d.Free(), Plan(count, count, true, want.Weights != nil))
		if got := collect(t, tuples); !sameTuples(got, want) || tuples.Len() != count || !tuples.Whole() || tuples.Scale() != 0 || tuples.Weighted() != (want.Weights != nil) {
			t.Errorf("%v, want %v", got, want)
		}
		for i, e := range want.Edges {
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
	if _, err := From(d, engine.Tuples{Edges: edges, Weights: []float32{1}}); err == nil {
		t.Error("one weight for two tuples")
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
	tuples, err := New(d, devicetest.Official(7), 100, true)
	if err != nil {
		t.Fatal(err)
	}
	defer devicetest.Close(t, tuples)
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	parts := 0
	if err := tuples.Each(ctx, func(Part) error {
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
	if err := tuples.Each(t.Context(), func(Part) error {
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
		size/8 + 1:            "tuples, a part at a time",
		size / 8:              "weights, a part at a time",
		size / 12 / 512 * 512: "streams of the generator",
	} {
		var full *device.MemoryError
		if _, err := New(d, spec, capacity, true); !errors.As(err, &full) || full.Name != name {
			t.Errorf("capacity %d: %v", capacity, err)
		}
	}
	spec.Scale = 33
	if _, err := New(d, spec, 1, false); err == nil {
		t.Error("tuples of scale 33")
	}
	var full *device.MemoryError
	if _, err := From(d, engine.Tuples{Edges: make([]engine.Edge, size/8+1)}); !errors.As(err, &full) {
		t.Error(err)
	}
	if d.Free() != size {
		t.Errorf("%d bytes are free of %d", d.Free(), size)
	}
}

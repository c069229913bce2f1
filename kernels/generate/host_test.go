//go:build cuda

package generate

import (
	"context"
	"errors"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/memory"
)

// ownedTuples returns a copy of tuples that FromHost may take over.
func ownedTuples(t *testing.T, of engine.Tuples) (own engine.Tuples) {
	t.Helper()
	var err error
	if own.Edges, err = memory.Alloc[engine.Edge](len(of.Edges)); err != nil {
		t.Fatal(err)
	}
	copy(own.Edges, of.Edges)
	if of.Weights != nil {
		if own.Weights, err = memory.Alloc[float32](len(of.Weights)); err != nil {
			t.Fatal(err)
		}
		copy(own.Weights, of.Weights)
	}
	return own
}

// numbered returns n different tuples.
func numbered(n int, weighted bool) (t engine.Tuples) {
	for i := range n {
		t.Edges = append(t.Edges, engine.Edge{U: engine.Local(i), V: engine.Local(2 * i)})
		if weighted {
			t.Weights = append(t.Weights, float32(i)/7)
		}
	}
	return t
}

// TestHostTuples passes twice over tuples in the host's memory, page-locked in pieces, with
// several capacities.
func TestHostTuples(t *testing.T) {
	d := devicetest.OpenWith(t, device.Options{Separate: true, LockPiece: 1 << 12})
	const count = 3000
	for _, capacity := range []uint64{1, 2, 3, 999, count - 1, count, 2 * count, 3 * count} {
		for _, weighted := range []bool{false, true} {
			checkOnHost(t, d, capacity, numbered(count, weighted), engine.PageLocked)
		}
	}
	checkOnHost(t, d, 100, numbered(1, true), engine.PageLocked)
}

func TestPageableTuples(t *testing.T) {
	d := devicetest.OpenWith(t, device.Options{Separate: true, Pageable: true})
	checkOnHost(t, d, 700, numbered(3000, true), engine.Pageable)
	checkOnHost(t, d, 700, numbered(3000, false), engine.Pageable)
}

// checkOnHost compares tuples in a kind of the host's memory with what they are made of.
func checkOnHost(t *testing.T, d *device.Device, capacity uint64, want engine.Tuples, kind engine.HostMemoryKind) {
	t.Helper()
	list, free := ownedTuples(t, want), d.Free()
	tuples, err := FromHost(t.Context(), d, list, capacity)
	if err != nil {
		t.Fatal(err)
	}
	count := uint64(len(want.Edges))
	if capacity < count {
		checkMemory(t, free-d.Free(), Plan(count, capacity, true, want.Weights != nil))
	}
	if tuples.Len() != count || tuples.Whole() || tuples.Scale() != 0 || tuples.HostMemory() != kind || tuples.Weighted() != (want.Weights != nil) {
		t.Errorf("%d tuples, %q", tuples.Len(), tuples.HostMemory())
	}
	for range 2 {
		if got := collect(t, tuples); !sameTuples(got, want) {
			t.Fatalf("capacity %d: other tuples", capacity)
		}
	}
	last := count - 1
	if e, err := tuples.At(last); err != nil || e != want.Edges[last] {
		t.Errorf("%v, %v", e, err)
	}
	if _, err := tuples.At(count); err == nil {
		t.Error("a tuple beyond the last one")
	}
	if err := errors.Join(tuples.Close(), tuples.Close()); err != nil || d.Free() != free {
		t.Errorf("%d bytes are free after %d, %v", d.Free(), free, err)
	}
}

// TestHostTuplesEnd ends the context before and during a pass, and runs out of memory.
func TestHostTuplesEnd(t *testing.T) {
	d := devicetest.Open(t)
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	tuples, err := FromHost(ctx, d, ownedTuples(t, numbered(100, true)), 10)
	if err != nil {
		t.Fatal(err)
	}
	parts := 0
	if err := tuples.Each(ctx, func(Part) error {
		if parts++; parts == 3 {
			cancel(stop)
		}
		return nil
	}); err != stop || parts != 3 {
		t.Errorf("%v after %d parts", err, parts)
	}
	devicetest.Close(t, tuples)
	if _, err := FromHost(ctx, d, ownedTuples(t, numbered(100, true)), 10); !errors.Is(err, stop) {
		t.Error(err)
	}
	var full *device.MemoryError
	if _, err := FromHost(t.Context(), d, ownedTuples(t, numbered(100, true)), 1<<40); !errors.As(err, &full) {
		t.Error(err)
	}
	uneven := ownedTuples(t, numbered(100, true))
	uneven.Weights = uneven.Weights[:99]
	if _, err := FromHost(t.Context(), d, uneven, 10); err == nil {
		t.Error("99 weights for 100 tuples")
	}
}

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

// owned returns a copy of a list that New may take over.
func owned[T any](t *testing.T, of []T) []T {
	t.Helper()
	own, err := memory.Alloc[T](len(of))
	if err != nil {
		t.Fatal(err)
	}
	copy(own, of)
	return own
}

// ownedTuples returns a copy of tuples that New may take over, with labels of 48 bits if wide.
func ownedTuples(t *testing.T, of engine.Tuples, wide bool) (own engine.Tuples) {
	t.Helper()
	if wide {
		own.Wide = owned(t, widened(of.Edges))
	} else {
		own.Edges = owned(t, of.Edges)
	}
	own.Weights = owned(t, of.Weights)
	return own
}

// TestHostTuples passes over tuples in the host's memory, page-locked in pieces or pageable, with
// several capacities.
func TestHostTuples(t *testing.T) {
	const count = 1000
	eachForm(t, func(t *testing.T, form Config) {
		for kind, options := range map[engine.HostMemoryKind]device.Options{
			engine.PageLocked: {Separate: true, LockPiece: 1 << 12},
			engine.Pageable:   {Separate: true, Pageable: true},
		} {
			d, list := devicetest.OpenWith(t, options), numbered(10+count, form)
			c := Config{First: 10, Count: count, Weighted: form.Weighted, Wide: form.Wide, Loaded: true}
			for _, c.Capacity = range []uint64{1, 2, 3, 333, count - 1} {
				free := d.Free()
				tuples := made(t, d, c, Source{Loaded: ownedTuples(t, cut(list, 10, count), form.Wide)})
				if tuples.Scale() != 0 || tuples.HostMemory() != kind {
					t.Errorf("tuples of scale %d in %q", tuples.Scale(), tuples.HostMemory())
				}
				checkPasses(t, tuples, list, 0)
				checkAt(t, tuples, list)
				checkClosed(t, d, tuples, free)
			}
		}
	})
}

// TestHostTuplesEnd ends the context before and during a pass, and runs out of memory.
func TestHostTuplesEnd(t *testing.T) {
	d := devicetest.Open(t)
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	list := numbered(100, Config{Weighted: true})
	c := ConfigOf(list, 0)
	c.Capacity = 10
	tuples, err := New(ctx, d, c, Source{Loaded: ownedTuples(t, list, false)})
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
	if _, err := New(ctx, d, c, Source{Loaded: ownedTuples(t, list, false)}); !errors.Is(err, stop) {
		t.Error(err)
	}
	var full *device.MemoryError
	small := devicetest.OpenWith(t, device.Options{})
	if err := small.Reserve(1 << 9); err != nil {
		t.Fatal(err)
	}
	if _, err := New(t.Context(), small, c, Source{Loaded: ownedTuples(t, list, false)}); !errors.As(err, &full) {
		t.Error(err)
	}
}

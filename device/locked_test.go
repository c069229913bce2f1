//go:build cuda

package device

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"graph500/memory"
)

const lockPieceOfTests = 1 << 12

// lockingDevice returns a device that page-locks small pieces.
func lockingDevice(t *testing.T) *Device {
	t.Helper()
	return testDeviceWith(t, Options{LockPiece: lockPieceOfTests}, 1<<20)
}

// hostWords returns memory of the host for n numbered words.
func hostWords(t *testing.T, n int) []uint32 {
	t.Helper()
	host, err := memory.Alloc[uint32](n)
	if err != nil {
		t.Fatal(err)
	}
	for i := range host {
		host[i] = uint32(i)
	}
	return host
}

// checkUploads copies parts of an array of numbered words to the device.
func checkUploads(t *testing.T, d *Device, from *HostArray[uint32]) {
	t.Helper()
	u, err := d.NewUploads(2)
	if err != nil {
		t.Fatal(err)
	}
	n := len(from.Host())
	for _, part := range [][2]int{{0, n}, {1, n - 1}, {1023, 2}, {1024, 1024}, {n - 1, 1}, {5, 0}} {
		var to Array[uint32]
		held, err := d.Borrow(Group{Arrays: []Declared{Of(&to, "copy", uint64(n))}})
		if err != nil {
			t.Fatal(err)
		}
		got := make([]uint32, part[1])
		if err := errors.Join(Upload(u, 0, to, 0, from, part[0], part[1]), to.Read(0, got), held.Free()); err != nil {
			t.Fatalf("%d words from %d: %v", part[1], part[0], err)
		}
		for i, v := range got {
			if v != uint32(part[0]+i) {
				t.Fatalf("word %d is %d", part[0]+i, v)
			}
		}
	}
	if err := u.Close(); err != nil {
		t.Error(err)
	}
}

// Memory of several pieces is one array, in both memories.
func TestLocked(t *testing.T) {
	d := lockingDevice(t)
	const n = 2*lockPieceOfTests/4 + 100
	var pieces []int
	a, err := Locked[uint32](t.Context(), d, n, Locking{Near: true, Advance: func(bytes int) { pieces = append(pieces, bytes) }})
	if err != nil || !slices.Equal(pieces, []int{lockPieceOfTests, lockPieceOfTests, 400}) {
		t.Fatalf("pieces %d, %v", pieces, err)
	}
	for i := range a.Host() {
		a.Host()[i] = uint32(i)
	}
	if !a.IsLocked() || len(a.Host()) != n || a.Address() == 0 {
		t.Errorf("%d words at %#x", len(a.Host()), a.Address())
	}
	checkUploads(t, d, a)
	if err := errors.Join(a.Free(), a.Free()); err != nil || a.Host() != nil || a.Address() != 0 {
		t.Error(err)
	}
	if _, err := Locked[uint32](t.Context(), d, 0, Locking{Near: true}); err == nil {
		t.Error("memory of no elements")
	}
}

// Memory that exists is page-locked as it is.
func TestLock(t *testing.T) {
	d := lockingDevice(t)
	for _, n := range []int{2*lockPieceOfTests/4 + 100, 2048, 0} {
		a, err := Lock(t.Context(), d, hostWords(t, n))
		if err != nil {
			t.Fatal(err)
		}
		if !a.IsLocked() || len(a.Host()) != n {
			t.Errorf("%d words are not page-locked", n)
		}
		if n > 0 {
			checkUploads(t, d, a)
		}
		if err := a.Free(); err != nil {
			t.Error(err)
		}
	}
}

// endingContext ends when it was asked some times.
type endingContext struct {
	context.Context
	left int
}

var errEnded = errors.New("the context has ended")

func (c *endingContext) Err() error {
	if c.left--; c.left < 0 {
		return errEnded
	}
	return nil
}

func (*endingContext) Value(any) any                   { return nil }
func (*endingContext) Deadline() (_ time.Time, _ bool) { return }

// If the context ends between two pieces, none stays page-locked.
func TestLockEnds(t *testing.T) {
	d := lockingDevice(t)
	host := hostWords(t, 3*lockPieceOfTests/4)
	for pieces := range 3 {
		if err := d.lock(&endingContext{t.Context(), pieces}, bytesOf(host), false, nil); !errors.Is(err, errEnded) {
			t.Errorf("after %d pieces: %v", pieces, err)
		}
		if _, err := Lock(&endingContext{t.Context(), pieces}, d, hostWords(t, len(host))); !errors.Is(err, errEnded) {
			t.Errorf("after %d pieces: %v", pieces, err)
		}
		if _, err := Locked[uint32](&endingContext{t.Context(), pieces}, d, len(host), Locking{Near: true}); !errors.Is(err, errEnded) {
			t.Errorf("after %d pieces: %v", pieces, err)
		}
	}
	a, err := Lock(t.Context(), d, host)
	if err != nil || !a.IsLocked() {
		t.Fatalf("some of it is still page-locked, %v", err)
	}
	if err := a.Free(); err != nil {
		t.Error(err)
	}
}

// Memory that the driver refuses to page-lock, here because it is already, stays as it was.
func TestLockRefused(t *testing.T) {
	d := lockingDevice(t)
	const words = lockPieceOfTests / 4
	host := hostWords(t, 3*words)
	last := bytesOf(host[2*words:])
	if err := d.lock(t.Context(), last, false, nil); err != nil {
		t.Fatal(err)
	}
	if err := d.lock(t.Context(), bytesOf(host), true, nil); err == nil || strings.Contains(err.Error(), "\n") ||
		!strings.HasPrefix(err.Error(), "cuMemHostRegister of 12.0 KiB of host memory, 4.0 KiB of it left to page-lock") {
		t.Error(err)
	}
	a, err := Lock(t.Context(), d, host)
	if err != nil {
		t.Fatal(err)
	}
	if a.IsLocked() || a.Address() != 0 || len(a.Host()) != len(host) {
		t.Error("it is page-locked")
	}
	first := bytesOf(host[:2*words])
	if err := errors.Join(d.lock(t.Context(), first, false, nil), d.unlock(first), d.unlock(last), a.Free()); err != nil {
		t.Error(err)
	}
}

// More memory than the host has is not touched.
func TestLockedBeyondMemory(t *testing.T) {
	d := lockingDevice(t)
	a, err := Locked[byte](t.Context(), d, 1<<44, Locking{Near: true})
	if err == nil {
		t.Fatal(errors.Join(errors.New("16 TiB are page-locked"), a.Free()))
	}
	if text := err.Error(); strings.Contains(text, "\n") || !strings.Contains(text, "16.0 TiB") {
		t.Error(text)
	}
	if _, err := Locked[byte](t.Context(), d, math.MaxInt, Locking{}); err == nil {
		t.Error("all addresses are page-locked")
	}
}

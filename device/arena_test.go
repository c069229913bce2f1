//go:build cuda

package device

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"graph500/engine"
)

// three has arrays of odd sizes.
type three struct {
	a Array[byte]
	b Array[uint32]
	c Array[[3]uint64]
}

func (x *three) group(n uint64) Group {
	return Group{Alive: engine.Search, Arrays: []Declared{Of(&x.a, "a", n), Of(&x.b, "b", 2*n), Of(&x.c, "c", 0)}}
}

// Plan and Bytes equal the bytes that the arena hands out.
func TestGroup(t *testing.T) {
	for _, separate := range []bool{false, true} {
		d := testDeviceWith(t, Options{Separate: separate}, 1<<20)
		var x, y, z three
		want := []engine.Allocation{
			{Name: "a", Bytes: 1024, Phase: engine.Search, Place: engine.DeviceMemory},
			{Name: "b", Bytes: 4608, Phase: engine.Search, Place: engine.DeviceMemory},
		}
		if got := x.group(513).Plan(); !slices.Equal(got, want) || x.group(513).Bytes() != 5632 {
			t.Errorf("%+v", got)
		}
		low, err := d.Take(x.group(513))
		if err != nil {
			t.Fatal(err)
		}
		high, err := d.Borrow(y.group(513))
		if err != nil {
			t.Fatal(err)
		}
		last, err := d.Take(z.group(1))
		if err != nil {
			t.Fatal(err)
		}
		if x.a.Len() != 513 || x.b.Len() != 1026 || x.c.Len() != 0 || x.c.Address() != 0 || x.b.Address()%256 != 0 {
			t.Errorf("%+v", x)
		}
		if d.Reserved() != 1<<20 || d.Free() != 1<<20-2*5632-1024 || d.Peak() != 2*5632+1024 {
			t.Errorf("%d of %d bytes are free, the peak is %d", d.Free(), d.Reserved(), d.Peak())
		}
		// The arrays do not overlap.
		arrays := []Array[byte]{x.a, y.a, z.a}
		for i, a := range arrays {
			if err := errors.Join(a.Fill(byte(i)), x.b.Fill(0xB0), y.b.Fill(0xB1), z.b.Fill(0xB2)); err != nil {
				t.Fatal(err)
			}
		}
		for i, a := range arrays {
			if got := testHost(t, a); slices.ContainsFunc(got, func(b byte) bool { return b != byte(i) }) {
				t.Errorf("array %d is overwritten", i)
			}
		}
		if err := low.Free(); err == nil || !strings.Contains(err.Error(), "a: arrays must be freed in the reverse order") {
			t.Errorf("freed too early: %v", err)
		}
		for _, held := range []*Held{high, last, low} {
			if err := errors.Join(held.Free(), held.Free()); err != nil {
				t.Error(err)
			}
		}
		if x.a.Len() != 0 || x.b.Address() != 0 || d.Free() != d.Reserved() || d.Peak() != 2*5632+1024 {
			t.Errorf("%+v, %d of %d bytes are free", x, d.Free(), d.Reserved())
		}
		var none *Held
		if err := none.Free(); err != nil {
			t.Error(err)
		}
	}
}

// The order of Free also applies to empty groups.
func TestEmptyGroup(t *testing.T) {
	d := testDeviceWith(t, Options{}, 4096)
	var x three
	a, err := d.Take(x.group(1))
	if err != nil {
		t.Fatal(err)
	}
	empty, err := d.Take(Group{})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Free(); err != nil {
		t.Error(err)
	}
	if err := empty.Free(); err == nil {
		t.Error("freed too late")
	}
	if d.Free() != d.Reserved() {
		t.Errorf("%d of %d bytes are free", d.Free(), d.Reserved())
	}
}

func TestArenaIsFull(t *testing.T) {
	d := testDeviceWith(t, Options{}, 6144)
	var x, y three
	held, err := d.Take(x.group(512)) // 512 and 4096 bytes
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Borrow(y.group(200)) // 512 and 2048 bytes
	var e *MemoryError
	if !errors.As(err, &e) || *e != (MemoryError{Name: "b", Needed: 2048, Available: 1024, Reserved: 6144}) {
		t.Errorf("%v", err)
	}
	if y.a.Len() != 0 || y.b.Len() != 0 || d.Free() != 1536 {
		t.Errorf("a part of a group stays allocated: %+v, %d bytes are free", y, d.Free())
	}
	if err := held.Free(); err != nil {
		t.Error(err)
	}
	if held, err = d.Take(y.group(200)); err != nil || d.Free() != 6144-512-2048 {
		t.Errorf("%d bytes are free, %v", d.Free(), err)
	}
	if err := held.Free(); err != nil {
		t.Error(err)
	}
}

// Reserve allocates one piece of memory of the given size from the driver.
func TestReserve(t *testing.T) {
	d := testDeviceWith(t, Options{}, 0)
	before, total, err := d.Memory()
	if err != nil {
		t.Fatal(err)
	}
	var full *MemoryError
	if err := d.Reserve(total + 1); !errors.As(err, &full) || full.Reserved != 0 || !strings.HasPrefix(err.Error(), "out of GPU memory: the arena needs ") {
		t.Errorf("more than the device's memory: %v", err)
	}
	const bytes = 64 << 20
	other := testDeviceWith(t, Options{}, bytes)
	after, _, err := d.Memory()
	if allocated := before - after; err != nil || allocated < bytes {
		t.Errorf("%d bytes are allocated, %v", allocated, err)
	}
	if err := other.Reserve(bytes); err == nil {
		t.Error("reserved twice")
	}
	if err := other.Reserve(0); err == nil {
		t.Error("reserved twice")
	}
}

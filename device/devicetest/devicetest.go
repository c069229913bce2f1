//go:build cuda

// Package devicetest is what tests of packages with kernels share: a device with
// memory, arrays full of poison, and the check of generated headers.
package devicetest

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"graph500/device"
	"graph500/device/driver"
	"graph500/engine"
	"graph500/kernels/header"
	"graph500/kronecker"
)

// Poison is every byte of arrays that a test makes.
const Poison = 0xA5

// spared is what tests leave of the device's memory to the driver.
const spared = 64 << 20

var update = flag.Bool("update", false, "write generated headers")

// Open opens GPU 0 for a test, with an allocation for each array, so that what
// checks accesses sees their ends; or skips the test where there is no GPU.
func Open(t testing.TB) *device.Device {
	t.Helper()
	return OpenWith(t, device.Options{Separate: true})
}

// OpenWith opens GPU 0 with options, and reserves nearly all of its memory if
// arrays are separate.
func OpenWith(t testing.TB, options device.Options) *device.Device {
	t.Helper()
	if err := driver.Load(); err != nil {
		t.Skip(err)
	}
	d, err := device.Open(0, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	if options.Separate {
		free, _, err := d.Memory()
		if err == nil {
			err = d.Reserve(free - min(free, spared))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// Array makes an array of n elements filled with poison, until the test ends.
func Array[T any](t testing.TB, d *device.Device, n int) device.Array[T] {
	t.Helper()
	a, free := Borrowed[T](t, d, n)
	t.Cleanup(free)
	return a
}

// Borrowed makes an array of n elements filled with poison.
func Borrowed[T any](t testing.TB, d *device.Device, n int) (a device.Array[T], free func()) {
	t.Helper()
	held, err := d.Borrow(device.Group{Alive: engine.Always, Arrays: []device.Declared{device.Of(&a, "test array", uint64(n))}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Fill(Poison); err != nil {
		t.Fatal(err)
	}
	return a, func() {
		t.Helper()
		if err := held.Free(); err != nil {
			t.Error(err)
		}
	}
}

// From makes an array with these elements, until the test ends.
func From[T any](t testing.TB, d *device.Device, elements []T) device.Array[T] {
	t.Helper()
	a := Array[T](t, d, len(elements))
	if err := a.Write(0, elements); err != nil {
		t.Fatal(err)
	}
	return a
}

// Host returns what an array holds.
func Host[T any](t testing.TB, a device.Array[T]) []T {
	t.Helper()
	host := make([]T, a.Len())
	if err := a.Read(0, host); err != nil {
		t.Fatal(err)
	}
	return host
}

// Dirty leaves poison in memory that is taken next.
func Dirty(t testing.TB, d *device.Device, bytes int) {
	t.Helper()
	_, free := Borrowed[byte](t, d, bytes)
	free()
}

// Close closes things in the opposite order.
func Close(t testing.TB, list ...interface{ Close() error }) {
	t.Helper()
	var errs []error
	for i := range list {
		errs = append(errs, list[len(list)-1-i].Close())
	}
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

// Sized returns the size of a test, or the one of -test.short, which is for the
// sanitizers and the emulated GPU.
func Sized[T any](full, short T) T {
	if testing.Short() {
		return short
	}
	return full
}

// Official is the Kronecker graph of edge factor 16 and the usual seeds.
func Official(scale int) kronecker.Spec {
	return kronecker.Spec{Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3}
}

// OfficialTuples makes its tuples on the host.
func OfficialTuples(scale int) []engine.Edge {
	spec := Official(scale)
	tuples := make([]engine.Edge, spec.Tuples())
	kronecker.New(spec).Edges(tuples, 0)
	return tuples
}

// Header checks that the header of a Go file, <name>.cuh beside <name>.go, is what
// header.Text makes of it; with -update it writes it.
func Header(t *testing.T, file string, constants []header.Constant, structs []header.Struct) {
	t.Helper()
	want, err := header.Text(file, constants, structs)
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("no sources here")
	}
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSuffix(file, filepath.Ext(file)) + ".cuh"
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != want {
		t.Errorf("%s is not what %s says: go test -tags cuda -run Layout -update, then make kernels (%v)", name, file, err)
	}
}

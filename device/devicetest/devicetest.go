//go:build cuda

// Package devicetest has helpers for tests of packages with kernels: a device with
// memory, arrays filled with poison, official and random tuples, and the check of
// generated headers.
package devicetest

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"graph500/cluster"
	"graph500/device"
	"graph500/device/driver"
	"graph500/engine"
	"graph500/kernels/header"
	"graph500/kronecker"
)

// Poison is the initial value of every byte of a test array.
const Poison = 0xA5

// driverBytes is the device memory that tests leave free for the driver.
const driverBytes = 64 << 20

var update = flag.Bool("update", false, "write generated headers")

// Open opens GPU 0 for a test, with a separate allocation for each array, so that a
// memory checker detects accesses beyond the end. Without a GPU it skips the test.
func Open(t testing.TB) *device.Device {
	t.Helper()
	return OpenWith(t, device.Options{Separate: true})
}

// OpenWith is Open with the given options. With Options.Separate it reserves nearly
// all device memory; otherwise the test calls Reserve.
func OpenWith(t testing.TB, options device.Options) *device.Device {
	t.Helper()
	if err := driver.Load(); err != nil {
		t.Skip(err)
	}
	return open(t, 0, options)
}

// OpenPeers opens the GPUs 0 to count-1 like Open and lets them access each other's memory.
// With fewer GPUs it skips the test.
func OpenPeers(t testing.TB, count int) (devices []*device.Device) {
	t.Helper()
	there, err := device.Count()
	if err != nil {
		t.Skip(err)
	}
	if there < count {
		t.Skipf("%d GPUs, the test needs %d", there, count)
	}
	for ordinal := range count {
		devices = append(devices, open(t, ordinal, device.Options{Separate: true}))
	}
	Team(t, devices)
	return devices
}

// EachPeers runs a test on OpenPeers of each count, in rising order. A short test runs once, on
// the largest count for which there are enough GPUs.
func EachPeers(t *testing.T, counts []int, test func(t *testing.T, devices []*device.Device)) {
	t.Helper()
	if testing.Short() {
		there, err := device.Count()
		if err != nil {
			t.Skip(err)
		}
		largest := 0
		for largest+1 < len(counts) && counts[largest+1] <= there {
			largest++
		}
		counts = counts[largest:][:1]
	}
	for _, count := range counts {
		t.Run(fmt.Sprintf("%d devices", count), func(t *testing.T) { test(t, OpenPeers(t, count)) })
	}
}

// Team returns a team of devices of this process.
func Team(t testing.TB, devices []*device.Device) *device.Team {
	t.Helper()
	team, err := device.NewTeam(t.Context(), cluster.Alone(), devices, device.PeerAccess)
	if err != nil {
		t.Fatal(err)
	}
	CloseTeam(t, team)
	return team
}

// CloseTeam closes a team when the test ends.
func CloseTeam(t testing.TB, team *device.Team) {
	t.Cleanup(func() {
		if err := team.Close(); err != nil {
			t.Error(err)
		}
	})
}

func open(t testing.TB, ordinal int, options device.Options) *device.Device {
	t.Helper()
	d, err := device.Open(ordinal, options)
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
			err = d.Reserve(free - min(free, driverBytes))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// Array allocates an array of n elements filled with poison, until the test ends.
func Array[T any](t testing.TB, d *device.Device, n int) device.Array[T] {
	t.Helper()
	a, free := Borrowed[T](t, d, n)
	t.Cleanup(free)
	return a
}

// Borrowed allocates an array of n elements filled with poison, until free is
// called.
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

// From allocates an array with a copy of the elements, until the test ends.
func From[T any](t testing.TB, d *device.Device, elements []T) device.Array[T] {
	t.Helper()
	a := Array[T](t, d, len(elements))
	if err := a.Write(0, elements); err != nil {
		t.Fatal(err)
	}
	return a
}

// Host returns a copy of the elements of an array.
func Host[T any](t testing.TB, a device.Array[T]) []T {
	t.Helper()
	return First(t, a, a.Len())
}

// First returns a copy of the first n elements of an array. The others may be undefined.
func First[T any](t testing.TB, a device.Array[T], n int) []T {
	t.Helper()
	host := make([]T, n)
	if err := a.Read(0, host); err != nil {
		t.Fatal(err)
	}
	return host
}

// Results are the results of searches on several devices.
type Results struct {
	Parents   []device.Array[engine.Label]
	Distances []device.Array[float32] // of SSSP
	held      []*device.Held
}

// NewResults allocates the results of searches of n vertices with a kernel, on each device.
func NewResults(t testing.TB, devices []*device.Device, n int, k engine.Kernel) *Results {
	t.Helper()
	r := &Results{Parents: make([]device.Array[engine.Label], len(devices)), Distances: make([]device.Array[float32], len(devices))}
	for i, d := range devices {
		g := device.Group{Alive: engine.Searching, Arrays: []device.Declared{device.Of(&r.Parents[i], "parents", uint64(n))}}
		if k == engine.SSSP {
			g.Arrays = append(g.Arrays, device.Of(&r.Distances[i], "distances", uint64(n)))
		}
		held, err := d.Take(g)
		if err != nil {
			t.Fatal(err)
		}
		r.held = append(r.held, held)
	}
	return r
}

// Close frees the memory.
func (r *Results) Close() error {
	var errs []error
	for _, h := range r.held {
		errs = append(errs, h.Free())
	}
	return errors.Join(errs...)
}

// Dirty allocates bytes, fills them with poison and frees them, so that later
// allocations do not find zeros there.
func Dirty(t testing.TB, d *device.Device, bytes int) {
	t.Helper()
	_, free := Borrowed[byte](t, d, bytes)
	free()
}

// Close closes the list in reverse order.
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

// Sized returns full, or short under -test.short, which is for the sanitizers and
// the emulated GPU.
func Sized[T any](full, short T) T {
	if testing.Short() {
		return short
	}
	return full
}

// Official returns the Kronecker graph of edge factor 16 and the default seeds.
func Official(scale int) kronecker.Spec {
	return kronecker.Spec{Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3}
}

// OfficialTuples generates the tuples of Official on the host.
func OfficialTuples(scale int) []engine.Edge {
	spec := Official(scale)
	tuples := make([]engine.Edge, spec.Tuples())
	kronecker.New(spec).Edges(tuples, 0)
	return tuples
}

// RandomTuples returns up to four tuples per vertex, evenly distributed or not. At
// least one is not a self loop.
func RandomTuples(r *rand.Rand, vertices int) []engine.Edge {
	tuples := make([]engine.Edge, 1+r.IntN(4*vertices))
	skew := 1 + 3*r.IntN(2)
	draw := func() engine.Label {
		x := 1.0
		for range skew {
			x *= r.Float64()
		}
		return engine.Label(x * float64(vertices))
	}
	for i := range tuples {
		tuples[i] = engine.Edge{U: draw(), V: draw()}
	}
	tuples[0] = engine.Edge{U: 0, V: engine.Label(vertices - 1)}
	return tuples
}

// Header checks that <name>.cuh equals the header that header.Text generates from
// <name>.go. With -update it writes the header first.
func Header(t *testing.T, file string, constants []header.Constant, enums []header.Enum, structs []header.Struct) {
	t.Helper()
	want, err := header.Text(file, constants, enums, structs)
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
		t.Errorf("%s does not match %s: go test -tags cuda -run Layout -update, then make kernels (%v)", name, file, err)
	}
}

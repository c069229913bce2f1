//go:build cuda

package device

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"
)

func testLaunchGraph(t *testing.T, k *Kernel, grid, block, shared, parameters int) *LaunchGraph {
	t.Helper()
	l, err := k.NewLaunchGraph(grid, block, shared, parameters)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(l.Close(), l.Close()); err != nil {
			t.Error(err)
		}
	})
	return l
}

// Each launch uses its own arguments, even while earlier launches wait in the
// stream.
func TestLaunchGraphArguments(t *testing.T) {
	d := testDevice(t)
	l := testLaunchGraph(t, testKernel(t, d, "args"), 1, 1, 0, 6)
	const launches = 20
	out := testArray[uint64](t, d, 5*launches)
	if err := out.Fill(0xA5); err != nil {
		t.Fatal(err)
	}
	var want []uint64
	for i := range uint64(launches) {
		const high = 0xFFFF_FFFF_0000_0000 // bits beyond every parameter but d
		if err := l.Launch(out.Address()+5*8*i, high|0x89ABCD00+i, high|0xE0+i, high|0x3FC00000+i, 0x8123456789ABCD00+i, high|0xBE00+i); err != nil {
			t.Fatal(err)
		}
		want = append(want, 0x89ABCD00+i, 0xE0+i, 0x3FC00000+i, 0x8123456789ABCD00+i, 0xBE00+i)
	}
	if got := testHost(t, out); !slices.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
}

func TestLaunchGraphMeets(t *testing.T) {
	d := testDevice(t)
	k, grid, block, shared := testMeeting(t, d)
	l := testLaunchGraph(t, k, grid, block, shared, 2)
	count, seen := testArray[uint32](t, d, 1), testArray[uint32](t, d, grid)
	for range 3 {
		if err := errors.Join(count.Fill(0), seen.Fill(0xA5), l.Launch(count.Address(), seen.Address())); err != nil {
			t.Fatal(err)
		}
		if got := testHost(t, seen); !slices.Equal(got, slices.Repeat([]uint32{uint32(grid)}, grid)) {
			t.Errorf("%d blocks did not all see each other: %d", grid, got)
		}
	}

	if err := l.Launch(count.Address()); err == nil {
		t.Error("a launch with an argument missing")
	}
	if _, err := k.NewLaunchGraph(grid+1, block, shared, 2); err == nil {
		t.Error("a grid larger than the device")
	}
	if err := d.Synchronize(); err != nil {
		t.Errorf("wrong calls broke the device: %v", err)
	}
}

// Kernels of a graph run one after the other.
func TestLaunchGraphThen(t *testing.T) {
	d := testDevice(t)
	l, twice := testLaunchGraph(t, testKernel(t, d, "put"), 1, 1, 0, 1), testKernel(t, d, "twice")
	for n, want := range []uint64{7, 14, 28} {
		if n > 0 {
			if err := l.Then(twice, 1, 1); err != nil {
				t.Fatal(err)
			}
		}
		for i := range uint64(3) {
			value := make([]byte, 8)
			if err := errors.Join(l.Launch(7+i<<40), testModule(t, d).Read("value", value)); err != nil {
				t.Fatal(err)
			}
			if got := binary.NativeEndian.Uint64(value); got != want+i<<40<<n {
				t.Errorf("%d kernels behind the first: %#x", n, got)
			}
		}
	}

	perSM, err := twice.BlocksPerSM(32, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Then(twice, perSM*d.Properties().SMs+1, 32); err == nil {
		t.Error("a grid larger than the device behind another kernel")
	}
}

func TestLaunchGraphClose(t *testing.T) {
	var l *LaunchGraph
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	d := testDevice(t)
	l = testLaunchGraph(t, testKernel(t, d, "args"), 1, 1, 0, 6)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Launch(0, 0, 0, 0, 0, 0); err == nil {
		t.Error("a closed launch graph launched")
	}
	if err := l.Then(testKernel(t, d, "twice"), 1, 1); err == nil {
		t.Error("a kernel was added to a closed launch graph")
	}
}

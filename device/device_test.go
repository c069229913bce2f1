//go:build cuda

package device

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"gorgonia.org/cu"

	"graph500/device/driver"
)

// testDevice opens GPU 0 for a test, with a separate allocation for each array.
// Without a GPU it skips the test.
func testDevice(t testing.TB) *Device {
	t.Helper()
	return testDeviceWith(t, Options{Separate: true}, 256<<20)
}

// testDeviceWith opens GPU 0 with options and reserves the given number of bytes.
func testDeviceWith(t testing.TB, options Options, bytes uint64) *Device {
	t.Helper()
	if err := driver.Load(); err != nil {
		t.Skip(err)
	}
	d, err := Open(0, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := d.Reserve(bytes); err != nil {
		t.Fatal(err)
	}
	return d
}

// testArray allocates an array of n elements filled with poison, until the test
// ends.
func testArray[T any](t testing.TB, d *Device, n int) (a Array[T]) {
	t.Helper()
	held, err := d.Borrow(Group{Arrays: []Declared{Of(&a, "test array", uint64(n))}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := held.Free(); err != nil {
			t.Error(err)
		}
	})
	if err := a.Fill(0xA5); err != nil {
		t.Fatal(err)
	}
	return a
}

// testHost returns a copy of the elements of an array.
func testHost[T any](t testing.TB, a Array[T]) []T {
	t.Helper()
	host := make([]T, a.Len())
	if err := a.Read(0, host); err != nil {
		t.Fatal(err)
	}
	return host
}

func TestProperties(t *testing.T) {
	d := testDevice(t)
	p := d.Properties()
	t.Logf("%+v", p)
	if p.Name == "" || p.SMs <= 0 || p.Compute[0] < 8 || p.L2 <= 0 || p.MaxSharedMemory < 48<<10 {
		t.Errorf("this GPU cannot run the kernels: %+v", p)
	}
	if !regexp.MustCompile(`^[0-9]+\.[0-9]$`).MatchString(p.Driver) {
		t.Errorf("driver version %q", p.Driver)
	}
	if !regexp.MustCompile(`^[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9]$`).MatchString(p.BusID) {
		t.Errorf("PCI bus id %q", p.BusID)
	}
	free, total, err := d.Memory()
	if err != nil || free > total || total > p.Memory {
		t.Errorf("%d of %d bytes free on a device of %d: %v", free, total, p.Memory, err)
	}
}

func TestOpenInvalidOrdinal(t *testing.T) {
	if err := driver.Load(); err != nil {
		t.Skip(err)
	}
	n, err := cu.NumDevices()
	if err != nil {
		t.Fatal(err)
	}
	for _, ordinal := range []int{-1, n, 1 << 20} {
		want := fmt.Sprintf("no such GPU: the last one is GPU %d", n-1)
		if _, err := Open(ordinal, Options{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("GPU %d of %d: %v", ordinal, n, err)
		}
	}
}

// Several goroutines use one device.
func TestUseFromSeveralGoroutines(t *testing.T) {
	d := testDevice(t)
	a := testArray[int](t, d, 8000)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			want := slices.Repeat([]int{g}, 1000)
			got := make([]int, 1000)
			if err := errors.Join(a.Write(1000*g, want), a.Read(1000*g, got)); err != nil || !slices.Equal(got, want) {
				t.Errorf("goroutine %d: %v", g, err)
			}
		})
	}
	all.Wait()
}

// Arrays, kernels and events work on their own device, regardless of the device used
// last. The two devices are contexts of one GPU, with separate memory.
func TestTwoDevices(t *testing.T) {
	one, other := testDevice(t), testDevice(t)
	a, b := testArray[uint64](t, one, 5), testArray[uint64](t, other, 5)
	first, second := testKernel(t, one, "args"), testKernel(t, other, "args")
	pinned, err := Pinned[uint64](one, 5)
	if err != nil {
		t.Fatal(err)
	}
	begin, err := one.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	launch := testLaunchGraph(t, first, 1, 1, 0, 6)
	args := func(out uint64, from uint64) []uint64 {
		return []uint64{out, from, from + 1, from + 2, from + 3, from + 4}
	}
	for from := uint64(10); from < 100; from += 20 {
		if err := errors.Join(
			begin.Record(),
			second.Launch(1, 1, 0, args(b.Address(), from+10)...),
			launch.Launch(args(a.Address(), from)...),
			first.Launch(1, 1, 0, args(pinned.Address(), from)...),
		); err != nil {
			t.Fatal(err)
		}
		for x, want := range map[*Array[uint64]]uint64{&a: from, &b: from + 10} {
			if got := testHost(t, *x); !slices.Equal(got, args(0, want)[1:]) {
				t.Errorf("%d, want %d and so on", got, want)
			}
		}
		if err := one.Synchronize(); err != nil || pinned.Host()[4] != from+4 {
			t.Errorf("%d, %v", pinned.Host(), err)
		}
	}
	if err := errors.Join(begin.Close(), pinned.Free()); err != nil {
		t.Error(err)
	}
	if err := a.CopyFrom(b); err == nil {
		// The driver may allow a copy between contexts; the result must then be right.
		if got := testHost(t, a); !slices.Equal(got, testHost(t, b)) {
			t.Errorf("%d", got)
		}
	}
}

// An illegal access of a kernel loses the device, unlike a wrong call. Afterwards
// the driver fails every call of the process, so a child process runs the kernel.
func TestLostDevice(t *testing.T) {
	const variable = "GRAPH500_LOSE_DEVICE"
	if os.Getenv(variable) != "" {
		loseDevice(t)
		return
	}
	if err := driver.Load(); err != nil {
		t.Skip(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "-test.run=^TestLostDevice$", "-test.v")
	c.Env = append(os.Environ(), variable+"=1")
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestLostDevice") {
		t.Errorf("%v\n%s", err, out)
	}
}

func loseDevice(t *testing.T) {
	d, err := Open(0, Options{Separate: true})
	if err != nil {
		t.Fatal(err)
	}
	const invalidAddress = 1 << 20
	if err := testKernel(t, d, "args").Launch(1, 1, 0, invalidAddress, 0, 0, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	var e *Error
	if err := d.Synchronize(); !errors.As(err, &e) || !e.Lost() || e.Name != "CUDA_ERROR_ILLEGAL_ADDRESS" {
		t.Errorf("a kernel with an illegal access: %v", err)
	}
	var a Array[int]
	if _, err := d.Take(Group{Arrays: []Declared{Of(&a, "array", 1)}}); err == nil {
		t.Error("a lost device allocated memory")
	}
	if err := d.Close(); err != nil && (!errors.As(err, &e) || !e.Lost()) {
		t.Errorf("close of a lost device: %v", err)
	}
}

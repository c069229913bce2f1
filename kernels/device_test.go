//go:build cuda

package kernels

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"gorgonia.org/cu"

	"graph500/kernels/driver"
)

// testDevice opens GPU 0 for a test and ties the test to it, or skips the test
// where there is none.
func testDevice(t testing.TB) *Device {
	t.Helper()
	return testDeviceWith(t, anyImage)
}

func testDeviceWith(t testing.TB, images imageChoice) *Device {
	t.Helper()
	if err := driver.Load(); err != nil {
		t.Skip(err)
	}
	d, err := open(0, images)
	if err != nil {
		t.Fatal(err)
	}
	release, err := d.Use()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		release()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// testArray makes an array of n elements filled with poison.
func testArray[T any](t testing.TB, d *Device, n int) *Array[T] {
	t.Helper()
	a, err := Alloc[T](d, "test array", n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Free(); err != nil {
			t.Error(err)
		}
	})
	if err := a.Fill(0xA5); err != nil {
		t.Fatal(err)
	}
	return a
}

// testHost returns what an array holds.
func testHost[T any](t testing.TB, a *Array[T]) []T {
	t.Helper()
	host := make([]T, a.Len())
	if err := a.Read(0, host); err != nil {
		t.Fatal(err)
	}
	return host
}

// sized returns the size of a test, or the one of -test.short, which is for
// the sanitizers.
func sized[T any](full, short T) T {
	if testing.Short() {
		return short
	}
	return full
}

func TestProperties(t *testing.T) {
	d := testDevice(t)
	p := d.Properties()
	t.Logf("%+v", p)
	if p.Name == "" || p.SMs <= 0 || p.Compute[0] < 8 || p.L2 <= 0 || p.MaxSharedMemory < 48<<10 {
		t.Errorf("not a GPU that runs the kernels: %+v", p)
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

func TestOpenWithoutSuchADevice(t *testing.T) {
	if err := driver.Load(); err != nil {
		t.Skip(err)
	}
	n, err := cu.NumDevices()
	if err != nil {
		t.Fatal(err)
	}
	for _, ordinal := range []int{-1, n, 1 << 20} {
		want := fmt.Sprintf("no such GPU: the last one is GPU %d", n-1)
		if _, err := Open(ordinal); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("GPU %d of %d: %v", ordinal, n, err)
		}
	}
}

// Both forms of the modules hold the same kernels.
func TestImages(t *testing.T) {
	for name, images := range map[string]imageChoice{"any": anyImage, "PTX": onlyPTX} {
		t.Run(name, func(t *testing.T) {
			d := testDeviceWith(t, images)
			if len(d.modules) == 0 {
				t.Fatal("no modules")
			}
			vectors := sized(4*1000*1000+3, 1003) // of 16 bytes
			a := testArray[uint32](t, d, 8*vectors)
			random := rand.New(rand.NewPCG(1, 2))
			from := make([]uint32, 4*vectors)
			for i := range from {
				from[i] = random.Uint32()
			}
			if err := a.Write(0, from); err != nil {
				t.Fatal(err)
			}
			k, err := d.Kernel("bandwidth", "copy")
			if err != nil {
				t.Fatal(err)
			}
			if err := k.Launch(vectors/256+1, 256, 0, a.Address()+16*uint64(vectors), a.Address(), uint64(vectors)); err != nil {
				t.Fatal(err)
			}
			if to := testHost(t, a)[4*vectors:]; !slices.Equal(to, from) {
				t.Error("the copy differs")
			}
			if rate, err := Bandwidth(d, a); err != nil || rate <= 0 {
				t.Errorf("%g bytes a second: %v", rate, err)
			}
		})
	}
}

func TestKernelsThatDoNotExist(t *testing.T) {
	d := testDevice(t)
	if _, err := d.Kernel("nothing", "copy"); err == nil {
		t.Error("a kernel of no module")
	}
	_, err := d.Kernel("bandwidth", "nothing")
	var e *Error
	if !errors.As(err, &e) || e.Code != 500 || e.Lost() || !strings.Contains(err.Error(), "CUDA_ERROR_NOT_FOUND (500)") {
		t.Errorf("a kernel of that name: %v", err)
	}
}

// A goroutine holds the device itself; several may.
func TestUseFromSeveralGoroutines(t *testing.T) {
	d := testDevice(t)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			release, err := d.Use()
			if err != nil {
				t.Error(err)
				return
			}
			defer release()
			a, err := Alloc[int](d, "array", 1000)
			if err != nil {
				t.Error(err)
				return
			}
			want := slices.Repeat([]int{g}, 1000)
			got := make([]int, 1000)
			if err := errors.Join(a.Write(0, want), a.Read(0, got), a.Free()); err != nil || !slices.Equal(got, want) {
				t.Errorf("goroutine %d: %v", g, err)
			}
		})
	}
	all.Wait()
}

// A kernel that wrote nowhere is told from a call that was wrong. The driver
// gives the whole process up after it, so another process does it.
func TestLostDevice(t *testing.T) {
	const variable = "GRAPH500_LOSE_DEVICE"
	if os.Getenv(variable) != "" {
		loseDevice(t)
		return
	}
	if testing.Short() {
		t.Skip("an access out of bounds, on purpose")
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
	d, err := Open(0)
	if err != nil {
		t.Fatal(err)
	}
	release, err := d.Use()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	k, err := d.Kernel("bandwidth", "copy")
	if err != nil {
		t.Fatal(err)
	}
	const nowhere = 1 << 20
	if err := k.Launch(1, 32, 0, nowhere, nowhere, 1); err != nil {
		t.Fatal(err)
	}
	var e *Error
	if err := d.Synchronize(); !errors.As(err, &e) || !e.Lost() || e.Name != "CUDA_ERROR_ILLEGAL_ADDRESS" {
		t.Errorf("a kernel that wrote nowhere: %v", err)
	}
	if _, err := Alloc[int](d, "array", 1); !errors.As(err, &e) || !e.Lost() {
		t.Errorf("memory of a lost device: %v", err)
	}
	if err := d.Close(); err != nil && (!errors.As(err, &e) || !e.Lost()) {
		t.Errorf("close of a lost device: %v", err)
	}
}

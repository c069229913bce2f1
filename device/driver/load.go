//go:build cuda

package driver

// #cgo LDFLAGS: -L${SRCDIR} -Wl,--as-needed
// #include "driver.h"
import "C"

import (
	"fmt"
	"sync"

	"gorgonia.org/cu"

	"graph500/library"
)

// Load binds and initialises libcuda.so.1 at its first call; later calls return the
// same result. The result is nil if the machine has a GPU and a driver that run the
// program's kernels, else an error of one line that names the missing requirement.
// All other functions of this package and of gorgonia.org/cu need a successful Load.
func Load() error { return load() }

var load = sync.OnceValue(func() error {
	var entries struct {
		Init func(flags uint32) int32 `symbol:"cuInit"`
	}
	l, err := library.Open("libcuda.so.1", library.Local)
	if err == nil {
		err = l.Bind(&entries)
	}
	if err != nil {
		return fmt.Errorf("no NVIDIA driver: %w", err)
	}
	fillTable(l)
	if code := Result(entries.Init(0)); code == noDevice {
		return fmt.Errorf("no NVIDIA GPU: cuInit: %w", code)
	} else if code != 0 {
		return fmt.Errorf("the NVIDIA driver does not start: cuInit: %w", code)
	}
	if v := cu.Version(); v < MinVersion {
		return fmt.Errorf("the NVIDIA driver is too old: it is for CUDA %s, the kernels need CUDA %s or later",
			Version(v), Version(MinVersion))
	}
	switch n, err := cu.NumDevices(); {
	case err != nil:
		return fmt.Errorf("no NVIDIA GPU: cuDeviceGetCount: %w", Code(err))
	case n == 0:
		return fmt.Errorf("no NVIDIA GPU: the driver counts none")
	default:
		return checkCompute(n)
	}
})

// fillTable fills the table of entry points (driver.c). One that is missing in an older driver
// stays a stub.
func fillTable(l library.Library) {
	for slot := C.int(0); ; slot++ {
		name := C.graph500_driver_name(slot)
		if name == nil {
			return
		}
		if entry := l.Address(C.GoString(name)); entry != 0 {
			C.graph500_driver_fill(slot, C.uintptr_t(entry))
		}
	}
}

// checkCompute returns an error unless at least one of n devices has the compute
// capability that the kernels need.
func checkCompute(n int) error {
	best := 0
	for i := range n {
		d, err := cu.GetDevice(i)
		if err != nil {
			return fmt.Errorf("no NVIDIA GPU: cuDeviceGet: %w", Code(err))
		}
		major, err := d.Attribute(cu.ComputeCapabilityMajor)
		if err != nil {
			return fmt.Errorf("no NVIDIA GPU: cuDeviceGetAttribute: %w", Code(err))
		}
		best = max(best, major)
	}
	if best < MinCompute {
		return fmt.Errorf("no NVIDIA GPU of compute capability %d.0 or later, which the kernels need", MinCompute)
	}
	return nil
}

// Version formats a version in the encoding of cuDriverGetVersion: 11080 as "11.8".
func Version(v int) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }

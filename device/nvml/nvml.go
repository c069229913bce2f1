//go:build cuda

package nvml

import (
	"fmt"
	"sync"
	"unsafe"

	"graph500/library"
)

// nvml is the functions of the library. Handles of devices are addresses.
var nvml struct {
	Init        func() result                                                        `symbol:"nvmlInit_v2"`
	ErrorString func(code result) string                                             `symbol:"nvmlErrorString"`
	Handle      func(busID string, device *uintptr) result                           `symbol:"nvmlDeviceGetHandleByPciBusId_v2"`
	Name        func(device uintptr, text *byte, size uint32) result                 `symbol:"nvmlDeviceGetName"`
	TotalEnergy func(device uintptr, millijoules *uint64) result                     `symbol:"nvmlDeviceGetTotalEnergyConsumption"`
	Clock       func(device uintptr, kind clockKind, mhz *uint32) result             `symbol:"nvmlDeviceGetClockInfo"`
	Reasons     func(device uintptr, set *uint64) result                             `symbol:"nvmlDeviceGetCurrentClocksThrottleReasons"`
	PowerLimit  func(device uintptr, milliwatts *uint32) result                      `symbol:"nvmlDeviceGetEnforcedPowerLimit"`
	ECC         func(device uintptr, on, afterReset *uint32) result                  `symbol:"nvmlDeviceGetEccMode"`
	Processes   func(device uintptr, count *uint32, processes unsafe.Pointer) result `symbol:"nvmlDeviceGetComputeRunningProcesses_v3"`
}

// result is a return code of NVML (nvmlReturn_t).
type result int32

const (
	success  result = 0 // never returned as an error
	tooSmall result = 7 // a list is longer than the room for it
)

func (r result) Error() string { return fmt.Sprintf("%s (%d)", nvml.ErrorString(r), int(r)) }

// check returns an error with the name of the function unless its code is 0.
func check(function string, code result) error {
	if code == success {
		return nil
	}
	return fmt.Errorf("%s: %w", function, code)
}

// load loads and initialises the library, once a process.
var load = sync.OnceValue(func() error {
	l, err := library.Open("libnvidia-ml.so.1", library.Local)
	if err == nil {
		err = l.Bind(&nvml)
	}
	if err != nil {
		return fmt.Errorf("no NVML: %w", err)
	}
	return check("nvmlInit", nvml.Init())
})

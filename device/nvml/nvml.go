//go:build cuda

package nvml

import (
	"fmt"
	"sync"

	"golang.org/x/sys/unix"

	"graph500/energy"
	"graph500/library"
)

// nvml is the functions of the library. Handles of devices are addresses.
var nvml struct {
	Init        func() result                                        `symbol:"nvmlInit_v2"`
	ErrorString func(code result) string                             `symbol:"nvmlErrorString"`
	Handle      func(busID string, device *uintptr) result           `symbol:"nvmlDeviceGetHandleByPciBusId_v2"`
	Name        func(device uintptr, text *byte, size uint32) result `symbol:"nvmlDeviceGetName"`
	TotalEnergy func(device uintptr, millijoules *uint64) result     `symbol:"nvmlDeviceGetTotalEnergyConsumption"`
}

// result is a return code of NVML (nvmlReturn_t). 0 means success and is never returned as
// an error.
type result int32

func (r result) Error() string { return fmt.Sprintf("%s (%d)", nvml.ErrorString(r), int(r)) }

// check returns an error with the name of the function unless its code is 0.
func check(function string, code result) error {
	if code == 0 {
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

// EnergyCounter returns the energy counter of the board of the GPU with this PCI bus id,
// such as "0000:1b:00.0".
func EnergyCounter(busID string) (energy.Counter, error) {
	if err := load(); err != nil {
		return energy.Counter{}, err
	}
	var device uintptr
	if err := check("nvmlDeviceGetHandleByPciBusId", nvml.Handle(busID, &device)); err != nil {
		return energy.Counter{}, fmt.Errorf("GPU %s: %w", busID, err)
	}
	var text [96]byte // NVML_DEVICE_NAME_V2_BUFFER_SIZE
	if err := check("nvmlDeviceGetName", nvml.Name(device, &text[0], uint32(len(text)))); err != nil {
		return energy.Counter{}, fmt.Errorf("GPU %s: %w", busID, err)
	}
	c := energy.Counter{
		Part: energy.Boards,
		Name: unix.ByteSliceToString(text[:]) + " " + busID,
		Read: func() (uint64, error) { return totalEnergy(device) },
	}
	if _, err := c.Read(); err != nil {
		return energy.Counter{}, fmt.Errorf("%s: %w", c.Name, err)
	}
	return c, nil
}

// totalEnergy returns the energy of a device in microjoules since the driver was loaded.
func totalEnergy(device uintptr) (uint64, error) {
	var millijoules uint64
	err := check("nvmlDeviceGetTotalEnergyConsumption", nvml.TotalEnergy(device, &millijoules))
	return 1000 * millijoules, err
}

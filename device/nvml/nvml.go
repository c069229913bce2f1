//go:build cuda

package nvml

// #cgo LDFLAGS: -Wl,--as-needed -ldl
// #include <stdlib.h>
// #include "library.h"
//
// // The table of the process. C calls its entry points, because Go cannot.
// static struct graph500_nvml nvml;
//
// static const char *bind(void) { return graph500_nvml_bind(&nvml); }
// static int init(void) { return nvml.nvmlInit_v2(); }
// static const char *error_string(int code) { return nvml.nvmlErrorString(code); }
// static int handle(const char *bus_id, void **device) { return nvml.nvmlDeviceGetHandleByPciBusId_v2(bus_id, device); }
// static int name(void *device, char *text, unsigned size) { return nvml.nvmlDeviceGetName(device, text, size); }
// static int total_energy(void *device, unsigned long long *millijoules)
// {
//	return nvml.nvmlDeviceGetTotalEnergyConsumption(device, millijoules);
// }
import "C"

import (
	"fmt"
	"sync"
	"unsafe"

	"graph500/energy"
)

// result is a return code of NVML (nvmlReturn_t) other than 0, which means success.
type result int

func (r result) Error() string {
	return fmt.Sprintf("%s (%d)", C.GoString(C.error_string(C.int(r))), int(r))
}

// check returns an error with the name of the function unless its code is 0.
func check(function string, code C.int) error {
	if code == 0 {
		return nil
	}
	return fmt.Errorf("%s: %w", function, result(code))
}

// load loads and initialises the library, once a process.
var load = sync.OnceValue(func() error {
	if message := C.bind(); message != nil {
		return fmt.Errorf("no NVML: %s", C.GoString(message))
	}
	return check("nvmlInit", C.init())
})

// EnergyCounter returns the energy counter of the board of the GPU with this PCI bus id,
// such as "0000:1b:00.0".
func EnergyCounter(busID string) (energy.Counter, error) {
	if err := load(); err != nil {
		return energy.Counter{}, err
	}
	id := C.CString(busID)
	defer C.free(unsafe.Pointer(id))
	var device unsafe.Pointer
	if err := check("nvmlDeviceGetHandleByPciBusId", C.handle(id, &device)); err != nil {
		return energy.Counter{}, fmt.Errorf("GPU %s: %w", busID, err)
	}
	var text [96]C.char // NVML_DEVICE_NAME_V2_BUFFER_SIZE
	if err := check("nvmlDeviceGetName", C.name(device, &text[0], C.uint(len(text)))); err != nil {
		return energy.Counter{}, fmt.Errorf("GPU %s: %w", busID, err)
	}
	c := energy.Counter{
		Part: energy.Boards,
		Name: C.GoString(&text[0]) + " " + busID,
		Read: func() (uint64, error) { return totalEnergy(device) },
	}
	if _, err := c.Read(); err != nil {
		return energy.Counter{}, fmt.Errorf("%s: %w", c.Name, err)
	}
	return c, nil
}

// totalEnergy returns the energy of a device in microjoules since the driver was loaded.
func totalEnergy(device unsafe.Pointer) (uint64, error) {
	var millijoules C.ulonglong
	err := check("nvmlDeviceGetTotalEnergyConsumption", C.total_energy(device, &millijoules))
	return 1000 * uint64(millijoules), err
}

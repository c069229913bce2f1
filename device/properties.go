//go:build cuda

package device

import (
	"fmt"

	"gorgonia.org/cu"

	"graph500/device/driver"
)

// Properties describe a device.
type Properties struct {
	Name            string
	Driver          string // newest CUDA version that the driver supports, such as "13.0"
	BusID           string // PCI bus id
	Compute         [2]int // compute capability, major and minor
	SMs             int    // streaming multiprocessors
	Memory          uint64 // bytes
	L2              int    // bytes of the second-level cache
	MaxSharedMemory int    // largest dynamic shared memory of a block in bytes, for Kernel.AllowShared
	ClockMHz        int    // maximum clock of the SMs
	MemoryClockMHz  int    // maximum clock of the memory
	MemoryBusBits   int    // width of the memory interface

	hostPointers int // 1 if page-locked memory of the host has the same address on the device
}

// Properties returns the properties of the device.
func (d *Device) Properties() Properties { return d.properties }

func properties(device cu.Device) (Properties, error) {
	p := Properties{Driver: driver.Version(cu.Version())}
	var err error
	if p.Name, err = device.Name(); err != nil {
		return p, failed("cuDeviceGetName", err)
	}
	if p.BusID, err = driver.BusID(device); err != nil {
		return p, failed("cuDeviceGetPCIBusId", err)
	}
	bytes, err := device.TotalMem()
	if err != nil {
		return p, failed("cuDeviceTotalMem", err)
	}
	p.Memory = uint64(bytes)
	for attribute, field := range map[cu.DeviceAttribute]*int{
		cu.ComputeCapabilityMajor: &p.Compute[0],
		cu.ComputeCapabilityMinor: &p.Compute[1],
		cu.MultiprocessorCount:    &p.SMs,
		cu.L2CacheSize:            &p.L2,
		driver.MaxSharedOptIn:     &p.MaxSharedMemory,
		cu.ClockRate:              &p.ClockMHz,
		cu.MemoryClockRate:        &p.MemoryClockMHz,
		cu.GlobalMemoryBusWidth:   &p.MemoryBusBits,

		cu.CanUseHostPointerForRegisteredMem: &p.hostPointers,
	} {
		if *field, err = device.Attribute(attribute); err != nil {
			return p, failed(fmt.Sprintf("cuDeviceGetAttribute %d", attribute), err)
		}
	}
	// The driver reports kHz.
	p.ClockMHz /= 1000
	p.MemoryClockMHz /= 1000
	return p, nil
}

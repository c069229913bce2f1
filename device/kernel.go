//go:build cuda

package device

import (
	"unsafe"

	"gorgonia.org/cu"

	"graph500/device/driver"
)

// Kernel is a __global__ function of a module.
type Kernel struct {
	device   *Device
	name     string
	function cu.Function
}

// Launch starts the kernel after everything before it and returns at once:
// grid blocks of block threads, shared bytes of dynamic shared memory a block.
// Each argument is the bits of one parameter of at most 8 bytes. The grid must
// not be empty.
func (k *Kernel) Launch(grid, block, shared int, args ...uint64) error {
	at := make([]unsafe.Pointer, len(args))
	for i := range args {
		at[i] = unsafe.Pointer(&args[i])
	}
	return k.device.do(func() error {
		return failed("cuLaunchKernel "+k.name, k.function.Launch(grid, 1, 1, block, 1, 1, shared, k.device.stream, at))
	})
}

// LaunchCooperative is Launch for a kernel whose whole grid synchronises. All
// blocks must fit on the device at once: at most SMs times BlocksPerSM.
func (k *Kernel) LaunchCooperative(grid, block, shared int, args ...uint64) error {
	return k.device.do(func() error {
		return failed("cuLaunchCooperativeKernel "+k.name, driver.LaunchCooperative(k.function, grid, block, shared, k.device.stream, args))
	})
}

// BlocksPerSM returns how many blocks of that many threads and bytes of
// dynamic shared memory a streaming multiprocessor holds at once.
func (k *Kernel) BlocksPerSM(block, shared int) (n int, err error) {
	err = k.device.do(func() (err error) {
		n, err = k.function.MaxActiveBlocksPerMultiProcessor(block, int64(shared))
		return failed("cuOccupancyMaxActiveBlocksPerMultiprocessor "+k.name, err)
	})
	return n, err
}

// Resident returns how many blocks of that many threads, without dynamic shared
// memory, the device holds at once.
func (k *Kernel) Resident(block int) (int, error) {
	n, err := k.BlocksPerSM(block, 0)
	return n * k.device.properties.SMs, err
}

// AllowShared lets launches ask for up to that many bytes of dynamic shared
// memory a block, which more than 48 KiB need.
func (k *Kernel) AllowShared(bytes int) error {
	return k.device.do(func() error { return failed("cuFuncSetAttribute "+k.name, driver.AllowShared(k.function, bytes)) })
}

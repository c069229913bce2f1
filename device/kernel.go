//go:build cuda

package device

import (
	"gorgonia.org/cu"

	"graph500/device/driver"
)

// Kernel is a __global__ function of a module.
type Kernel struct {
	device   *Device
	name     string
	function cu.Function
}

// Launch queues the kernel in the stream and returns at once. It launches grid
// thread blocks of block threads with shared bytes of dynamic shared memory per
// block. Each argument holds the bits of one parameter of at most 8 bytes. grid must
// be at least 1.
func (k *Kernel) Launch(grid, block, shared int, args ...uint64) error {
	return failed("cuLaunchKernel "+k.name, driver.Launch(k.device.context, k.function, false, grid, block, shared, k.device.stream, args))
}

// LaunchCooperative is Launch for a kernel with grid-wide barriers. All thread
// blocks must be resident at once: grid is at most SMs times BlocksPerSM.
func (k *Kernel) LaunchCooperative(grid, block, shared int, args ...uint64) error {
	return failed("cuLaunchCooperativeKernel "+k.name, driver.Launch(k.device.context, k.function, true, grid, block, shared, k.device.stream, args))
}

// BlocksPerSM returns the occupancy: the number of thread blocks, of block threads
// and shared bytes of dynamic shared memory each, that are resident on a streaming
// multiprocessor at once.
func (k *Kernel) BlocksPerSM(block, shared int) (n int, err error) {
	err = k.device.do(func() (err error) {
		n, err = k.function.MaxActiveBlocksPerMultiProcessor(block, int64(shared))
		return failed("cuOccupancyMaxActiveBlocksPerMultiprocessor "+k.name, err)
	})
	return n, err
}

// Resident returns the number of thread blocks, of block threads each and without
// dynamic shared memory, that are resident on the whole device at once.
func (k *Kernel) Resident(block int) (int, error) {
	n, err := k.BlocksPerSM(block, 0)
	return n * k.device.properties.SMs, err
}

// AllowShared raises the limit on the dynamic shared memory of a block, in bytes.
// Launches with more than 48 KiB need it.
func (k *Kernel) AllowShared(bytes int) error {
	return k.device.do(func() error { return failed("cuFuncSetAttribute "+k.name, driver.AllowShared(k.function, bytes)) })
}

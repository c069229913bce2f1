//go:build cuda

package kernels

import (
	"errors"
	"fmt"
)

// bandwidthRounds is how often Bandwidth copies: the best of them counts, as
// the first ones meet cold address translation and low clocks.
const bandwidthRounds = 5

// Bandwidth returns the bytes a second, read and written ones together, that a
// plain copy within the device's memory reaches. It copies the first half of
// the array onto its second half, which must be much larger than the L2 cache.
func Bandwidth[T any](d *Device, scratch *Array[T]) (bytesPerSecond float64, err error) {
	vectors := scratch.Bytes() / 32 // of 16 bytes, in each half
	if vectors == 0 {
		return 0, fmt.Errorf("bandwidth: %d bytes are too few to copy", scratch.Bytes())
	}
	k, err := d.Kernel("bandwidth", "copy")
	if err != nil {
		return 0, err
	}
	if err := scratch.Fill(0); err != nil { // nothing on the device is read before it is written
		return 0, err
	}
	const block = 256
	grid := int((vectors + block - 1) / block)
	start, err := d.NewEvent()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, start.Close()) }()
	end, err := d.NewEvent()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, end.Close()) }()
	for range bandwidthRounds {
		if err := start.Record(); err != nil {
			return 0, err
		}
		if err := k.Launch(grid, block, 0, scratch.Address()+16*vectors, scratch.Address(), vectors); err != nil {
			return 0, err
		}
		if err := end.Record(); err != nil {
			return 0, err
		}
		took, err := end.Since(start)
		if err != nil {
			return 0, err
		}
		bytesPerSecond = max(bytesPerSecond, float64(32*vectors)/took.Seconds())
	}
	return bytesPerSecond, nil
}

//go:build cuda

package stream

import (
	"errors"

	"graph500/device"
	"graph500/engine"
)

// bandwidthBytes is what a measurement reads and writes, in equal parts: much
// more than a second-level cache.
const bandwidthBytes = 2 << 30

// bandwidthRounds is how often Bandwidth copies: the best of them counts, as
// the first ones meet cold address translation and low clocks.
const bandwidthRounds = 5

// bandwidth is the memory of a measurement.
type bandwidth struct {
	scratch device.Array[[16]byte]
}

// group declares the memory, of most bytes at most.
func (b *bandwidth) group(most uint64) device.Group {
	return device.Group{Alive: engine.Measuring, Arrays: []device.Declared{
		device.Of(&b.scratch, "copies to measure the bandwidth", min(bandwidthBytes, most)/16),
	}}
}

// BandwidthPlan lists the memory of Bandwidth where it may take most bytes.
func BandwidthPlan(most uint64) []engine.Allocation { return new(bandwidth).group(most).Plan() }

// Bandwidth returns the bytes a second, read and written ones together, that a
// plain copy within the device's memory reaches: of 1 GiB, or of half of what is
// free.
func Bandwidth(d *device.Device) (bytesPerSecond float64, err error) {
	b := &bandwidth{}
	held, err := d.Borrow(b.group(d.Free()))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, held.Free()) }()
	if err := b.scratch.Fill(0); err != nil { // nothing on the device is read before it is written
		return 0, err
	}
	return b.measure(d)
}

// measure copies the first half of the memory onto the second one.
func (b *bandwidth) measure(d *device.Device) (bytesPerSecond float64, err error) {
	const block = 256
	m, err := d.Load("stream", images, "bandwidth")
	if err != nil {
		return 0, err
	}
	k, err := m.Kernel("copy")
	if err != nil {
		return 0, err
	}
	vectors := uint64(b.scratch.Len() / 2)
	if vectors == 0 {
		return 0, errors.New("bandwidth: there is no memory to copy")
	}
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
		if err := k.Launch(int((vectors+block-1)/block), block, 0, b.scratch.Address()+16*vectors, b.scratch.Address(), vectors); err != nil {
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

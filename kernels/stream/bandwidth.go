//go:build cuda

package stream

import (
	"embed"
	"errors"

	"graph500/device"
	"graph500/engine"
)

//go:embed compiled
var images embed.FS

// LoadBandwidth loads the module of Bandwidth, so that Bandwidth does not load it.
func LoadBandwidth(d *device.Device) error {
	_, err := d.Load("stream", images, "bandwidth")
	return err
}

// A measurement reads and writes bandwidthBytes, half each, but at most cacheMultiple times the bytes
// of the second-level cache, which leaves the caches of 50 MiB and more of large GPUs their 2 GiB.
const (
	bandwidthBytes = 2 << 30
	cacheMultiple  = 48
)

// bandwidthRounds is the number of copies of a measurement. The fastest one counts,
// because the first ones run with cold address translation and low clocks.
const bandwidthRounds = 5

// bandwidth is a measurement with its memory.
type bandwidth struct {
	scratch device.Array[[16]byte]
}

// group declares the memory of a measurement, at most limit bytes, on a device with l2 bytes of
// second-level cache.
func (b *bandwidth) group(limit uint64, l2 int) device.Group {
	return device.Group{Alive: engine.Measuring, Arrays: []device.Declared{
		device.Of(&b.scratch, "copies to measure the bandwidth", min(bandwidthBytes, cacheMultiple*uint64(l2), limit)/16),
	}}
}

// BandwidthPlan lists the memory of Bandwidth with limit bytes of free memory and l2 bytes of
// second-level cache.
func BandwidthPlan(limit uint64, l2 int) []engine.Allocation {
	return new(bandwidth).group(limit, l2).Plan()
}

// Bandwidth returns the bandwidth of a plain copy within the device's memory, in
// bytes per second, read and written bytes added. It copies 1 GiB, or half of the
// free memory or 24 times the second-level cache if that is less.
func Bandwidth(d *device.Device) (bytesPerSecond float64, err error) {
	b := &bandwidth{}
	held, err := d.Borrow(b.group(d.Free(), d.Properties().L2))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, held.Free()) }()
	if err := b.scratch.Fill(0); err != nil { // so that the copy reads no uninitialised memory
		return 0, err
	}
	return b.measure(d)
}

// measure copies the first half of the memory to the second half, bandwidthRounds
// times, and returns the highest bandwidth.
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
		return 0, errors.New("bandwidth: no memory to copy")
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
		elapsed, err := end.Since(start)
		if err != nil {
			return 0, err
		}
		bytesPerSecond = max(bytesPerSecond, float64(32*vectors)/elapsed.Seconds())
	}
	return bytesPerSecond, nil
}

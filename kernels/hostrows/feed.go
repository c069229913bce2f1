//go:build cuda

package hostrows

import (
	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

// feed has buffers of the device, one for each slot. While the kernel examines one, the next
// parts are copied into others.
type feed struct {
	size    uint64 // neighbours per buffer
	slots   int
	buffers device.Array[engine.Label] // one behind the other, each from a line on
	uploads *device.Uploads
}

// stride returns the number of neighbours from one buffer to the next, if the tails of the
// graph have the given length.
func (f *feed) stride(tails uint64) uint64 {
	return (min(f.size, tails) + lineArcs - 1) / lineArcs * lineArcs
}

func (f *feed) arrays(_, tails uint64) []device.Declared {
	return []device.Declared{device.Of(&f.buffers, "buffers of neighbours", uint64(f.slots)*f.stride(tails))}
}

func (f *feed) prepare(d *device.Device) (err error) {
	f.uploads, err = d.NewUploads(f.slots)
	return err
}

// begin returns the index of the first neighbour of a slot's buffer.
func (f *feed) begin(slot int) int { return slot * f.buffers.Len() / f.slots }

// upload copies sectors of an array of the host, from one on, to the buffer of a slot, to
// sector at on. It must follow uploads.Wait, if the host has written the source.
func (f *feed) upload(slot int, at uint64, from *device.HostArray[engine.Label], first, count uint64) error {
	const n = construct.SectorArcs
	return device.Upload(f.uploads, slot, f.buffers, f.begin(slot)+int(n*at), from, int(n*first), int(n*count))
}

// examine launches the kernel for the part in a slot's buffer, which begins with the sector
// at p.lo.
func (f *feed) examine(s *Search, slot int, p part) error {
	if err := s.examine(p, f.buffers.Address()+4*uint64(f.begin(slot))); err != nil {
		return err
	}
	return f.uploads.Release(slot)
}

func (f *feed) close() error { return f.uploads.Close() }

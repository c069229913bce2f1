//go:build cuda

package stream

import (
	"embed"
	"unsafe"

	"graph500/device"
)

//go:embed compiled
var images embed.FS

// Load loads the modules, so that later calls do not load them.
func Load(d *device.Device) error {
	for _, name := range []string{"bandwidth", "fill"} {
		if _, err := d.Load("stream", images, name); err != nil {
			return err
		}
	}
	return nil
}

// Filler sets all elements of an array by a launch graph, which is also how a search
// is launched. It runs before each search and so leaves the driver's launch code and
// data in the processor's caches. On an H200, the call that launches a search took 2
// to 7 µs after a Filler; after a memset it took 5 to 9 µs at scale 22 and 23 to 27
// at scale 28 (medians). A Filler must be closed before its device.
type Filler struct {
	address, count uint64 // of the array
	bits           uint32 // of the value
	launch         *device.LaunchGraph
}

// NewFiller prepares a Filler that sets each element of array to value. The caller
// still owns the array.
func NewFiller[T uint32 | float32](d *device.Device, array device.Array[T], value T) (*Filler, error) {
	const block = 256 // __launch_bounds__ of fill
	m, err := d.Load("stream", images, "fill")
	if err != nil {
		return nil, err
	}
	k, err := m.Kernel("fill")
	if err != nil {
		return nil, err
	}
	resident, err := k.Resident(block)
	if err != nil {
		return nil, err
	}
	launch, err := k.NewLaunchGraph(max(1, min(resident, array.Len()/(4*block))), block, 0, 3)
	if err != nil {
		return nil, err
	}
	bits := *(*uint32)(unsafe.Pointer(&value))
	return &Filler{array.Address(), uint64(array.Len()), bits, launch}, nil
}

// Fill queues the fill in the stream and returns at once.
func (f *Filler) Fill() error {
	return f.launch.Launch(f.address, f.count, uint64(f.bits))
}

// Close destroys the launch graph. Close of a nil Filler does nothing.
func (f *Filler) Close() error {
	if f == nil {
		return nil
	}
	return f.launch.Close()
}

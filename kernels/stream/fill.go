//go:build cuda

package stream

import (
	"embed"

	"graph500/device"
)

//go:embed compiled
var images embed.FS

// Load loads the modules. What is made afterwards does not wait for them.
func Load(d *device.Device) error {
	for _, name := range []string{"bandwidth", "fill"} {
		if _, err := d.Load("stream", images, name); err != nil {
			return err
		}
	}
	return nil
}

// Filler sets all elements of an array in the way in which a search is launched.
// It comes before each search, and the driver's code and data for a launch are in
// the processor's caches then: with a memset before it, the call that launches a
// search took 5 to 9 µs at scale 22 and 23 to 27 at 28, with a launch before it 2
// to 7 (H200, medians). It is to be closed before its device.
type Filler struct {
	array  device.Array[uint32]
	value  uint32
	launch *device.LaunchGraph
}

// NewFiller prepares it. The array stays the caller's.
func NewFiller(d *device.Device, array device.Array[uint32], value uint32) (*Filler, error) {
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
	return &Filler{array, value, launch}, nil
}

// Fill sets the elements after everything before it in the stream and returns at
// once.
func (f *Filler) Fill() error {
	return f.launch.Launch(f.array.Address(), uint64(f.array.Len()), uint64(f.value))
}

// Close gives it back. A nil one stays as it is.
func (f *Filler) Close() error {
	if f == nil {
		return nil
	}
	return f.launch.Close()
}

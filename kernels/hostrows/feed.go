//go:build cuda

package hostrows

import (
	"context"

	"graph500/device"
	"graph500/engine"
)

// feed has two buffers of the device. While the kernel examines one, the next part is
// copied into the other.
type feed struct {
	buffers [2]device.Array[engine.Local]
	uploads *device.Uploads
	next    int // buffer of the next part
}

// arrays declares the buffers, of size neighbours each.
func (f *feed) arrays(size uint64) []device.Declared {
	return []device.Declared{
		device.Of(&f.buffers[0], "buffer of neighbours", size),
		device.Of(&f.buffers[1], "next buffer of neighbours", size),
	}
}

func (f *feed) prepare(d *device.Device) (err error) {
	f.uploads, err = d.NewUploads()
	return err
}

// await waits until the source of the buffer's last part may be written again. So no more
// than two parts are under way, and a search ends soon after its context.
func (f *feed) await(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return f.uploads.Wait(f.next)
}

// send copies n neighbours, which begin with that at p.lo, from an array of the host, from
// index first on, and launches the kernel for them. It must follow await.
func (f *feed) send(s *Search, p part, from *device.HostArray[engine.Local], first, n int) error {
	slot := f.next
	f.next = 1 - f.next
	if err := device.Upload(f.uploads, slot, f.buffers[slot], from, first, n); err != nil {
		return err
	}
	if err := s.examine(p, f.buffers[slot].Address()); err != nil {
		return err
	}
	return f.uploads.Release(slot)
}

func (f *feed) close() error { return f.uploads.Close() }

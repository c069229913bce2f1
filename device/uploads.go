//go:build cuda

package device

import (
	"errors"
	"math"
	"unsafe"

	"gorgonia.org/cu"
)

// Uploads copies from page-locked host memory to arrays while kernels run: the copies have
// a stream of their own. There are several slots, each for one part of an array, so that
// one can be filled while kernels use others.
type Uploads struct {
	device *Device
	stream cu.Stream
	copied []*Event // by slot: the last copy into it
	used   []*Event // by slot: the last kernel that uses it
}

// NewUploads returns Uploads with that many slots, without copies. The first copy into a slot
// waits for the work launched before.
func (d *Device) NewUploads(slots int) (*Uploads, error) {
	u := &Uploads{device: d, copied: make([]*Event, slots), used: make([]*Event, slots)}
	err := d.do(func() (err error) {
		u.stream, err = cu.MakeStream(cu.NonBlocking)
		return failed("cuStreamCreate", err)
	})
	if err != nil {
		return nil, err
	}
	for i := range slots {
		var errs [2]error
		u.copied[i], errs[0] = d.NewEvent()
		u.used[i], errs[1] = d.NewEvent()
		if err = errors.Join(errs[:]...); err == nil {
			err = u.Release(i)
		}
		if err != nil {
			return nil, errors.Join(err, u.Close())
		}
	}
	return u, nil
}

// Upload copies n elements of from, page-locked memory, from index first on, to an array, from index at on, in
// a slot: after the kernels before the last Release of it, and before all work launched
// later. It returns at once.
func Upload[T any](u *Uploads, slot int, to Array[T], at int, from *HostArray[T], first, n int) error {
	address, bytes, err := to.part(at, n)
	if err != nil || bytes == 0 {
		return err
	}
	source := bytesOf(from.host[first : first+n])
	return u.device.do(func() error {
		if err := u.stream.Wait(u.used[slot].event, 0); err != nil {
			return failed("cuStreamWaitEvent", err)
		}
		for offset := uint64(first) * size[T](); len(source) > 0; {
			n := min(len(source), from.lockedFrom(offset))
			if err := cu.MemcpyHtoDAsync(address, unsafe.Pointer(unsafe.SliceData(source)), int64(n), u.stream); err != nil {
				return failed("cuMemcpyHtoDAsync to "+to.name, err)
			}
			address, source, offset = address+cu.DevicePtr(n), source[n:], offset+uint64(n)
		}
		if err := u.copied[slot].event.Record(u.stream); err != nil {
			return failed("cuEventRecord", err)
		}
		return failed("cuStreamWaitEvent", u.device.stream.Wait(u.copied[slot].event, 0))
	})
}

// lockedFrom returns the bytes from an offset on that were page-locked at once: no copy may
// be longer.
func (a *HostArray[T]) lockedFrom(offset uint64) int {
	if a.piece == 0 {
		return math.MaxInt
	}
	return int(a.piece - offset%a.piece)
}

// Release lets the next copy into the slot begin after the work launched so far.
func (u *Uploads) Release(slot int) error { return u.used[slot].Record() }

// Wait waits for the last copy into the slot: then the host may write its source.
func (u *Uploads) Wait(slot int) error {
	return u.device.do(func() error { return failed("cuEventSynchronize", u.copied[slot].event.Synchronize()) })
}

// Close waits for the copies and destroys the stream. Close of nil does nothing.
func (u *Uploads) Close() error {
	if u == nil {
		return nil
	}
	var errs []error
	if u.stream != (cu.Stream{}) {
		errs = append(errs, u.device.do(func() error { return failed("cuStreamSynchronize", u.stream.Synchronize()) }))
	}
	for i := range u.copied {
		errs = append(errs, u.copied[i].Close(), u.used[i].Close())
	}
	if u.stream != (cu.Stream{}) {
		errs = append(errs, u.device.do(func() error { return failed("cuStreamDestroy", u.stream.Destroy()) }))
		u.stream = cu.Stream{}
	}
	return errors.Join(errs...)
}

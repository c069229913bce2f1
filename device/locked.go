//go:build cuda

package device

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"graph500/device/driver"
	"graph500/memory"
)

// defaultLockPiece is Options.LockPiece by default: well under a second.
const defaultLockPiece = 1 << 30

// Locking says what the memory of Locked is for.
type Locking struct {
	Near   bool // it is taken from the memory node of the device if it can be
	Shared bool // devices of other ranks reach it (Share)

	Advance func(bytes int) // unless nil, is called with the bytes of each piece
}

// Locked is Uncleared for much memory, which takes long to page-lock: it does so piece by
// piece. If ctx ends or the host's memory runs out meanwhile, all of it is freed again.
// Copies must not cross the pieces (Options.LockPiece); Upload takes care of that.
func Locked[T any](ctx context.Context, d *Device, n int, by Locking) (*HostArray[T], error) {
	if n < 1 || d.properties.hostPointers == 0 && !by.Shared {
		return Uncleared[T](d, n)
	}
	var host []T
	var name *memory.Shared
	var err error
	if by.Shared {
		name = new(memory.Shared)
		host, *name, err = memory.AllocShared[T](n)
	} else {
		host, err = memory.Alloc[T](n)
	}
	if err != nil {
		return nil, err
	}
	if by.Near {
		d.preferNode(bytesOf(host))
	}
	if err := d.lock(ctx, bytesOf(host), true, by.Advance); err != nil {
		return nil, errors.Join(err, memory.Free(host), name.Close())
	}
	a := locked(d, host)
	a.name = name
	return a, nil
}

// Lock page-locks host memory that memory.Alloc allocated. If the driver refuses, the array
// is not page-locked: copies from it are slower then, and kernels cannot read it. The array
// owns the memory. With an error, such as the cause of ctx when ctx ends, it is freed.
func Lock[T any](ctx context.Context, d *Device, host []T) (*HostArray[T], error) {
	var err error
	if !d.options.Pageable {
		err = d.lock(ctx, bytesOf(host), false, nil)
	}
	if refused := (*Error)(nil); d.options.Pageable || errors.As(err, &refused) && !refused.Lost() {
		return &HostArray[T]{device: d, host: host, free: func() error { return memory.Free(host) }}, nil
	}
	if err != nil {
		return nil, errors.Join(err, memory.Free(host))
	}
	return locked(d, host), nil
}

// locked returns the array of page-locked memory, which it owns.
func locked[T any](d *Device, host []T) *HostArray[T] {
	bytes := bytesOf(host)
	return &HostArray[T]{
		device: d, host: host, address: uint64(uintptr(unsafe.Pointer(unsafe.SliceData(host)))), piece: uint64(d.lockPiece()),
		free: func() error { return errors.Join(d.unlock(bytes), memory.Free(host)) },
	}
}

// IsLocked reports whether the memory is page-locked; that of no elements is.
func (a *HostArray[T]) IsLocked() bool { return a.address != 0 || len(a.host) == 0 }

// lockPiece returns the number of bytes that are page-locked between two checks.
func (d *Device) lockPiece() int {
	if d.options.LockPiece > 0 {
		return d.options.LockPiece
	}
	return defaultLockPiece
}

// lock page-locks host memory piece by piece, or nothing if there is an error. Fresh memory
// takes no pages yet. Memory of another process has its pages, which this process has not mapped yet.
// advance, unless nil, is called with the bytes of each piece.
func (d *Device) lock(ctx context.Context, host []byte, fresh bool, advance func(bytes int)) error {
	for at := 0; at < len(host); at += d.lockPiece() {
		piece := host[at:min(at+d.lockPiece(), len(host))]
		err := context.Cause(ctx)
		if err == nil && fresh {
			err = checkHolds(host[at:])
		}
		if err == nil {
			populate(piece)
		}
		if err == nil {
			err = d.do(func() error { return failed("cuMemHostRegister", driver.HostRegister(piece)) })
		}
		if refused := (*Error)(nil); errors.As(err, &refused) {
			refused.Call += " of " + sizeOf(host) + " of host memory, " + sizeOf(host[at:]) + " of it left to page-lock" + available()
		}
		if err != nil {
			return errors.Join(err, d.unlock(host[:at]))
		}
		if advance != nil {
			advance(len(piece))
		}
	}
	return nil
}

// unlock ends the page-locking of whole pieces.
func (d *Device) unlock(host []byte) error {
	return d.do(func() error {
		var errs []error
		for at := 0; at < len(host); at += d.lockPiece() {
			errs = append(errs, failed("cuMemHostUnregister", driver.HostUnregister(host[at:min(at+d.lockPiece(), len(host))])))
		}
		return errors.Join(errs...)
	})
}

// checkHolds returns an error if the host has no memory for fresh memory.
func checkHolds(fresh []byte) error {
	if limit, err := memory.AvailablePages(); err == nil && limit.Bytes < uint64(len(fresh)) {
		return fmt.Errorf("page-locked host memory: %s more are needed, %s are available (%s)", sizeOf(fresh), memory.Size(limit.Bytes), limit.Source)
	}
	return nil
}

// populate maps the pages of host memory and keeps what is in them, on all processors: the driver does it on one.
func populate(host []byte) {
	page, workers := os.Getpagesize(), runtime.GOMAXPROCS(0)
	var running sync.WaitGroup
	for w := range workers {
		running.Go(func() {
			pages := (len(host) + page - 1) / page
			for p := pages * w / workers; p < pages*(w+1)/workers; p++ {
				atomic.AddUint32((*uint32)(unsafe.Pointer(&host[p*page])), 0)
			}
		})
	}
	running.Wait()
}

// available says how much memory the host has, if that is known.
func available() string {
	limit, err := memory.Available()
	if err != nil {
		return ""
	}
	return fmt.Sprintf(", %s are available (%s)", memory.Size(limit.Bytes), limit.Source)
}

// sizeOf formats the size of memory.
func sizeOf(b []byte) string { return memory.Size(uint64(len(b))) }

// bytesOf returns the bytes of elements.
func bytesOf[T any](elements []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(elements))), uint64(len(elements))*size[T]())
}

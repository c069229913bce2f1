//go:build cuda

package device

import (
	"errors"
	"fmt"
	"unsafe"

	"gorgonia.org/cu"

	"graph500/device/driver"
	"graph500/memory"
)

// HostArray is an array of n elements in host memory: page-locked and mapped into the
// device's address space, managed, or neither if the driver refused (Lock). Host and device
// exchange words through it while a kernel runs.
type HostArray[T any] struct {
	device  *Device
	host    []T
	address uint64
	piece   uint64       // bytes page-locked at once, from the first element on; 0: all
	free    func() error // nil of no array

	name   *memory.Shared  // to other processes (Locking.Shared)
	team   []Array[T]      // the arrays of all devices of a team by number (Share)
	opened []*HostArray[T] // of them, those of other processes
}

// Pinned allocates page-locked host memory for n zero elements; n is at least 1.
func Pinned[T any](d *Device, n int) (*HostArray[T], error) {
	a, err := Uncleared[T](d, n)
	if err == nil {
		clear(a.host)
	}
	return a, err
}

// Uncleared is Pinned with undefined elements: to clear much memory takes long.
func Uncleared[T any](d *Device, n int) (*HostArray[T], error) {
	if n < 1 {
		return nil, fmt.Errorf("page-locked memory of %d elements", n)
	}
	a := &HostArray[T]{device: d}
	err := d.do(func() error {
		host, address, err := driver.HostAlloc(n * int(size[T]()))
		if err != nil {
			return failed(fmt.Sprintf("cuMemHostAlloc of %s of page-locked host memory", memory.Size(uint64(n)*size[T]())), err)
		}
		a.host, a.address = unsafe.Slice((*T)(host), n), address
		a.free = func() error {
			return d.do(func() error { return failed("cuMemFreeHost", cu.MemFreeHost(host)) })
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// Managed is Uncleared in managed memory, whose pages the driver moves to the device that
// accesses them, and back to the host where the device's memory is full.
func Managed[T any](d *Device, n int) (*HostArray[T], error) {
	if n < 1 {
		return nil, fmt.Errorf("managed memory of %d elements", n)
	}
	a := &HostArray[T]{device: d}
	bytes := uint64(n) * size[T]()
	err := d.do(func() error {
		at, err := driver.ManagedAlloc(int(bytes))
		if err != nil {
			return failed(fmt.Sprintf("cuMemAllocManaged of %s", memory.Size(bytes)), err)
		}
		a.host, a.address = unsafe.Slice((*T)(at), n), uint64(uintptr(at))
		a.free = func() error {
			return d.do(func() error { return failed("cuMemFree", cu.MemFree(cu.DevicePtr(a.address))) })
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// ReadMostly tells the driver that managed memory is hardly written from now on: a page
// that the device reads is copied, not moved.
func (a *HostArray[T]) ReadMostly() error {
	return a.device.do(func() error {
		return failed("cuMemAdvise", cu.DevicePtr(a.address).MemAdvise(int64(uint64(len(a.host))*size[T]()), cu.SetReadMostly, a.device.device))
	})
}

// Element returns a zero element, like Array.Element.
func (a *HostArray[T]) Element() (zero T) { return zero }

// Host returns the elements in host memory, none of no array. The slice is invalid after
// Free.
func (a *HostArray[T]) Host() []T {
	if a == nil {
		return nil
	}
	return a.host
}

// Address returns the device address of the first element, 0 of no array.
func (a *HostArray[T]) Address() uint64 {
	if a == nil {
		return 0
	}
	return a.address
}

// Mapped returns the elements as kernels of the device access them. Copies must not cross the pieces
// in which they were page-locked.
func (a *HostArray[T]) Mapped() Array[T] {
	if a == nil {
		return Array[T]{}
	}
	return Array[T]{a.device, "host memory", a.address, len(a.host)}
}

// Free frees the memory. Free of a nil or freed array does nothing.
func (a *HostArray[T]) Free() error {
	if a == nil || a.free == nil {
		return nil
	}
	errs := []error{a.free(), a.name.Close()}
	for _, other := range a.opened {
		errs = append(errs, other.Free())
	}
	*a = HostArray[T]{}
	return errors.Join(errs...)
}

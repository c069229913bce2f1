//go:build cuda

package device

import (
	"fmt"
	"unsafe"

	"gorgonia.org/cu"

	"graph500/device/driver"
	"graph500/memory"
)

// HostArray is an array of n elements in page-locked host memory, mapped into the
// device's address space, or in managed memory. Host and device exchange words through it
// while a kernel runs.
type HostArray[T any] struct {
	device  *Device
	host    []T
	address uint64
	managed bool
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
	a := &HostArray[T]{device: d, managed: true}
	bytes := uint64(n) * size[T]()
	err := d.do(func() error {
		at, err := driver.ManagedAlloc(int(bytes))
		if err != nil {
			return failed(fmt.Sprintf("cuMemAllocManaged of %s", memory.Size(bytes)), err)
		}
		a.host, a.address = unsafe.Slice((*T)(at), n), uint64(uintptr(at))
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

// Free frees the memory. Free of a nil or freed array does nothing.
func (a *HostArray[T]) Free() error {
	if a == nil || a.host == nil {
		return nil
	}
	host, address := a.host, a.address
	a.host, a.address = nil, 0
	return a.device.do(func() error {
		if a.managed {
			return failed("cuMemFree", cu.MemFree(cu.DevicePtr(address)))
		}
		return failed("cuMemFreeHost", cu.MemFreeHost(unsafe.Pointer(unsafe.SliceData(host))))
	})
}

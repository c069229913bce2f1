//go:build cuda

package device

import (
	"fmt"
	"unsafe"

	"gorgonia.org/cu"

	"graph500/device/driver"
)

// HostArray is n elements in page-locked host memory that kernels read and
// write in place: for words that host and device pass to each other while a
// kernel runs.
type HostArray[T any] struct {
	device  *Device
	host    []T
	address uint64
}

// Pinned takes page-locked host memory for n elements, which are zero.
func Pinned[T any](d *Device, n int) (*HostArray[T], error) {
	var element T
	if n < 1 {
		return nil, fmt.Errorf("page-locked memory of %d elements", n)
	}
	a := &HostArray[T]{device: d}
	err := d.do(func() error {
		host, address, err := driver.HostAlloc(n * int(unsafe.Sizeof(element)))
		if err != nil {
			return failed("cuMemHostAlloc", err)
		}
		a.host, a.address = unsafe.Slice((*T)(host), n), address
		return nil
	})
	if err != nil {
		return nil, err
	}
	clear(a.host)
	return a, nil
}

// Element is an element of zeros, as that of Array.
func (a *HostArray[T]) Element() (zero T) { return zero }

// Host is the memory as the host sees it. It is gone after Free.
func (a *HostArray[T]) Host() []T { return a.host }

// Address is the memory as kernels see it.
func (a *HostArray[T]) Address() uint64 { return a.address }

// Free gives the memory back. A nil array, and one that was freed, stay as
// they are.
func (a *HostArray[T]) Free() error {
	if a == nil || a.host == nil {
		return nil
	}
	host := a.host
	a.host, a.address = nil, 0
	return a.device.do(func() error {
		return failed("cuMemFreeHost", cu.MemFreeHost(unsafe.Pointer(unsafe.SliceData(host))))
	})
}

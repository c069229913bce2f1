//go:build cuda

package device

import (
	"fmt"
	"unsafe"

	"gorgonia.org/cu"
)

// Array is n elements in a device's memory, taken with a Group. T must have the
// layout that the kernels give it, and no pointers. The zero value is an array
// that was not taken, or was given back.
type Array[T any] struct {
	device  *Device
	name    string
	address uint64
	n       int
}

// Address is where the array begins in the device's memory; 0 if it has no
// elements.
func (a Array[T]) Address() uint64 { return a.address }

// Element is an element of zeros: it says what the elements are to what knows
// arrays of all types (kernels/header).
func (a Array[T]) Element() (zero T) { return zero }

// Len is the number of elements.
func (a Array[T]) Len() int { return a.n }

// Bytes is the size of the array.
func (a Array[T]) Bytes() uint64 { return uint64(a.n) * size[T]() }

// size is the size of an element.
func size[T any]() uint64 {
	var element T
	return uint64(unsafe.Sizeof(element))
}

// Write copies host to the elements from first on, after everything launched
// so far.
func (a Array[T]) Write(first int, host []T) error {
	at, bytes, err := a.part(first, len(host))
	if err != nil || bytes == 0 {
		return err
	}
	return a.device.do(func() error {
		return failed("cuMemcpyHtoD to "+a.name, cu.MemcpyHtoD(at, unsafe.Pointer(unsafe.SliceData(host)), bytes))
	})
}

// Read fills host with the elements from first on, when everything launched so
// far is done.
func (a Array[T]) Read(first int, host []T) error {
	at, bytes, err := a.part(first, len(host))
	if err != nil || bytes == 0 {
		return err
	}
	return a.device.do(func() error {
		return failed("cuMemcpyDtoH of "+a.name, cu.MemcpyDtoH(unsafe.Pointer(unsafe.SliceData(host)), at, bytes))
	})
}

// Fill sets every byte of the array, in the stream, and returns at once.
func (a Array[T]) Fill(value byte) error {
	if a.n == 0 {
		return nil
	}
	return a.device.do(func() error {
		return failed("cuMemsetD8Async of "+a.name, cu.MemsetD8Async(cu.DevicePtr(a.address), value, int64(a.Bytes()), a.device.stream))
	})
}

// CopyFrom copies all elements of an array of the same length and device, in the
// stream, and returns at once.
func (a Array[T]) CopyFrom(other Array[T]) error {
	if a.n != other.n {
		return fmt.Errorf("%s has %d elements, not the %d of %s", a.name, a.n, other.n, other.name)
	}
	if a.n == 0 {
		return nil
	}
	return a.device.do(func() error {
		return failed("cuMemcpyDtoDAsync to "+a.name,
			cu.MemcpyDtoDAsync(cu.DevicePtr(a.address), cu.DevicePtr(other.address), int64(a.Bytes()), a.device.stream))
	})
}

// AddressOf returns where n elements from first on begin, which must be of the
// array.
func (a Array[T]) AddressOf(first, n int) (uint64, error) {
	at, _, err := a.part(first, n)
	return uint64(at), err
}

// part returns the address and the size in bytes of elements first..first+n-1.
func (a Array[T]) part(first, n int) (cu.DevicePtr, int64, error) {
	if first < 0 || n < 0 || n > a.n-first {
		return 0, 0, fmt.Errorf("%s has %d elements, not %d from %d on", a.name, a.n, n, first)
	}
	return cu.DevicePtr(a.address + uint64(first)*size[T]()), int64(n) * int64(size[T]()), nil
}

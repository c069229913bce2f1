//go:build cuda

package device

import (
	"fmt"
	"unsafe"

	"gorgonia.org/cu"
)

// Array is an array of n elements in a device's memory, allocated as part of a
// Group. T must have the memory layout that the kernels expect, and no pointers.
// The zero Array is not allocated.
type Array[T any] struct {
	device  *Device
	name    string
	address uint64
	n       int
}

// Address returns the device address of the first element, or 0 for an array
// without elements.
func (a Array[T]) Address() uint64 { return a.address }

// Element returns a zero element. Package kernels/header finds the element type
// by this method.
func (a Array[T]) Element() (zero T) { return zero }

// Len returns the number of elements.
func (a Array[T]) Len() int { return a.n }

// Bytes returns the size of the array in bytes.
func (a Array[T]) Bytes() uint64 { return uint64(a.n) * size[T]() }

// size returns the size of an element in bytes.
func size[T any]() uint64 {
	var element T
	return uint64(unsafe.Sizeof(element))
}

// FillWith sets every element of the array to value, as Fill does.
func FillWith[T uint32 | float32](a Array[T], value T) error {
	if a.n == 0 {
		return nil
	}
	bits := *(*uint32)(unsafe.Pointer(&value))
	return a.device.do(func() error {
		return failed("cuMemsetD32Async of "+a.name, cu.MemsetD32Async(cu.DevicePtr(a.address), uint(bits), int64(a.n), a.device.stream))
	})
}

// Write copies host to the elements first..first+len(host)-1, after all work
// launched so far. It returns when the copy is done.
func (a Array[T]) Write(first int, host []T) error {
	at, bytes, err := a.part(first, len(host))
	if err != nil || bytes == 0 {
		return err
	}
	return a.device.do(func() error {
		err := cu.MemcpyHtoD(at, unsafe.Pointer(unsafe.SliceData(host)), bytes)
		if err == nil {
			// The driver returns when it has read the host's memory. Other devices and processes
			// could see the elements from before.
			err = cu.NoStream.Synchronize()
		}
		return failed("cuMemcpyHtoD to "+a.name, err)
	})
}

// Read copies the elements first..first+len(host)-1 to host, after all work
// launched so far. It returns when the copy is done.
func (a Array[T]) Read(first int, host []T) error {
	at, bytes, err := a.part(first, len(host))
	if err != nil || bytes == 0 {
		return err
	}
	return a.device.do(func() error {
		return failed("cuMemcpyDtoH of "+a.name, cu.MemcpyDtoH(unsafe.Pointer(unsafe.SliceData(host)), at, bytes))
	})
}

// Fill sets every byte of the array to value. It runs in the stream and returns at
// once.
func (a Array[T]) Fill(value byte) error {
	if a.n == 0 {
		return nil
	}
	return a.device.do(func() error {
		return failed("cuMemsetD8Async of "+a.name, cu.MemsetD8Async(cu.DevicePtr(a.address), value, int64(a.Bytes()), a.device.stream))
	})
}

// Slice returns n elements of the array from index first on.
func (a Array[T]) Slice(first, n int) (Array[T], error) {
	at, err := a.AddressOf(first, n)
	return Array[T]{a.device, a.name, at, n}, err
}

// Based returns the array for a kernel that numbers its elements from first on: the
// element that the kernel gets at index first is the first one. The host cannot access
// the elements of the result.
func (a Array[T]) Based(first uint64) Array[T] {
	a.address -= first * size[T]()
	a.n = 0
	return a
}

// As returns the memory of an array as elements of another type, as many as fit.
func As[T, S any](a Array[S]) Array[T] {
	return Array[T]{a.device, a.name, a.address, int(a.Bytes() / size[T]())}
}

// CopyPart copies n elements of other from index from on to this array, from index at
// on. If other is on another device, both must be of one team. It runs in the stream of
// this array's device and returns at once.
func (a Array[T]) CopyPart(at int, other Array[T], from, n int) error {
	to, bytes, err := a.part(at, n)
	if err != nil {
		return err
	}
	source, _, err := other.part(from, n)
	if err != nil || bytes == 0 {
		return err
	}
	return a.device.do(func() error {
		return failed("cuMemcpyDtoDAsync to "+a.name, cu.MemcpyDtoDAsync(to, source, bytes, a.device.stream))
	})
}

// CopyFrom copies all elements of other, an array of the same length on the same
// device. It runs in the stream and returns at once.
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

// AddressOf returns the device address of element first. The elements
// first..first+n-1 must lie within the array.
func (a Array[T]) AddressOf(first, n int) (uint64, error) {
	at, _, err := a.part(first, n)
	return uint64(at), err
}

// part returns the address and the size in bytes of the elements
// first..first+n-1.
func (a Array[T]) part(first, n int) (cu.DevicePtr, int64, error) {
	if first < 0 || n < 0 || n > a.n-first {
		return 0, 0, fmt.Errorf("%s has %d elements: there are no %d elements from index %d", a.name, a.n, n, first)
	}
	return cu.DevicePtr(a.address + uint64(first)*size[T]()), int64(n) * int64(size[T]()), nil
}

//go:build cuda

package kernels

import (
	"errors"
	"fmt"
	"unsafe"

	"gorgonia.org/cu"
)

// Array is n elements in a device's memory. T must have the layout that the
// kernels give it, and no pointers.
type Array[T any] struct {
	device  *Device
	name    string
	address cu.DevicePtr
	n       int
}

// Alloc takes memory for n elements, which hold anything at first. The name
// stands in errors. An array of 0 elements has the address 0.
func Alloc[T any](d *Device, name string, n int) (*Array[T], error) {
	a := &Array[T]{device: d, name: name, n: n}
	if n < 0 {
		return nil, fmt.Errorf("%s of %d elements", name, n)
	}
	if n == 0 {
		return a, nil
	}
	var err error
	a.address, err = cu.MemAlloc(int64(a.Bytes()))
	if errors.Is(err, cu.OutOfMemory) {
		free, _, err := d.Memory()
		if err != nil {
			return nil, err
		}
		return nil, &MemoryError{Name: name, Needed: a.Bytes(), Available: free}
	}
	if err != nil {
		return nil, failed("cuMemAlloc of "+name, err)
	}
	return a, nil
}

// Address is where the array begins in the device's memory.
func (a *Array[T]) Address() uint64 { return uint64(a.address) }

// Len is the number of elements.
func (a *Array[T]) Len() int { return a.n }

// Bytes is the size of the array.
func (a *Array[T]) Bytes() uint64 {
	var element T
	return uint64(a.n) * uint64(unsafe.Sizeof(element))
}

// Free gives the memory back when everything launched so far is done. A nil
// array, and one that was freed, stay as they are.
func (a *Array[T]) Free() error {
	if a == nil || a.address == 0 {
		return nil
	}
	address := a.address
	a.address, a.n = 0, 0
	return failed("cuMemFree of "+a.name, cu.MemFree(address))
}

// Write copies host to the elements from first on, after everything launched
// so far.
func (a *Array[T]) Write(first int, host []T) error {
	at, bytes, err := a.part(first, len(host))
	if err != nil || bytes == 0 {
		return err
	}
	return failed("cuMemcpyHtoD to "+a.name, cu.MemcpyHtoD(at, unsafe.Pointer(unsafe.SliceData(host)), bytes))
}

// Read fills host with the elements from first on, when everything launched so
// far is done.
func (a *Array[T]) Read(first int, host []T) error {
	at, bytes, err := a.part(first, len(host))
	if err != nil || bytes == 0 {
		return err
	}
	return failed("cuMemcpyDtoH of "+a.name, cu.MemcpyDtoH(unsafe.Pointer(unsafe.SliceData(host)), at, bytes))
}

// Fill sets every byte of the array, in the stream, and returns at once.
func (a *Array[T]) Fill(value byte) error {
	if a.n == 0 {
		return nil
	}
	return failed("cuMemsetD8Async of "+a.name, cu.MemsetD8Async(a.address, value, int64(a.Bytes()), a.device.stream))
}

// CopyFrom copies all elements of an array of the same length and device, in the
// stream, and returns at once.
func (a *Array[T]) CopyFrom(other *Array[T]) error {
	if a.n != other.n {
		return fmt.Errorf("%s has %d elements, not the %d of %s", a.name, a.n, other.n, other.name)
	}
	if a.n == 0 {
		return nil
	}
	return failed("cuMemcpyDtoDAsync to "+a.name, cu.MemcpyDtoDAsync(a.address, other.address, int64(a.Bytes()), a.device.stream))
}

// part returns the address and the size in bytes of elements first..first+n-1.
func (a *Array[T]) part(first, n int) (cu.DevicePtr, int64, error) {
	if first < 0 || n > a.n-first {
		return 0, 0, fmt.Errorf("%s has %d elements, not %d from %d on", a.name, a.n, n, first)
	}
	var element T
	size := int64(unsafe.Sizeof(element))
	return a.address + cu.DevicePtr(int64(first)*size), int64(n) * size, nil
}

package memory

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Alloc returns n zeroed elements outside the Go heap, in huge pages if the
// system provides them. T must not contain pointers. The system places a page on
// the NUMA node of the worker that first writes to it. Free releases the memory.
func Alloc[T any](n int) ([]T, error) {
	var zero T
	if n == 0 || unsafe.Sizeof(zero) == 0 {
		return nil, nil
	}
	size := mappedFor[T](n)
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("memory: cannot map %s: %w (ulimit -v and -d show the limits of the process)", Size(uint64(size)), err)
	}
	preferHuge(b)
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n), nil
}

// preferHuge asks for huge pages, if memory has room for one.
func preferHuge(mapped []byte) {
	if len(mapped) >= hugePage {
		// Only a hint: a kernel without huge pages returns EINVAL, which is harmless.
		_ = unix.Madvise(mapped, unix.MADV_HUGEPAGE)
	}
}

// mappedFor returns the bytes that the system maps for n elements, or more than it ever does if
// they are that many.
func mappedFor[T any](n int) int {
	var zero T
	const most = 1<<63 - hugePage
	if n > 0 && uintptr(n) <= most/unsafe.Sizeof(zero) {
		return int(mapped(uintptr(n) * unsafe.Sizeof(zero)))
	}
	return most
}

// Free releases an array from Alloc, AllocShared or MapShared, which must not be used afterwards.
func Free[T any](s []T) error {
	if cap(s) == 0 {
		return nil
	}
	var zero T
	s = s[:cap(s)]
	return unix.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), mapped(uintptr(len(s))*unsafe.Sizeof(zero))))
}

// Release returns the huge pages that lie entirely behind s[:from], an array from Alloc, to the system.
// Their elements must not be used afterwards.
func Release[T any](s []T, from int) error {
	var zero T
	if len(s) == 0 {
		return nil
	}
	b := unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), mapped(uintptr(cap(s))*unsafe.Sizeof(zero)))
	start := (uintptr(from)*unsafe.Sizeof(zero) + hugePage - 1) / hugePage * hugePage
	if start >= uintptr(len(b)) {
		return nil
	}
	return unix.Madvise(b[start:], unix.MADV_DONTNEED)
}

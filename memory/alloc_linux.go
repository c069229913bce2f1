package memory

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the unit of transparent huge pages on common machines.
const hugePage = 2 << 20

// Alloc returns n zeroed elements in pages of their own, huge ones where the
// system grants them, invisible to the garbage collector. T must hold no
// pointers. Pages are placed by the worker that first writes them. Free
// gives them back.
func Alloc[T any](n int) ([]T, error) {
	var zero T
	size := uintptr(n) * unsafe.Sizeof(zero)
	if size == 0 {
		return nil, nil
	}
	b, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("memory: cannot map %s: %w (ulimit -v and -d show what the process may take)", Size(uint64(size)), err)
	}
	if size >= hugePage {
		// Advice only: a kernel without huge pages answers EINVAL and all still works.
		_ = unix.Madvise(b, unix.MADV_HUGEPAGE)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n), nil
}

// Free gives back an array from Alloc. The caller drops every reference to it.
func Free[T any](s []T) error {
	if cap(s) == 0 {
		return nil
	}
	var zero T
	s = s[:cap(s)]
	return unix.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), uintptr(len(s))*unsafe.Sizeof(zero)))
}

// Release gives the pages that lie wholly in s[from:] back to the system; the
// elements there must not be used again.
func Release[T any](s []T, from int) error {
	var zero T
	if len(s) == 0 {
		return nil
	}
	b := unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), uintptr(len(s))*unsafe.Sizeof(zero))
	start := (uintptr(from)*unsafe.Sizeof(zero) + hugePage - 1) / hugePage * hugePage
	if start >= uintptr(len(b)) {
		return nil
	}
	return unix.Madvise(b[start:], unix.MADV_DONTNEED)
}

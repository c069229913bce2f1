//go:build !linux

package memory

// Alloc returns n zeroed elements. T must not contain pointers.
func Alloc[T any](n int) ([]T, error) { return make([]T, n), nil }

// Free releases an array from Alloc, AllocShared or MapShared, which must not be used afterwards.
func Free[T any](s []T) error { return nil }

// Release returns the pages that lie entirely in s[from:] to the system. These
// elements must not be used afterwards.
func Release[T any](s []T, from int) error { return nil }

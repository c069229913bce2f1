//go:build !linux

package memory

// Alloc returns n zeroed elements. T must hold no pointers.
func Alloc[T any](n int) ([]T, error) { return make([]T, n), nil }

// Free gives back an array from Alloc. The caller drops every reference to it.
func Free[T any](s []T) error { return nil }

// Release gives the pages that lie wholly in s[from:] back to the system; the
// elements there must not be used again.
func Release[T any](s []T, from int) error { return nil }

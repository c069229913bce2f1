//go:build !linux

package memory

import "errors"

var errNotShared = errors.New("memory: processes share none on this system")

// AllocShared is Alloc of memory that other processes can map: an error on this system.
func AllocShared[T any](n int) ([]T, Shared, error) { return nil, Shared{}, errNotShared }

// MapShared maps the memory of that name: an error on this system.
func MapShared[T any](of Shared, n int) ([]T, error) { return nil, errNotShared }

// Close does nothing.
func (s *Shared) Close() error { return nil }

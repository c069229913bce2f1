//go:build !linux

package atomicfile

import "errors"

// freeSpace is not supported on this system. A full disk causes a write error.
func freeSpace(string) (uint64, error) { return 0, errors.ErrUnsupported }

//go:build !linux

package atomicfile

import "errors"

// freeSpace knows nothing here; a full disk is noticed while writing.
func freeSpace(string) (uint64, error) { return 0, errors.ErrUnsupported }

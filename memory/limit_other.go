//go:build !linux

package memory

import (
	"errors"
	"fmt"
	"runtime"
)

// Available always returns an error on this system: the amount is unknown, and
// callers may continue without a check.
func Available() (Limit, error) {
	return Limit{}, fmt.Errorf("memory: available amount unknown on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

// AvailablePages always returns an error on this system, like Available.
func AvailablePages() (Limit, error) { return Available() }

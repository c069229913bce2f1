//go:build !linux

package memory

import (
	"errors"
	"fmt"
	"runtime"
)

// Available returns how much memory this process can still take. Here that is
// always an error: the amount is unknown, and callers may go on without a
// check.
func Available() (Limit, error) {
	return Limit{}, fmt.Errorf("memory: available amount unknown on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

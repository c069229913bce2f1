//go:build !linux

package cluster

import (
	"errors"
	"fmt"
	"runtime"
)

// join always returns an error on this system.
func join(*Launcher) (*World, error) {
	return nil, fmt.Errorf("runs over several ranks are not possible on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

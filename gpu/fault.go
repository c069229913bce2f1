//go:build cuda

package gpu

import (
	"errors"
	"fmt"

	"graph500/device"
)

// on does the work of a phase and says of faults of the device where they came up.
func (e *Engine) on(phase string, work func() error) error {
	err := work()
	var fault *device.Error
	var full *device.MemoryError
	switch {
	case errors.As(err, &fault) && fault.Lost():
		return fmt.Errorf("%s on GPU %d: %w; the device's memory is lost", phase, e.ordinal, fault)
	case errors.As(err, &fault):
		return fmt.Errorf("%s on GPU %d: %w", phase, e.ordinal, fault)
	case errors.As(err, &full):
		return fmt.Errorf("%s on GPU %d: %w", phase, e.ordinal, full)
	}
	return err
}

// first returns the first fault of the device in err, or else err. A broken
// context makes an error of everything that is done to clean up.
func first(err error) error {
	var fault *device.Error
	if errors.As(err, &fault) {
		return fault
	}
	return err
}

//go:build cuda

package gpu

import (
	"errors"
	"fmt"

	"graph500/device"
)

// inPhase executes the work of a phase. Of joined errors it returns the first: the
// others are of cleaning up after it. It adds the phase and the GPU to the errors of the
// device.
func (e *Engine) inPhase(phase string, work func() error) error {
	err := earliest(work())
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

// earliest returns the first of joined errors.
func earliest(err error) error {
	for {
		joined, ok := err.(interface{ Unwrap() []error })
		if !ok {
			return err
		}
		err = joined.Unwrap()[0]
	}
}

// firstFault returns the first device error in err, or err if there is none. After a
// fault that loses the device, every clean-up call fails too.
func firstFault(err error) error {
	var fault *device.Error
	if errors.As(err, &fault) {
		return fault
	}
	return err
}

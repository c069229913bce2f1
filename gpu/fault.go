//go:build cuda

package gpu

import (
	"errors"
	"fmt"

	"graph500/device"
)

// inPhase executes the work of a phase. It adds the phase and the GPU to the errors
// of the device.
func (e *Engine) inPhase(phase string, work func() error) error {
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

// firstFault returns the first device error in err, or err if there is none. After a
// fault that loses the device, every clean-up call fails too.
func firstFault(err error) error {
	var fault *device.Error
	if errors.As(err, &fault) {
		return fault
	}
	return err
}

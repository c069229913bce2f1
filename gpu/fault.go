//go:build cuda

package gpu

import (
	"errors"
	"fmt"
	"strings"

	"graph500/device"
)

// inPhase executes the work of a phase. Of joined errors it returns the first: the
// others are of cleaning up after it. It adds the phase and the GPUs to the errors of the
// devices.
func (e *Engine) inPhase(phase string, work func() error) error {
	err := earliest(work())
	var fault *device.Error
	var full *device.MemoryError
	switch {
	case errors.As(err, &fault) && fault.Lost() && len(e.members) == 1:
		return fmt.Errorf("%s on %s: %w; the device's memory is lost", phase, e.names(), err)
	case errors.As(err, &fault), errors.As(err, &full):
		return fmt.Errorf("%s on %s: %w", phase, e.names(), err)
	}
	return err
}

// names names the GPUs of this process.
func (e *Engine) names() string {
	var ordinals []string
	for _, m := range e.members {
		ordinals = append(ordinals, fmt.Sprint(m.ordinal))
	}
	if len(ordinals) == 1 {
		return "GPU " + ordinals[0]
	}
	return "GPUs " + strings.Join(ordinals, ", ")
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

//go:build !cuda

package nvml

import (
	"errors"

	"graph500/energy"
)

// EnergyCounter returns an error, because a build without the tag cuda cannot use a GPU.
func EnergyCounter(busID string) (energy.Counter, error) {
	return energy.Counter{}, errors.New("this program was built without CUDA support")
}

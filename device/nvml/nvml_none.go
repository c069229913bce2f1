//go:build !cuda

package nvml

import (
	"errors"

	"graph500/energy"
)

// Board is the board of a GPU. This build has none.
type Board struct{}

// Open returns an error, because a build without the tag cuda cannot use a GPU.
func Open(busID string) (*Board, error) {
	return nil, errors.New("this program was built without CUDA support")
}

// EnergyCounter is not called, as there is no board.
func (*Board) EnergyCounter() (c energy.Counter, err error) { return c, err }

// State is not called, as there is no board.
func (*Board) State() (s State) { return s }

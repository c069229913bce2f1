//go:build cuda

package hostrows

import (
	"context"
	"math"

	"graph500/device"
)

// zeroCopy lets the kernel read the neighbours in host memory: a warp per row, in aligned
// lines of 128 bytes (EMOGI; Min et al., VLDB 2020). The reads of a warp become one request
// per line.
type zeroCopy struct{}

func (zeroCopy) arrays(_, _ uint64) []device.Declared { return nil }

func (zeroCopy) prepare(*Search) error { return nil }

// expand counts the sectors of 32 bytes that have neighbours of the frontier: the least that
// is read of a line.
func (zeroCopy) expand(_ context.Context, s *Search) (bytes uint64, err error) {
	return 32 * s.frontier.sectors, s.examine(part{count: s.frontier.rows, hi: math.MaxUint64}, s.graph.Tails.Address())
}

func (zeroCopy) close() error { return nil }

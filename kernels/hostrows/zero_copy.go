//go:build cuda

package hostrows

import (
	"context"

	"graph500/device"
	"graph500/kernels/construct"
)

// zeroCopy lets the kernel read the neighbours in host memory, in aligned lines of 128 bytes
// (EMOGI; Min et al., VLDB 2020). The reads of a warp become one request per line.
type zeroCopy struct{}

// allSectors is more than the sectors of a graph: their numbers have 32 bits.
const allSectors = 1 << 32

// sectorBytes is the size of a sector.
const sectorBytes = 4 * construct.SectorArcs

func (zeroCopy) arrays(_, _ uint64) []device.Declared { return nil }

func (zeroCopy) prepare(*Search) error { return nil }

// expand counts the sectors of 32 bytes that have neighbours of the listed rows: the
// least that is read of a line.
func (zeroCopy) expand(_ context.Context, s *Search) (moved, error) {
	l := s.listed
	return moved{sectorBytes * l.sectors, l.lines}, s.examine(part{count: l.rows, hi: allSectors}, s.graph.ByDegree.Tails.Address())
}

func (zeroCopy) close() error { return nil }

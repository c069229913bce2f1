//go:build cuda

package hostrows

import (
	"context"

	"graph500/device"
	"graph500/kernels/construct"
)

// partitionSlots is the number of buffers of partitions.
const partitionSlots = 2

// partitions copies neighbours in partitions of equal size: every partition that has a
// neighbour of a listed row, as a whole. A row may lie in several.
type partitions struct {
	feed
	all  device.Array[span]
	host []span
}

func (p *partitions) arrays(rows, tails uint64) []device.Declared {
	return append(p.feed.arrays(rows, tails), device.Of(&p.all, "rows by partition", (tails+p.size-1)/p.size))
}

func (p *partitions) prepare(s *Search) error {
	p.host = make([]span, p.all.Len())
	return p.feed.prepare(s.device)
}

func (p *partitions) expand(ctx context.Context, s *Search) (over moved, err error) {
	if err := p.all.Fill(0xFF); err != nil {
		return over, err
	}
	if err := s.Launch(s.spans, s.listed.rows, s.places.Address(), s.listed.rows, p.size/construct.SectorArcs, p.all.Address()); err != nil {
		return over, err
	}
	if err := p.all.Read(0, p.host); err != nil {
		return over, err
	}
	size, tails := p.size/construct.SectorArcs, s.sectors()
	for i, rows := range p.host {
		if rows == (span{^uint32(0), ^uint32(0)}) {
			continue
		}
		lo := uint64(i) * size
		one := part{
			first: uint64(rows.First), count: uint64(^rows.NotLast) - uint64(rows.First) + 1,
			lo: lo, hi: min(lo+size, tails),
		}
		if err := p.send(ctx, s, int(over.requests%partitionSlots), one); err != nil {
			return over, err
		}
		over.bytes += sectorBytes * (one.hi - one.lo)
		over.requests++
	}
	return over, nil
}

// send copies a partition to the buffer of a slot and launches the kernel for it. No more than
// partitionSlots are on the way, so that a search ends soon after its context.
func (p *partitions) send(ctx context.Context, s *Search, slot int, one part) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := p.uploads.Wait(slot); err != nil {
		return err
	}
	if err := p.upload(slot, 0, s.graph.ByDegree.Tails, one.lo, one.hi-one.lo); err != nil {
		return err
	}
	return p.examine(s, slot, one)
}

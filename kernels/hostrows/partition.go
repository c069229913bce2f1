//go:build cuda

package hostrows

import (
	"context"

	"graph500/device"
	"graph500/kernels/construct"
)

// partitions copies neighbours in partitions of equal size: every partition that has a
// neighbour of the frontier, as a whole. A row may lie in several.
type partitions struct {
	feed
	size uint64 // neighbours per partition
	all  device.Array[span]
	host []span
}

func (p *partitions) arrays(_, tails uint64) []device.Declared {
	return append(p.feed.arrays(min(p.size, tails)), device.Of(&p.all, "rows by partition", (tails+p.size-1)/p.size))
}

func (p *partitions) prepare(s *Search) error {
	p.host = make([]span, p.all.Len())
	return p.feed.prepare(s.device)
}

func (p *partitions) expand(ctx context.Context, s *Search) (over moved, err error) {
	if err := p.all.Fill(0xFF); err != nil {
		return over, err
	}
	if err := s.Launch(s.spans, s.frontier.rows, s.places.Address(), s.frontier.rows, p.size/construct.SectorArcs, p.all.Address()); err != nil {
		return over, err
	}
	if err := p.all.Read(0, p.host); err != nil {
		return over, err
	}
	tails := uint64(s.graph.Info.HostBytes) / 4
	for i, rows := range p.host {
		if rows == (span{^uint32(0), ^uint32(0)}) {
			continue
		}
		lo := uint64(i) * p.size
		n := min(p.size, tails-lo)
		one := part{
			first: uint64(rows.First), count: uint64(^rows.NotLast) - uint64(rows.First) + 1,
			lo: lo / construct.SectorArcs, hi: (lo + n) / construct.SectorArcs,
		}
		if err := p.await(ctx); err != nil {
			return over, err
		}
		if err := p.send(s, one, s.graph.Tails, int(lo), int(n)); err != nil {
			return over, err
		}
		over.bytes += 4 * n
		over.requests++
	}
	return over, nil
}

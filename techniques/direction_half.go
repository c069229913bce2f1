//go:build cuda

package techniques

import (
	"graph500/device"
	"graph500/engine"
)

func init() {
	implementations["direction-half"] = implementation{
		modules:   []string{"direction_half"},
		newSearch: func() search { return &directionHalfSearch{} },
	}
}

// bitmapWords returns the number of 32-bit words of a bitmap over vertices labels.
func bitmapWords(vertices uint64) uint64 { return (vertices + 31) / 32 }

// directionHalfSearch is a search from queues that converts long queues to a bitmap.
type directionHalfSearch struct {
	queued
	push, mark, pull *device.Kernel
	bitmap           device.Array[uint32]
}

func (s *directionHalfSearch) arrays(z sizes) []device.Declared {
	return append(s.queued.arrays(z), device.Of(&s.bitmap, "bitmap of the frontier", bitmapWords(z.vertices)))
}

func (s *directionHalfSearch) prepare(h *host) error {
	s.level = s.pushOrPull
	if err := s.queued.prepare(h); err != nil {
		return err
	}
	if err := h.kernel(&s.push, "direction_half_push"); err != nil {
		return err
	}
	if err := h.kernel(&s.mark, "direction_half_mark"); err != nil {
		return err
	}
	return h.kernel(&s.pull, "direction_half_pull")
}

// pushOrPull launches the kernels of a level, by the length of the queue.
func (s *directionHalfSearch) pushOrPull(l queueLevel) (engine.Direction, error) {
	if 2*l.count < s.rows {
		return engine.TopDown, s.Launch(s.push, l.count, s.arguments(l)...)
	}
	if err := s.bitmap.Fill(0); err != nil {
		return engine.BottomUp, err
	}
	if err := s.Launch(s.mark, l.count, l.queue, l.count, s.bitmap.Address()); err != nil {
		return engine.BottomUp, err
	}
	return engine.BottomUp, s.Launch(s.pull, s.rows, s.graph.ByDegree.Rows.Address(), s.rows, s.graph.ByDegree.Neighbors.Address(),
		s.parents.Address(), s.bitmap.Address(), l.next, l.found)
}

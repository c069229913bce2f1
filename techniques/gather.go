//go:build cuda

package techniques

import (
	"graph500/device"
	"graph500/engine"
)

// gathering is a search from queues by neighbour gathering (gather.cuh), with a bitmask of
// visited vertices.
type gathering struct {
	queued
	module  string // with the kernel <module>_expand
	expand  *device.Kernel
	visited device.Array[byte]
	blocks  uint64 // resident blocks of the kernel
}

// newGathering returns a constructor of searches with the kernel of a module.
func newGathering(module string) func() search {
	return func() search { return &gathering{module: module} }
}

func (s *gathering) arrays(z sizes) []device.Declared {
	return append(s.queued.arrays(z), device.Of(&s.visited, "bitmask of visited vertices", maskBytes(z.vertices)))
}

// maskBytes returns the size in bytes of a bitmask over vertices labels.
func maskBytes(vertices uint64) uint64 { return (vertices + 7) / 8 }

func (s *gathering) prepare(h *host) error {
	s.level = func(l queueLevel) (engine.Direction, error) {
		return engine.TopDown, s.LaunchBlocks(s.expand, gridFor(l.count, s.blocks), device.BlockThreads, 0, s.arguments(l, s.visited.Address())...)
	}
	if err := s.queued.prepare(h); err != nil {
		return err
	}
	if err := h.kernel(&s.expand, s.module+"_expand"); err != nil {
		return err
	}
	resident, err := s.expand.Resident(device.BlockThreads)
	s.blocks = uint64(resident)
	return err
}

func (s *gathering) begin(root engine.Label) error {
	if err := s.visited.Fill(0); err != nil {
		return err
	}
	return s.queued.begin(root)
}

// gridFor returns the number of blocks for a queue of count vertices, one thread each. A
// short queue is distributed over more blocks than its threads need: one per vertex, up to
// blocks.
func gridFor(count, blocks uint64) uint64 {
	return max(min(count, blocks), (count+device.BlockThreads-1)/device.BlockThreads)
}

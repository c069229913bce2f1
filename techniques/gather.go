//go:build cuda

package techniques

import (
	"graph500/device"
	"graph500/engine"
)

// gathering is a search from queues whose blocks share out the neighbours that
// their threads bring, and which looks into a bitmask for what is visited.
type gathering struct {
	queued
	module  string // with the kernel <module>_expand
	expand  *device.Kernel
	visited device.Array[byte]
	blocks  uint64 // of a grid, if there are as many vertices
}

// newGathering returns how a search with a module's kernel is made.
func newGathering(module string) func() method {
	return func() method { return &gathering{module: module} }
}

func (s *gathering) arrays(z sizes) []device.Declared {
	return append(s.queued.arrays(z), device.Of(&s.visited, "bitmask of visited vertices", maskBytes(z.vertices)))
}

// maskBytes is the size of a bitmask with a bit for each of that many labels.
func maskBytes(vertices uint64) uint64 { return (vertices + 7) / 8 }

func (s *gathering) prepare(h *host) error {
	s.level = func(l queueLevel) (engine.Direction, error) {
		return engine.TopDown, s.LaunchBlocks(s.expand, dealt(l.count, s.blocks), device.BlockThreads, 0, s.arguments(l, s.visited.Address())...)
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

func (s *gathering) begin(root engine.Local) error {
	if err := s.visited.Fill(0); err != nil {
		return err
	}
	return s.queued.begin(root)
}

// dealt returns the number of blocks that a queue of count vertices is dealt out
// to: one for each vertex up to so many, and more where a thread each needs them.
func dealt(count, blocks uint64) uint64 {
	return max(min(count, blocks), (count+device.BlockThreads-1)/device.BlockThreads)
}

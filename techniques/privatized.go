//go:build cuda

package techniques

import (
	"graph500/device"
	"graph500/engine"
)

// privateCapacity is the capacity of a block's queue in vertices: 8 KiB, so that shared
// memory does not limit the occupancy.
const privateCapacity = 2048

func init() {
	implementations["privatized"] = implementation{
		modules:   []string{"privatized"},
		newSearch: func() search { return &privatizedSearch{capacity: privateCapacity} },
	}
}

// privatizedSearch is a search from queues with a private queue per block.
type privatizedSearch struct {
	queued
	capacity uint64 // of a private queue
	expand   *device.Kernel
}

func (s *privatizedSearch) prepare(h *host) error {
	s.level = func(l queueLevel) (engine.Direction, error) {
		blocks := (l.count + device.BlockThreads - 1) / device.BlockThreads
		return engine.TopDown, s.LaunchBlocks(s.expand, blocks, device.BlockThreads, int(4*s.capacity), s.arguments(l, s.capacity)...)
	}
	if err := s.queued.prepare(h); err != nil {
		return err
	}
	return h.kernel(&s.expand, "privatized_expand")
}

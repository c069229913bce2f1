//go:build cuda

package techniques

import (
	"graph500/device"
	"graph500/engine"
)

// privateRoom is the number of vertices that a block's own queue holds: 8 KiB,
// so that shared memory does not limit how many blocks a multiprocessor takes.
const privateRoom = 2048

func privatized() Technique {
	return Technique{
		Text:    privatizedText,
		modules: []string{"privatized"},
		make:    func() method { return &privatizedSearch{room: privateRoom} },
	}
}

// privatizedSearch is a search from queues whose blocks have room for that many
// vertices.
type privatizedSearch struct {
	queued
	room   uint64
	expand *device.Kernel
}

func (s *privatizedSearch) prepare(h *host) error {
	s.level = func(l queueLevel) (engine.Direction, error) {
		blocks := (l.count + device.BlockThreads - 1) / device.BlockThreads
		return engine.TopDown, s.LaunchBlocks(s.expand, blocks, device.BlockThreads, int(4*s.room), s.arguments(l, s.room)...)
	}
	if err := s.queued.prepare(h); err != nil {
		return err
	}
	return h.kernel(&s.expand, "privatized_expand")
}

//go:build cuda

package techniques

import (
	"graph500/device"
	"graph500/engine"
)

func init() {
	implementations["frontier"] = implementation{
		modules:   []string{"frontier"},
		newSearch: func() search { return &frontierSearch{} },
	}
}

// frontierSearch is a search from queues with one kernel per level.
type frontierSearch struct {
	queued
	expand *device.Kernel
}

func (s *frontierSearch) prepare(h *host) error {
	s.level = func(l queueLevel) (engine.Direction, error) {
		return engine.TopDown, s.Launch(s.expand, l.count, s.arguments(l)...)
	}
	if err := s.queued.prepare(h); err != nil {
		return err
	}
	return h.kernel(&s.expand, "frontier_expand")
}

//go:build cuda

package techniques

import (
	"graph500/device"
	"graph500/engine"
)

const (
	// blockCapacity is the largest frontier of the single block in vertices, two for each
	// of its threads.
	blockCapacity = 2048

	// blockLevels is the number of levels after which the single block returns to the
	// host, which then checks its context.
	blockLevels = 256

	singleBlockThreads = 1024
)

func init() {
	implementations["single-block"] = implementation{
		modules:   []string{"single_block"},
		newSearch: func() search { return &singleBlockSearch{capacity: blockCapacity, levels: blockLevels} },
	}
}

// singleBlockSearch is a search from queues that processes small levels with one block.
type singleBlockSearch struct {
	queued
	capacity uint64 // largest number of vertices of a small frontier
	levels   int    // largest number of levels per launch of the block

	expand, run *device.Kernel
	sizes       device.Array[uint32] // vertices found, by level of a launch
	hostSizes   []uint32             // copy of sizes
	current     int                  // index of the queue that holds the frontier
}

func (s *singleBlockSearch) arrays(z sizes) []device.Declared {
	return append(s.queued.arrays(z), device.Of(&s.sizes, "sizes of levels", uint64(s.levels)))
}

func (s *singleBlockSearch) prepare(h *host) error {
	s.hostSizes = make([]uint32, s.levels)
	if err := s.queued.prepare(h); err != nil {
		return err
	}
	if err := h.kernel(&s.expand, "single_block_expand"); err != nil {
		return err
	}
	if err := h.kernel(&s.run, "single_block_run"); err != nil {
		return err
	}
	return s.sizes.Fill(0) // the host reads all of it, even if a launch had fewer levels
}

func (s *singleBlockSearch) begin(root engine.Label) error {
	s.current = 0
	return s.queued.begin(root)
}

func (s *singleBlockSearch) step() (more bool, err error) {
	l := queueLevel{queue: s.queues[s.current].Address(), count: s.count, next: s.queues[1-s.current].Address()}
	s.current = 1 - s.current
	if s.count <= s.capacity {
		s.count, err = s.small(l)
	} else {
		s.count, err = s.large(l)
	}
	return s.count > 0, err
}

// large processes one level with the whole device and returns the number of vertices
// found.
func (s *singleBlockSearch) large(l queueLevel) (found uint64, err error) {
	if l.found, err = s.found.take(); err != nil {
		return 0, err
	}
	if err := s.Launch(s.expand, l.count, s.arguments(l)...); err != nil {
		return 0, err
	}
	n, err := s.found.read()
	if err != nil {
		return 0, err
	}
	s.AddLevel(engine.Level{Direction: engine.TopDown, Frontier: int64(l.count), Found: int64(n)})
	return uint64(n), nil
}

// small processes levels with the single block until a level finds too many vertices or
// none, or the limit of levels is reached. It returns the number of vertices found in the
// last level. The time of the launch is recorded with the first of these levels.
func (s *singleBlockSearch) small(l queueLevel) (found uint64, err error) {
	l.found = s.sizes.Address()
	if err := s.LaunchBlocks(s.run, 1, singleBlockThreads, int(2*4*s.capacity), s.arguments(l, uint64(len(s.hostSizes)), s.capacity)...); err != nil {
		return 0, err
	}
	if err := s.sizes.Read(0, s.hostSizes); err != nil {
		return 0, err
	}
	found = l.count
	for _, n := range s.hostSizes {
		s.AddLevel(engine.Level{Direction: engine.TopDown, Frontier: int64(found), Found: int64(n)})
		found = uint64(n)
		if found == 0 || found > s.capacity {
			break
		}
	}
	return found, nil
}

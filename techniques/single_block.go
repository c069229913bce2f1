//go:build cuda

package techniques

import (
	"graph500/device"
	"graph500/engine"
)

const (
	// blockRoom is the number of vertices of the largest frontier that the
	// single block keeps, two for each of its threads.
	blockRoom = 2048

	// blockLevels is the number of levels after which the single block returns
	// to the host, which then looks at its context.
	blockLevels = 256

	singleBlockThreads = 1024
)

func singleBlock() Technique {
	return Technique{
		Text:    singleBlockText,
		modules: []string{"single_block"},
		make:    func() method { return &singleBlockSearch{room: blockRoom, levels: blockLevels} },
	}
}

// singleBlockSearch is a search from queues that leaves small levels to one
// block.
type singleBlockSearch struct {
	queued
	room   uint64 // vertices of a small frontier, at most
	levels int    // that the block does at a time, at most

	expand, run *device.Kernel
	sizes       device.Array[uint32] // of the levels that the block did
	read        []uint32             // of sizes
	now         int                  // queue that holds the frontier
}

func (s *singleBlockSearch) arrays(z sizes) []device.Declared {
	return append(s.queued.arrays(z), device.Of(&s.sizes, "sizes of levels", uint64(s.levels)))
}

func (s *singleBlockSearch) prepare(h *host) error {
	s.read = make([]uint32, s.levels)
	if err := s.queued.prepare(h); err != nil {
		return err
	}
	if err := h.kernel(&s.expand, "single_block_expand"); err != nil {
		return err
	}
	if err := h.kernel(&s.run, "single_block_run"); err != nil {
		return err
	}
	return s.sizes.Fill(0) // read as a whole, also when the block did fewer levels
}

func (s *singleBlockSearch) begin(root engine.Local) error {
	s.now = 0
	return s.queued.begin(root)
}

func (s *singleBlockSearch) step() (more bool, err error) {
	l := queueLevel{queue: s.queues[s.now].Address(), count: s.count, next: s.queues[1-s.now].Address()}
	s.now = 1 - s.now
	if s.count <= s.room {
		s.count, err = s.small(l)
	} else {
		s.count, err = s.large(l)
	}
	return s.count > 0, err
}

// large does one level with the whole device and returns the number of vertices
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

// small lets the single block do levels until one is not small, or it has done
// as many as it may, and returns the number of vertices found in the last. Of
// these levels the first has the time of all.
func (s *singleBlockSearch) small(l queueLevel) (found uint64, err error) {
	l.found = s.sizes.Address()
	if err := s.LaunchBlocks(s.run, 1, singleBlockThreads, int(2*4*s.room), s.arguments(l, uint64(len(s.read)), s.room)...); err != nil {
		return 0, err
	}
	if err := s.sizes.Read(0, s.read); err != nil {
		return 0, err
	}
	found = l.count
	for _, n := range s.read {
		s.AddLevel(engine.Level{Direction: engine.TopDown, Frontier: int64(found), Found: int64(n)})
		found = uint64(n)
		if found == 0 || found > s.room {
			break
		}
	}
	return found, nil
}

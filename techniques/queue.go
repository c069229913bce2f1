//go:build cuda

package techniques

import (
	"graph500/device"
	"graph500/engine"
)

// queued is a search whose frontier is a queue. Each level fills the next queue, until it
// stays empty.
type queued struct {
	*host
	level func(l queueLevel) (engine.Direction, error) // launches the kernels of a level

	start  *device.Kernel
	queues [2]device.Array[engine.Label] // swapped after each level
	found  counters[uint32]
	count  uint64 // length of the current queue
}

// queueLevel has the arguments of the kernels of a level: the address and the length of
// the queue, the address of the next queue, and the address of its counter, which is zero.
type queueLevel struct{ queue, count, next, found uint64 }

func (s *queued) arrays(z sizes) []device.Declared {
	return []device.Declared{
		device.Of(&s.queues[0], "queue", z.rows),
		device.Of(&s.queues[1], "next queue", z.rows),
		s.found.declare(),
	}
}

func (s *queued) prepare(h *host) error {
	s.host = h
	return h.kernel(&s.start, "queue_start")
}

func (s *queued) begin(root engine.Label) error {
	s.found.rewind()
	s.count = 1
	return s.LaunchBlocks(s.start, 1, 1, 0, s.parents.Address(), s.queues[0].Address(), uint64(root))
}

// arguments returns the arguments of a kernel that expands a queue: the graph, the parents
// and the level, then the extra ones.
func (s *queued) arguments(l queueLevel, extra ...uint64) []uint64 {
	return append([]uint64{s.graph.Index.Address(), s.graph.ByDegree.Rows.Address(), s.graph.ByDegree.Neighbors.Address(), s.parents.Address(),
		l.queue, l.count, l.next, l.found}, extra...)
}

func (s *queued) step() (more bool, err error) {
	turn := s.Levels() % 2
	l := queueLevel{queue: s.queues[turn].Address(), count: s.count, next: s.queues[1-turn].Address()}
	if l.found, err = s.found.take(); err != nil {
		return false, err
	}
	direction, err := s.level(l)
	if err != nil {
		return false, err
	}
	found, err := s.found.read()
	if err != nil {
		return false, err
	}
	s.AddLevel(engine.Level{Direction: direction, Frontier: int64(s.count), Found: int64(found)})
	s.count = uint64(found)
	return s.count > 0, nil
}

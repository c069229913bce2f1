//go:build cuda

package techniques

import (
	"context"
	"errors"

	"graph500/engine"
	"graph500/kernels"
)

// queued is a search whose frontier is a queue, and which fills the next queue
// in each level, until one stays empty.
type queued struct {
	steered
	level   func(l queueLevel) (engine.Direction, error) // launches the kernels of a level
	prepare func() error                                 // makes ready what the technique has besides; may be nil

	graph   *kernels.Graph
	parents *kernels.Array[engine.Local]
	begin   *kernels.Kernel
	queues  [2]*kernels.Array[engine.Local] // n entries each: a vertex is claimed once; used in turn
	found   *counters[uint32]
}

// queueLevel is what the kernels of a level are given: the addresses of the
// queue, its number of entries, the queue to fill, and the counter of that,
// which is zero.
type queueLevel struct{ queue, count, next, found uint64 }

// queueMemory lists the memory of a search from queues.
func queueMemory(_, rows, _ uint64) []engine.Allocation {
	return []engine.Allocation{searching("queues", 2*4*rows)}
}

func (s *queued) allocate(d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], module string, counted bool) (err error) {
	s.graph, s.parents = g, parents
	if err = s.open(d, module, counted); err != nil {
		return err
	}
	if s.begin, err = s.module.Kernel("queue_start"); err != nil {
		return err
	}
	for i := range s.queues {
		if s.queues[i], err = kernels.Alloc[engine.Local](d, "queue", g.Rows.Len()); err != nil {
			return err
		}
	}
	s.found, err = newCounters[uint32](d)
	return err
}

// start is the begin of a search.
func (s *queued) start(root engine.Local) error {
	s.found.rewind()
	if s.prepare != nil {
		if err := s.prepare(); err != nil {
			return err
		}
	}
	return s.launchBlocks(s.begin, 1, 1, s.parents.Address(), s.queues[0].Address(), uint64(root))
}

// arguments are those of every kernel that expands a queue: the graph, the
// parents and the level, then what it has of its own.
func (s *queued) arguments(l queueLevel, own ...uint64) []uint64 {
	return append([]uint64{s.graph.Index.Address(), s.graph.Rows.Address(), s.graph.Neighbors.Address(), s.parents.Address(),
		l.queue, l.count, l.next, l.found}, own...)
}

// Search fills the parents of every vertex reachable from root.
func (s *queued) Search(ctx context.Context, root engine.Local) error {
	count := uint64(1)
	return s.search(ctx, func() error { return s.start(root) }, func() (more bool, err error) {
		now, next := s.queues[s.turn()], s.queues[1-s.turn()]
		l := queueLevel{queue: now.Address(), count: count, next: next.Address()}
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
		s.note(engine.Level{Direction: direction, Frontier: int64(count), Found: int64(found)})
		count = uint64(found)
		return count > 0, nil
	})
}

// Close frees what the search took.
func (s *queued) Close() error {
	return errors.Join(s.queues[0].Free(), s.queues[1].Free(), s.found.free(), s.steered.Close())
}

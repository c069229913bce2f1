//go:build cuda

package techniques

import (
	"context"
	"errors"

	"graph500/engine"
	"graph500/kernels"
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
		Name:      "single-block",
		Doc:       "frontier, but while it is small one block goes from level to level without the host",
		Source:    "PMPP 15.7",
		Structure: "CSR",
		Memory:    queueMemory,
		New: func(_ context.Context, d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], counted bool) (Search, error) {
			return newSingleBlock(d, g, parents, counted, blockRoom, blockLevels)
		},
	}
}

// singleBlockSearch is a search from queues that leaves small levels to one
// block.
type singleBlockSearch struct {
	queued
	expand, run *kernels.Kernel
	room        uint64                 // vertices of a small frontier, at most
	sizes       *kernels.Array[uint32] // of the levels that the block did
	read        []uint32               // of sizes
}

// newSingleBlock returns a search whose single block has room for that many
// vertices and does that many levels at a time.
func newSingleBlock(d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], counted bool, room uint64, levels int) (Search, error) {
	s := &singleBlockSearch{room: room, read: make([]uint32, levels)}
	return made(s, s.allocate(d, g, parents, counted))
}

func (s *singleBlockSearch) allocate(d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], counted bool) (err error) {
	if err = s.queued.allocate(d, g, parents, "single_block", counted); err != nil {
		return err
	}
	if s.expand, err = s.module.Kernel("single_block_expand"); err != nil {
		return err
	}
	if s.run, err = s.module.Kernel("single_block_run"); err != nil {
		return err
	}
	if s.sizes, err = kernels.Alloc[uint32](d, "sizes of levels", len(s.read)); err != nil {
		return err
	}
	return s.sizes.Fill(0) // read as a whole, also when the block did fewer levels
}

// Search fills the parents of every vertex reachable from root.
func (s *singleBlockSearch) Search(ctx context.Context, root engine.Local) error {
	count, now, next := uint64(1), s.queues[0], s.queues[1]
	return s.search(ctx, func() error { return s.start(root) }, func() (more bool, err error) {
		l := queueLevel{queue: now.Address(), count: count, next: next.Address()}
		now, next = next, now
		if count <= s.room {
			count, err = s.small(l)
		} else {
			count, err = s.large(l)
		}
		return count > 0, err
	})
}

// large does one level with the whole device and returns the number of vertices
// found.
func (s *singleBlockSearch) large(l queueLevel) (found uint64, err error) {
	if l.found, err = s.found.take(); err != nil {
		return 0, err
	}
	if err := s.launch(s.expand, l.count, s.arguments(l)...); err != nil {
		return 0, err
	}
	n, err := s.found.read()
	if err != nil {
		return 0, err
	}
	s.note(engine.Level{Direction: engine.TopDown, Frontier: int64(l.count), Found: int64(n)})
	return uint64(n), nil
}

// small lets the single block do levels until one is not small, or it has done
// as many as it may, and returns the number of vertices found in the last. Of
// these levels the first has the time of all.
func (s *singleBlockSearch) small(l queueLevel) (found uint64, err error) {
	l.found = s.sizes.Address()
	s.launches++
	if err := s.run.Launch(1, singleBlockThreads, int(2*4*s.room), s.arguments(l, uint64(len(s.read)), s.room)...); err != nil {
		return 0, err
	}
	if err := s.sizes.Read(0, s.read); err != nil {
		return 0, err
	}
	found = l.count
	for _, n := range s.read {
		s.note(engine.Level{Direction: engine.TopDown, Frontier: int64(found), Found: int64(n)})
		found = uint64(n)
		if found == 0 || found > s.room {
			break
		}
	}
	return found, nil
}

// Close frees what the search took.
func (s *singleBlockSearch) Close() error {
	return errors.Join(s.sizes.Free(), s.queued.Close())
}

//go:build cuda

package techniques

import (
	"context"
	"errors"

	"graph500/engine"
	"graph500/kernels"
)

// marking is a search that keeps the depth of every vertex and marks one level
// with each launch of one kernel, <technique>_expand, until a level has changed
// nothing (PMPP 15.3).
type marking struct {
	steered
	direction engine.Direction
	level     func(level, changed uint64) error // launches the kernel for a level, which sets changed, at that address
	begin     func(root engine.Local) error     // makes ready what the technique has besides; may be nil

	device  *kernels.Device
	graph   *kernels.Graph
	parents *kernels.Array[engine.Local]
	expand  *kernels.Kernel
	depths  *kernels.Array[uint32] // N entries, by label
	changed *counters[uint32]      // flags

	shared *kernels.Module // depths.cu
	start  *kernels.Kernel
	count  *kernels.Kernel
	known  bool // the sizes of the levels are entered
}

// depthsMemory lists the memory of a marking search.
func depthsMemory(vertices, _, _ uint64) []engine.Allocation {
	return []engine.Allocation{searching("depths", 4*vertices)}
}

func (s *marking) allocate(d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], name string, counted bool) (err error) {
	s.device, s.graph, s.parents = d, g, parents
	if err = s.open(d, name, counted); err != nil {
		return err
	}
	if s.expand, err = s.module.Kernel(name + "_expand"); err != nil {
		return err
	}
	if s.shared, err = d.Load(images, "depths"); err != nil {
		return err
	}
	if s.start, err = s.shared.Kernel("depths_start"); err != nil {
		return err
	}
	if s.count, err = s.shared.Kernel("depths_count"); err != nil {
		return err
	}
	if s.depths, err = kernels.Alloc[uint32](d, "depths", parents.Len()); err != nil {
		return err
	}
	s.changed, err = newCounters[uint32](d)
	return err
}

// rows is the number of rows.
func (s *marking) rows() uint64 { return uint64(s.graph.Rows.Len()) }

// Search fills the parents of every vertex reachable from root.
func (s *marking) Search(ctx context.Context, root engine.Local) error {
	s.known = false
	start := func() error {
		s.changed.rewind()
		if err := s.depths.Fill(0xFF); err != nil {
			return err
		}
		if s.begin != nil {
			if err := s.begin(root); err != nil {
				return err
			}
		}
		return s.launchBlocks(s.start, 1, 1, s.parents.Address(), s.depths.Address(), uint64(root))
	}
	return s.search(ctx, start, func() (more bool, err error) {
		at, err := s.changed.take()
		if err != nil {
			return false, err
		}
		if err := s.level(uint64(s.profile.LevelCount)+1, at); err != nil {
			return false, err
		}
		changed, err := s.changed.read()
		if err != nil {
			return false, err
		}
		s.note(engine.Level{Direction: s.direction})
		return changed != 0, nil
	})
}

// Profile is that of all steered searches. The sizes of the levels are counted
// now: a flag does not tell them.
func (s *marking) Profile() (engine.Profile, error) {
	if !s.known {
		sizes, err := s.sizes()
		if err != nil {
			return engine.Profile{}, err
		}
		for i := range s.profile.Levels {
			l := &s.profile.Levels[i]
			l.Frontier, l.Found = int64(sizes[i]), int64(sizes[i+1])
		}
		s.known = true
	}
	return s.steered.Profile()
}

// sizes returns the number of vertices at each depth, for one more than there
// are levels.
func (s *marking) sizes() ([]uint64, error) {
	sizes := make([]uint64, s.profile.LevelCount+1)
	found, err := kernels.Alloc[uint64](s.device, "sizes of levels", len(sizes))
	if err != nil {
		return nil, err
	}
	err = found.Fill(0)
	if err == nil {
		err = s.count.Launch(int((s.rows()+blockThreads-1)/blockThreads), blockThreads, 0,
			s.graph.Rows.Address(), s.rows(), s.depths.Address(), found.Address())
	}
	if err == nil {
		err = found.Read(0, sizes)
	}
	return sizes, errors.Join(err, found.Free())
}

// Close frees what the search took.
func (s *marking) Close() error {
	return errors.Join(s.depths.Free(), s.changed.free(), s.shared.Close(), s.steered.Close())
}

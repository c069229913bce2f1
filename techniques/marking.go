//go:build cuda

package techniques

import (
	"graph500/device"
	"graph500/engine"
)

// marking is a search that keeps the depth of every vertex and marks one level
// with each launch of one kernel, <module>_expand, until a level has changed
// nothing (PMPP 15.3).
type marking struct {
	*host
	module    string
	direction engine.Direction
	expand    *device.Kernel
	level     func(level, changed uint64) error // launches the kernel for a level, which sets changed, at that address

	depths  device.Array[uint32] // N entries, by label
	changed counters[uint32]     // flags
	sizes   device.Array[uint64] // of levels
	start   *device.Kernel
	count   *device.Kernel
	known   bool // the sizes of the levels are entered
}

// mostSizes is the number of levels whose vertices are counted: those that are
// kept, and what the last of them found.
const mostSizes = engine.MaxLevels + 1

func (s *marking) arrays(z sizes) []device.Declared {
	return []device.Declared{
		device.Of(&s.depths, "depths", z.vertices),
		device.Of(&s.sizes, "sizes of levels", mostSizes),
		s.changed.declare(),
	}
}

func (s *marking) prepare(h *host) error {
	s.host = h
	if err := h.kernel(&s.expand, s.module+"_expand"); err != nil {
		return err
	}
	shared, err := h.device.Load("techniques", images, "depths")
	if err != nil {
		return err
	}
	if s.start, err = shared.Kernel("depths_start"); err != nil {
		return err
	}
	s.count, err = shared.Kernel("depths_count")
	return err
}

func (s *marking) begin(root engine.Local) error {
	s.known = false
	s.changed.rewind()
	if err := s.depths.Fill(0xFF); err != nil {
		return err
	}
	return s.LaunchBlocks(s.start, 1, 1, 0, s.parents.Address(), s.depths.Address(), uint64(root))
}

func (s *marking) step() (more bool, err error) {
	at, err := s.changed.take()
	if err != nil {
		return false, err
	}
	if err := s.level(s.Levels()+1, at); err != nil {
		return false, err
	}
	changed, err := s.changed.read()
	if err != nil {
		return false, err
	}
	s.AddLevel(engine.Level{Direction: s.direction})
	return changed != 0, nil
}

// complete enters the sizes of the levels, which a flag does not tell.
func (s *marking) complete() error {
	if s.known {
		return nil
	}
	if err := s.sizes.Fill(0); err != nil {
		return err
	}
	if err := s.count.Launch(int((s.rows+device.BlockThreads-1)/device.BlockThreads), device.BlockThreads, 0,
		s.graph.Rows.Address(), s.rows, s.depths.Address(), s.sizes.Address(), mostSizes); err != nil {
		return err
	}
	sizes := make([]uint64, mostSizes)
	if err := s.sizes.Read(0, sizes); err != nil {
		return err
	}
	for i := range s.LevelRecords() {
		l := &s.LevelRecords()[i]
		l.Frontier, l.Found = int64(sizes[i]), int64(sizes[i+1])
	}
	s.known = true
	return nil
}

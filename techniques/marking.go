//go:build cuda

package techniques

import (
	"graph500/device"
	"graph500/engine"
)

// marking is a search that stores the depth of every vertex and marks one level with each
// launch of the kernel <module>_expand, until a level changes nothing (PMPP 15.3).
type marking struct {
	*host
	module    string
	direction engine.Direction
	expand    *device.Kernel
	level     func(level, changed uint64) error // launches the kernel for a level; changed is the address of its flag

	depths     device.Array[uint32] // by label
	changed    counters[uint32]     // flags
	sizes      device.Array[uint64] // vertices by depth
	start      *device.Kernel
	count      *device.Kernel
	sizesKnown bool // the recorded levels have their sizes
}

// maxSizes is the number of depths whose vertices are counted: one per recorded level, and
// one more for the vertices that the last of them found.
const maxSizes = engine.MaxLevels + 1

func (s *marking) arrays(z sizes) []device.Declared {
	return []device.Declared{
		device.Of(&s.depths, "depths", z.vertices),
		device.Of(&s.sizes, "sizes of levels", maxSizes),
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

func (s *marking) begin(root engine.Label) error {
	s.sizesKnown = false
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

// complete counts the vertices of each depth after the search and fills in the sizes of
// the recorded levels.
func (s *marking) complete() error {
	if s.sizesKnown {
		return nil
	}
	if err := s.sizes.Fill(0); err != nil {
		return err
	}
	if err := s.count.Launch(int((s.rows+device.BlockThreads-1)/device.BlockThreads), device.BlockThreads, 0,
		s.graph.ByDegree.Rows.Address(), s.rows, s.depths.Address(), s.sizes.Address(), maxSizes); err != nil {
		return err
	}
	sizes := make([]uint64, maxSizes)
	if err := s.sizes.Read(0, sizes); err != nil {
		return err
	}
	for i := range s.LevelRecords() {
		l := &s.LevelRecords()[i]
		l.Frontier, l.Found = int64(sizes[i]), int64(sizes[i+1])
	}
	s.sizesKnown = true
	return nil
}

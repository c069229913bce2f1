//go:build cuda

package techniques

import (
	"graph500/device"
	"graph500/engine"
)

func init() {
	implementations["spmv"] = implementation{
		modules:   []string{"spmv"},
		newSearch: func() search { return &spmvSearch{} },
	}
}

// spmvSearch is a search by sparse matrix-vector products.
type spmvSearch struct {
	*host
	start, multiply, assign *device.Kernel

	x        device.Array[engine.Label] // by label: the frontier
	y        device.Array[engine.Label] // by row: the product, parents of the next frontier
	entries  counters[uint32]           // number of entries of y
	frontier uint32                     // number of vertices of the frontier
}

func (s *spmvSearch) arrays(z sizes) []device.Declared {
	return []device.Declared{
		device.Of(&s.x, "vector of the frontier", z.vertices),
		device.Of(&s.y, "product", z.rows),
		s.entries.declare(),
	}
}

func (s *spmvSearch) prepare(h *host) error {
	s.host = h
	if err := h.kernel(&s.start, "spmv_start"); err != nil {
		return err
	}
	if err := h.kernel(&s.multiply, "spmv_multiply"); err != nil {
		return err
	}
	return h.kernel(&s.assign, "spmv_assign")
}

func (s *spmvSearch) begin(root engine.Label) error {
	s.entries.rewind()
	s.frontier = 1
	if err := s.x.Fill(0xFF); err != nil {
		return err
	}
	return s.LaunchBlocks(s.start, 1, 1, 0, s.parents.Address(), s.x.Address(), uint64(root))
}

func (s *spmvSearch) step() (more bool, err error) {
	g := s.graph
	if err := s.Launch(s.multiply, 32*s.rows, g.ByDegree.Rows.Address(), s.rows, g.ByDegree.Neighbors.Address(), s.parents.Address(), s.x.Address(), s.y.Address()); err != nil {
		return false, err
	}
	entries, err := s.entries.take()
	if err != nil {
		return false, err
	}
	if err := s.Launch(s.assign, s.rows, g.ByDegree.Rows.Address(), s.rows, s.parents.Address(), s.x.Address(), s.y.Address(), entries); err != nil {
		return false, err
	}
	found, err := s.entries.read()
	if err != nil {
		return false, err
	}
	s.AddLevel(engine.Level{Direction: engine.BottomUp, Frontier: int64(s.frontier), Found: int64(found)})
	s.frontier = found
	return found > 0, nil
}

//go:build cuda

package techniques

import (
	"graph500/device"
	"graph500/engine"
)

func init() {
	implementations["edge"] = implementation{
		modules:   []string{"edge", "depths"},
		newSearch: func() search { return &edgeSearch{marking: marking{module: "edge", direction: engine.TopDown}} },
	}
}

// edgeSearch is a marking search on COO: it has the source of each arc.
type edgeSearch struct {
	marking
	sources device.Array[engine.Label]
}

func (s *edgeSearch) arrays(z sizes) []device.Declared {
	return append(s.marking.arrays(z), device.Of(&s.sources, "sources of edges", z.arcs))
}

// prepare computes the sources of the arcs.
func (s *edgeSearch) prepare(h *host) error {
	if err := s.marking.prepare(h); err != nil {
		return err
	}
	arcs := uint64(s.graph.ByDegree.Neighbors.Len())
	s.level = func(level, changed uint64) error {
		return s.Launch(s.expand, arcs, s.sources.Address(), s.graph.ByDegree.Neighbors.Address(), arcs, s.parents.Address(),
			s.depths.Address(), level, changed)
	}
	var sources *device.Kernel
	if err := h.kernel(&sources, "edge_sources"); err != nil {
		return err
	}
	return s.Launch(sources, arcs, s.graph.ByDegree.Rows.Address(), s.rows, arcs, s.sources.Address())
}

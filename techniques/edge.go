//go:build cuda

package techniques

import (
	"graph500/device"
	"graph500/engine"
)

func edge() Technique {
	return Technique{
		Text:    edgeText,
		modules: []string{"edge", "depths"},
		make:    func() method { return &edgeSearch{marking: marking{module: "edge", direction: engine.TopDown}} },
	}
}

// edgeSearch is a marking search that has the source of each arc.
type edgeSearch struct {
	marking
	sources device.Array[engine.Local]
}

func (s *edgeSearch) arrays(z sizes) []device.Declared {
	return append(s.marking.arrays(z), device.Of(&s.sources, "sources of edges", z.arcs))
}

// prepare makes COO of the graph.
func (s *edgeSearch) prepare(h *host) error {
	if err := s.marking.prepare(h); err != nil {
		return err
	}
	arcs := uint64(s.graph.Neighbors.Len())
	s.level = func(level, changed uint64) error {
		return s.Launch(s.expand, arcs, s.sources.Address(), s.graph.Neighbors.Address(), arcs, s.parents.Address(),
			s.depths.Address(), level, changed)
	}
	var find *device.Kernel
	if err := h.kernel(&find, "edge_sources"); err != nil {
		return err
	}
	return s.Launch(find, arcs, s.graph.Rows.Address(), s.rows, arcs, s.sources.Address())
}

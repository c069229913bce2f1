//go:build cuda

package techniques

import (
	"context"
	"errors"

	"graph500/engine"
	"graph500/kernels"
)

func edge() Technique {
	return Technique{
		Name:      "edge",
		Doc:       "edge-centric: one thread an edge, each level asks all of them; twice the memory for edges",
		Source:    "PMPP 15.4",
		Structure: "COO",
		Memory: func(vertices, rows, arcs uint64) []engine.Allocation {
			return append(depthsMemory(vertices, rows, arcs), searching("sources of edges", 4*arcs))
		},
		New: newEdge,
	}
}

// edgeSearch is a marking search that has the source of each arc.
type edgeSearch struct {
	marking
	sources *kernels.Array[engine.Local]
}

func newEdge(_ context.Context, d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], counted bool) (Search, error) {
	s := &edgeSearch{marking: marking{direction: engine.TopDown}}
	arcs := uint64(g.Neighbors.Len())
	s.level = func(level, changed uint64) error {
		return s.launch(s.expand, arcs, s.sources.Address(), g.Neighbors.Address(), arcs, parents.Address(),
			s.depths.Address(), level, changed)
	}
	err := s.allocate(d, g, parents, "edge", counted)
	if err == nil {
		err = s.findSources(d)
	}
	return made(s, err)
}

// findSources makes COO of the graph.
func (s *edgeSearch) findSources(d *kernels.Device) (err error) {
	arcs := s.graph.Neighbors.Len()
	if s.sources, err = kernels.Alloc[engine.Local](d, "sources of edges", arcs); err != nil {
		return err
	}
	find, err := s.module.Kernel("edge_sources")
	if err != nil {
		return err
	}
	return s.launch(find, uint64(arcs), s.graph.Rows.Address(), s.rows(), uint64(arcs), s.sources.Address())
}

// Close frees what the search took.
func (s *edgeSearch) Close() error { return errors.Join(s.sources.Free(), s.marking.Close()) }

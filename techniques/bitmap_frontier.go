//go:build cuda

package techniques

import (
	"context"
	"errors"

	"graph500/engine"
	"graph500/kernels"
)

func bitmapFrontier() Technique {
	return Technique{
		Name:      "bitmap-frontier",
		Doc:       "top-down, one thread a vertex, with the frontier as an array of booleans",
		Source:    "notes on PMPP 15",
		Structure: "CSR",
		Memory: func(vertices, rows, arcs uint64) []engine.Allocation {
			return append(depthsMemory(vertices, rows, arcs), searching("boolean frontiers", 2*vertices))
		},
		New: newBitmapFrontier,
	}
}

// bitmapSearch is a marking search with frontiers of booleans.
type bitmapSearch struct {
	marking
	frontiers [2]*kernels.Array[bool] // N entries each, by label, used in turn
}

func newBitmapFrontier(_ context.Context, d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], counted bool) (Search, error) {
	s := &bitmapSearch{marking: marking{direction: engine.TopDown}}
	s.level = func(level, changed uint64) error {
		frontier, next := s.frontiers[(level-1)%2], s.frontiers[level%2]
		return s.launch(s.expand, s.rows(), g.Rows.Address(), s.rows(), g.Neighbors.Address(), parents.Address(),
			s.depths.Address(), level, frontier.Address(), next.Address(), changed)
	}
	s.begin = func(root engine.Local) error {
		for _, f := range s.frontiers {
			if err := f.Fill(0); err != nil {
				return err
			}
		}
		return s.frontiers[0].Write(int(root), []bool{true})
	}
	err := s.allocate(d, g, parents, "bitmap_frontier", counted)
	for i := range s.frontiers {
		if err == nil {
			s.frontiers[i], err = kernels.Alloc[bool](d, "boolean frontier", parents.Len())
		}
	}
	return made(s, err)
}

// Close frees what the search took.
func (s *bitmapSearch) Close() error {
	return errors.Join(s.frontiers[0].Free(), s.frontiers[1].Free(), s.marking.Close())
}

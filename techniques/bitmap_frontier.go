//go:build cuda

package techniques

import (
	"graph500/device"
	"graph500/engine"
)

func init() {
	implementations["bitmap-frontier"] = implementation{
		modules: []string{"bitmap_frontier", "depths"},
		newSearch: func() search {
			s := &bitmapSearch{marking: marking{module: "bitmap_frontier", direction: engine.TopDown}}
			s.level = func(level, changed uint64) error {
				frontier, next := s.frontiers[(level-1)%2], s.frontiers[level%2]
				return s.Launch(s.expand, s.rows, s.graph.ByDegree.Rows.Address(), s.rows, s.graph.ByDegree.Neighbors.Address(), s.parents.Address(),
					s.depths.Address(), level, frontier.Address(), next.Address(), changed)
			}
			return s
		},
	}
}

// bitmapSearch is a marking search with boolean arrays as frontiers.
type bitmapSearch struct {
	marking
	frontiers [2]device.Array[bool] // by label; swapped after each level
}

func (s *bitmapSearch) arrays(z sizes) []device.Declared {
	return append(s.marking.arrays(z),
		device.Of(&s.frontiers[0], "boolean frontier", z.vertices),
		device.Of(&s.frontiers[1], "next boolean frontier", z.vertices))
}

func (s *bitmapSearch) begin(root engine.Label) error {
	for _, f := range s.frontiers {
		if err := f.Fill(0); err != nil {
			return err
		}
	}
	if err := s.frontiers[0].Write(int(root), []bool{true}); err != nil {
		return err
	}
	return s.marking.begin(root)
}

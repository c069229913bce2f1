//go:build cuda

package techniques

import "graph500/engine"

func init() {
	implementations["push"] = implementation{
		modules: []string{"push", "depths"},
		newSearch: func() search {
			s := &marking{module: "push", direction: engine.TopDown}
			s.level = func(level, changed uint64) error {
				return s.Launch(s.expand, s.rows, s.graph.ByDegree.Rows.Address(), s.rows, s.graph.ByDegree.Neighbors.Address(), s.parents.Address(),
					s.depths.Address(), level, changed)
			}
			return s
		},
	}
}

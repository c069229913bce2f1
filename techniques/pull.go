//go:build cuda

package techniques

import "graph500/engine"

func init() {
	implementations["pull"] = implementation{
		modules: []string{"pull", "depths"},
		newSearch: func() search {
			s := &marking{module: "pull", direction: engine.BottomUp}
			s.level = func(level, changed uint64) error {
				return s.Launch(s.expand, s.rows, s.graph.ByDegree.Rows.Address(), s.rows, s.graph.ByDegree.Neighbors.Address(), s.parents.Address(),
					s.depths.Address(), level, changed)
			}
			return s
		},
	}
}

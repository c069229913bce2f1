//go:build cuda

package techniques

import "graph500/engine"

func pull() Technique {
	return Technique{
		Name:      "pull",
		Doc:       "vertex-centric bottom-up: one thread a vertex, those not visited look for a neighbour of the last level and stop at the first",
		Source:    "PMPP 15.3",
		Structure: "CSC",
		modules:   []string{"pull", "depths"},
		make: func() method {
			s := &marking{module: "pull", direction: engine.BottomUp}
			s.level = func(level, changed uint64) error {
				return s.Launch(s.expand, s.rows, s.graph.Rows.Address(), s.rows, s.graph.Neighbors.Address(), s.parents.Address(),
					s.depths.Address(), level, changed)
			}
			return s
		},
	}
}

//go:build cuda

package techniques

import (
	"context"

	"graph500/engine"
	"graph500/kernels"
)

func pull() Technique {
	return Technique{
		Name:      "pull",
		Doc:       "vertex-centric bottom-up: one thread a vertex, those not visited look for a neighbour of the last level and stop at the first",
		Source:    "PMPP 15.3",
		Structure: "CSC",
		Memory:    depthsMemory,
		New:       newPull,
	}
}

func newPull(_ context.Context, d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], counted bool) (Search, error) {
	s := &marking{direction: engine.BottomUp}
	s.level = func(level, changed uint64) error {
		return s.launch(s.expand, s.rows(), g.Rows.Address(), s.rows(), g.Neighbors.Address(), parents.Address(),
			s.depths.Address(), level, changed)
	}
	return made(s, s.allocate(d, g, parents, "pull", counted))
}

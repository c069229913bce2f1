//go:build cuda

package techniques

import (
	"context"

	"graph500/engine"
	"graph500/kernels"
)

func push() Technique {
	return Technique{
		Name:      "push",
		Doc:       "vertex-centric top-down: one thread a vertex, those of the last level mark their neighbours, without atomics",
		Source:    "PMPP 15.3",
		Structure: "CSR",
		Memory:    depthsMemory,
		New:       newPush,
	}
}

func newPush(_ context.Context, d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], counted bool) (Search, error) {
	s := &marking{direction: engine.TopDown}
	s.level = func(level, changed uint64) error {
		return s.launch(s.expand, s.rows(), g.Rows.Address(), s.rows(), g.Neighbors.Address(), parents.Address(),
			s.depths.Address(), level, changed)
	}
	return made(s, s.allocate(d, g, parents, "push", counted))
}

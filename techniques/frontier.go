//go:build cuda

package techniques

import (
	"context"

	"graph500/engine"
	"graph500/kernels"
)

func frontier() Technique {
	return Technique{
		Name:      "frontier",
		Doc:       "top-down from a queue of the vertices found last: one thread each, claims by compare-and-swap, one counter",
		Source:    "PMPP 15.5",
		Structure: "CSR",
		Memory:    queueMemory,
		New:       newFrontier,
	}
}

func newFrontier(_ context.Context, d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], counted bool) (Search, error) {
	s := &queued{}
	if err := s.allocate(d, g, parents, "frontier", counted); err != nil {
		return made(s, err)
	}
	expand, err := s.module.Kernel("frontier_expand")
	s.level = func(l queueLevel) (engine.Direction, error) {
		return engine.TopDown, s.launch(expand, l.count, s.arguments(l)...)
	}
	return made(s, err)
}

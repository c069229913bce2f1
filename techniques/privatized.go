//go:build cuda

package techniques

import (
	"context"

	"graph500/engine"
	"graph500/kernels"
)

// privateRoom is the number of vertices that a block's own queue holds: 8 KiB,
// so that shared memory does not limit how many blocks a multiprocessor takes.
const privateRoom = 2048

func privatized() Technique {
	return Technique{
		Name:      "privatized",
		Doc:       "frontier with a queue in shared memory for each block, copied to the common one with one reservation",
		Source:    "PMPP 15.6",
		Structure: "CSR",
		Memory:    queueMemory,
		New: func(_ context.Context, d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], counted bool) (Search, error) {
			return newPrivatized(d, g, parents, counted, privateRoom)
		},
	}
}

// newPrivatized returns a search whose blocks have room for that many vertices.
func newPrivatized(d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], counted bool, room uint64) (Search, error) {
	s := &queued{}
	if err := s.allocate(d, g, parents, "privatized", counted); err != nil {
		return made(s, err)
	}
	expand, err := s.module.Kernel("privatized_expand")
	s.level = func(l queueLevel) (engine.Direction, error) {
		s.launches++
		blocks := (l.count + blockThreads - 1) / blockThreads
		return engine.TopDown, expand.Launch(int(blocks), blockThreads, int(4*room), s.arguments(l, room)...)
	}
	return made(s, err)
}

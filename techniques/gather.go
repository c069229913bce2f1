//go:build cuda

package techniques

import (
	"context"
	"errors"

	"graph500/engine"
	"graph500/kernels"
)

// gathering is a search from queues whose blocks share out the neighbours that
// their threads bring, and which looks into a bitmask for what is visited.
type gathering struct {
	queued
	visited *kernels.Array[byte]
	blocks  uint64 // of a grid, if there are as many vertices
}

// gatherMemory lists the memory of a gathering search.
func gatherMemory(vertices, rows, arcs uint64) []engine.Allocation {
	return append(queueMemory(vertices, rows, arcs), searching("bitmask of visited vertices", maskBytes(vertices)))
}

// maskBytes is the size of a bitmask with a bit for each of that many labels.
func maskBytes(vertices uint64) uint64 { return (vertices + 7) / 8 }

// newGathering returns how a search with the kernel <module>_expand is made.
func newGathering(module string) func(context.Context, *kernels.Device, *kernels.Graph, *kernels.Array[engine.Local], bool) (Search, error) {
	return func(_ context.Context, d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], counted bool) (Search, error) {
		s := &gathering{}
		return made(s, s.allocate(d, g, parents, module, counted))
	}
}

func (s *gathering) allocate(d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], module string, counted bool) (err error) {
	if err = s.queued.allocate(d, g, parents, module, counted); err != nil {
		return err
	}
	expand, err := s.module.Kernel(module + "_expand")
	if err != nil {
		return err
	}
	if s.blocks, err = resident(d, expand); err != nil {
		return err
	}
	s.prepare = func() error { return s.visited.Fill(0) }
	s.level = func(l queueLevel) (engine.Direction, error) {
		return engine.TopDown, s.launchBlocks(expand, dealt(l.count, s.blocks), blockThreads, s.arguments(l, s.visited.Address())...)
	}
	s.visited, err = kernels.Alloc[byte](d, "bitmask of visited vertices", int(maskBytes(uint64(parents.Len()))))
	return err
}

// dealt returns the number of blocks that a queue of count vertices is dealt out
// to: one for each vertex up to so many, and more where a thread each needs them.
func dealt(count, blocks uint64) uint64 {
	return max(min(count, blocks), (count+blockThreads-1)/blockThreads)
}

// resident returns how many blocks of a kernel run on the device at once.
func resident(d *kernels.Device, k *kernels.Kernel) (blocks uint64, err error) {
	each, err := k.BlocksPerSM(blockThreads, 0)
	return uint64(each) * uint64(d.Properties().SMs), err
}

// Close frees what the search took.
func (s *gathering) Close() error { return errors.Join(s.visited.Free(), s.queued.Close()) }

//go:build cuda

package techniques

import (
	"context"
	"errors"

	"graph500/engine"
	"graph500/kernels"
)

func directionHalf() Technique {
	return Technique{
		Name:      "direction-half",
		Doc:       "pushes from a queue, and pulls where the queue holds half of the vertices or more",
		Source:    "DepGraph 5.3",
		Structure: "CSR, CSC",
		Memory: func(vertices, rows, arcs uint64) []engine.Allocation {
			return append(queueMemory(vertices, rows, arcs), searching("bitmap of the frontier", 4*bitmapWords(vertices)))
		},
		New: newDirectionHalf,
	}
}

// bitmapWords is the number of words of a bitmap of that many labels.
func bitmapWords(vertices uint64) uint64 { return (vertices + 31) / 32 }

// directionHalfSearch is a search from queues that turns long ones into a
// bitmap.
type directionHalfSearch struct {
	queued
	push, mark, pull *kernels.Kernel
	bitmap           *kernels.Array[uint32]
}

func newDirectionHalf(_ context.Context, d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], counted bool) (Search, error) {
	s := &directionHalfSearch{}
	return made(s, s.allocate(d, g, parents, counted))
}

func (s *directionHalfSearch) allocate(d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], counted bool) (err error) {
	s.level = s.either
	if err = s.queued.allocate(d, g, parents, "direction_half", counted); err != nil {
		return err
	}
	if s.push, err = s.module.Kernel("direction_half_push"); err != nil {
		return err
	}
	if s.mark, err = s.module.Kernel("direction_half_mark"); err != nil {
		return err
	}
	if s.pull, err = s.module.Kernel("direction_half_pull"); err != nil {
		return err
	}
	s.bitmap, err = kernels.Alloc[uint32](d, "bitmap of the frontier", int(bitmapWords(uint64(parents.Len()))))
	return err
}

// either pushes or pulls a level.
func (s *directionHalfSearch) either(l queueLevel) (engine.Direction, error) {
	if 2*l.count < uint64(s.graph.Rows.Len()) {
		return engine.TopDown, s.launch(s.push, l.count, s.arguments(l)...)
	}
	if err := s.bitmap.Fill(0); err != nil {
		return engine.BottomUp, err
	}
	if err := s.launch(s.mark, l.count, l.queue, l.count, s.bitmap.Address()); err != nil {
		return engine.BottomUp, err
	}
	rows := uint64(s.graph.Rows.Len())
	return engine.BottomUp, s.launch(s.pull, rows, s.graph.Rows.Address(), rows, s.graph.Neighbors.Address(),
		s.parents.Address(), s.bitmap.Address(), l.next, l.found)
}

// Close frees what the search took.
func (s *directionHalfSearch) Close() error { return errors.Join(s.bitmap.Free(), s.queued.Close()) }

//go:build cuda

package kernels

import (
	"context"
	"errors"

	"graph500/engine"
)

const (
	// taskLabels is task of search.cuh: what is indexed by label goes on to
	// the next multiple of it.
	taskLabels = 512
	// usedHubs is the number of hubs that have a number of their own; the two
	// other values of 16 bits say that a neighbour is no hub, or that there is
	// none.
	usedHubs = 1<<16 - 2
	noHub    = 1<<16 - 1
)

// Further is what a search looks at once the first neighbour of a row failed:
// the second to fifth neighbours with their numbers among the hubs, and
// start | degree << 40 of the row.
type Further struct {
	Slots [4]uint16
	Next  [4]engine.Vertex
	Row   uint64
}

// Exception is a vertex whose first neighbour is no hub.
type Exception struct {
	Vertex, First engine.Vertex
}

// Packed is a graph once more, as the default search streams it. P is N padded
// to whole tasks of 512 labels.
type Packed struct {
	// Present and More are bitmaps of P labels: which have a row, and which
	// have more neighbours than one. MoreHubs says whose second neighbour is a
	// hub, and IsHub who is one.
	Present, More, MoreHubs, IsHub *Array[uint32]

	// First is the first neighbour of each of P labels, 0 where there is none.
	// By row they would be half as many, but that a search would find the row of
	// every label made its second pass half as long again.
	First *Array[engine.Vertex]

	// Slots is the first neighbour's number among the hubs, for P labels;
	// 65535 where it is no hub.
	Slots *Array[uint16]

	// ExceptionStart says where the exceptions of each task begin, with the
	// end behind; Exceptions are in the order of their labels.
	ExceptionStart *Array[uint32]
	Exceptions     *Array[Exception]

	// Further has an entry for each row.
	Further *Array[Further]
}

// Close frees the arrays.
func (p *Packed) Close() error {
	return errors.Join(p.Present.Free(), p.More.Free(), p.MoreHubs.Free(), p.IsHub.Free(), p.First.Free(), p.Slots.Free(),
		p.ExceptionStart.Free(), p.Exceptions.Free(), p.Further.Free())
}

// Pack makes what the default search streams, the last step of kernel 1. g has
// a row at least; it stays the caller's.
func Pack(ctx context.Context, d *Device, g *Graph) (*Packed, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	p := &Packed{}
	rank, err := Alloc[uint16](d, "numbers of hubs", int(padded(uint64(g.Info.Vertices))))
	if err == nil {
		err = p.build(d, g, rank)
	}
	if err == nil {
		err = d.Synchronize()
	}
	if err = errors.Join(err, rank.Free()); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *Packed) build(d *Device, g *Graph, rank *Array[uint16]) (err error) {
	labels := padded(uint64(g.Info.Vertices))
	tasks := labels / taskLabels
	if err = p.allocate(d, int(labels), g.Rows.Len()); err != nil {
		return err
	}
	if err = rank.Fill(0xFF); err != nil {
		return err
	}
	launch := &launcher{d: d}
	hubs := uint64(hubCount(g))
	if err = launch.run("pack", "rankHubs", tilesOf(hubs, rowThreads), rowThreads,
		g.Hubs.Address(), hubs, rank.Address()); err != nil {
		return err
	}
	if err = launch.run("pack", "packFirst", tasks, taskLabels,
		g.Index.Address(), uint64(g.Index.Len()), g.Rows.Address(), g.Neighbors.Address(), rank.Address(),
		p.Present.Address(), p.More.Address(), p.MoreHubs.Address(), p.IsHub.Address(), p.First.Address(), p.Slots.Address(), p.Further.Address(), p.ExceptionStart.Address()); err != nil {
		return err
	}
	if err = launch.run("pack", "startExceptions", 1, 1024, p.ExceptionStart.Address(), tasks); err != nil {
		return err
	}
	var exceptions [1]uint32
	if err = p.ExceptionStart.Read(int(tasks), exceptions[:]); err != nil {
		return err
	}
	if p.Exceptions, err = Alloc[Exception](d, "vertices with no hub first", int(exceptions[0])); err != nil {
		return err
	}
	return launch.run("pack", "listExceptions", tasks, taskLabels,
		p.Present.Address(), p.First.Address(), p.Slots.Address(), p.ExceptionStart.Address(), p.Exceptions.Address())
}

func (p *Packed) allocate(d *Device, labels, rows int) (err error) {
	if p.Present, err = Alloc[uint32](d, "bitmap of rows", labels/32); err != nil {
		return err
	}
	if p.More, err = Alloc[uint32](d, "bitmap of longer rows", labels/32); err != nil {
		return err
	}
	if p.MoreHubs, err = Alloc[uint32](d, "bitmap of rows with more hubs", labels/32); err != nil {
		return err
	}
	if p.IsHub, err = Alloc[uint32](d, "bitmap of hubs", labels/32); err != nil {
		return err
	}
	if p.First, err = Alloc[engine.Vertex](d, "first neighbours", labels); err != nil {
		return err
	}
	if p.Slots, err = Alloc[uint16](d, "hubs among first neighbours", labels); err != nil {
		return err
	}
	if p.ExceptionStart, err = Alloc[uint32](d, "starts of exceptions", labels/taskLabels+1); err != nil {
		return err
	}
	p.Further, err = Alloc[Further](d, "further neighbours", rows)
	return err
}

// hubCount returns the number of hubs that the search knows by a number.
func hubCount(g *Graph) int { return min(g.Hubs.Len(), usedHubs) }

// padded returns the number of labels in whole tasks.
func padded(vertices uint64) uint64 { return tilesOf(vertices, taskLabels) * taskLabels }

// PackMemory lists the memory of Packed for N vertices and n rows, assuming the
// worst: that no vertex has a hub for a neighbour. It is taken once the rest of
// kernel 1 has given its own back.
func PackMemory(vertices, rows uint64) []engine.Allocation {
	labels := padded(vertices)
	return []engine.Allocation{
		{Name: "first neighbours", Bytes: (4+2)*labels + 4*labels/8, Phase: engine.Searching},
		{Name: "vertices with no hub first", Bytes: 8*rows + 4*(labels/taskLabels+1), Phase: engine.Searching},
		{Name: "further neighbours", Bytes: 32 * rows, Phase: engine.Searching},
		{Name: "numbers of hubs", Bytes: 2 * labels, Phase: engine.Construction},
	}
}

//go:build cuda

package kernels

import (
	"context"
	"errors"
	"math"
	"unsafe"

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
	// minorShift is that of search.cuh, which leaves room for twice as many minor
	// hubs, the vertices of highest degree after the hubs.
	minorShift = 11
	maxMinors  = 1 << 20
)

// Further is what a search looks at once the first neighbour of a row failed:
// the second to fifth neighbours with their numbers among the hubs, and
// start | degree << 40 of the row.
type Further struct {
	Slots [4]uint16
	Next  [4]engine.Local
	Row   uint64
}

// Exception is a vertex whose first neighbour is no hub, nor a minor one.
type Exception struct {
	Vertex, First engine.Local
}

// HubRow is what a search that looks for hubs only looks at once the first neighbour
// of a row failed: the numbers of the second to sixth neighbours, 65534 for those
// that are no hubs, how many more hubs there are, and where they begin in HubArcs.
type HubRow struct {
	Slots [5]uint16
	More  uint16
	Start uint32
}

// HubArcs is eight numbers of hubs, the last ones 65534 where there are less.
type HubArcs [8]uint16

// hubPlan is how many vertices of high degree a search knows by a number, if there
// are as many.
type hubPlan struct {
	hubs, minorHubs int
	room            uint64 // bytes that the hubs among the rows' neighbours may take
}

// planHubs returns the plan that is fastest for N vertices on an H200: the hubs among
// neighbours pay where the bitmap of all vertices is long, and minor hubs where the
// second-level cache does not hold it.
func planHubs(vertices uint64) hubPlan {
	switch {
	case vertices <= 1<<23:
		return hubPlan{usedHubs, 0, 0}
	case vertices <= 1<<26:
		return hubPlan{usedHubs, 0, math.MaxUint64}
	}
	return hubPlan{usedHubs, maxMinors, math.MaxUint64}
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
	First *Array[engine.Local]

	// Slots is the first neighbour's number among the hubs, for P labels;
	// 65535 where it is no hub.
	Slots *Array[uint16]

	// Hubs is the number of hubs, and MinorHubs that of minor ones, which follow them
	// in degree.
	Hubs, MinorHubs int

	// MinorStart says where those vertices of each task begin in Minors whose first
	// neighbour is a minor hub, with the end behind. They are in the order of
	// labels: the minor hub's number above the 11 lowest bits of the label.
	MinorStart *Array[uint32]
	Minors     *Array[uint32]

	// ExceptionStart and Exceptions are the same for the other vertices whose first
	// neighbour is no hub.
	ExceptionStart *Array[uint32]
	Exceptions     *Array[Exception]

	// Further has an entry for each row.
	Further *Array[Further]

	// HubRows has one, too; HubArcs holds the hubs of each row beyond its sixth
	// neighbour. Both may be empty.
	HubRows *Array[HubRow]
	HubArcs *Array[HubArcs]
}

// Close frees the arrays.
func (p *Packed) Close() error {
	return errors.Join(p.Present.Free(), p.More.Free(), p.MoreHubs.Free(), p.IsHub.Free(), p.First.Free(), p.Slots.Free(),
		p.MinorStart.Free(), p.Minors.Free(), p.ExceptionStart.Free(), p.Exceptions.Free(), p.Further.Free(),
		p.HubRows.Free(), p.HubArcs.Free())
}

// Pack makes what the default search streams, the last step of kernel 1. g has
// a row at least; it stays the caller's.
// What the search can do without is left out where it would take more than room bytes.
func Pack(ctx context.Context, d *Device, g *Graph, room uint64) (*Packed, error) {
	plan := planHubs(uint64(g.Info.Vertices))
	if plan.room > 0 {
		plan.room = room
	}
	return pack(ctx, d, g, plan)
}

func pack(ctx context.Context, d *Device, g *Graph, plan hubPlan) (*Packed, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	p := &Packed{Hubs: min(g.Hubs.Len(), plan.hubs)}
	p.MinorHubs = min(g.Hubs.Len()-p.Hubs, plan.minorHubs)
	rank, err := Alloc[uint32](d, "numbers of hubs", int(padded(uint64(g.Info.Vertices))))
	if err == nil {
		err = p.build(d, g, rank)
	}
	if err == nil {
		err = p.buildHubRows(d, g, rank, plan.room)
	}
	if err == nil {
		err = d.Synchronize()
	}
	if err = errors.Join(err, rank.Free()); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *Packed) build(d *Device, g *Graph, rank *Array[uint32]) (err error) {
	labels := padded(uint64(g.Info.Vertices))
	tasks := labels / taskLabels
	if err = p.allocate(d, int(labels), g.Rows.Len()); err != nil {
		return err
	}
	if err = rank.Fill(0xFF); err != nil {
		return err
	}
	launch := &launcher{d: d}
	hubs := uint64(p.Hubs)
	if ranked := hubs + uint64(p.MinorHubs); ranked > 0 {
		if err = launch.run("pack", "rankHubs", tilesOf(ranked, rowThreads), rowThreads,
			g.Hubs.Address(), ranked, rank.Address()); err != nil {
			return err
		}
	}
	if err = launch.run("pack", "packFirst", tasks, taskLabels,
		g.Index.Address(), uint64(g.Index.Len()), g.Rows.Address(), g.Neighbors.Address(), rank.Address(), hubs,
		p.Present.Address(), p.More.Address(), p.MoreHubs.Address(), p.IsHub.Address(), p.First.Address(), p.Slots.Address(), p.Further.Address(), p.MinorStart.Address(), p.ExceptionStart.Address()); err != nil {
		return err
	}
	minors, err := startTasks(launch, p.MinorStart)
	if err != nil {
		return err
	}
	exceptions, err := startTasks(launch, p.ExceptionStart)
	if err != nil {
		return err
	}
	if p.Minors, err = Alloc[uint32](d, "vertices with a minor hub first", minors); err != nil {
		return err
	}
	if p.Exceptions, err = Alloc[Exception](d, "vertices with no hub first", exceptions); err != nil {
		return err
	}
	return launch.run("pack", "listExceptions", tasks, taskLabels,
		p.Present.Address(), p.First.Address(), p.Slots.Address(), rank.Address(), hubs,
		p.MinorStart.Address(), p.Minors.Address(), p.ExceptionStart.Address(), p.Exceptions.Address())
}

// startTasks makes starts of the tasks' counts, with the end behind, which it returns.
func startTasks(launch *launcher, counts *Array[uint32]) (end int, err error) {
	tasks := counts.Len() - 1
	if err := launch.run("pack", "startTasks", 1, 1024, counts.Address(), uint64(tasks)); err != nil {
		return 0, err
	}
	var last [1]uint32
	err = counts.Read(tasks, last[:])
	return int(last[0]), err
}

// buildHubRows lists the hubs among each row's neighbours, or none at all if that
// takes more than room bytes, or could be more vectors than 32 bits count.
func (p *Packed) buildHubRows(d *Device, g *Graph, rank *Array[uint32], room uint64) (err error) {
	rows := uint64(g.Rows.Len())
	if hubRowsMemory(rows, 0) > room || mostVectors(rows, uint64(g.Info.Arcs)) > math.MaxUint32 {
		return p.emptyHubRows(d)
	}
	if p.HubRows, err = Alloc[HubRow](d, "hubs among neighbours", int(rows)); err != nil {
		return err
	}
	tasks := padded(uint64(g.Info.Vertices)) / taskLabels
	sums, err := Alloc[uint32](d, "starts of tasks' further hubs", int(tasks)+1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sums.Free()) }()
	launch := &launcher{d: d}
	if err = launch.run("pack", "countHubs", tasks, taskLabels,
		g.Index.Address(), uint64(g.Index.Len()), g.Rows.Address(), g.Neighbors.Address(), rank.Address(), uint64(p.Hubs), p.HubRows.Address(), sums.Address()); err != nil {
		return err
	}
	vectors, err := startTasks(launch, sums)
	if err != nil {
		return err
	}
	if hubRowsMemory(rows, uint64(vectors)) > room {
		return errors.Join(p.HubRows.Free(), p.emptyHubRows(d))
	}
	if p.HubArcs, err = Alloc[HubArcs](d, "further hubs", vectors); err != nil {
		return err
	}
	if err = launch.run("pack", "fillHubs", tasks, taskLabels,
		g.Index.Address(), uint64(g.Index.Len()), g.Rows.Address(), g.Neighbors.Address(), rank.Address(), p.HubRows.Address(), sums.Address(), p.HubArcs.Address()); err != nil {
		return err
	}
	return d.Synchronize() // sums is freed
}

// emptyHubRows lists no hubs among neighbours.
func (p *Packed) emptyHubRows(d *Device) (err error) {
	if p.HubRows, err = Alloc[HubRow](d, "hubs among neighbours", 0); err != nil {
		return err
	}
	p.HubArcs, err = Alloc[HubArcs](d, "further hubs", 0)
	return err
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
	if p.First, err = Alloc[engine.Local](d, "first neighbours", labels); err != nil {
		return err
	}
	if p.Slots, err = Alloc[uint16](d, "hubs among first neighbours", labels); err != nil {
		return err
	}
	if p.MinorStart, err = Alloc[uint32](d, "starts of those with a minor hub first", labels/taskLabels+1); err != nil {
		return err
	}
	if p.ExceptionStart, err = Alloc[uint32](d, "starts of exceptions", labels/taskLabels+1); err != nil {
		return err
	}
	p.Further, err = Alloc[Further](d, "further neighbours", rows)
	return err
}

// padded returns the number of labels in whole tasks.
func padded(vertices uint64) uint64 { return tilesOf(vertices, taskLabels) * taskLabels }

// hubRowsMemory returns the bytes of the hubs among neighbours.
func hubRowsMemory(rows, vectors uint64) uint64 {
	return uint64(unsafe.Sizeof(HubRow{}))*rows + uint64(unsafe.Sizeof(HubArcs{}))*vectors
}

// SpareMemory returns the most that Pack takes besides PackMemory, if it has room for
// it: as much as if all neighbours were hubs.
func SpareMemory(vertices, rows, arcs uint64) uint64 {
	if planHubs(vertices).room == 0 {
		return 0
	}
	return hubRowsMemory(rows, mostVectors(rows, arcs))
}

// mostVectors returns the number of HubArcs if all neighbours were hubs.
func mostVectors(rows, arcs uint64) uint64 { return rows + arcs/uint64(len(HubArcs{})) }

// PackMemory lists the memory of Packed for N vertices and n rows, assuming the
// worst: that no vertex has a hub for a neighbour, not even a minor one. It is taken
// once the rest of kernel 1 has given its own back.
func PackMemory(vertices, rows uint64) []engine.Allocation {
	labels := padded(vertices)
	return []engine.Allocation{
		{Name: "first neighbours", Bytes: (4+2)*labels + 4*labels/8, Phase: engine.Searching},
		{Name: "vertices with no hub first", Bytes: 8*rows + 2*4*(labels/taskLabels+1), Phase: engine.Searching},
		{Name: "further neighbours", Bytes: 32 * rows, Phase: engine.Searching},
		{Name: "numbers of hubs", Bytes: 4 * labels, Phase: engine.Construction},
	}
}

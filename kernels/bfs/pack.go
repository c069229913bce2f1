//go:build cuda

package bfs

import (
	"errors"
	"math"
	"slices"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

// MostHubs is the largest number of hubs and minor hubs that a search uses.
// Construction must list them if the graph has as many vertices.
const MostHubs = usedHubs + maxMinors

// hubPlan is the largest number of hubs and minor hubs, and whether the search reads
// the hubs among the neighbours of each row (HubRows and HubArcs).
type hubPlan struct {
	hubs, minorHubs int
	hubRows         bool
}

// packSizes determines the size of a packed graph: the labels that it covers from the
// first on, its rows and arcs, and the labels of the whole graph, which one of several
// devices has a part of.
type packSizes struct {
	first, vertices, rows, arcs uint64
	all                         uint64

	minors, exceptions uint64 // vertices whose first neighbour is a minor hub, and exceptions
	vectors            uint64 // length of HubArcs
}

// padded returns the number of labels, padded to whole tasks.
func padded(vertices uint64) uint64 { return tasksOf(vertices) * taskLabels }

func tasksOf(vertices uint64) uint64 { return (vertices + taskLabels - 1) / taskLabels }

// mainGroup declares the arrays that every search needs and whose size is known
// before packing.
func (p *packed) mainGroup(z packSizes) device.Group {
	labels, tasks := padded(z.vertices), tasksOf(z.vertices)
	return device.Group{Alive: engine.Searching, Arrays: []device.Declared{
		device.Of(&p.First, "first neighbours", labels),
		device.Of(&p.FirstHub, "hub numbers of first neighbours", labels),
		device.Of(&p.Further, "further neighbours", z.rows),
		device.Of(&p.HasRow, "bitmap of vertices with a row", padded(z.all)/32),
		device.Of(&p.HasFurther, "bitmap of rows with further neighbours", labels/32),
		device.Of(&p.SecondIsHub, "bitmap of rows with two hubs", labels/32),
		device.Of(&p.IsHub, "bitmap of hubs", labels/32),
		device.Of(&p.MinorStart, "starts of vertices with a minor hub first", tasks+1),
		device.Of(&p.ExceptionStart, "starts of exceptions", tasks+1),
	}}
}

// listGroup declares the lists of vertices whose first neighbour is not a hub.
func (p *packed) listGroup(z packSizes) device.Group {
	return device.Group{Alive: engine.Searching, Arrays: []device.Declared{
		device.Of(&p.Minors, "minor exceptions", z.minors),
		device.Of(&p.Exceptions, "exceptions", z.exceptions),
	}}
}

// hubRowGroup and hubArcGroup declare the hubs among the neighbours of each row.
func (p *packed) hubRowGroup(z packSizes) device.Group {
	return device.Group{Alive: engine.Searching, Arrays: []device.Declared{device.Of(&p.HubRows, "hubs among neighbours two to six", z.rows)}}
}

func (p *packed) hubArcGroup(z packSizes) device.Group {
	return device.Group{Alive: engine.Searching, Arrays: []device.Declared{device.Of(&p.HubArcs, "further hubs among neighbours", z.vectors)}}
}

// maxVectors returns the largest length of HubArcs: that of a graph where all
// neighbours are hubs.
func maxVectors(rows, arcs uint64) uint64 { return rows + arcs/uint64(len(HubArcs{})) }

// packing is a packed graph, and the state of packing it.
type packing struct {
	d      *device.Device
	g      *construct.Graph
	to     *packed
	sizes  packSizes
	hubs   uint64
	minors uint64
	held   []*device.Held // memory of the packed graph

	numbers device.Array[uint32] // of hubs, by label
	sums    device.Array[uint32] // starts of the tasks in HubArcs
}

// close frees the packed graph. A nil packing has nothing to free.
func (p *packing) close() error {
	if p == nil {
		return nil
	}
	var errs []error
	for _, held := range slices.Backward(p.held) {
		errs = append(errs, held.Free())
	}
	p.held = nil
	return errors.Join(errs...)
}

// workGroup declares the working memory of packing.
func (p *packing) workGroup(z packSizes, hubRows bool) device.Group {
	arrays := []device.Declared{device.Of(&p.numbers, "hub numbers", padded(z.all))}
	if hubRows {
		arrays = append(arrays, device.Of(&p.sums, "starts of tasks in further hubs", tasksOf(z.vertices)+1))
	}
	return device.Group{Alive: engine.Preparation, Arrays: arrays}
}

// pack makes the packed graph of g, the last step of kernel 1. g must have at least
// one row. pack omits HubRows and HubArcs if fewer than reserve bytes would be free
// with them.
func pack(d *device.Device, g *construct.Graph, plan hubPlan, to *packed, reserve uint64) (*packing, error) {
	p := &packing{d: d, g: g, to: to, hubs: uint64(min(g.ByDegree.Hubs.Len(), plan.hubs))}
	p.minors = min(uint64(g.ByDegree.Hubs.Len())-p.hubs, uint64(plan.minorHubs))
	p.sizes = packSizes{
		first: g.Labels.First, vertices: g.Labels.End - g.Labels.First, rows: uint64(g.ByDegree.Rows.Len()), arcs: uint64(g.ByDegree.Neighbors.Len()),
		all: uint64(g.Info.Vertices),
	}
	if err := p.pack(plan, reserve); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

func (p *packing) pack(plan hubPlan, reserve uint64) (err error) {
	work, err := p.d.Borrow(p.workGroup(p.sizes, plan.hubRows))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, work.Free()) }()
	if err = p.build(); err == nil && plan.hubRows {
		err = p.buildHubRows(reserve)
	}
	return errors.Join(err, p.d.Synchronize())
}

// take allocates arrays of the packed graph.
func (p *packing) take(g device.Group) error {
	held, err := p.d.Take(g)
	if err == nil {
		p.held = append(p.held, held)
	}
	return err
}

// run launches a kernel of pack.cu.
func (p *packing) run(name string, blocks uint64, threads int, args ...uint64) error {
	m, err := p.d.Load("bfs", images, "pack")
	if err != nil {
		return err
	}
	k, err := m.Kernel(name)
	if err != nil {
		return err
	}
	return k.Launch(int(blocks), threads, 0, args...)
}

func (p *packing) build() (err error) {
	if err = p.take(p.to.mainGroup(p.sizes)); err != nil {
		return err
	}
	if err = p.numbers.Fill(0xFF); err != nil {
		return err
	}
	g, to, tasks, first := p.g, p.to, tasksOf(p.sizes.vertices), p.sizes.first
	hasRow, err := to.HasRow.AddressOf(int(first/32), int(tasks*taskLabels/32))
	if err != nil {
		return err
	}
	if ranked := p.hubs + p.minors; ranked > 0 {
		const block = 256
		if err := p.run("rankHubs", (ranked+block-1)/block, block, g.ByDegree.Hubs.Address(), ranked, p.numbers.Address()); err != nil {
			return err
		}
	}
	if err = p.run("packFirst", tasks, taskLabels,
		first, g.Index.Address(), uint64(g.Index.Len()), g.ByDegree.Rows.Address(), g.ByDegree.Neighbors.Address(), p.numbers.Address(), p.hubs,
		hasRow, to.HasFurther.Address(), to.SecondIsHub.Address(), to.IsHub.Address(), to.First.Address(), to.FirstHub.Address(),
		to.Further.Address(), to.MinorStart.Address(), to.ExceptionStart.Address()); err != nil {
		return err
	}
	if p.sizes.minors, err = p.startTasks(to.MinorStart); err != nil {
		return err
	}
	if p.sizes.exceptions, err = p.startTasks(to.ExceptionStart); err != nil {
		return err
	}
	if err = p.take(to.listGroup(p.sizes)); err != nil {
		return err
	}
	return p.run("listExceptions", tasks, taskLabels,
		first, hasRow, to.First.Address(), to.FirstHub.Address(), p.numbers.Address(), p.hubs,
		to.MinorStart.Address(), to.Minors.Address(), to.ExceptionStart.Address(), to.Exceptions.Address())
}

// startTasks turns the counts of the tasks into their starts, and appends the end,
// which it returns.
func (p *packing) startTasks(counts device.Array[uint32]) (end uint64, err error) {
	tasks := counts.Len() - 1
	if err := p.run("startTasks", 1, 1024, counts.Address(), uint64(tasks)); err != nil {
		return 0, err
	}
	var last [1]uint32
	err = counts.Read(tasks, last[:])
	return uint64(last[0]), err
}

// buildHubRows makes HubRows and HubArcs. It omits both if fewer than reserve bytes
// would be free then, or if HubArcs could be too long for indices of 32 bits.
func (p *packing) buildHubRows(reserve uint64) (err error) {
	// The borrowed memory of packing is free again before the next allocation.
	available := p.d.Free() + p.workGroup(p.sizes, true).Bytes()
	available = min(p.d.Free(), available-min(available, reserve))
	rows := p.to.hubRowGroup(p.sizes)
	if rows.Bytes() > available || maxVectors(p.sizes.rows, p.sizes.arcs) > math.MaxUint32 {
		return nil
	}
	if err = p.take(rows); err != nil {
		return err
	}
	g, to, tasks := p.g, p.to, tasksOf(p.sizes.vertices)
	if err = p.run("countHubs", tasks, taskLabels, g.Index.Address(), uint64(g.Index.Len()), g.ByDegree.Rows.Address(), g.ByDegree.Neighbors.Address(),
		g.ByDegree.Tails.Address(), uint64(g.Prefix), p.numbers.Address(), p.hubs, to.HubRows.Address(), p.sums.Address()); err != nil {
		return err
	}
	if p.sizes.vectors, err = p.startTasks(p.sums); err != nil {
		return err
	}
	arcs := to.hubArcGroup(p.sizes)
	if rows.Bytes()+arcs.Bytes() > available {
		last := len(p.held) - 1
		err = p.held[last].Free()
		p.held = p.held[:last]
		return err
	}
	if err = p.take(arcs); err != nil {
		return err
	}
	return p.run("fillHubs", tasks, taskLabels, g.Index.Address(), uint64(g.Index.Len()), g.ByDegree.Rows.Address(), g.ByDegree.Neighbors.Address(),
		g.ByDegree.Tails.Address(), uint64(g.Prefix), p.numbers.Address(), to.HubRows.Address(), p.sums.Address(), to.HubArcs.Address())
}

// packPlan lists the memory of packing and of a packed graph without HubRows and
// HubArcs, without entries of Minors: an exception takes more.
func packPlan(z packSizes, plan hubPlan) []engine.Allocation {
	p := &packed{}
	z.minors = 0
	list := append(p.mainGroup(z).Plan(), p.listGroup(z).Plan()...)
	return append(list, new(packing).workGroup(z, plan.hubRows).Plan()...)
}

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

// MostHubs is the number of hubs that a search wants of construction.
const MostHubs = usedHubs + maxMinors

// hubPlan is how many vertices of high degree a search knows by a number, if there
// are as many, and whether it keeps the hubs among the rows' neighbours.
type hubPlan struct {
	hubs, minorHubs int
	hubRows         bool
}

// packSizes are what the memory of a packed graph depends on. Rows and arcs are
// those of the graph.
type packSizes struct {
	vertices, rows, arcs uint64
	minors, exceptions   uint64 // vertices whose first neighbour is a minor hub, or no hub at all
	vectors              uint64 // HubArcs
}

// padded returns the number of labels in whole tasks.
func padded(vertices uint64) uint64 { return tasksOf(vertices) * taskLabels }

func tasksOf(vertices uint64) uint64 { return (vertices + taskLabels - 1) / taskLabels }

// firstGroup declares what every search streams.
func (p *packed) firstGroup(z packSizes) device.Group {
	labels, tasks := padded(z.vertices), tasksOf(z.vertices)
	return device.Group{Alive: engine.Searching, Arrays: []device.Declared{
		device.Of(&p.First, "first neighbours", labels),
		device.Of(&p.Slots, "hubs among first neighbours", labels),
		device.Of(&p.Further, "further neighbours", z.rows),
		device.Of(&p.Present, "bitmap of rows", labels/32),
		device.Of(&p.More, "bitmap of longer rows", labels/32),
		device.Of(&p.MoreHubs, "bitmap of rows with more hubs", labels/32),
		device.Of(&p.IsHub, "bitmap of hubs", labels/32),
		device.Of(&p.MinorStart, "starts of those with a minor hub first", tasks+1),
		device.Of(&p.ExceptionStart, "starts of those with no hub first", tasks+1),
	}}
}

// listGroup declares the lists of vertices whose first neighbour is no hub.
func (p *packed) listGroup(z packSizes) device.Group {
	return device.Group{Alive: engine.Searching, Arrays: []device.Declared{
		device.Of(&p.Minors, "vertices with a minor hub first", z.minors),
		device.Of(&p.Exceptions, "vertices with no hub first", z.exceptions),
	}}
}

// hubRowGroup and hubArcGroup declare the hubs among neighbours.
func (p *packed) hubRowGroup(z packSizes) device.Group {
	return device.Group{Alive: engine.Searching, Arrays: []device.Declared{device.Of(&p.HubRows, "hubs among neighbours", z.rows)}}
}

func (p *packed) hubArcGroup(z packSizes) device.Group {
	return device.Group{Alive: engine.Searching, Arrays: []device.Declared{device.Of(&p.HubArcs, "further hubs among neighbours", z.vectors)}}
}

// mostVectors returns the number of HubArcs if all neighbours were hubs.
func mostVectors(rows, arcs uint64) uint64 { return rows + arcs/uint64(len(HubArcs{})) }

// packing is the state of one call of pack.
type packing struct {
	d      *device.Device
	g      *construct.Graph
	to     *packed
	sizes  packSizes
	hubs   uint64
	minors uint64
	held   []*device.Held // of the packed graph

	rank device.Array[uint32] // numbers of hubs, by label
	sums device.Array[uint32] // starts of the tasks' further hubs
}

// close frees the packed graph. One that is nil stays as it is.
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

// workGroup declares what packing takes for itself.
func (p *packing) workGroup(z packSizes, hubRows bool) device.Group {
	arrays := []device.Declared{device.Of(&p.rank, "numbers of hubs", padded(z.vertices))}
	if hubRows {
		arrays = append(arrays, device.Of(&p.sums, "starts of tasks' further hubs", tasksOf(z.vertices)+1))
	}
	return device.Group{Alive: engine.Preparation, Arrays: arrays}
}

// pack makes what a search of g, which has a row at least, streams: the last step of
// kernel 1. What the search can do without, the hubs among neighbours, is left out
// where it would leave less than spare bytes.
func pack(d *device.Device, g *construct.Graph, plan hubPlan, to *packed, spare uint64) (*packing, error) {
	p := &packing{d: d, g: g, to: to, hubs: uint64(min(g.Hubs.Len(), plan.hubs))}
	p.minors = min(uint64(g.Hubs.Len())-p.hubs, uint64(plan.minorHubs))
	p.sizes = packSizes{vertices: uint64(g.Info.Vertices), rows: uint64(g.Rows.Len()), arcs: uint64(g.Info.Arcs)}
	if err := p.pack(plan, spare); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

func (p *packing) pack(plan hubPlan, spare uint64) (err error) {
	work, err := p.d.Borrow(p.workGroup(p.sizes, plan.hubRows))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, work.Free()) }()
	if err = p.build(); err == nil && plan.hubRows {
		err = p.buildHubRows(spare)
	}
	return errors.Join(err, p.d.Synchronize())
}

// take takes arrays of the packed graph.
func (p *packing) take(g device.Group) error {
	held, err := p.d.Take(g)
	if err == nil {
		p.held = append(p.held, held)
	}
	return err
}

// run starts a kernel of pack.cu, with a thread for each of so many labels.
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
	if err = p.take(p.to.firstGroup(p.sizes)); err != nil {
		return err
	}
	if err = p.rank.Fill(0xFF); err != nil {
		return err
	}
	g, to, tasks := p.g, p.to, tasksOf(p.sizes.vertices)
	if ranked := p.hubs + p.minors; ranked > 0 {
		const block = 256
		if err = p.run("rankHubs", (ranked+block-1)/block, block, g.Hubs.Address(), ranked, p.rank.Address()); err != nil {
			return err
		}
	}
	if err = p.run("packFirst", tasks, taskLabels,
		g.Index.Address(), uint64(g.Index.Len()), g.Rows.Address(), g.Neighbors.Address(), p.rank.Address(), p.hubs,
		to.Present.Address(), to.More.Address(), to.MoreHubs.Address(), to.IsHub.Address(), to.First.Address(), to.Slots.Address(),
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
		to.Present.Address(), to.First.Address(), to.Slots.Address(), p.rank.Address(), p.hubs,
		to.MinorStart.Address(), to.Minors.Address(), to.ExceptionStart.Address(), to.Exceptions.Address())
}

// startTasks makes starts of the tasks' counts, with the end behind, which it returns.
func (p *packing) startTasks(counts device.Array[uint32]) (end uint64, err error) {
	tasks := counts.Len() - 1
	if err := p.run("startTasks", 1, 1024, counts.Address(), uint64(tasks)); err != nil {
		return 0, err
	}
	var last [1]uint32
	err = counts.Read(tasks, last[:])
	return uint64(last[0]), err
}

// buildHubRows lists the hubs among each row's neighbours, or none at all if less
// than spare bytes are left then, or if there could be more vectors than 32 bits
// count.
func (p *packing) buildHubRows(spare uint64) (err error) {
	// What packing has borrowed is free again before anything else is taken.
	available := p.d.Free() + p.workGroup(p.sizes, true).Bytes()
	available = min(p.d.Free(), available-min(available, spare))
	rows := p.to.hubRowGroup(p.sizes)
	if rows.Bytes() > available || mostVectors(p.sizes.rows, p.sizes.arcs) > math.MaxUint32 {
		return nil
	}
	if err = p.take(rows); err != nil {
		return err
	}
	g, to, tasks := p.g, p.to, tasksOf(p.sizes.vertices)
	if err = p.run("countHubs", tasks, taskLabels, g.Index.Address(), uint64(g.Index.Len()), g.Rows.Address(), g.Neighbors.Address(),
		p.rank.Address(), p.hubs, to.HubRows.Address(), p.sums.Address()); err != nil {
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
	return p.run("fillHubs", tasks, taskLabels, g.Index.Address(), uint64(g.Index.Len()), g.Rows.Address(), g.Neighbors.Address(),
		p.rank.Address(), to.HubRows.Address(), p.sums.Address(), to.HubArcs.Address())
}

// packPlan lists the memory of a packed graph but for the hubs among neighbours,
// assuming the worst: that no vertex has a hub for a neighbour, not even a minor one.
func packPlan(z packSizes, plan hubPlan) []engine.Allocation {
	p := &packed{}
	z.minors, z.exceptions = 0, z.rows
	list := append(p.firstGroup(z).Plan(), p.listGroup(z).Plan()...)
	return append(list, new(packing).workGroup(z, plan.hubRows).Plan()...)
}

// OptionalPlan lists what a search takes beyond Plan where there is room for it, the
// hubs among neighbours: as much as if all neighbours were hubs.
func OptionalPlan(vertices, rows, arcs uint64, l2 int) []engine.Allocation {
	if !planSearch(vertices, l2).hubs.hubRows {
		return nil
	}
	z := packSizes{rows: rows, vectors: mostVectors(rows, arcs)}
	p := &packed{}
	return append(p.hubRowGroup(z).Plan(), p.hubArcGroup(z).Plan()...)
}

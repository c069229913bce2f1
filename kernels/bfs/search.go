//go:build cuda

package bfs

import (
	"context"
	"embed"
	"errors"
	"math"
	"slices"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

//go:embed compiled
var images embed.FS

// modules lists the modules with the kernels of a search on that many devices, of split rows or
// others.
func modules(devices int, split bool) []string {
	switch {
	case devices > 1 && split:
		return []string{"splitpeers"}
	case devices > 1:
		return []string{"peers"}
	case split:
		return []string{"split"}
	}
	return []string{"search", "few"}
}

// moduleOf returns the one of modules with a kernel.
func moduleOf(kernel string, devices int, split bool) string {
	list := modules(devices, split)
	if kernel == "bfsFew" {
		return list[len(list)-1]
	}
	return list[0]
}

// Load loads the modules of a search on that many devices, of split rows or others, so that New
// does not wait for them.
func Load(d *device.Device, devices int, split bool) error {
	for _, name := range append(modules(devices, split), "pack") {
		if _, err := d.Load("bfs", images, name); err != nil {
			return err
		}
	}
	return nil
}

// Search is the default search on the devices of a team, one or more: a persistent kernel on
// each, direction-optimizing, steered on the device (search.cu). Several read and write each
// other's memory (peers.cu). Each has the rows of a range of labels, in the order of the devices.
// All data of a search are on the devices before it starts, so a search is one launch and one wait.
//
// A kernel reads the addresses of its arrays from constant memory of its module. So a device has
// at most one Search, and one counted Search, at a time.
type Search struct {
	team    *device.Team
	members []*member // on the devices of this process
	kernel  *device.TeamKernel
	counted bool

	dirty    bool // the last search did not end, so the working memory must be reset
	profiled bool // profile is that of the last search
	profile  engine.Profile
}

// member is the part of a search on one device.
type member struct {
	device  *device.Device
	graph   *construct.Graph
	module  *device.Module
	kernel  *device.Persistent
	plan    searchPlan
	packing *packing
	held    []*device.Held
	state   state
	shared  // of several devices

	profile engine.Profile // of the last search on several devices
}

// Options are what a search is made with, beside its graph.
type Options struct {
	Counted bool   // a slow search that knows what it did (Counts), on one device only
	L2      int    // bytes of the second-level cache for which all ranks plan
	Reserve uint64 // bytes of a device's arena that the optional arrays (OptionalPlan) must leave free
}

// New returns a search of the graphs, which are the ranges of one graph in the order of its labels,
// each on a device of the team. Either all graphs have split rows or none has. Each device has an
// array of N parents, of which the search writes the device's range. The arguments are those of the
// devices of this process; the caller still owns them. The graphs must have at least one row
// together.
func New(ctx context.Context, team *device.Team, graphs []*construct.Graph, parents []device.Array[engine.Label], o Options) (*Search, error) {
	s := &Search{team: team, counted: o.Counted}
	plan := planFor(uint64(graphs[0].Info.Vertices), o.L2, team.Count(), graphs[0].IsSplit())
	for i, d := range team.Devices() {
		s.members = append(s.members, &member{device: d, graph: graphs[i], plan: plan})
	}
	err := team.Together(func(i int) error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		return s.members[i].packAndPrepare(s, parents[i], o.Reserve)
	})
	if err == nil {
		err = s.introduce()
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// packAndPrepare packs the graph of the device and prepares the search of it.
func (m *member) packAndPrepare(s *Search, parents device.Array[engine.Label], reserve uint64) (err error) {
	for _, g := range m.groups(s.team, m.sizes(uint64(m.plan.hubs.minorHubs))) {
		reserve += g.Bytes()
	}
	if m.packing, err = pack(m.device, m.graph, m.plan.hubs, &m.state.packed, reserve); err != nil {
		return err
	}
	return m.prepare(s, m.packing, parents)
}

// prepare allocates the memory for the search of the packed graph p, and fills in the state.
func (m *member) prepare(s *Search, p *packing, parents device.Array[engine.Label]) (err error) {
	name := moduleOf(m.plan.kernel, s.team.Count(), m.graph.IsSplit())
	if m.module, err = m.device.Load("bfs", images, device.Counted(name, s.counted)); err != nil {
		return err
	}
	if m.kernel, err = m.module.NewPersistent(m.plan.kernel, threads); err != nil {
		return err
	}
	for _, g := range m.groups(s.team, m.sizes(p.minors)) {
		held, err := m.device.Take(g)
		if err != nil {
			return err
		}
		m.held = append(m.held, held)
	}
	m.fillState(p, parents)
	return nil
}

// sizes returns the sizes of the working memory with that many minor hubs.
func (m *member) sizes(minors uint64) searchSizes {
	return searchSizes{uint64(m.graph.Info.Vertices), uint64(m.graph.ByDegree.Rows.Len()), minors}
}

// groups declares the working memory of one of the devices of a team.
func (m *member) groups(team *device.Team, z searchSizes) []device.Group {
	list := []device.Group{m.state.group(z, m.plan)}
	if team.Count() > 1 {
		list = append(list, m.shared.group(uint64(m.graph.Info.Connected)))
	}
	return list
}

// searchSizes determines the size of a search's working memory: N, and the rows and minor hubs of
// the device.
type searchSizes struct{ vertices, rows, minors uint64 }

// listLength is the allocated length of the list of unvisited vertices. No device
// uses more entries.
const listLength = 1 << 22

// group declares the working memory of a search.
func (s *searching) group(z searchSizes, plan searchPlan) device.Group {
	words := padded(z.vertices) / 32
	var bins, tasks, hasOrdered uint64 // lengths of the arrays for ordered parents
	if plan.binShift > 0 {
		bins, tasks, hasOrdered = plan.bins(z.vertices), tasksOf(z.vertices), words
	}
	return device.Group{Alive: engine.Search, Arrays: []device.Declared{
		device.Of(&s.Visited[0], "bitmap of visited vertices", words),
		device.Of(&s.Visited[1], "next bitmap of visited vertices", words),
		device.Of(&s.Deferred, "bitmap of deferred parents", words),
		device.Of(&s.Queue[0], "search queue", z.rows),
		device.Of(&s.Queue[1], "next search queue", z.rows),
		device.Of(&s.Scratch, "rows of the frontier, or queued parents", plan.scratch(z.rows)),
		device.Of(&s.SliceArcs, "arcs of slices of the frontier", device.MaxBlocks+1),
		device.Of(&s.HubBits, "bitmap of visited hubs", hubWords),
		device.Of(&s.MinorBits, "bitmap of visited minor hubs", (z.minors+31)/32),
		device.Of(&s.Filter, "filter of the frontier", uint64(plan.filterBits/32)),
		device.Of(&s.BinEnds, "ends of bins", bins*binStride),
		device.Of(&s.OrderedStart, "starts of ordered parents", tasks),
		device.Of(&s.HasOrdered, "bitmap of ordered parents", hasOrdered),
		device.Of(&s.List, "list of unvisited vertices", min(listLength, z.rows)),
		device.Of(&s.LongRows, "long rows", longRowCapacity),
		device.Of(&s.LongParents, "parents of long rows", longRowCapacity),
		device.Of(&s.Control, "control block", 1),
		device.Of(&s.Levels, "records of levels", engine.MaxLevels+1),
	}}
}

// listCapacity returns the capacity of the list of unvisited vertices in a graph with
// at least this number of rows.
func (m *member) listCapacity() int {
	each := tailEntries
	if m.plan.kernel == "bfsMany" {
		each = listEntriesMany
	}
	return each * m.kernel.Blocks * threads
}

// fillState fills in the state of the kernel, except for the arrays of the packed graph and of the
// search. The arrays of the device's labels are to be indexed by all labels.
func (m *member) fillState(p *packing, parents device.Array[engine.Label]) {
	g, st := m.graph, &m.state
	vertices, first := uint64(g.Info.Vertices), g.Labels.First
	st.Vertices, st.Tasks, st.RowCount = uint32(vertices), uint32(tasksOf(g.Labels.End)), uint32(g.Info.Connected)
	st.HubCount, st.MinorCount = uint32(p.hubs), uint32(p.minors)
	st.ListCapacity = uint32(min(m.listCapacity(), st.List.Len()))
	st.LevelCapacity = engine.MaxLevels
	st.FilterBits = uint32(m.plan.filterBits)
	if m.plan.binShift > 0 {
		st.Bins, st.BinShift = uint32(m.plan.bins(vertices)), uint32(m.plan.binShift)
	}
	if m.plan.prefetch {
		st.Prefetch = 1
	}
	if st.HubRows.Len() > 0 {
		st.NonHubShare = uint32(m.plan.nonHubShare)
	}
	st.Arcs, st.PerBlock = uint64(g.Info.Arcs), math.MaxUint64/uint64(m.kernel.Blocks)
	st.Index, st.Rows, st.Neighbors, st.Hubs, st.Parents = g.Index.Based(first/32), g.ByDegree.Rows, g.ByDegree.Neighbors, g.ByDegree.Hubs, parents
	st.HasFurther = st.HasFurther.Based(first / 32)
	st.SecondIsHub = st.SecondIsHub.Based(first / 32)
	st.IsHub = st.IsHub.Based(first / 32)
	st.First = st.First.Based(first)
	st.FirstHub = st.FirstHub.Based(first)
	st.MinorStart = st.MinorStart.Based(first / taskLabels)
	st.ExceptionStart = st.ExceptionStart.Based(first / taskLabels)
	st.Stop, st.Done = m.kernel.Stop, m.kernel.Done
}

// reset makes the working memory that of a device that has not searched yet. The kernel does not
// write the gaps in a record.
func (m *member) reset() error {
	return errors.Join(m.state.Control.Fill(0), m.state.Levels.Fill(0), m.control.Fill(0), m.self.Totals.Fill(0))
}

// tailsOf describes the split rows of a graph to the kernel.
func tailsOf(g *construct.Graph) tails {
	return tails{g.ByDegree.Tails, g.Prefix, splitAlpha(g.Prefix), uint64(len(g.ByDegree.Tails.Host()))}
}

// Ready makes ready for a Search that follows at once (device.TeamKernel.Ready).
func (s *Search) Ready() error { return s.kernel.Ready() }

// Search writes the parents of every vertex reachable from root, each on the device that has the
// row of the vertex. root must have a row, and the parents of a device's range must be engine.None
// before. Search waits by polling, because to be woken up takes longer than many searches.
func (s *Search) Search(ctx context.Context, root engine.Label) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := s.resetCounts(); err != nil {
		return err
	}
	if s.dirty {
		if err := s.team.Together(func(i int) error { return errors.Join(s.members[i].reset(), s.members[i].device.Synchronize()) }); err != nil {
			return err
		}
	}
	s.dirty, s.profiled = true, false
	if err := s.kernel.Run(ctx, uint64(root)); err != nil {
		return err
	}
	s.dirty = false
	return nil
}

// Close frees the memory of the search. Close of nil does nothing.
func (s *Search) Close() error {
	if s == nil {
		return nil
	}
	var errs []error
	for _, m := range slices.Backward(s.members) {
		errs = append(errs, m.kernel.Close())
		for _, held := range slices.Backward(m.held) {
			errs = append(errs, held.Free())
		}
		errs = append(errs, m.packing.close())
	}
	s.members = nil
	return errors.Join(errs...)
}

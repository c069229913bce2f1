//go:build cuda

package bfs

import (
	"context"
	"embed"
	"errors"
	"math"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

//go:embed compiled
var images embed.FS

// Load loads the modules, so that New does not wait for them.
func Load(d *device.Device) error { return load(d, "pack", "search", "few") }

// LoadSplit is Load for graphs with split rows.
func LoadSplit(d *device.Device) error { return load(d, "pack", "split") }

func load(d *device.Device, modules ...string) error {
	for _, name := range modules {
		if _, err := d.Load("bfs", images, name); err != nil {
			return err
		}
	}
	return nil
}

// Search is the default search: one persistent kernel, direction-optimizing, steered
// on the device (search.cu). All data of a search are on the device before it starts,
// so a search is one launch and one wait.
//
// The kernel reads the addresses of its arrays from constant memory of its module. So
// a device has at most one Search, and one counted Search, at a time.
type Search struct {
	device  *device.Device
	graph   *construct.Graph
	module  *device.Module
	counted bool
	kernel  *device.Persistent
	plan    searchPlan
	packing *packing
	held    *device.Held
	state   state

	dirty    bool // the last search did not end, so the control block must be cleared
	profiled bool // profile is that of the last search
	profile  engine.Profile
}

// New returns a search of g that writes parents, N entries. g must have at least one
// row. The caller still owns both. A counted search is slow; Counts needs it. New
// omits the optional arrays (OptionalPlan) if fewer than reserve bytes of the
// device's arena would be free afterwards.
func New(ctx context.Context, d *device.Device, g *construct.Graph, parents device.Array[engine.Label], counted bool, reserve uint64) (*Search, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	plan := planSearch(uint64(g.Info.Vertices), d.Properties().L2)
	plan.split = g.IsSplit()
	return newSearch(d, g, parents, plan, counted, reserve)
}

func newSearch(d *device.Device, g *construct.Graph, parents device.Array[engine.Label], plan searchPlan, counted bool, reserve uint64) (*Search, error) {
	s := &Search{device: d, graph: g, counted: counted, plan: plan}
	var err error
	s.packing, err = pack(d, g, plan.hubs, &s.state.packed, reserve+new(searching).group(s.maxSizes(), plan).Bytes())
	if err == nil {
		err = s.prepare(s.packing, parents)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// maxSizes returns the sizes of the search with the largest number of minor hubs.
func (s *Search) maxSizes() searchSizes {
	return searchSizes{uint64(s.graph.Info.Vertices), uint64(s.graph.ByDegree.Rows.Len()), uint64(s.plan.hubs.minorHubs)}
}

// moduleOf returns the name of the module with a kernel of whole rows.
func moduleOf(kernel string) string {
	if kernel == "bfsFew" {
		return "few"
	}
	return "search"
}

// prepare prepares the search of the packed graph p.
func (s *Search) prepare(p *packing, parents device.Array[engine.Label]) (err error) {
	name := moduleOf(s.plan.kernel)
	if s.graph.IsSplit() {
		name = "split"
	}
	if s.module, err = s.device.Load("bfs", images, device.Counted(name, s.counted)); err != nil {
		return err
	}
	if s.kernel, err = s.module.NewPersistent(s.plan.kernel, threads); err != nil {
		return err
	}
	z := s.maxSizes()
	z.minors = p.minors
	if s.held, err = s.device.Take(s.state.group(z, s.plan)); err != nil {
		return err
	}
	s.state.Stop, s.state.Done = s.kernel.Stop, s.kernel.Done
	if err := errors.Join(s.state.Control.Fill(0), s.state.Levels.Fill(0)); err != nil { // the kernel does not write the gaps in a record
		return err
	}
	s.fillState(p, parents)
	if err := s.module.SetConstant("g", s.state); err != nil || !s.graph.IsSplit() {
		return err
	}
	return s.module.SetConstant("tails", tailsOf(s.graph))
}

// tailsOf describes the split rows of a graph to the kernel.
func tailsOf(g *construct.Graph) tails {
	return tails{g.ByDegree.Tails, g.Prefix, splitAlpha(g.Prefix), uint64(len(g.ByDegree.Tails.Host()))}
}

// searchSizes determines the size of a search's working memory.
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
func (s *Search) listCapacity() int {
	each := tailEntries
	if s.plan.kernel == "bfsMany" {
		each = listEntriesMany
	}
	return each * s.kernel.Blocks * threads
}

// fillState fills in the state of the kernel, except for the arrays of the packed
// graph and of the search.
func (s *Search) fillState(p *packing, parents device.Array[engine.Label]) {
	g, st := s.graph, &s.state
	vertices := uint64(g.Info.Vertices)
	st.Vertices, st.Tasks, st.RowCount = uint32(vertices), uint32(tasksOf(vertices)), uint32(g.ByDegree.Rows.Len())
	st.HubCount, st.MinorCount = uint32(p.hubs), uint32(p.minors)
	st.ListCapacity = uint32(min(s.listCapacity(), st.List.Len()))
	st.LevelCapacity = engine.MaxLevels
	st.FilterBits = uint32(s.plan.filterBits)
	if s.plan.binShift > 0 {
		st.Bins, st.BinShift = uint32(s.plan.bins(vertices)), uint32(s.plan.binShift)
	}
	if s.plan.prefetch {
		st.Prefetch = 1
	}
	if st.HubRows.Len() > 0 {
		st.NonHubShare = uint32(s.plan.nonHubShare)
	}
	st.Arcs, st.PerBlock = uint64(g.Info.Arcs), math.MaxUint64/uint64(s.kernel.Blocks)
	st.Index, st.Rows, st.Neighbors, st.Hubs, st.Parents = g.Index, g.ByDegree.Rows, g.ByDegree.Neighbors, g.ByDegree.Hubs, parents
}

// Plan lists the memory of a search, without the optional arrays (OptionalPlan). The
// graph has N vertices, n rows and arcs (each edge in both directions). The
// second-level cache of the device has l2 bytes.
func Plan(vertices, rows, arcs uint64, l2 int) []engine.Allocation {
	return planOf(vertices, rows, arcs, rows, planSearch(vertices, l2))
}

// SplitPlan is Plan of a graph with split rows. At most exceptions of its vertices have a
// first neighbour that is no hub and no minor hub.
func SplitPlan(vertices, rows, arcs, exceptions uint64, l2 int) []engine.Allocation {
	plan := planSearch(vertices, l2)
	plan.split = true
	return planOf(vertices, rows, arcs, exceptions, plan)
}

func planOf(vertices, rows, arcs, exceptions uint64, plan searchPlan) []engine.Allocation {
	z := searchSizes{vertices: vertices, rows: rows, minors: uint64(plan.hubs.minorHubs)}
	list := packPlan(packSizes{vertices: vertices, rows: rows, arcs: arcs, all: vertices, exceptions: exceptions}, plan.hubs)
	return append(list, new(searching).group(z, plan).Plan()...)
}

// Search writes the parents of every vertex reachable from root. root must have a
// row, and all parents must be engine.None before. Search waits by polling, because
// to be woken up takes longer than many searches.
func (s *Search) Search(ctx context.Context, root engine.Label) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := s.resetCounts(); err != nil {
		return err
	}
	if s.dirty {
		if err := s.state.Control.Fill(0); err != nil {
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

// Close frees the memory of the search.
func (s *Search) Close() error {
	return errors.Join(s.kernel.Close(), s.held.Free(), s.packing.close())
}

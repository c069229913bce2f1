//go:build cuda

package bfs

import (
	"context"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

//go:embed compiled
var images embed.FS

// Load loads the modules. What is made afterwards does not wait for them.
func Load(d *device.Device) error {
	for _, name := range []string{"pack", "search"} {
		if _, err := d.Load("bfs", images, name); err != nil {
			return err
		}
	}
	return nil
}

// looks is the number of times that the host looks for the end of a search before
// it asks the driver for faults, and the context.
const looks = 1 << 14

// Search is the default search: one persistent kernel, direction-optimizing,
// steered on the device (search.cu). All that a search needs is on the device
// before: between call and return there are one launch and one wait.
//
// The kernel finds its arrays in constant memory of its module, so a device has one
// Search at a time, and one that counts.
type Search struct {
	device  *device.Device
	graph   *construct.Graph
	module  *device.Module
	counted bool
	launch  *device.LaunchGraph
	grid    int // blocks
	plan    searchPlan
	packing *packing
	held    *device.Held
	state   state

	unclean bool // the last search left the control block in any state
	known   bool // profile is that of the last search
	profile engine.Profile
}

// New returns a search of g that fills parents, N entries. g has a row at least. Both
// stay the caller's. A counted search is one for Counts, and slow. What it can do
// without is left out where that would leave less than spare bytes of the device's
// arena.
func New(ctx context.Context, d *device.Device, g *construct.Graph, parents device.Array[engine.Local], counted bool, spare uint64) (*Search, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return newSearch(d, g, parents, planSearch(uint64(g.Info.Vertices), d.Properties().L2), counted, spare)
}

func newSearch(d *device.Device, g *construct.Graph, parents device.Array[engine.Local], plan searchPlan, counted bool, spare uint64) (*Search, error) {
	s := &Search{device: d, graph: g, counted: counted, plan: plan}
	var err error
	s.packing, err = pack(d, g, plan.hubs, &s.state.packed, spare+new(searching).group(s.mostSizes(), plan).Bytes())
	if err == nil {
		err = s.equip(s.packing, parents)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// mostSizes are the sizes of the search with as many minor hubs as there may be.
func (s *Search) mostSizes() searchSizes {
	return searchSizes{uint64(s.graph.Info.Vertices), uint64(s.graph.Rows.Len()), uint64(s.plan.hubs.minorHubs)}
}

// equip makes the search of the packed graph ready.
func (s *Search) equip(p *packing, parents device.Array[engine.Local]) (err error) {
	if err = s.prepare(); err != nil {
		return err
	}
	z := s.mostSizes()
	z.minors = p.minors
	if s.held, err = s.device.Take(s.state.group(z, s.plan)); err != nil {
		return err
	}
	if s.state.Stop, err = device.Pinned[uint32](s.device, 1); err != nil {
		return err
	}
	if s.state.Done, err = device.Pinned[uint32](s.device, 1); err != nil {
		return err
	}
	if err := s.state.Control.Fill(0); err != nil {
		return err
	}
	s.describe(p, parents)
	return s.module.SetConstant("g", s.state)
}

// prepare finds the kernel and the size of its grid, which must be on the device
// as a whole.
func (s *Search) prepare() (err error) {
	if s.module, err = s.device.Load("bfs", images, device.Counted("search", s.counted)); err != nil {
		return err
	}
	kernel, err := s.module.Kernel(s.plan.kernel)
	if err != nil {
		return err
	}
	image := make([]byte, 4)
	if err := s.module.Read("sharedBytes", image); err != nil {
		return err
	}
	shared := int(binary.NativeEndian.Uint32(image))
	if err = kernel.AllowShared(shared); err != nil {
		return err
	}
	each, err := kernel.BlocksPerSM(threads, shared)
	if err != nil {
		return err
	}
	if s.grid = min(each*s.device.Properties().SMs, maxBlocks); s.grid == 0 {
		return fmt.Errorf("the search needs %d threads and %d bytes of shared memory in a block, which %s has not",
			threads, shared, s.device.Properties().Name)
	}
	s.launch, err = kernel.NewLaunchGraph(s.grid, threads, shared, 1)
	return err
}

// searchSizes are what the memory of a search depends on, beyond that of the packed
// graph.
type searchSizes struct{ vertices, rows, minors uint64 }

// listLength is more than the entries of the list of unvisited vertices that are used
// on any device.
const listLength = 1 << 22

// group declares what a search works with.
func (s *searching) group(z searchSizes, plan searchPlan) device.Group {
	words := padded(z.vertices) / 32
	var bins, tasks, fresh uint64 // of the parents put in order
	if plan.binShift > 0 {
		bins, tasks, fresh = plan.bins(z.vertices), tasksOf(z.vertices), words
	}
	return device.Group{Alive: engine.Search, Arrays: []device.Declared{
		device.Of(&s.Visited[0], "bitmap of visited vertices", words),
		device.Of(&s.Visited[1], "bitmap of visited vertices after a level", words),
		device.Of(&s.ByFirst, "bitmap of owed parents", words),
		device.Of(&s.Queue[0], "search queue", z.rows),
		device.Of(&s.Queue[1], "next search queue", z.rows),
		device.Of(&s.Scratch, "rows of the frontier, or queued parents", z.rows),
		device.Of(&s.Share, "shares of the frontier", maxBlocks+1),
		device.Of(&s.HubBits, "bitmap of visited hubs", hubWords),
		device.Of(&s.MinorBits, "bitmap of visited minor hubs", (z.minors+31)/32),
		device.Of(&s.Filter, "filter of the frontier", uint64(plan.filterBits/32)),
		device.Of(&s.BinEnds, "ends of bins", bins*binStride),
		device.Of(&s.OrderedStart, "starts of ordered parents", tasks),
		device.Of(&s.Fresh, "bitmap of ordered parents", fresh),
		device.Of(&s.List, "list of unvisited vertices", min(listLength, z.rows)),
		device.Of(&s.LongRows, "long rows", longRowRoom),
		device.Of(&s.LongParents, "parents of long rows", longRowRoom),
		device.Of(&s.Control, "control block", 1),
		device.Of(&s.Levels, "records of levels", engine.MaxLevels+1),
	}}
}

// mostListed is the number of entries of the list that are used, in a graph of many
// rows.
func (s *Search) mostListed() int {
	each := kept
	if s.plan.kernel == "bfsMany" {
		each = listedOfMany
	}
	return each * s.grid * threads
}

// describe fills in what the kernel knows besides its own arrays.
func (s *Search) describe(p *packing, parents device.Array[engine.Local]) {
	g, st := s.graph, &s.state
	vertices := uint64(g.Info.Vertices)
	st.Vertices, st.Tasks, st.Connected = uint32(vertices), uint32(tasksOf(vertices)), uint32(g.Rows.Len())
	st.HubCount, st.MinorCount = uint32(p.hubs), uint32(p.minors)
	st.ListRoom = uint32(min(s.mostListed(), st.List.Len()))
	st.LevelRoom = engine.MaxLevels
	st.FilterBits = uint32(s.plan.filterBits)
	if s.plan.binShift > 0 {
		st.Bins, st.BinShift = uint32(s.plan.bins(vertices)), uint32(s.plan.binShift)
	}
	if s.plan.ahead {
		st.Ahead = 1
	}
	if st.HubRows.Len() > 0 {
		st.HubsShare = uint32(s.plan.hubsShare)
	}
	st.Arcs, st.PerBlock = uint64(g.Info.Arcs), math.MaxUint64/uint64(s.grid)
	st.Index, st.Rows, st.Neighbors, st.Hubs, st.Parents = g.Index, g.Rows, g.Neighbors, g.Hubs, parents
}

// Plan lists the memory of a search for N vertices, n rows and the arcs, each edge in
// both directions, on a device with a second-level cache of so many bytes, but for
// what it takes only where there is room (OptionalPlan).
func Plan(vertices, rows, arcs uint64, l2 int) []engine.Allocation {
	plan := planSearch(vertices, l2)
	z := searchSizes{vertices: vertices, rows: rows, minors: uint64(plan.hubs.minorHubs)}
	return append(packPlan(packSizes{vertices: vertices, rows: rows, arcs: arcs}, plan.hubs), new(searching).group(z, plan).Plan()...)
}

// Search fills the parents of every vertex reachable from root, which has a
// row. All parents are engine.None before. It waits by asking again and again,
// because to be woken up takes longer than many a search.
func (s *Search) Search(ctx context.Context, root engine.Local) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if s.counted {
		if err := s.module.ResetCounts(); err != nil {
			return err
		}
	}
	if s.unclean {
		if err := s.state.Control.Fill(0); err != nil {
			return err
		}
	}
	s.unclean, s.known = true, false
	atomic.StoreUint32(&s.state.Done.Host()[0], 0)
	if err := s.launch.Launch(uint64(root)); err != nil {
		return err
	}
	if err := s.wait(ctx); err != nil {
		return err
	}
	s.unclean = false
	return nil
}

// wait waits for the kernel's end, to which it asks it when ctx ends.
func (s *Search) wait(ctx context.Context) error {
	ended := ctx.Done()
	stopped := false
	for {
		done, err := s.device.Await(s.state.Done, looks)
		if err != nil {
			return err
		}
		if done {
			break
		}
		select {
		case <-ended:
			ended, stopped = nil, true
			atomic.StoreUint32(&s.state.Stop.Host()[0], 1)
		default:
		}
	}
	if stopped {
		s.state.Stop.Host()[0] = 0
		return context.Cause(ctx)
	}
	return nil
}

// Counts returns what the last search did; it must be a counted one. Of the
// neighbours that it looked at the search keeps a record anyway.
func (s *Search) Counts() (engine.Counts, error) {
	c, err := s.module.Counts()
	if err != nil {
		return c, err
	}
	profile, err := s.Profile()
	c.Examined += profile.Examined
	c.Launches = 1
	return c, err
}

// Close frees what the search took.
func (s *Search) Close() error {
	return errors.Join(s.launch.Close(), s.state.Stop.Free(), s.state.Done.Free(), s.held.Free(), s.packing.close())
}

//go:build cuda

package kernels

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"sync/atomic"

	"graph500/engine"
)

const (
	// levelRoom is the number of levels of a search that are recorded.
	levelRoom = engine.MaxLevels
	// maxBlocks is what the kernel's barriers can count.
	maxBlocks = 1<<10 - 1
	// looks is the number of times that the host looks for the end of a search
	// before it asks the driver for faults, and the context.
	looks = 1 << 14
)

// Searcher is the default search: one persistent kernel, direction-optimizing,
// steered on the device (search.cu). All that a search needs is on the device
// before: between call and return there are one launch and one wait.
//
// The kernel finds its arrays in constant memory, so a device has one Searcher
// at a time.
type Searcher struct {
	device *Device
	graph  *Graph
	packed *Packed
	bfs    *Kernel
	launch *LaunchGraph
	shape  searchShape
	grid   int // blocks
	state  searchState
	plan   searchPlan

	visited      [2]*Array[uint32]       // bitmaps of padded labels
	byFirst      *Array[uint32]          // likewise
	queues       [2]*Array[engine.Local] // n entries
	items        *Array[Row]             // n entries; also parents on their way into order, and the list of listLevel
	share        *Array[uint64]          // arcs of the frontier, by block
	hubBits      *Array[uint32]          // bitmap of hubs
	minorBits    *Array[uint32]          // and of minor ones
	filter       *Array[uint32]          // of the frontier, by label
	binEnds      *Array[uint32]          // of the parents put in order, by bin
	orderedStart *Array[uint32]          // by task
	fresh        *Array[uint32]          // bitmap of padded labels
	list         *Array[Exception]       // vertices left unvisited, with their first neighbours
	longRows     *Array[longRow]
	longParents  *Array[engine.Local]
	control      *Array[byte]
	levels       *Array[levelRecord]
	stop, done   *HostArray[uint32] // one word each

	unclean bool // the last search left the control block in any state
	known   bool // profile is that of the last search
	profile engine.Profile
}

// NewSearcher returns a search of g, packed by Pack, that fills parents, N
// entries. g has a row at least. All three stay the caller's.
func NewSearcher(d *Device, g *Graph, packed *Packed, parents *Array[engine.Local]) (*Searcher, error) {
	return newSearcher(d, g, packed, parents, planSearch(uint64(g.Info.Vertices)))
}

func newSearcher(d *Device, g *Graph, packed *Packed, parents *Array[engine.Local], plan searchPlan) (*Searcher, error) {
	s := &Searcher{device: d, graph: g, packed: packed, plan: plan}
	err := s.prepare(d)
	if err == nil {
		err = s.allocate(d)
	}
	if err == nil {
		err = s.describe(parents)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// prepare finds the kernel and the size of its grid, which must be on the
// device as a whole.
func (s *Searcher) prepare(d *Device) (err error) {
	if s.shape, err = readShape(d); err != nil {
		return err
	}
	if s.bfs, err = d.Kernel("search", s.plan.kernel); err != nil {
		return err
	}
	if err = s.bfs.AllowShared(s.shape.shared); err != nil {
		return err
	}
	each, err := s.bfs.BlocksPerSM(s.shape.threads, s.shape.shared)
	if err != nil {
		return err
	}
	if s.grid = min(each*d.Properties().SMs, maxBlocks, shareRoom); s.grid == 0 {
		return fmt.Errorf("the search needs %d threads and %d bytes of shared memory in a block, which %s has not",
			s.shape.threads, s.shape.shared, d.Properties().Name)
	}
	s.launch, err = s.bfs.NewLaunchGraph(s.grid, s.shape.threads, s.shape.shared, 1)
	return err
}

// bins is the number of bins of labels in which parents are put in order.
func (s *Searcher) bins() int {
	if s.plan.binShift == 0 {
		return 0
	}
	return int((uint64(s.graph.Info.Vertices)-1)>>s.plan.binShift + 1)
}

// mostListed is the largest number of entries of the list of unvisited vertices.
func (s *Searcher) mostListed() int {
	each := s.shape.kept
	if s.plan.kernel == "bfsMany" {
		each = s.shape.listedOfMany
	}
	return each * s.grid * s.shape.threads
}

// listRoom is the number of its entries that there can be.
func (s *Searcher) listRoom() int { return min(s.mostListed(), s.graph.Rows.Len()) }

func (s *Searcher) allocate(d *Device) (err error) {
	words, rows := int(padded(uint64(s.graph.Info.Vertices))/32), s.graph.Rows.Len()
	for i := range s.visited {
		if s.visited[i], err = Alloc[uint32](d, "bitmap of visited vertices", words); err != nil {
			return err
		}
	}
	if s.byFirst, err = Alloc[uint32](d, "bitmap of owed parents", words); err != nil {
		return err
	}
	for i := range s.queues {
		if s.queues[i], err = Alloc[engine.Local](d, "search queue", rows); err != nil {
			return err
		}
	}
	if s.items, err = Alloc[Row](d, "rows of the frontier", rows); err != nil {
		return err
	}
	if s.share, err = Alloc[uint64](d, "shares of the frontier", shareRoom); err != nil {
		return err
	}
	if s.hubBits, err = Alloc[uint32](d, "bitmap of visited hubs", hubBitWords); err != nil {
		return err
	}
	if s.minorBits, err = Alloc[uint32](d, "bitmap of visited minor hubs", int(tilesOf(uint64(s.packed.MinorHubs), 32))); err != nil {
		return err
	}
	if s.filter, err = Alloc[uint32](d, "filter of the frontier", s.plan.filterBits/32); err != nil {
		return err
	}
	var tasks, bitmap int // of the parents put in order
	if s.plan.binShift > 0 {
		tasks, bitmap = words*32/taskLabels, words
	}
	if s.binEnds, err = Alloc[uint32](d, "ends of bins", s.bins()*binStride); err != nil {
		return err
	}
	if s.orderedStart, err = Alloc[uint32](d, "starts of ordered parents", tasks); err != nil {
		return err
	}
	if s.fresh, err = Alloc[uint32](d, "bitmap of ordered parents", bitmap); err != nil {
		return err
	}
	if s.list, err = Alloc[Exception](d, "list of unvisited vertices", s.listRoom()); err != nil {
		return err
	}
	if s.longRows, err = Alloc[longRow](d, "long rows", longRowRoom); err != nil {
		return err
	}
	if s.longParents, err = Alloc[engine.Local](d, "parents of long rows", longRowRoom); err != nil {
		return err
	}
	if s.control, err = Alloc[byte](d, "control block", s.shape.control); err != nil {
		return err
	}
	if err = s.control.Fill(0); err != nil {
		return err
	}
	if s.levels, err = Alloc[levelRecord](d, "levels", levelRoom); err != nil {
		return err
	}
	if s.stop, err = Pinned[uint32](d, 1); err != nil {
		return err
	}
	s.done, err = Pinned[uint32](d, 1)
	return err
}

// describe tells the kernel where everything is.
func (s *Searcher) describe(parents *Array[engine.Local]) error {
	g, packed := s.graph, s.packed
	hubsShare := s.plan.hubsShare
	if packed.HubRows.Len() == 0 {
		hubsShare = 0
	}
	s.state = searchState{
		Vertices:   uint32(g.Info.Vertices),
		Tasks:      uint32(padded(uint64(g.Info.Vertices)) / taskLabels),
		Connected:  uint32(g.Rows.Len()),
		HubCount:   uint32(packed.Hubs),
		MinorCount: uint32(packed.MinorHubs),
		ListRoom:   uint32(s.list.Len()),
		LevelRoom:  levelRoom,

		FilterBits: uint32(s.plan.filterBits),
		Bins:       uint32(s.bins()),
		BinShift:   uint32(s.plan.binShift),
		HubsShare:  uint32(hubsShare),
		Arcs:       uint64(g.Info.Arcs),
		PerBlock:   math.MaxUint64 / uint64(s.grid),

		Index:          g.Index.Address(),
		Rows:           g.Rows.Address(),
		Neighbors:      g.Neighbors.Address(),
		Hubs:           g.Hubs.Address(),
		Present:        packed.Present.Address(),
		More:           packed.More.Address(),
		MoreHubs:       packed.MoreHubs.Address(),
		IsHub:          packed.IsHub.Address(),
		HubRows:        packed.HubRows.Address(),
		HubArcs:        packed.HubArcs.Address(),
		First:          packed.First.Address(),
		Slots:          packed.Slots.Address(),
		MinorStart:     packed.MinorStart.Address(),
		Minors:         packed.Minors.Address(),
		ExceptionStart: packed.ExceptionStart.Address(),
		Exceptions:     packed.Exceptions.Address(),
		Further:        packed.Further.Address(),

		Parents:      parents.Address(),
		ByFirst:      s.byFirst.Address(),
		Items:        s.items.Address(),
		Share:        s.share.Address(),
		HubBits:      s.hubBits.Address(),
		MinorBits:    s.minorBits.Address(),
		Filter:       s.filter.Address(),
		BinEnds:      s.binEnds.Address(),
		OrderedStart: s.orderedStart.Address(),
		Fresh:        s.fresh.Address(),
		List:         s.list.Address(),
		LongRows:     s.longRows.Address(),
		LongParents:  s.longParents.Address(),
		Control:      s.control.Address(),
		Levels:       s.levels.Address(),
		Stop:         s.stop.Address(),
		Done:         s.done.Address(),
	}
	for i, a := range s.visited {
		s.state.Visited[i] = a.Address()
	}
	for i, a := range s.queues {
		s.state.Queue[i] = a.Address()
	}
	return setConstant(s.device, "search", "g", s.state)
}

// searchPlan is what differs with the size of a graph.
type searchPlan struct {
	kernel     string
	filterBits int // of the filter for a small frontier; 0 where there is none
	// binShift is the logarithm of the labels of a bin, at least leastBinShift,
	// where the parents of large top-down levels are put in order bin by bin; 0
	// where they are written as they are found. There are at most maxBins bins.
	binShift int
	// hubsShare lets a bottom-up level look for hubs only, where the other vertices
	// of a small frontier have less than one arc for so many vertices of the graph;
	// these are followed top-down. 0 where it never does, as without Packed.HubRows.
	hubsShare int
}

// planSearch returns the plan that is fastest for N vertices on an H200. The filter
// saves look-ups in the bitmap of visited vertices, which pays once that bitmap is
// long; a longer filter takes more of the first-level cache.
func planSearch(vertices uint64) searchPlan {
	switch {
	case vertices <= 1<<22:
		return searchPlan{kernel: "bfsFew"}
	case vertices <= 1<<23:
		return searchPlan{kernel: "bfs"}
	case vertices <= 1<<26:
		return searchPlan{kernel: "bfs", filterBits: 1 << 17, hubsShare: 4}
	}
	return searchPlan{"bfsMany", 1 << 20, max(leastBinShift, bits.Len64((vertices-1)/maxBins)), 2}
}

// SearchMemory lists the memory of a Searcher for N vertices and n rows.
func SearchMemory(vertices, rows uint64) []engine.Allocation {
	const (
		small = 5 << 20 // of all that has the same size for every graph, and then some
		list  = 1 << 22 // more entries than all threads of a grid can keep
	)
	var order uint64
	if planSearch(vertices).binShift > 0 {
		order = padded(vertices)/8 + 4*padded(vertices)/taskLabels
	}
	return []engine.Allocation{
		{Name: "bitmaps of vertices", Bytes: 3 * padded(vertices) / 8, Phase: engine.Searching},
		{Name: "order of parents", Bytes: order, Phase: engine.Searching},
		{Name: "search queues", Bytes: (2*4 + 16) * rows, Phase: engine.Searching},
		{Name: "rest of the search", Bytes: small + 8*min(rows, list), Phase: engine.Searching},
	}
}

// Search fills the parents of every vertex reachable from root, which has a
// row. All parents are engine.None before. It waits by asking again and again,
// because to be woken up takes longer than many a search.
func (s *Searcher) Search(ctx context.Context, root engine.Local) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if s.unclean {
		if err := s.control.Fill(0); err != nil {
			return err
		}
	}
	s.unclean = true
	s.known = false
	atomic.StoreUint32(&s.done.Host()[0], 0)
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
func (s *Searcher) wait(ctx context.Context) error {
	ended := ctx.Done()
	stopped := false
	for {
		done, err := s.device.Await(s.done, looks)
		if err != nil {
			return err
		}
		if done {
			break
		}
		select {
		case <-ended:
			ended, stopped = nil, true
			atomic.StoreUint32(&s.stop.Host()[0], 1)
		default:
		}
	}
	if stopped {
		s.stop.Host()[0] = 0
		return context.Cause(ctx)
	}
	return nil
}

// Close frees what the search took.
func (s *Searcher) Close() error {
	errs := []error{s.launch.Close(), s.byFirst.Free(), s.items.Free(), s.share.Free(), s.hubBits.Free(), s.minorBits.Free(), s.filter.Free(),
		s.binEnds.Free(), s.orderedStart.Free(), s.fresh.Free(), s.list.Free(), s.longRows.Free(), s.longParents.Free(), s.control.Free(), s.levels.Free(), s.stop.Free(), s.done.Free()}
	for _, a := range s.visited {
		errs = append(errs, a.Free())
	}
	for _, a := range s.queues {
		errs = append(errs, a.Free())
	}
	return errors.Join(errs...)
}

//go:build cuda

package hostrows

import (
	"context"
	"embed"
	"errors"
	"fmt"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

//go:embed compiled
var images embed.FS

// Load loads the module, so that New does not wait for it.
func Load(d *device.Device) error {
	_, err := d.Load("hostrows", images, "expand")
	return err
}

// Form is a form of the search and its settings.
type Form struct {
	Residency engine.Residency // ZeroCopy, Subgraph, Partition or Managed
	Buffer    uint64           // neighbours per buffer of the device, a multiple of 32; ZeroCopy and Managed have none
}

const (
	// LeastBuffer and MostBuffer bound Form.Buffer. Rows that are longer are cut.
	LeastBuffer = lineArcs
	MostBuffer  = 1 << 24

	// MostGathered bounds that of Subgraph: the buffers that the host writes and the bus
	// reads stay in the host's caches.
	MostGathered = 1 << 20
)

// MostBufferOf returns the largest Form.Buffer of a residency.
func MostBufferOf(r engine.Residency) uint64 {
	if r == engine.Subgraph {
		return MostGathered
	}
	return MostBuffer
}

// hasBuffers reports whether neighbours are copied to buffers of the device.
func (f Form) hasBuffers() bool {
	return f.Residency == engine.Subgraph || f.Residency == engine.Partition
}

// feeder brings the neighbours of the frontier to the kernel.
type feeder interface {
	// arrays declares the memory of the device. The tails of the graph have the given
	// length.
	arrays(rows, tails uint64) []device.Declared

	// prepare follows the allocation of the arrays.
	prepare(s *Search) error

	// expand examines the neighbours of the frontier and returns what goes over the bus. It
	// may return before the kernels end.
	expand(ctx context.Context, s *Search) (moved, error)

	close() error
}

// feeder returns the feeder of a form.
func (f Form) feeder(host *Buffers) feeder {
	switch f.Residency {
	case engine.Subgraph:
		return &subgraph{feed: feed{size: f.Buffer, slots: gatherSlots}, host: host}
	case engine.Partition:
		return &partitions{feed: feed{size: f.Buffer, slots: partitionSlots}}
	case engine.Managed:
		return managed{}
	}
	return zeroCopy{}
}

// moved is what goes over the bus: requests are copies, or lines that the kernel reads.
type moved struct{ bytes, requests uint64 }

// frontier is the number of rows in the frontier, of the sectors of their neighbours, of
// these, and of their lines.
type frontier struct{ rows, sectors, arcs, lines uint64 }

// Search is a search top-down of a graph without neighbours in the device's memory
// (construct.Split.NoPrefix).
type Search struct {
	device.HostLoop
	device  *device.Device
	graph   *construct.Graph
	parents device.Array[engine.Local]
	feeder  feeder
	held    *device.Held
	working

	start, count, scan, list, spans, claim *device.Kernel
	frontier                               frontier
}

// working is the memory of every form.
type working struct {
	active device.Array[uint32] // bitmap of the vertices in the next frontier
	rows   device.Array[Active] // of the frontier
	places device.Array[Place]  // of their neighbours, with the entry behind the last
	sums   device.Array[uint64] // by block of the bitmap, two arrays
	totals device.Array[uint64] // frontier
}

// arrays declares the memory, for a graph of that many vertices and rows.
func (w *working) arrays(vertices, rows uint64) []device.Declared {
	return []device.Declared{
		device.Of(&w.active, "bitmap of the next frontier", wordsOf(vertices)),
		device.Of(&w.rows, "rows of the frontier", rows),
		device.Of(&w.places, "places of neighbours of the frontier", rows+1),
		device.Of(&w.sums, "sums of the frontier", 2*blocksOf(vertices)),
		device.Of(&w.totals, "size of the frontier", 4),
	}
}

func wordsOf(vertices uint64) uint64 { return (vertices + 31) / 32 }

// blocksOf returns the number of blocks that list a frontier.
func blocksOf(vertices uint64) uint64 { return (wordsOf(vertices) + listThreads - 1) / listThreads }

// group declares the memory of a search.
func group(w *working, f feeder, vertices, rows, tails uint64) device.Group {
	return device.Group{Alive: engine.Search, Arrays: append(w.arrays(vertices, rows), f.arrays(rows, tails)...)}
}

// Plan lists the memory of a search on a graph of at most that many vertices and rows, with
// tails of that length: that of New, and that of Allocate.
func (f Form) Plan(vertices, rows, tails uint64) []engine.Allocation {
	return append(group(new(working), f.feeder(nil), vertices, rows, tails).Plan(), f.hostPlan(rows, tails)...)
}

// New prepares a search of g, which has at least one row, that writes parents, one entry
// per vertex. The caller still owns all arguments. The host's memory is that of Allocate
// for the same form. A counted search is slow; Counts needs it.
func New(ctx context.Context, d *device.Device, g *construct.Graph, parents device.Array[engine.Local], f Form, host *Buffers, counted bool) (*Search, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if !g.IsSplit() || g.Prefix != 0 {
		return nil, errors.New("hostrows: the graph has neighbours in the device's memory")
	}
	if f.hasBuffers() && (f.Buffer < LeastBuffer || f.Buffer%lineArcs != 0) {
		return nil, fmt.Errorf("hostrows: a buffer of %d neighbours, it must be a multiple of %d", f.Buffer, LeastBuffer)
	}
	s := &Search{device: d, graph: g, parents: parents, feeder: f.feeder(host)}
	if err := s.prepare(counted); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Search) prepare(counted bool) (err error) {
	if err := s.Open(s.device, "hostrows", images, "expand", counted); err != nil {
		return err
	}
	for _, k := range []struct {
		to   **device.Kernel
		name string
	}{
		{&s.start, "start"}, {&s.count, "count"}, {&s.scan, "scan"}, {&s.list, "list"}, {&s.spans, "spans"}, {&s.claim, "expand"},
	} {
		if *k.to, err = s.Module.Kernel("hostrows_" + k.name); err != nil {
			return err
		}
	}
	g := s.graph
	tails := uint64(g.Info.HostBytes) / 4
	if s.held, err = s.device.Take(group(&s.working, s.feeder, uint64(g.Info.Vertices), uint64(g.Rows.Len()), tails)); err != nil {
		return err
	}
	return s.feeder.prepare(s)
}

// Search writes the parent of every vertex reachable from root, which must have a row. All
// parents must be engine.None before. After the end of ctx it returns its cause, and
// nothing of the search is still at work.
func (s *Search) Search(ctx context.Context, root engine.Local) error {
	err := s.Run(ctx, func() error { return s.begin(root) }, func() (bool, error) { return s.level(ctx) })
	if err != nil {
		return errors.Join(err, s.device.Synchronize())
	}
	return nil
}

func (s *Search) begin(root engine.Local) error {
	if err := s.active.Fill(0); err != nil {
		return err
	}
	if err := s.LaunchBlocks(s.start, 1, 1, 0, s.parents.Address(), s.active.Address(), uint64(root)); err != nil {
		return err
	}
	return s.listFrontier()
}

// listFrontier lists the rows of the bitmap, which it clears.
func (s *Search) listFrontier() error {
	g, words, blocks := s.graph, uint64(s.active.Len()), blocksOf(uint64(s.graph.Info.Vertices))
	for _, run := range []struct {
		kernel  *device.Kernel
		blocks  uint64
		threads int
		args    []uint64
	}{
		{s.count, blocks, listThreads, []uint64{s.active.Address(), words, g.IndexAddress(), g.Rows.Address(), s.sums.Address()}},
		{s.scan, 2, scanThreads, []uint64{s.sums.Address(), blocks, s.totals.Address()}},
		{s.list, blocks, listThreads, []uint64{
			s.active.Address(), words, g.IndexAddress(), g.Rows.Address(), g.Neighbors.Address(), s.sums.Address(), s.totals.Address(),
			s.rows.Address(), s.places.Address(),
		}},
	} {
		if err := s.LaunchBlocks(run.kernel, run.blocks, run.threads, 0, run.args...); err != nil {
			return err
		}
	}
	var totals [4]uint64
	err := s.totals.Read(0, totals[:])
	s.frontier = frontier{totals[0], totals[1], totals[2], totals[3]}
	return err
}

// level executes a level.
func (s *Search) level(ctx context.Context) (more bool, err error) {
	before := s.frontier
	over, err := s.feeder.expand(ctx, s)
	if err != nil {
		return false, err
	}
	if err := s.listFrontier(); err != nil {
		return false, err
	}
	s.AddLevel(engine.Level{
		Direction: engine.TopDown, Frontier: int64(before.rows), Found: int64(s.frontier.rows), Examined: int64(before.arcs),
		Bytes: int64(over.bytes), HostBytes: int64(over.bytes), HostRequests: int64(over.requests),
	})
	return s.frontier.rows > 0, nil
}

// part is a part of the neighbours of the frontier: of count rows from row first on, the
// sectors at the positions lo to hi-1. The position of a sector is that in the tails of the
// graph or, if they are packed, that in the list of the frontier. lo is the beginning of a
// line.
type part struct {
	first, count uint64
	packed       bool
	lo, hi       uint64
}

// examine launches the kernel for a part, whose neighbours begin at an address of the
// device, aligned to a line.
func (s *Search) examine(p part, neighbors uint64) error {
	var packed uint64
	if p.packed {
		packed = 1
	}
	sectors := min(p.hi-p.lo, s.frontier.sectors)
	return s.Launch(s.claim, 32*((sectors+pieceSectors-1)/pieceSectors), s.rows.Address(), s.places.Address(), p.first, p.count, packed, p.lo, p.hi,
		neighbors, s.parents.Address(), s.active.Address())
}

// Close frees the memory of the search. Searches are closed in the reverse order of their
// creation.
func (s *Search) Close() error {
	return errors.Join(s.feeder.close(), s.HostLoop.Close(), s.held.Free())
}

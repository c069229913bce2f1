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

// feeder brings the neighbours of the listed rows to the kernel.
type feeder interface {
	// arrays declares the memory of the device. The tails of the graph have the given
	// length.
	arrays(rows, tails uint64) []device.Declared

	// prepare follows the allocation of the arrays.
	prepare(s *Search) error

	// expand examines the neighbours of the list and returns what goes over the bus. It
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

// rule says when a level is bottom-up: if the unvisited vertices have less than heads times as
// many rows as the frontier has sectors, and less than rows times as many sectors.
type rule struct{ heads, rows uint64 }

// sectorRule compares what goes over the bus: top-down the sectors of the frontier, bottom-up
// the first sector of each unvisited row. The others seldom follow, but in a graph of several
// components they may in each level; with the second bound that is at most four times what goes
// over the bus top-down.
var sectorRule = rule{heads: 1, rows: 4}

// rule returns that of a form. Without single sectors over the bus, all levels are top-down.
func (f Form) rule() rule {
	if f.Residency == engine.ZeroCopy || f.Residency == engine.Subgraph {
		return sectorRule
	}
	return rule{}
}

// listed is a list of rows that a level examines: whole ones of the frontier or, bottom-up,
// the first sectors or the rests of those that are not visited.
type listed struct {
	direction                  engine.Direction
	frontier                   uint64 // rows in the frontier
	unvisited                  uint64 // rows that are not visited
	rows, sectors, arcs, lines uint64 // of the list
}

// Search is a search of a graph without neighbours in the device's memory
// (construct.Split.NoPrefix).
type Search struct {
	device.HostLoop
	device  *device.Device
	graph   *construct.Graph
	parents device.Array[engine.Label]
	feeder  feeder
	held    *device.Held
	working

	start, count, scan, list, spans, claim *device.Kernel

	rule   rule
	listed listed
}

// working is the memory of every form.
type working struct {
	active    device.Array[uint32] // bitmap of the vertices in the next frontier
	unvisited device.Array[uint32] // bitmap of those with a row that no level before this one has found
	rows      device.Array[Active] // of the list
	places    device.Array[Place]  // of their neighbours, with the entry behind the last
	sums      device.Array[uint64] // of the frontier, by block of the bitmap, two arrays
	visited   device.Array[uint64] // sums of rows, of all levels
	totals    device.Array[totals]
}

// arrays declares the memory, for a graph of that many vertices and rows.
func (w *working) arrays(vertices, rows uint64) []device.Declared {
	return []device.Declared{
		device.Of(&w.active, "bitmap of the next frontier", wordsOf(vertices)),
		device.Of(&w.unvisited, "bitmap of unvisited vertices", wordsOf(vertices)),
		device.Of(&w.rows, "rows of a level", rows),
		device.Of(&w.places, "places of neighbours of a level", rows+1),
		device.Of(&w.sums, "sums of the frontier", 2*blocksOf(vertices)),
		device.Of(&w.visited, "sums of visited vertices", blocksOf(vertices)),
		device.Of(&w.totals, "size of a level", 1),
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
func New(ctx context.Context, d *device.Device, g *construct.Graph, parents device.Array[engine.Label], f Form, host *Buffers, counted bool) (*Search, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if !g.IsSplit() || g.Prefix != 0 {
		return nil, errors.New("hostrows: the graph has neighbours in the device's memory")
	}
	if f.hasBuffers() && (f.Buffer < LeastBuffer || f.Buffer%lineArcs != 0) {
		return nil, fmt.Errorf("hostrows: a buffer of %d neighbours, it must be a multiple of %d", f.Buffer, LeastBuffer)
	}
	s := &Search{device: d, graph: g, parents: parents, feeder: f.feeder(host), rule: f.rule()}
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
	if s.held, err = s.device.Take(group(&s.working, s.feeder, uint64(g.Info.Vertices), uint64(g.ByDegree.Rows.Len()), tails)); err != nil {
		return err
	}
	return s.feeder.prepare(s)
}

// Search writes the parent of every vertex reachable from root, which must have a row. All
// parents must be engine.None before. After the end of ctx it returns its cause, and
// nothing of the search is still at work.
func (s *Search) Search(ctx context.Context, root engine.Label) error {
	err := s.Run(ctx, func() error { return s.begin(root) }, func() (bool, error) { return s.level(ctx) })
	if err != nil {
		return errors.Join(err, s.device.Synchronize())
	}
	return nil
}

func (s *Search) begin(root engine.Label) error {
	if err := errors.Join(s.visited.Fill(0), s.totals.Fill(0)); err != nil {
		return err
	}
	words := uint64(s.active.Len())
	if err := s.Launch(s.start, words, s.graph.IndexAddress(), words, uint64(root), s.parents.Address(), s.active.Address(), s.unvisited.Address()); err != nil {
		return err
	}
	return s.listRows(false)
}

// listRows lists the rows of a level after the one that has found the frontier or, with rests,
// what the level has to examine after its first list.
func (s *Search) listRows(rests bool) error {
	var of uint64
	if rests {
		of = 1
	}
	g, words, blocks := s.graph, uint64(s.active.Len()), blocksOf(uint64(s.graph.Info.Vertices))
	active, unvisited, index, rows := s.active.Address(), s.unvisited.Address(), g.IndexAddress(), g.ByDegree.Rows.Address()
	sums, visited, sizes := s.sums.Address(), s.visited.Address(), s.totals.Address()
	for _, run := range []struct {
		kernel  *device.Kernel
		blocks  uint64
		threads int
		args    []uint64
	}{
		{s.count, blocks, listThreads, []uint64{of, active, unvisited, words, index, rows, sums}},
		{s.scan, 2, scanThreads, []uint64{of, sums, blocks, visited, sizes}},
		{s.list, blocks, listThreads, []uint64{
			of, active, unvisited, words, index, rows, g.ByDegree.Neighbors.Address(), uint64(g.ByDegree.Rows.Len()), s.sectors(), s.rule.heads, s.rule.rows,
			sums, visited, sizes, s.rows.Address(), s.places.Address(),
		}},
	} {
		if err := s.LaunchBlocks(run.kernel, run.blocks, run.threads, 0, run.args...); err != nil {
			return err
		}
	}
	var t [1]totals
	err := s.totals.Read(0, t[:])
	s.listed = listed{
		direction: engine.TopDown, frontier: t[0].Frontier[0], unvisited: uint64(g.ByDegree.Rows.Len()) - t[0].Visited[0],
		rows: t[0].Listed[0], sectors: t[0].Listed[1], arcs: t[0].Arcs, lines: t[0].Lines,
	}
	if t[0].Pull != 0 {
		s.listed.direction = engine.BottomUp
	}
	return err
}

// sectors returns the number of sectors of the graph.
func (s *Search) sectors() uint64 { return uint64(s.graph.Info.HostBytes) / sectorBytes }

// level executes a level.
func (s *Search) level(ctx context.Context) (more bool, err error) {
	first := s.listed
	over, err := s.feeder.expand(ctx, s)
	if err != nil {
		return false, err
	}
	if first.direction == engine.BottomUp {
		rests, arcs, err := s.expandRests(ctx)
		if err != nil {
			return false, err
		}
		over.bytes, over.requests, first.arcs = over.bytes+rests.bytes, over.requests+rests.requests, first.arcs+arcs
	}
	if err := s.listRows(false); err != nil {
		return false, err
	}
	s.AddLevel(engine.Level{
		Direction: first.direction, Frontier: int64(first.frontier), Found: int64(s.listed.frontier), Examined: int64(first.arcs),
		Bytes: int64(over.bytes), HostBytes: int64(over.bytes), HostRequests: int64(over.requests),
	})
	return s.listed.frontier > 0 && s.listed.unvisited > 0, nil
}

// expandRests examines the rests of the rows whose first sector has no neighbour in the
// frontier, and returns their neighbours.
func (s *Search) expandRests(ctx context.Context) (over moved, arcs uint64, err error) {
	if err := s.listRows(true); err != nil || s.listed.rows == 0 {
		return over, 0, err
	}
	over, err = s.feeder.expand(ctx, s)
	return over, s.listed.arcs, err
}

// part is a part of the neighbours of the list: of count rows from row first on, the sectors
// at the positions lo to hi-1. The position of a sector is that in the tails of the graph or,
// if they are packed, that in the list. lo is the beginning of a line.
type part struct {
	first, count uint64
	packed       bool
	lo, hi       uint64
}

// examine launches the kernel for a part, whose neighbours begin at an address of the
// device, aligned to a line.
func (s *Search) examine(p part, neighbors uint64) error {
	var packed, unvisited uint64
	if p.packed {
		packed = 1
	}
	if s.listed.direction == engine.BottomUp {
		unvisited = s.unvisited.Address()
	}
	sectors := min(p.hi-p.lo, s.listed.sectors)
	return s.Launch(s.claim, 32*((sectors+pieceSectors-1)/pieceSectors), s.rows.Address(), s.places.Address(), p.first, p.count, packed, p.lo, p.hi,
		neighbors, unvisited, s.parents.Address(), s.active.Address())
}

// Close frees the memory of the search. Searches are closed in the reverse order of their
// creation.
func (s *Search) Close() error {
	return errors.Join(s.feeder.close(), s.HostLoop.Close(), s.held.Free())
}

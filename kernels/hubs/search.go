//go:build cuda

package hubs

import (
	"context"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"time"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/hubs/reference"
)

//go:embed compiled
var images embed.FS

// Load loads the module, so that New does not wait for it.
func Load(d *device.Device) error {
	_, err := d.Load("hubs", images, "search")
	return err
}

const (
	// ChunkLabels is the number of labels of a chunk with which searches are fastest.
	ChunkLabels = 2048
	// MostVertices and MostTuples bound the graphs that a search can have: pieces of lists are
	// counted in 32 bits.
	MostVertices = 1 << 28
	MostTuples   = 1 << 32
)

// Serves reports whether a device has the shared memory for any graph with ChunkLabels labels in
// a chunk.
func Serves(p device.Properties) bool {
	return p.MaxSharedMemory >= 2*4*hubWords+threads/groupThreads*4*2*ChunkLabels
}

// plan is what steers a search.
type plan struct {
	bulk bool // chunks are copied by bulk copies
	// A frontier with more than these shares of all pieces of lists is the last one that is
	// expanded, or is not expanded.
	lastShare, denseShare float64
	lookHubs              uint32
	// Up to aloneRows rows are left to one block; more rows for at most lateLevels levels to all.
	aloneRows, lateLevels uint32
}

// planSearch returns the plan for a device. Its values are the best of sweeps on an H100 at scales
// 24 and 26 (docs/notebook.md).
func planSearch(d *device.Device) plan {
	return plan{bulk: d.Properties().Compute[0] >= 9, lastShare: 0.001, denseShare: 0.02, lookHubs: 16000, aloneRows: 512, lateLevels: 64}
}

// Search is the search of a graph by the depths of its hubs: one persistent kernel, steered on
// the device (search.cu). All data of a search are on the device before it starts, so a search
// is one launch and one wait.
//
// The kernel reads the addresses of its arrays from constant memory of its module. So a device
// has at most one Search at a time.
type Search struct {
	device *device.Device
	graph  *Graph
	module *device.Module
	kernel *device.Persistent
	held   *device.Held
	state  state

	dirty    bool // the last search did not end, so the control block must be cleared
	profiled bool // profile is that of the last search
	profile  engine.Profile
}

// New returns a search of g that writes parents, N entries. The caller still owns both.
func New(ctx context.Context, d *device.Device, g *Graph, parents device.Array[engine.Label]) (*Search, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return newSearch(d, g, parents, images, planSearch(d))
}

func newSearch(d *device.Device, g *Graph, parents device.Array[engine.Label], images fs.FS, p plan) (*Search, error) {
	s := &Search{device: d, graph: g}
	if err := s.prepare(parents, images, p); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// prepare loads the kernel and allocates the working memory.
func (s *Search) prepare(parents device.Array[engine.Label], images fs.FS, p plan) (err error) {
	if s.module, err = s.device.Load("hubs", images, "search"); err != nil {
		return err
	}
	if pieces := s.graph.Sizes.pieces(); pieces >= math.MaxUint32 {
		return fmt.Errorf("the graph has %d pieces of lists, more than the search by depths of hubs can count", pieces)
	}
	starts := make([]uint32, s.graph.ChunkRows.Len())
	if err := s.graph.ChunkRows.Read(0, starts); err != nil {
		return err
	}
	if err := s.shareMemory(starts); err != nil {
		return err
	}
	if s.kernel, err = s.module.NewPersistent("bfsHubs", threads); err != nil {
		return err
	}
	s.divide(starts)
	blocks := uint64(s.kernel.Blocks)
	w := workSizes{s.graph.Sizes.Rows(), s.graph.Sizes.OtherRows, s.graph.Sizes.Hubs, blocks * uint64(s.state.BlockList), blocks * uint64(s.state.BlockLong)}
	if s.held, err = s.device.Take(s.state.group(w)); err != nil {
		return err
	}
	if err := errors.Join(s.state.Control.Fill(0), s.state.Levels.Fill(0)); err != nil {
		return err
	}
	s.fillState(parents, p)
	return s.module.SetConstant("g", s.state)
}

// workSizes determine the size of a search's working memory.
type workSizes struct {
	rows, others uint64 // of all classes, and without hubs
	hubs         uint64
	list, long   uint64 // entries of the lists of all blocks
}

// group declares the working memory of a search.
func (s *searching) group(z workSizes) device.Group {
	words, others := (z.rows+31)/32, (z.others/32+3)/4*4
	return device.Group{Alive: engine.Search, Arrays: []device.Declared{
		device.Of(&s.Before, "bitmap of visited rows", words),
		device.Of(&s.Visited, "next bitmap of visited rows", words),
		device.Of(&s.Late[0], "bitmap of late rows", others),
		device.Of(&s.Late[1], "next bitmap of late rows", others),
		device.Of(&s.LeftHubs, "bitmap of hubs that are left", hubWords),
		device.Of(&s.HubsBefore, "bitmap of visited hubs", hubWords),
		device.Of(&s.Frontiers, "bitmaps of hubs of frontiers", frontiers*hubWords),
		device.Of(&s.HubParents, "parents of hubs", z.hubs),
		device.Of(&s.Queue, "search queue", z.rows+z.hubs),
		device.Of(&s.LeftRows, "list of late rows", z.others),
		device.Of(&s.List, "lists of rows", z.list),
		device.Of(&s.LongRows, "lists of long rows", z.long),
		device.Of(&s.Control, "control block", 1),
		device.Of(&s.Levels, "records of levels", engine.MaxLevels+1),
	}}
}

// Plan lists the memory of a search of a graph of N vertices with at most that many rows and
// hubs, on any device. What a block examines is at most an equal share of the chunks and rows.
func Plan(vertices, rows, hubs, chunkLabels uint64) []engine.Allocation {
	chunks := (vertices + chunkLabels - 1) / chunkLabels
	padded := rows + reference.RowAlign*(chunks+1) + reference.PartAlign
	long := min(vertices, padded) + device.MaxBlocks*chunkLabels
	list := long + padded + device.MaxBlocks*32*(warps+wordsEach)
	return new(searching).group(workSizes{padded, rows + reference.PartAlign, hubs, list, long}).Plan()
}

// shareMemory finds the shared memory that chunks take. starts are the first rows of the chunks.
func (s *Search) shareMemory(starts []uint32) error {
	g, st := s.graph, &s.state
	for c := range starts[1:] {
		st.MostRows = max(st.MostRows, starts[c+1]-starts[c])
	}
	least := make([]byte, 4)
	if err := s.module.Read("leastSharedBytes", least); err != nil {
		return err
	}
	bytes := max(binary.NativeEndian.Uint32(least), 2*4*hubWords+threads/groupThreads*4*(uint32(g.ChunkLabels)+st.MostRows))
	return s.module.SetConstant("sharedBytes", struct{ Bytes uint32 }{bytes})
}

// divide finds the largest numbers of rows that a block examines.
func (s *Search) divide(starts []uint32) {
	g, st, blocks := s.graph, &s.state, uint64(s.kernel.Blocks)
	ofBlock := make([]uint32, blocks)
	for c := range starts[1:] {
		ofBlock[uint64(c)%blocks] += starts[c+1] - starts[c]
	}
	st.BlockLong = slices.Max(ofBlock)
	single := (g.Sizes.SingleRows/(32*warps*blocks) + 1) * 32 * warps
	others := (g.Sizes.OtherRows/(32*wordsEach*blocks) + 1) * 32 * wordsEach
	st.BlockList = st.BlockLong + uint32(single+others)
}

// fillState fills in the state of the kernel, except for what divide and group have set.
func (s *Search) fillState(parents device.Array[engine.Label], p plan) {
	g, st, z := s.graph, &s.state, s.graph.Sizes
	st.Labels, st.ChunkLabels, st.Chunks = uint32(z.Labels), uint32(g.ChunkLabels), uint32(z.Chunks)
	st.Hubs, st.HubRows, st.SingleEnd, st.Rows = uint32(z.Hubs), uint32(z.HubRows), uint32(z.HubRows+z.SingleRows), uint32(z.Rows())
	if p.bulk {
		st.Bulk = 1
	}
	pieces := float64(z.pieces())
	st.LastPieces, st.DensePieces = uint32(pieces*p.lastShare), uint32(pieces*p.denseShare)
	st.LookHubs, st.AloneRows, st.LateLevels, st.RecordLimit = p.lookHubs, p.aloneRows, p.lateLevels, engine.MaxLevels
	st.ChunkStart, st.First, st.Heads, st.Seconds = g.ChunkRows, g.First, g.Heads, g.Seconds
	st.FurtherAt, st.Further, st.SingleHub = g.FurtherAt, g.Further, g.SingleHub
	st.RowListAt, st.RowLists, st.FirstRows = g.RowListAt, g.RowLists, g.FirstRows
	st.HubListAt, st.HubLists, st.HubRowAt, st.HubRowList = g.HubListAt, g.HubLists, g.HubRowAt, g.HubRowList
	st.HubLabels, st.RowLabels, st.LeavesAt, st.Leaves, st.Vertices = g.HubLabels, g.RowLabels, g.LeavesAt, g.Leaves, g.Vertices
	st.Parents = parents
	st.Stop, st.Done = s.kernel.Stop, s.kernel.Done
}

// Search writes the parents of every vertex reachable from root. root must have a neighbour, and
// all parents must be engine.None before. Search waits by polling, because to be woken up takes
// longer than many searches.
func (s *Search) Search(ctx context.Context, root engine.Label) error {
	if err := context.Cause(ctx); err != nil {
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
func (s *Search) Close() error { return errors.Join(s.kernel.Close(), s.held.Free()) }

// stepNames are the names of the steps in reports.
var stepNames = [...]string{"queue", "dense", "follow", "look", "rows", "list"}

// directions are those of the steps.
var directions = [...]engine.Direction{engine.TopDown, engine.BottomUp, engine.TopDown, engine.BottomUp, engine.BottomUp, engine.BottomUp}

// piecePlaces is the number of places for neighbours in a piece of a list, for Examined.
const piecePlaces = 4

// Profile returns the steps of the last search, and the time from its begin to the end of its
// last step, by the device's clock. The result is valid until the next search. Two or three steps
// of different names can belong to one level. Leaves are not counted.
func (s *Search) Profile() (engine.Profile, error) {
	p := &s.profile
	if s.profiled {
		return *p, nil
	}
	var c [1]control
	if err := s.state.Control.Read(0, c[:]); err != nil {
		return engine.Profile{}, err
	}
	records := make([]levelRecord, min(c[0].Records, engine.MaxLevels))
	if err := s.state.Levels.Read(0, records); err != nil {
		return engine.Profile{}, err
	}
	p.Reset()
	before := c[0].Begin
	for _, r := range records {
		p.Add(engine.Level{
			Direction: directions[r.Step],
			Step:      stepNames[r.Step],
			Frontier:  int64(r.Frontier),
			Found:     int64(r.Found),
			Examined:  int64(piecePlaces * r.Pieces),
			Seconds:   time.Duration(r.End - before).Seconds(),
		})
		before = r.End
	}
	p.LevelCount = int64(c[0].Records)
	p.DeviceSeconds = time.Duration(c[0].End - c[0].Begin).Seconds()
	s.profiled = true
	return *p, nil
}

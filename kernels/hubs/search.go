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

// Load loads the module for that many devices, of split rows or others, so that New does not wait for
// it; not the counted one, nor that of many pieces.
func Load(d *device.Device, devices int, split bool) error {
	_, err := d.Load("hubs", images, moduleOf(devices, split, false))
	return err
}

// moduleOf returns the name of the module for that many devices, of split rows or others, or of split rows whose lists have
// 2^32 pieces or more.
func moduleOf(devices int, split, manyPieces bool) string {
	name := "search"
	switch {
	case devices > 1 && split:
		name = "splitpeers"
	case devices > 1:
		name = "peers"
	case split:
		name = "split"
	}
	if manyPieces {
		name += "many"
	}
	return name
}

const (
	// mostVertices and mostRows bound the labels and the rows of all devices: in a key of kernel 1 two labels have 62
	// bits, and two bits of a reference.Vertex are flags.
	mostVertices = 1 << 31
	mostRows     = 1 << 30

	// mostOwnRows bounds the rows of a device (reference.MostRanges), the others its tuples: the pieces of each kind of
	// lists, and those of a frontier that is expanded, are counted in 32 bits, but for the lists of split rows (Wrap). In an
	// official graph a fifth of the arcs are in the lists of hubs, such a frontier has few of all pieces, and the
	// levels of Search.goOn reach hardly anything.
	mostOwnRows             = 1 << 29
	mostOwnTuples           = 1 << 32
	mostOfficialTuples      = 1 << 33
	mostSplitOfficialTuples = 1 << 34
)

// Holds reports whether that many devices can have a graph of N vertices and at most so many rows
// and tuples in equal parts. A Kronecker graph with no more tuples a vertex than an official one can have more tuples than
// others, most if its rows are split.
func Holds(vertices, rows, tuples uint64, devices int, isKronecker, split bool) bool {
	const officialTuples = 16 // of a vertex
	n, most := uint64(devices), uint64(mostOwnTuples)
	switch isOfficial := isKronecker && tuples <= officialTuples*vertices; {
	case isOfficial && split:
		most = mostSplitOfficialTuples
	case isOfficial:
		most = mostOfficialTuples
	}
	return vertices <= mostVertices && rows <= n*mostOwnRows && tuples <= n*most &&
		padded(rows, vertices/FormOf(vertices, devices).Labels+1+n, n) < mostRows
}

// padded returns the largest number of rows, with unused ones, of at most that many used ones.
func padded(rows, chunks, devices uint64) uint64 {
	return rows + reference.RowAlign*(chunks+devices) + reference.PartAlign*devices
}

// Serves reports whether a device has the shared memory for any graph in a form of FormOf.
func Serves(p device.Properties) bool {
	return p.MaxSharedMemory >= int(blockBytes(mostGroupBytes(MostChunk, hasBulk(p))))
}

// hasBulk reports whether a device has bulk copies.
func hasBulk(p device.Properties) bool { return p.Compute[0] >= 9 }

// groupBytes returns the shared memory that a group takes for a chunk of that many labels, with
// rows with two hubs or more, and first neighbours of others (Group in dense.cuh).
func groupBytes(labels, rows, firsts uint32, bulk bool) uint32 {
	bytes := 4 * (labels + rows)
	if bulk {
		bytes += 6 * firsts
	}
	return bytes
}

// mostGroupBytes returns the largest groupBytes of any chunk of that many labels, each of which has
// a row with two hubs or more, or a first neighbour in a list.
func mostGroupBytes(labels uint32, bulk bool) uint32 {
	rows := groupBytes(labels, labels, 0, bulk)                    // all labels
	firsts := groupBytes(labels, reference.RowAlign, labels, bulk) // all but one
	return max(rows, firsts)
}

// blockBytes returns the dynamic shared memory that a block takes in the dense pass.
func blockBytes(group uint32) uint32 { return 4*hubWords + threads/groupThreads*group }

const (
	// usualLookShare is plan.lookShare of one device, and the least for more than mostEarlyRows rows: with 0.15 a search
	// took a tenth longer at scale 30 on four H200, and as long at 28 (docs/notebook.md).
	usualLookShare = 0.244
	mostEarlyRows  = 1 << 27
)

// plan is what steers a search.
type plan struct {
	counted bool
	bulk    bool // chunks are copied by bulk copies
	// A frontier with more than these shares of all pieces of lists is the last one that is
	// expanded, or is not expanded.
	lastShare, denseShare float64
	// Unvisited rows look for rows of the frontier if that share of the hubs is in it.
	lookShare float64
	// notesFar: as in large ranges, hubs of rows are noted in the memory of the GPU at once.
	notesFar bool

	// Up to aloneRows rows of each device, at most mostAlone, are left to one block; more rows for at most
	// lateLevels levels to all, because each level reads the lists of all that is left. Kronecker graphs need four.
	aloneRows, lateLevels uint32
}

// planSearch returns the plan for the devices of a team. Its values are the best of sweeps on one H100, and on four, at scales
// 24 and 26 (docs/notebook.md). Where several devices follow rows they must tell each other what they find, so they look
// for rows of the frontier earlier, up to mostEarlyRows rows.
func planSearch(team *device.Team) plan {
	p := plan{bulk: hasBulk(team.Devices()[0].Properties()), lastShare: 0.0003, denseShare: 0.02, lookShare: usualLookShare, aloneRows: 512, lateLevels: 8}
	if team.Count() > 1 {
		p.lookShare, p.aloneRows = 0.15, mostAlone
	}
	return p
}

// Search is the search of a graph by the depths of its hubs on the devices of a team: one persistent
// kernel on each, steered on the device (search.cu). All data of a search are on the devices
// before it starts, so a search is one launch on each and one wait. Several devices read and
// write each other's memory.
//
// The kernel reads the addresses of its arrays from constant memory of its module. So a device
// has at most one Search at a time.
type Search struct {
	team    *device.Team
	members []*member // on the devices of this process
	kernel  *device.TeamKernel
	counted bool

	dirty    bool // the last search did not end, so the control blocks must be cleared
	profiled bool // profile is that of the last search
	profile  engine.Profile
}

// member is the part of a search on one device.
type member struct {
	device *device.Device
	graph  *Graph
	module *device.Module
	kernel *device.Persistent
	held   *device.Held
	state  state
	peerMemory
}

// Parents are the parents that a search writes on a device: N entries, of which it writes those of
// the device's labels, or entries of 64 bits for these alone, -1 for a vertex that is not reached.
type Parents struct {
	Narrow device.Array[engine.Label]
	Wide   device.Array[int64]
}

// New returns a search of a graph, of which each device of the team has a part, in their order. The
// graphs and parents are those on the devices of this process. The caller still owns both.
//
// A counted search, on one device and of split rows, is slow and counts what it does (Counts).
func New(ctx context.Context, team *device.Team, graphs []*Graph, parents []Parents, counted bool) (*Search, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	p := planSearch(team)
	p.counted = counted
	return newSearch(team, graphs, parents, images, p)
}

func newSearch(team *device.Team, graphs []*Graph, parents []Parents, images fs.FS, p plan) (*Search, error) {
	s := &Search{team: team, counted: p.counted}
	for i, d := range team.Devices() {
		s.members = append(s.members, &member{device: d, graph: graphs[i]})
	}
	if err := s.prepare(parents, images, p); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// prepare prepares the search on all devices.
func (s *Search) prepare(parents []Parents, images fs.FS, p plan) error {
	parts, err := s.gatherParts()
	if err != nil {
		return err
	}
	if err := s.team.Together(func(i int) error {
		m := s.members[i]
		err := m.prepare(images, s.team.First()+i, parts, p)
		if err == nil {
			m.fillState(parents[i], p, parts)
		}
		return err
	}); err != nil {
		return err
	}
	if err := s.introduce(parts); err != nil {
		return err
	}
	if err := s.team.Together(func(i int) error { return s.members[i].begin() }); err != nil {
		return err
	}
	var kernels []*device.Persistent
	for _, m := range s.members {
		kernels = append(kernels, m.kernel)
	}
	s.kernel = device.NewTeamKernel(s.team, kernels)
	return nil
}

// prepare loads the kernel and allocates the working memory. parts are those of all devices, of
// which the device has number own.
func (m *member) prepare(images fs.FS, own int, parts []part, p plan) (err error) {
	if m.module, err = m.device.Load("hubs", images, device.Counted(moduleOf(len(parts), m.graph.RowPrefix != WholeRows, m.graph.hasManyPieces()), p.counted)); err != nil {
		return err
	}
	z := m.graph.Sizes
	if m.graph.ChunkLabels > MostChunk {
		return fmt.Errorf("the graph has chunks of %d labels, more than %d", m.graph.ChunkLabels, MostChunk)
	}
	if pieces := z.pieces(); pieces >= 1<<queuedShift {
		return fmt.Errorf("the graph has %d pieces of lists, more than the search by depths of hubs can count", pieces)
	}
	starts, firsts := make([]uint32, m.graph.ChunkRows.Len()), make([]uint32, m.graph.FirstAt.Len())
	if err := errors.Join(m.graph.ChunkRows.Read(0, starts), m.graph.FirstAt.Read(0, firsts)); err != nil {
		return err
	}
	if err := m.shareMemory(starts, firsts, p.bulk); err != nil {
		return err
	}
	if m.kernel, err = m.module.NewPersistent("bfsHubs", threads); err != nil {
		return err
	}
	m.divide(starts)
	blocks := uint64(m.kernel.Blocks)
	w := workSizes{uint64(parts[len(parts)-1].Classes.Rows), z.Rows(), z.OtherRows, z.HubRows, z.Hubs, blocks * uint64(m.state.BlockList), blocks * uint64(m.state.BlockLong)}
	group := m.state.group(w)
	if len(parts) > 1 {
		group.Arrays = append(group.Arrays, m.peerArrays(w)...)
	}
	if m.held, err = m.device.Take(group); err != nil {
		return err
	}
	return m.choosePeers(own, parts)
}

// begin gives the kernel its constants. Marks of rows are numbers of hubs, or NoHub, from the beginning: the dense
// pass also looks up those of rows that no hub has marked.
func (m *member) begin() error {
	err := errors.Join(m.clear(), m.state.MarkedBy.Fill(0xff), m.module.SetConstant("g", m.state))
	if m.peers.Count > 1 {
		err = errors.Join(err, m.module.SetConstant("m", m.peers))
	}
	return errors.Join(err, m.device.Synchronize())
}

// clear makes the control blocks those of a device that has not searched yet.
func (m *member) clear() error {
	return errors.Join(m.state.Control.Fill(0), m.state.Levels.Fill(0), m.control.Fill(0), m.totals.Fill(0))
}

// workSizes determine the size of a search's working memory.
type workSizes struct {
	allRows      uint64 // of all devices
	rows, others uint64 // of all classes, and without hubs
	hubRows      uint64 // with two hubs or more
	hubs         uint64
	list, long   uint64 // entries of the lists of all blocks
}

// group declares the working memory of a search.
func (s *searching) group(z workSizes) device.Group {
	words, others := (z.allRows+31)/32, (z.others/32+3)/4*4
	return device.Group{Alive: engine.Search, Arrays: []device.Declared{
		device.Of(&s.Before, "bitmap of visited rows", words),
		device.Of(&s.Visited, "next bitmap of visited rows", words),
		device.Of(&s.Late[0], "bitmap of late rows", others),
		device.Of(&s.Late[1], "next bitmap of late rows", others),
		device.Of(&s.LeftHubs, "bitmap of hubs that are left", hubWords),
		device.Of(&s.HubsBefore, "bitmap of visited hubs", hubWords),
		device.Of(&s.Frontiers, "bitmaps of hubs of frontiers", frontiers*hubWords),
		device.Of(&s.HubParents, "parents of hubs", z.hubs),
		device.Of(&s.MarkedBy, "hubs by marked row", z.hubRows),
		device.Of(&s.Queue, "search queue", z.rows+z.hubs+1+mostToAll),
		device.Of(&s.LeftRows, "list of late rows", z.others),
		device.Of(&s.List, "lists of rows", z.list),
		device.Of(&s.LongRows, "lists of long rows", z.long),
		device.Of(&s.Control, "control block", 1),
		device.Of(&s.Levels, "records of levels", engine.MaxLevels+1),
	}}
}

// Plan lists the memory of a search on one of several devices, of any kind, that has at most so many
// of the labels, and so many of all rows, in a form of FormOf. What a block examines is at most an equal share of the chunks and rows.
func Plan(f Form, labels, rows, allRows uint64, devices int) []engine.Allocation {
	n := uint64(devices)
	chunks := (labels + f.Labels - 1) / f.Labels
	own := padded(rows, chunks, 1)
	long := min(labels, own) + device.MaxBlocks*f.Labels
	list := long + own + device.MaxBlocks*32*(singleEach*warps+wordsEach)
	z := workSizes{padded(allRows, n*chunks, n), own, rows + reference.PartAlign, own, f.Hubs, list, long}
	m := new(member)
	group := m.state.group(z)
	if devices > 1 {
		group.Arrays = append(group.Arrays, m.peerArrays(z)...)
	}
	return group.Plan()
}

// shareMemory finds the shared memory that chunks take. starts and firsts are the first rows and
// first neighbours of the chunks.
func (m *member) shareMemory(starts, firsts []uint32, bulk bool) error {
	g, st := m.graph, &m.state
	for c := range starts[1:] {
		st.GroupBytes = max(st.GroupBytes, groupBytes(uint32(g.ChunkLabels), starts[c+1]-starts[c], firsts[c+1]-firsts[c], bulk))
	}
	least := make([]byte, 4)
	if err := m.module.Read("leastSharedBytes", least); err != nil {
		return err
	}
	bytes := max(binary.NativeEndian.Uint32(least), blockBytes(st.GroupBytes))
	return m.module.SetConstant("sharedBytes", struct{ Bytes uint32 }{bytes})
}

// divide finds the largest numbers of rows that a block examines. Its warps share them, but not with other blocks.
func (m *member) divide(starts []uint32) {
	g, st, blocks := m.graph, &m.state, uint64(m.kernel.Blocks)
	ofBlock := make([]uint32, blocks)
	for c := range starts[1:] { // in the order of Group.chunkOf
		ofBlock[(g.Sizes.Chunks-1-uint64(c))%blocks] += starts[c+1] - starts[c]
	}
	st.BlockLong = slices.Max(ofBlock)
	single := (g.Sizes.SingleRows/(singleEach*32*warps*blocks) + 1) * singleEach * 32 * warps
	others := (g.Sizes.OtherRows/(32*wordsEach*blocks) + 1) * 32 * wordsEach
	st.BlockList = st.BlockLong + uint32(single+others)
}

// fillState fills in the state of the kernel, except for what divide and group have set.
func (m *member) fillState(parents Parents, p plan, parts []part) {
	g, st, z := m.graph, &m.state, m.graph.Sizes
	pieces, lookShare := allPieces(parts), p.lookShare
	if parts[len(parts)-1].Classes.Rows > mostEarlyRows {
		lookShare = max(lookShare, usualLookShare)
	}
	st.FirstLabel, st.Labels = uint32(g.FirstLabel), uint32(g.FirstLabel+z.Labels)
	st.ChunkLabels, st.Chunks, st.Hubs = uint32(g.ChunkLabels), uint32(z.Chunks), uint32(z.Hubs)
	st.FirstRow = uint32(g.FirstRow)
	st.rowClasses = classesOf(g)
	ranges := z.Ranges()
	st.Ranges, st.RangeRows, st.RangeSingle = uint32(ranges.Count), uint32(ranges.Several), uint32(ranges.Single)
	if p.bulk {
		st.Bulk = 1
	}
	if ranges.Small() && !p.notesFar {
		st.Noted = 1
	}
	st.LastPieces, st.DensePieces = uint32(min(pieces*p.lastShare, math.MaxUint32)), uint32(min(pieces*p.denseShare, math.MaxUint32))
	st.LookHubs = uint32(lookShare * float64(z.Hubs))
	st.AloneRows, st.LateLevels, st.RecordLimit = p.aloneRows, p.lateLevels, engine.MaxLevels
	st.FirstAt, st.FirstPlaces, st.Firsts = g.FirstAt, g.FirstPlaces, g.Firsts
	st.ChunkStart, st.Heads, st.Seconds = g.ChunkRows, g.Heads.Based(g.FirstRow), g.Seconds.Based(g.FirstRow)
	st.FurtherAt, st.Further, st.SingleHub = g.FurtherAt.Based(g.FirstRow), piecesOf(g.Further), g.SingleHub
	st.RowListAt, st.RowLists, st.FirstRows = g.RowListAt.Based(g.FirstRow), g.RowLists.OnDevice, g.FirstRows
	st.HubListAt, st.HubLists, st.HubRowAt, st.HubRowList = g.HubListAt, piecesOf(g.HubLists), g.HubRowAt, piecesOf(g.HubRowList)
	st.HubRangeAt = g.HubRangeAt
	st.HubLabels, st.RowLabels, st.Vertices = g.HubLabels, g.RowLabels.Based(g.FirstRow), g.Vertices.Based(g.FirstLabel)
	st.RowPrefixAt, st.RowTails, st.RowPrefix = g.RowPrefixAt.Based(g.FirstRow), g.RowLists.OnHost, g.RowPrefix
	st.PrefixWrap, st.TailWrap = g.PrefixWrap.after(g.FirstRow), g.TailWrap.after(g.FirstRow)
	st.LeavesAt, st.Leaves = g.LeavesAt, g.Leaves
	st.Parents = parents.Narrow
	if parents.Narrow.Len() == 0 {
		st.WideParents = parents.Wide.Based(g.FirstLabel)
	}
	st.Stop, st.Done = m.kernel.Stop, m.kernel.Done
}

// Ready makes ready for a Search that follows at once (device.TeamKernel.Ready).
func (s *Search) Ready() error { return s.kernel.Ready() }

// Search writes the parents of every vertex reachable from root, each on the device of the vertex. They are complete when
// it has returned on all ranks.
// root must have a neighbour, and all parents must be engine.None or -1 before. Search waits by
// polling, because to be woken up takes longer than many searches.
func (s *Search) Search(ctx context.Context, root engine.Label) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if s.dirty {
		if err := s.team.Together(func(i int) error { return errors.Join(s.members[i].clear(), s.members[i].device.Synchronize()) }); err != nil {
			return err
		}
	}
	if err := s.resetCounts(); err != nil {
		return err
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
	var errs []error
	for _, m := range slices.Backward(s.members) {
		errs = append(errs, m.kernel.Close(), m.held.Free())
	}
	s.members = nil
	return errors.Join(errs...)
}

// stepNames are the names of the steps in reports.
var stepNames = [...]string{"queue", "dense", "follow", "look", "rows", "list"}

// directions are those of the steps.
var directions = [...]engine.Direction{engine.TopDown, engine.BottomUp, engine.TopDown, engine.BottomUp, engine.BottomUp, engine.BottomUp}

// piecePlaces is the number of places for neighbours in a piece of a list, for Examined.
const piecePlaces = 4

// Profile returns the steps of the last search, and the time from its begin to the end of its
// last step, by the clock of the first device of this process. Examined neighbours are those of all
// devices. The result is valid until the next search. Two or three steps of different names can
// belong to one level. Leaves are not counted.
func (s *Search) Profile() (engine.Profile, error) {
	p := &s.profile
	if s.profiled {
		return *p, nil
	}
	var c [1]control
	if err := s.members[0].state.Control.Read(0, c[:]); err != nil {
		return engine.Profile{}, err
	}
	count := int(min(c[0].Records, engine.MaxLevels))
	records, sums := make([]levelRecord, count), make([]int64, 2*count) // sums: pieces, and what each device has found
	for i := range s.members {
		if err := s.members[len(s.members)-1-i].state.Levels.Read(0, records); err != nil {
			return engine.Profile{}, err
		}
		for k, r := range records {
			sums[2*k] += int64(r.Pieces)
			sums[2*k+1] += int64(r.Found * r.OfDevice)
		}
	}
	if err := s.team.Sum(sums); err != nil {
		return engine.Profile{}, err
	}
	p.Reset()
	before := c[0].Begin
	for k, r := range records { // of the first device
		found := int64(r.Found)
		if r.OfDevice == 1 {
			found = sums[2*k+1]
		}
		p.Add(engine.Level{
			Direction: directions[r.Step],
			Step:      stepNames[r.Step],
			Frontier:  int64(r.Frontier),
			Found:     found,
			Examined:  piecePlaces * sums[2*k],
			Seconds:   time.Duration(r.End - before).Seconds(),
		})
		before = r.End
	}
	p.LevelCount = int64(c[0].Records)
	p.DeviceSeconds = time.Duration(c[0].End - c[0].Begin).Seconds()
	if err := s.addHostReads(); err != nil {
		return engine.Profile{}, err
	}
	s.profiled = true
	return *p, nil
}

package graph

import (
	"cmp"
	"errors"
	"slices"
	"unsafe"

	"graph500/engine"
	"graph500/memory"
)

// MostHubs is the largest number of hubs of a ByHubs. Their numbers have 16 bits, and NoHub is none.
const (
	MostHubs = 1<<16 - 2
	NoHub    = 1<<16 - 1
)

// ByHubs is an undirected graph in the form of the search by depths of hubs. The hubs are the
// vertices of highest degree, numbered from 0 by falling degree. A leaf is a vertex with one
// neighbour which has other neighbours. All other vertices with a neighbour are rows.
//
// The labels are cut into chunks of 2^ChunkBits. The rows of a chunk follow each other in the
// order of their class (two hubs or more among the neighbours, one, none), then of their first
// hub, then of their label. A run is the rows of one class with one first hub. So a search that
// knows which hubs are in its frontier settles a run by one test. The rows of a chunk begin at a
// multiple of 64; numbers that no row has are in no run and no list.
//
// A ByHubs is a whole graph or a share of one, see Share. A share has the chunks, rows and leaves of
// its own vertices, and all hubs, with those of their neighbours that are its own. Row numbers begin
// at 0 in the share; in lists they are numbers of the whole graph, which begin at FirstRow for the
// share. Labels are those of the whole graph. Info has facts of the whole graph.
//
// In the following, N is the number of own vertices, R that of own row numbers, H that of hubs.
type ByHubs struct {
	Info      engine.Graph
	ChunkBits uint

	Connected, Arcs int64 // own vertices with a neighbour, and their arcs
	Leaves          int64 // own leaves

	FirstLabel engine.Label // of the own vertices
	FirstRow   uint32       // number of the first own row in the whole graph
	FirstRows  []int        // the same of all shares, and an end; multiples of 64

	// First[v] is the neighbour of highest degree of own vertex FirstLabel+v; engine.None if it has
	// no neighbour, arbitrary if it is a row with no hub among its neighbours. N entries.
	First []engine.Label

	// RowLabels are the labels by row number of the whole graph; nil without other shares.
	RowLabels []engine.Label

	Chunks  []Chunk  // by chunk, and an end
	ChunkOf []uint32 // by 64 row numbers: their chunk
	Records []Record // by row number
	Runs    []Run    // by chunk: those of rows with several hubs, then those of rows with one
	Lists   []uint32 // lists of rows and own hubs, by chunk

	Hubs        []HubRecord // by hub
	HubsByLabel []uint16    // hubs in the order of their labels
	ChunkHubs   []PlacedHub // own hubs in the order of their labels
	HubLists    []uint32    // lists of hubs with their own neighbours; Lists without other shares

	rows int64
	held memory.Groups // arrays but Lists
	list []uint32      // memory of Lists
}

// Chunk describes a chunk of labels. Each chunk ends where the next one begins.
type Chunk struct {
	Row             uint32 // first row, a multiple of 64
	Several, Single uint32 // ends of its rows with several hubs and with one
	Last            uint32 // end of its rows
	Run, SingleRun  uint32 // first run; first run of rows with one hub
	Hub             uint32 // first of its hubs in ChunkHubs
	_               uint32
	List            uint64 // place in Lists from which the lists of its rows are counted
}

// Record holds what a search mostly needs of a row.
type Record struct {
	// Next holds the second to fifth hub among the neighbours, 16 bits each, NoHub if there are
	// fewer. Of rows with one hub or none it holds the numbers of rows and leaves among them.
	Next  uint64
	Hub   uint16 // first hub, NoHub if there is none
	Place uint16 // label, less the first one of the chunk
	List  uint32 // flags, and the place of its list, less that of the chunk
}

// Flags of Record.List.
const (
	MoreNeighbors = 1 << 31 // there are more than five hubs, or there are rows
	SeveralHubs   = 1 << 30 // there are two hubs or more, and the list begins with the numbers of rows and leaves
	FurtherHubs   = 1 << 29 // there are more than five hubs, and their number and the others follow the leaves
	HasLeaves     = 1 << 28
	ListPlace     = HasLeaves - 1
)

// Run is a run of rows. It begins where the one before it ends.
type Run struct {
	Hub  uint16
	Last uint16 // last row of the run, less the first one of the chunk
}

// PlacedHub is a hub with its label, less the first one of its chunk.
type PlacedHub struct {
	Hub, Place uint16
}

// HubRecord describes a hub. Its list in HubLists holds, of its neighbours that are own vertices,
// the numbers of the hubs, 16 bits each, by rising number, then rows, by chunk, then labels of
// leaves.
type HubRecord struct {
	List               uint64 // place in HubLists
	Hubs, Rows, Leaves uint32 // number of each
	Label              engine.Label

	// The others are of own hubs.

	Degree    uint32
	AllHubs   uint32       // hubs among its neighbours
	AllLeaves uint32       // leaves among them
	First     engine.Label // its first hub, or a neighbour if it has none
	All       uint64       // place in Lists of the numbers of the hubs, 16 bits each, by rising number
	Next      uint64       // second to fifth hub
	Hub       uint16       // first hub, NoHub if there is none
	_         [3]uint16
}

// Rows returns the number of own rows, without the row numbers that no row has.
func (g *ByHubs) Rows() int64 { return g.rows }

// OwnArcs returns the number of own vertices among the neighbours.
func (h *HubRecord) OwnArcs() uint64 { return uint64(h.Hubs) + uint64(h.Rows) + uint64(h.Leaves) }

// HubsOf, RowsOf and LeavesOf return the list of a hub.
func (g *ByHubs) HubsOf(h *HubRecord) []uint16 { return halves(g.HubLists[h.List:], int(h.Hubs)) }

func (g *ByHubs) RowsOf(h *HubRecord) []uint32 {
	return g.HubLists[h.List+uint64(h.Hubs+1)/2:][:h.Rows:h.Rows]
}

func (g *ByHubs) LeavesOf(h *HubRecord) []uint32 {
	return g.HubLists[h.List+uint64(h.Hubs+1)/2+uint64(h.Rows):][:h.Leaves:h.Leaves]
}

// AllHubsOf returns the hubs among the neighbours of an own hub.
func (g *ByHubs) AllHubsOf(h *HubRecord) []uint16 { return halves(g.Lists[h.All:], int(h.AllHubs)) }

// RowList is the list of a row in parts.
type RowList struct {
	Rows    []uint32 // the four of highest degree first, see rowCode
	Leaves  []uint32 // labels
	Further []uint16 // hubs from the sixth on, in no order
}

// ListOf returns the list of a row.
func (g *ByHubs) ListOf(row uint32) RowList {
	r := &g.Records[row]
	p := g.Lists[g.Chunks[g.ChunkOf[row>>6]].List+uint64(r.List&ListPlace):]
	if r.List&SeveralHubs == 0 {
		rows, leaves := uint32(r.Next), uint32(r.Next>>32)
		return RowList{Rows: p[:rows:rows], Leaves: p[rows:][:leaves:leaves]}
	}
	rows, leaves := p[0], p[1]
	p = p[2:]
	l := RowList{Rows: p[:rows:rows], Leaves: p[rows:][:leaves:leaves]}
	if r.List&FurtherHubs != 0 {
		p = p[uint64(rows)+uint64(leaves):]
		l.Further = halves(p, int(halves(p, 1)[0])+1)[1:]
	}
	return l
}

// PlaceOf returns the place of the list of a row in Lists; nil if it lies behind the last one.
func (g *ByHubs) PlaceOf(row uint32) *uint32 {
	at := g.Chunks[g.ChunkOf[row>>6]].List + uint64(g.Records[row].List&ListPlace)
	if at >= uint64(len(g.Lists)) {
		return nil
	}
	return &g.Lists[at]
}

// HubsOfRow returns the hubs among the neighbours of a row: the first five, NoHub behind the last, and
// the others, in no order.
func (g *ByHubs) HubsOfRow(row uint32) (first [5]uint16, further []uint16) {
	r := &g.Records[row]
	if r.List&SeveralHubs == 0 {
		return [5]uint16{r.Hub, NoHub}, nil
	}
	n := r.Next
	first = [5]uint16{r.Hub, uint16(n), uint16(n >> 16), uint16(n >> 32), uint16(n >> 48)}
	return first, g.FurtherHubsOf(row)
}

// FurtherHubsOf returns the hubs among the neighbours of a row from the sixth on, in no order.
func (g *ByHubs) FurtherHubsOf(row uint32) []uint16 {
	r := &g.Records[row]
	if r.List&FurtherHubs == 0 {
		return nil
	}
	p := g.Lists[g.Chunks[g.ChunkOf[row>>6]].List+uint64(r.List&ListPlace):]
	p = p[2+uint64(p[0])+uint64(p[1]):]
	return halves(p, int(halves(p, 1)[0])+1)[1:]
}

// LabelOf returns the label of an own row.
func (g *ByHubs) LabelOf(row uint32) engine.Label {
	return g.FirstLabel + g.ChunkOf[row>>6]<<g.ChunkBits + uint32(g.Records[row].Place)
}

// LabelOfAny returns the label of the row with a number of the whole graph.
func (g *ByHubs) LabelOfAny(row uint32) engine.Label {
	if g.RowLabels != nil {
		return g.RowLabels[row]
	}
	return g.LabelOf(row)
}

// halves returns the first n 16-bit entries of the words.
func halves(words []uint32, n int) []uint16 {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*uint16)(unsafe.Pointer(&words[:(n+1)/2][0])), n)
}

// HubBit marks a Place as that of a hub.
const HubBit = 1 << 31

// Find returns the own row with a label, or a hub as HubBit and its number; ok is false if there is
// none, as of a leaf. There is no table of all labels: the orders of rows and hubs lead to it in a
// few steps.
func (g *ByHubs) Find(v engine.Label) (place uint32, ok bool) {
	if h, isHub := g.hubOf(v); isHub {
		return HubBit | h, true
	}
	v -= g.FirstLabel
	if !g.Has(v) {
		return 0, false
	}
	c, end := &g.Chunks[v>>g.ChunkBits], &g.Chunks[v>>g.ChunkBits+1]
	at := uint16(v & (1<<g.ChunkBits - 1))
	if hub, isHub := g.hubOf(g.First[v]); isHub {
		if row, ok := g.findInRuns(c.Row, c.Row, g.Runs[c.Run:c.SingleRun], uint16(hub), at); ok {
			return row, true
		}
		if row, ok := g.findInRuns(c.Row, c.Several, g.Runs[c.SingleRun:end.Run], uint16(hub), at); ok {
			return row, true
		}
	}
	return g.findIn(c.Single, c.Last, at)
}

// hubOf returns the number of the hub with a label.
func (g *ByHubs) hubOf(v engine.Label) (hub uint32, ok bool) {
	i, ok := slices.BinarySearchFunc(g.HubsByLabel, v, func(h uint16, v engine.Label) int { return cmp.Compare(g.Hubs[h].Label, v) })
	if !ok {
		return 0, false
	}
	return uint32(g.HubsByLabel[i]), true
}

// findInRuns returns the row at a place in the run of a hub. The first of the runs begins at row
// from; their ends are counted from row base.
func (g *ByHubs) findInRuns(base, from uint32, runs []Run, hub, at uint16) (row uint32, ok bool) {
	i, ok := slices.BinarySearchFunc(runs, hub, func(r Run, hub uint16) int { return int(r.Hub) - int(hub) })
	if !ok {
		return 0, false
	}
	if i > 0 {
		from = base + uint32(runs[i-1].Last) + 1
	}
	return g.findIn(from, base+uint32(runs[i].Last)+1, at)
}

// findIn returns the row at a place among rows in the order of their labels.
func (g *ByHubs) findIn(from, end uint32, at uint16) (row uint32, ok bool) {
	i, ok := slices.BinarySearchFunc(g.Records[from:end], at, func(r Record, at uint16) int { return int(r.Place) - int(at) })
	return from + uint32(i), ok
}

// Has reports whether own vertex v, numbered from 0, has a neighbour.
func (g *ByHubs) Has(v engine.Label) bool {
	return uint64(v) < uint64(len(g.First)) && g.First[v] != engine.None
}

// Close frees the memory of the graph.
func (g *ByHubs) Close() error {
	err := errors.Join(memory.Free(g.list), g.held.Free())
	*g = ByHubs{}
	return err
}

// vertices declares the array by vertex.
func (g *ByHubs) vertices(n uint64) memory.Group {
	return memory.Group{Arrays: []memory.Declared{memory.Of(&g.First, "first neighbours", n)}}
}

// hubs declares the array by hub.
func (g *ByHubs) hubs(n uint64) memory.Group {
	return memory.Group{Arrays: []memory.Declared{memory.Of(&g.Hubs, "records of hubs", n)}}
}

// byRow declares the arrays by row number.
func (g *ByHubs) byRow(n uint64) memory.Group {
	return memory.Group{Arrays: []memory.Declared{
		memory.Of(&g.Records, "records of rows", n), memory.Of(&g.ChunkOf, "records of rows", n/64),
	}}
}

// rowLabels and hubLists declare the arrays that only a share of a graph has.
func (g *ByHubs) rowLabels(n uint64) memory.Group {
	return memory.Group{Arrays: []memory.Declared{memory.Of(&g.RowLabels, "labels of rows", n)}}
}

func (g *ByHubs) hubLists(n uint64) memory.Group {
	return memory.Group{Arrays: []memory.Declared{memory.Of(&g.HubLists, "lists of hubs", n)}}
}

// runs declares the runs.
func (g *ByHubs) runs(n uint64) memory.Group {
	return memory.Group{Arrays: []memory.Declared{memory.Of(&g.Runs, "runs of rows", n)}}
}

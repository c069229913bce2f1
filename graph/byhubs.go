package graph

import (
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
// In the following, N is the number of vertices, R that of row numbers, H that of hubs.
type ByHubs struct {
	Info      engine.Graph
	ChunkBits uint
	Leaves    int64 // number of leaves

	// First[v] is the neighbour of highest degree of vertex v; engine.None if it has no neighbour,
	// arbitrary if v is a row with no hub among its neighbours. N entries.
	First []engine.Label

	Chunks  []Chunk  // by chunk, and an end
	ChunkOf []uint32 // by 64 row numbers: their chunk
	Records []Record // by row number
	Runs    []Run    // by chunk: those of rows with several hubs, then those of rows with one
	Lists   []uint32 // lists of rows and hubs, by chunk

	Hubs      []HubRecord // by hub
	ChunkHubs []PlacedHub // hubs in the order of their labels

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

// HubRecord describes a hub. Its list in Lists holds the numbers of the hubs among its
// neighbours, 16 bits each, by rising number, then rows, by chunk, then labels of leaves.
type HubRecord struct {
	Next               uint64 // second to fifth hub among the neighbours
	List               uint64 // place in Lists
	Hubs, Rows, Leaves uint32 // number of each
	Label, First       engine.Label
	Hub                uint16 // first hub among the neighbours, NoHub if there is none
	_                  uint16
}

// Rows returns the number of rows, without the row numbers that no row has.
func (g *ByHubs) Rows() int64 { return g.rows }

// Degree returns the number of neighbours.
func (h *HubRecord) Degree() uint64 { return uint64(h.Hubs) + uint64(h.Rows) + uint64(h.Leaves) }

// HubsOf, RowsOf and LeavesOf return the list of a hub.
func (g *ByHubs) HubsOf(h *HubRecord) []uint16 { return halves(g.Lists[h.List:], int(h.Hubs)) }

func (g *ByHubs) RowsOf(h *HubRecord) []uint32 {
	return g.Lists[h.List+uint64(h.Hubs+1)/2:][:h.Rows:h.Rows]
}

func (g *ByHubs) LeavesOf(h *HubRecord) []uint32 {
	return g.Lists[h.List+uint64(h.Hubs+1)/2+uint64(h.Rows):][:h.Leaves:h.Leaves]
}

// RowList is the list of a row in parts.
type RowList struct {
	Rows    []uint32 // the four of highest degree first
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

// FurtherOf returns the place of the hubs of a row from the sixth on in Lists, nil without one.
func (g *ByHubs) FurtherOf(row uint32) *uint32 {
	r := &g.Records[row]
	if r.List&FurtherHubs == 0 {
		return nil
	}
	p := g.Lists[g.Chunks[g.ChunkOf[row>>6]].List+uint64(r.List&ListPlace):]
	return &p[2+uint64(p[0])+uint64(p[1])]
}

// LabelOf returns the label of a row.
func (g *ByHubs) LabelOf(row uint32) engine.Label {
	return g.ChunkOf[row>>6]<<g.ChunkBits + uint32(g.Records[row].Place)
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

// Find returns the row with a label, or a hub as HubBit and its number. Of a leaf it returns its
// neighbour, and leaf is true. The vertex must have a neighbour. There is no table of all labels:
// the orders of rows and hubs lead to it in a few steps.
func (g *ByHubs) Find(v engine.Label) (place uint32, leaf bool) {
	if place, ok := g.find(v); ok {
		return place, false
	}
	place, _ = g.find(g.First[v])
	return place, true
}

// find is Find for a vertex that is no leaf; ok is false if it is one.
func (g *ByHubs) find(v engine.Label) (place uint32, ok bool) {
	if h, isHub := g.hubOf(v); isHub {
		return HubBit | h, true
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
	c := v >> g.ChunkBits
	hubs := g.ChunkHubs[g.Chunks[c].Hub:g.Chunks[c+1].Hub]
	i, ok := slices.BinarySearchFunc(hubs, uint16(v&(1<<g.ChunkBits-1)), func(h PlacedHub, at uint16) int { return int(h.Place) - int(at) })
	if !ok {
		return 0, false
	}
	return uint32(hubs[i].Hub), true
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

// Has reports whether v has a neighbour.
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

// byRow declares the arrays by row number.
func (g *ByHubs) byRow(n uint64) memory.Group {
	return memory.Group{Arrays: []memory.Declared{
		memory.Of(&g.Records, "records of rows", n), memory.Of(&g.ChunkOf, "records of rows", n/64),
	}}
}

// runs declares the runs.
func (g *ByHubs) runs(n uint64) memory.Group {
	return memory.Group{Arrays: []memory.Declared{memory.Of(&g.Runs, "runs of rows", n)}}
}

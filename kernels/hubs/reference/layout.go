// Package reference is the graph of package hubs in Go: its form, a plain builder and a plain
// search. Tests compare kernels with it.
//
// The package must not know devices.
package reference

// MostHubs is the largest number of hubs: their numbers have 16 bits, and the bits of the last
// two are never set in a bitmap of hubs.
const MostHubs = 1<<16 - 2

// NoHub and NoRow fill the unused places of lists. None is a label that no vertex has.
const (
	NoHub = 1<<16 - 1
	NoRow = 1<<32 - 1
	None  = 1<<32 - 1
)

// HubsEach and RowsEach are the numbers of entries in a piece of 16 bytes of a list of hubs and
// of a list of rows. HeadHubs is the number of hubs of a row outside its list of further ones.
const (
	HubsEach = 8
	RowsEach = 4
	HeadHubs = 5
)

// Rows of a chunk, and the rows with one hub, begin at multiples of RowAlign. The number of all
// rows of a part is a multiple of PartAlign.
const (
	RowAlign  = 32
	PartAlign = 128
)

// FirstAlign divides the number of first neighbours of a chunk that are in a list, so that their
// places, of two bytes, begin at multiples of 16 bytes.
const FirstAlign = 8

// The rows with hubs of a part are cut into a multiple of LeastRanges ranges, one for each multiprocessor of an
// H100 or H200. Its rows with two hubs or more, and those with one hub, begin at multiples of RangeAlign. Small ranges have at
// most NotedRows rows, of them MostNotes with two hubs or more, for which a block has shared memory. If that took more
// than MostRanges, ranges are larger, up to MostRangeRows, so that what all blocks write of each row stays in the
// second-level cache.
const (
	LeastRanges   = 132
	MostNotes     = 42496
	NotedRows     = 57344
	MostRangeRows = 1 << 17
	RangeAlign    = 128
)

// MostRanges is the number of ranges for which kernel 1 has shared memory: the largest ones of a device with 2^29
// rows, and a sixteenth more, because devices have not exactly equal parts, and some rows are not used.
const MostRanges = 34 * LeastRanges

// Ranges are those of some rows with hubs. Range i has, of the rows with two hubs or more, the Several rows from
// row i*Several on, and of those with one hub the Single rows from row i*Single on, as far as there are so many. So all
// ranges have about as many arcs, which nearly all belong to rows with two hubs or more.
type Ranges struct{ Count, Several, Single uint64 }

// RangesOf returns the ranges of that many rows with two hubs or more, and with one hub.
func RangesOf(several, single uint64) Ranges {
	enough := func(rows, most uint64) uint64 {
		return LeastRanges * max(1, (rows+LeastRanges*most-1)/(LeastRanges*most))
	}
	count := min(MostRanges, max(enough(several, MostNotes-RangeAlign), enough(several+single, NotedRows-2*RangeAlign)))
	each := func(rows uint64) uint64 {
		rows = (rows + count - 1) / count
		return max(1, (rows+RangeAlign-1)/RangeAlign) * RangeAlign
	}
	return Ranges{count, each(several), each(single)}
}

// Small returns whether a block has shared memory for the hubs of the rows of a range.
func (r Ranges) Small() bool { return r.Several <= MostNotes && r.Several+r.Single <= NotedRows }

// Of returns the range of a row, counted from the first one. several is the number of rows with two hubs or more.
func (r Ranges) Of(row, several uint64) uint64 {
	if row < several {
		return row / r.Several
	}
	return (row - several) / r.Single
}

// Vertex says what a label is: a hub, a row, or a leaf of one of both.
//
//	hub:      HubFlag | number of the hub
//	row:      number of the row
//	leaf:     LeafFlag | the Vertex of its only neighbour
//	isolated: NoVertex
type Vertex uint32

const (
	HubFlag  Vertex = 1 << 31
	LeafFlag Vertex = 1 << 30
	NoVertex Vertex = 1<<32 - 1
)

// Head is what the dense pass reads of every row with two hubs or more.
type Head struct {
	Hub   uint16 // first hub; NoHub: the row is unused
	Place uint16 // label of the row, counted from the begin of its chunk; 0 if unused
}

// Part is the part of a graph that one device holds: the labels FirstLabel to EndLabel-1, in chunks
// of ChunkLabels labels each, the last of which can be shorter.
//
// Vertices are ranked by falling number of tuples (self loops do not count, duplicates do),
// then by label. Neighbours are distinct. The first vertices of the ranking are hubs, numbered
// from 0. A leaf is a vertex with one neighbour that is no hub; of two such vertices that are
// neighbours only the one with the larger label is a leaf. All other vertices with a neighbour
// are rows. Lists name hubs and rows, never leaves, in the order of the ranking. Only the rows of a hub
// are in the order of their ranges first, so that a block can mark the rows of a range alone; kernel 1 leaves those of a
// range in any order.
//
// The rows of a part are numbered from FirstRow on, in three classes:
//
//  1. rows with two hubs or more (HubRows of them), by chunk, within it by first hub, then label;
//     each chunk begins at a multiple of RowAlign
//  2. rows with one hub (SingleRows), by hub, then label; their number is padded to a multiple
//     of RowAlign
//  3. rows without hubs (OtherRows), by label of the first neighbour that is no leaf, then label;
//     rows that have only leaves are the last. Their number is padded so that all rows are a multiple of
//     PartAlign
//
// Unused rows have no lists, the label None and the hub NoHub. Arrays by row are indexed by the
// row less FirstRow, arrays of one class also less the rows of the classes before. Lists hold
// row numbers of all parts. A list begins at piece At[i] and ends before piece At[i+1].
type Part struct {
	ChunkLabels, FirstLabel, EndLabel    uint64
	FirstRow                             uint64
	HubRows, SingleRows, OtherRows, Hubs uint64

	ChunkRows []uint32 // by chunk of the part, and the end: first row of class 1

	// Lists by chunk of the leaves and the rows of classes 2 and 3, by label. Unused entries behind
	// them make the length of each list a multiple of FirstAlign.
	FirstAt     []uint32 // by chunk, and the end: first entry
	FirstPlaces []uint16 // label, counted from the begin of its chunk; 0 if unused
	Firsts      []uint32 // label of the first neighbour that is no leaf; None without one, for leaves of a row that has leaves only, and if unused

	Heads     []Head             // by row of class 1
	Seconds   [][4]uint16        // by row of class 1: hubs two to five
	FurtherAt []uint32           // by row of class 1, and the end
	Further   [][HubsEach]uint16 // hubs from the sixth on
	SingleHub []uint16           // by row of class 2; NoHub: unused
	RowListAt []uint32           // by row, and the end
	RowLists  [][RowsEach]uint32 // rows that are neighbours of the row
	FirstRows []uint32           // by row of class 3: the first row of its list, NoRow without one

	HubListAt  []uint32           // by hub, and the end: the same in all parts
	HubLists   [][HubsEach]uint16 // hubs that are neighbours of the hub
	HubRowAt   []uint32           // by hub, and the end
	HubRowList [][RowsEach]uint32 // rows of the part that are neighbours of the hub
	HubRangeAt []uint32           // by hub and range of rows, and for each hub the end: rows of its list before the range
	HubLabels  []uint32           // by hub: the same in all parts

	RowLabels []uint32 // by row
	LeavesAt  []uint32 // by row of class 3, and the end
	Leaves    []uint32 // labels of the leaves of each row of class 3, in the order of the ranking
	Vertices  []Vertex // by label of the part
}

// Chunks returns the number of chunks of the part.
func (p *Part) Chunks() uint64 {
	return (p.EndLabel - p.FirstLabel + p.ChunkLabels - 1) / p.ChunkLabels
}

// Rows returns the number of rows of the part, with unused ones.
func (p *Part) Rows() uint64 { return p.HubRows + p.SingleRows + p.OtherRows }

// SplitRows divides the list of each row into its first pieces, at most prefix, and its tail. It returns
// the pieces of each kind one row after the other, and by row, with an end, where the first ones begin.
func (p *Part) SplitRows(prefix uint32) (at []uint32, prefixes, tails [][4]uint32) {
	for row := range p.Rows() {
		list := p.RowLists[p.RowListAt[row]:p.RowListAt[row+1]]
		n := min(uint64(prefix), uint64(len(list)))
		at = append(at, uint32(len(prefixes)))
		prefixes, tails = append(prefixes, list[:n]...), append(tails, list[n:]...)
	}
	return append(at, uint32(len(prefixes))), prefixes, tails
}

//go:build cuda

package hostrows

import "graph500/engine"

const (
	// listThreads is the number of words of a bitmap per block.
	listThreads = 256
	// scanThreads is the number of threads of a block that adds up counts of blocks.
	scanThreads = 1024
	// lineArcs is the number of neighbours in a line of 128 bytes.
	lineArcs = 32
	// pieceSectors is the number of sectors that a warp examines: 1,024 neighbours.
	pieceSectors = 128
)

// totals has the sums of a list. Pairs are rows, and the sectors of their neighbours.
type totals struct {
	Frontier [2]uint64 // found by the last level
	Visited  [2]uint64 // found by all levels
	Listed   [2]uint64
	Arcs     uint64 // neighbours in the list
	Lines    uint64 // of these
	Pull     uint64 // 1 if the listed rows are those of unvisited vertices
}

// Active is a row of the list. Of some rows it has the first neighbours only, or the others.
type Active struct {
	Label  engine.Label
	Degree uint32 // neighbours in the list
}

// Place is where the neighbours of a row of the list are. The difference of the next
// row's offset and its own is the number of their sectors. Behind the last row is an entry
// that has only an offset.
type Place struct {
	Offset uint32 // sectors of the rows before it in the list
	Sector uint32 // of Graph.Tails, with which its neighbours begin
}

// shift returns what leads from a sector's position in the list to that in the tails.
func (p Place) shift() uint32 { return p.Sector - p.Offset }

// span is the range of the rows in the list that have neighbours in a partition. All bits
// are set if there are none.
type span struct {
	First   uint32
	NotLast uint32 // complement of the last one
}

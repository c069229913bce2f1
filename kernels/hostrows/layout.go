//go:build cuda

package hostrows

import "graph500/engine"

const (
	// listThreads is the number of words of the frontier's bitmap per block.
	listThreads = 256
	// scanThreads is the number of threads of a block that adds up counts of blocks.
	scanThreads = 1024
	// lineArcs is the number of neighbours in a line of 128 bytes.
	lineArcs = 32
)

// Active is a row of the frontier. Its degree is the difference of the next one's offset
// and its own. Behind the last one is an entry that has only an offset.
type Active struct {
	Offset uint64 // neighbours of the rows before it in the list
	Label  engine.Local
	Sector uint32 // of Graph.Tails, with which its neighbours begin
}

// span is the range of the rows in the list that have neighbours in a partition. All bits
// are set if there are none.
type span struct {
	First   uint32
	NotLast uint32 // complement of the last one
}

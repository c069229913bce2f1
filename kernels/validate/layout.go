//go:build cuda

package validate

import "graph500/engine"

// settleRounds is the number of rounds of settling that the host starts at once.
const settleRounds = 8

// noPlace is larger than every vertex and tuple number.
const noPlace = 1<<63 - 1

// facts are what the kernels find out about a tree. The places are the smallest,
// or noPlace.
type facts struct {
	Entry       uint64 // vertex that breaks rule Entry
	Path        uint64 // vertex that breaks rule Path
	Edge        uint64 // vertex that breaks rule Edge
	Level       uint64 // tuple that breaks rule Level
	Outside     uint64 // tuple that names no vertex
	Visited     uint64
	Edges       uint64
	Loops       uint64
	LevelEnds   [2]engine.Local // ends of tuple level
	OutsideEnds [2]engine.Local // ends of tuple outside
	RootParent  engine.Local
	Deepest     uint32               // largest depth+1
	TooDeep     uint32               // 1 if a depth does not fit a byte
	Left        uint32               // jumps that may not be whole yet
	Settled     [settleRounds]uint32 // vertices that each round settled
}

//go:build cuda

package validate

import "graph500/engine"

// settleRounds is the number of settle rounds that the host launches at once.
const settleRounds = 8

// noPlace is larger than every vertex label and tuple number.
const noPlace = 1<<63 - 1

// facts are the results of the kernels for one tree. Entry to Outside are the smallest
// vertex or tuple that breaks a rule, or noPlace.
type facts struct {
	Entry       uint64          // vertex that breaks rule Entry
	Path        uint64          // vertex that breaks rule Path
	Edge        uint64          // vertex that breaks rule Edge
	Level       uint64          // tuple that breaks rule Level
	Outside     uint64          // tuple with a label out of range
	Visited     uint64          // vertices of the tree
	Edges       uint64          // tuples in the tree's component, without self loops
	Loops       uint64          // self loops in the tree's component
	LevelEnds   [2]engine.Local // endpoints of tuple Level
	OutsideEnds [2]engine.Local // endpoints of tuple Outside
	RootParent  engine.Local
	Deepest     uint32               // largest depth+1
	TooDeep     uint32               // 1 if a depth does not fit in a byte
	Left        uint32               // jumps that may be incomplete
	Settled     [settleRounds]uint32 // vertices settled by each round
}

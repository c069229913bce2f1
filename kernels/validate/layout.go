//go:build cuda

package validate

import "graph500/engine"

// settleRounds is the number of settle rounds that the host launches at once.
const settleRounds = 8

// noPlace is larger than every vertex label and tuple number.
const noPlace = 1<<63 - 1

// facts are the results of the kernels for one tree. Entry to Weight are the smallest
// vertex or tuple that breaks a rule, or noPlace. Weights and distances are given by
// their bits.
type facts struct {
	Entry         uint64          // vertex that breaks rule Entry
	Path          uint64          // vertex that breaks rule Path
	Distance      uint64          // vertex that breaks rule Distance
	Apart         uint64          // vertex that breaks rule Edge or Tight
	Tuple         uint64          // tuple that breaks rule Level or Relaxed
	Outside       uint64          // tuple with a label out of range
	Weight        uint64          // tuple with an invalid weight
	Visited       uint64          // vertices of the tree
	Edges         uint64          // tuples in the tree's component, without self loops
	Loops         uint64          // self loops in the tree's component
	TupleEnds     [2]engine.Label // endpoints of tuple Tuple
	OutsideEnds   [2]engine.Label // endpoints of tuple Outside
	TupleWeight   uint32          // weight of tuple Tuple
	InvalidWeight uint32          // weight of tuple Weight
	LeastWeight   uint32          // least weight of the tuples that join vertex Apart to its parent, or that of engine.Unreached
	RootParent    engine.Label
	Deepest       uint32               // largest depth+1
	Farthest      uint32               // largest distance
	TooDeep       uint32               // 1 if a depth does not fit in a byte
	Left          uint32               // jumps that may be incomplete
	Settled       [settleRounds]uint32 // vertices settled by each round
}

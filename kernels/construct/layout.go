//go:build cuda

package construct

import "graph500/engine"

// tileLabels is the number of labels that a block of the kernels over all
// vertices looks at.
const tileLabels = 1024

// Row says where the neighbours of a vertex stand.
type Row struct {
	Start  uint64 // in Graph.Neighbors
	Degree uint32 // number of distinct neighbours
	Label  engine.Local
}

// facts are the sums that construction brings to the host.
type facts struct {
	Loops       uint64 // tuples with equal ends
	Outside     uint64 // the first tuple with a label beyond the last, or ~0
	TuplesAtOne uint32 // the largest number of tuples at one vertex
	MaxDegree   uint32 // the largest number of distinct neighbours
}

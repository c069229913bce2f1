//go:build cuda

package construct

import "graph500/engine"

// tileLabels is the number of labels per block in the kernels over all vertices.
const tileLabels = 1024

// Row is the CSR row of a vertex.
type Row struct {
	Start  uint64 // offset in Graph.Neighbors
	Degree uint32 // number of distinct neighbours
	Label  engine.Local
}

// facts are the results that the kernels return to the host.
type facts struct {
	Loops     uint64 // self loops
	Outside   uint64 // number of the first tuple with a label out of range, or ~0
	MaxTuples uint32 // largest number of tuples at one vertex
	MaxDegree uint32 // largest number of distinct neighbours
}

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

// WeightedRow is the row of a vertex in the order of the weights.
type WeightedRow struct {
	Start  uint64  // offset in WeightedGraph.Arcs
	Degree uint32  // number of arcs
	Least  float32 // weight of the first arc
}

// Arc is a directed edge to a neighbour.
type Arc struct {
	To     engine.Local
	Weight float32
}

// Head is the first two arcs of a row. A second arc that does not exist has an infinite
// weight and leads to the neighbour of the first.
type Head struct {
	First, Second Arc
}

// facts are the results that the kernels return to the host.
type facts struct {
	Loops     uint64 // self loops
	Outside   uint64 // number of the first tuple with a label out of range, or ~0
	MaxTuples uint32 // largest number of tuples at one vertex
	MaxDegree uint32 // largest number of distinct neighbours; of a weighted graph, of arcs
}

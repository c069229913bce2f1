//go:build cuda

package construct

import "graph500/engine"

// tileLabels is the number of labels per block in the kernels over all vertices.
const tileLabels = 1024

// SectorArcs is the number of neighbours in a sector of host memory, 32 bytes.
const SectorArcs = 8

// ownerShift is the number of low bits of a RowStart that are the offset of a numbered row in the
// arcs of its device. The next bits, up to bit 40, are the number of the device.
const ownerShift = 36

// Row is the CSR row of a vertex.
type Row struct {
	Start  uint64 // offset in Graph.Neighbors, below 2^40
	Degree uint32 // number of distinct neighbours
	Label  engine.Label
}

// WeightedRow is the row of a vertex in the order of the weights.
type WeightedRow struct {
	Head   Head
	Start  RowStart
	Degree uint32 // number of arcs
	Place  uint32 // of the row in the order of the labels
}

// RowStart is the offset of a row in ArcRows.Arcs in its low 40 bits, and above them
// the upper 24 of the 31 bits of the weight of the third arc: a number that is at most this
// weight. The weight is infinite for rows of fewer arcs.
type RowStart uint64

// Offset returns the offset of the row.
func (s RowStart) Offset() uint64 { return uint64(s) & (1<<40 - 1) }

// Arc is a directed edge to a neighbour, which is the number of a row.
type Arc struct {
	To     uint32
	Weight float32
}

// Third is the weight of the third arc of a row, infinite if there is none, and the number
// of the row.
type Third struct {
	Weight float32
	Row    uint32
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

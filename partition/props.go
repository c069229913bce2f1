package partition

import "math"

// MostParts is the largest number of parts: a set of parts is a word of bits.
const MostParts = 64

// Props is what a rule may know of the graph and of its division. Rows are the vertices with
// an edge to another vertex, numbered from 0 in the order of their labels. Each edge is two
// arcs.
type Props struct {
	Rows, Arcs uint64
	Parts      int    // 1..MostParts
	Threshold  uint64 // largest degree of a row that is not a hub

	// RowWeight and ArcWeight are the work of reading a row and an arc. Each part reads
	// consecutive rows of about the same work.
	RowWeight, ArcWeight uint64
}

// Row is a row as rules see it. FirstArc is the number of arcs of all rows before.
type Row struct {
	Number, FirstArc, Degree uint64
}

// Reader returns the part that reads a row.
func (p *Props) Reader(r Row) int {
	return Block(p.RowWeight*r.Number+p.ArcWeight*r.FirstArc, p.RowWeight*p.Rows+p.ArcWeight*p.Arcs+1, p.Parts)
}

// Columns returns the number of columns of the grid of all parts: the largest divisor of Parts
// that is not above its square root.
func (p *Props) Columns() int {
	c := int(math.Sqrt(float64(p.Parts)))
	for p.Parts%c != 0 {
		c--
	}
	return c
}

// Block returns the part of element x of all, which parts divide into blocks of the same size.
func Block(x, all uint64, parts int) int {
	return int(x / ((all + uint64(parts) - 1) / uint64(parts)))
}

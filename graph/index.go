package graph

import (
	"math/bits"
	"slices"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

// Index finds the rows of a graph. Only vertices with an edge to another vertex have
// a row. Rows are in the order of the vertex labels. In the following, n is the number
// of rows and N the number of vertices.
type Index struct {
	// Present is a bitmap of the vertices that have a row: N bits in 64-bit words.
	Present []uint64

	// RowsBefore[w] is the number of rows before word w of Present.
	RowsBefore []uint32

	// Offsets[r] is the offset of row r in the array of all rows: n+1 entries.
	Offsets []uint64
}

// Row returns the row number of v, which must have a row.
func (x *Index) Row(v engine.Label) uint32 {
	w := v >> 6
	return x.RowsBefore[w] + uint32(bits.OnesCount64(x.Present[w]&(1<<(v&63)-1)))
}

// Has reports whether v has a row.
func (x *Index) Has(v engine.Label) bool {
	return uint64(v>>6) < uint64(len(x.Present)) && x.Present[v>>6]>>(v&63)&1 != 0
}

// arrays declares Present and RowsBefore for a number of vertices.
func (x *Index) arrays(name string, vertices uint64) []memory.Declared {
	words := wordsOf(vertices)
	return []memory.Declared{memory.Of(&x.Present, name, words), memory.Of(&x.RowsBefore, name, words)}
}

// wordsOf returns the number of words in a bitmap of vertices.
func wordsOf(vertices uint64) uint64 { return (vertices + 63) / 64 }

// fill computes RowsBefore and Offsets from Present and the degrees, one for each bit
// of Present. It returns the number of rows and the largest degree. It calls allocate with
// the number of rows before it writes Offsets.
func (x *Index) fill(team *parallel.Team, degree []uint32, allocate func(rows uint64) error) (rows, maxDegree int64, err error) {
	workers, words := team.Size(), len(x.Present)
	firstRow := make([]uint64, workers+1)
	firstArc := make([]uint64, workers+1)
	team.Run(func(worker int) {
		lo, hi := parallel.Split(words, workers, worker)
		var row, arc uint64
		for _, present := range x.Present[lo:hi] {
			row += uint64(bits.OnesCount64(present))
		}
		for _, d := range degree[lo*64 : hi*64] {
			arc += uint64(d)
		}
		firstRow[worker+1], firstArc[worker+1] = row, arc
	})
	for i := range workers {
		firstRow[i+1] += firstRow[i]
		firstArc[i+1] += firstArc[i]
	}
	n := firstRow[workers]
	if err := allocate(n); err != nil {
		return 0, 0, err
	}
	x.Offsets[n] = firstArc[workers]
	largest := make([]uint32, workers)
	team.Run(func(worker int) {
		lo, hi := parallel.Split(words, workers, worker)
		row, arc, most := firstRow[worker], firstArc[worker], uint32(0)
		for w := lo; w < hi; w++ {
			x.RowsBefore[w] = uint32(row)
			for m := x.Present[w]; m != 0; m &= m - 1 {
				d := degree[w*64+bits.TrailingZeros64(m)]
				most = max(most, d)
				x.Offsets[row] = arc
				row++
				arc += uint64(d)
			}
		}
		largest[worker] = most
	})
	return int64(n), int64(slices.Max(largest)), nil
}

// begin sets the bits in Present of a window of vertices with an arc, from the first label on, and
// turns their degrees into the index of their first arc in the window.
func (x *Index) begin(degree []uint32, first uint64) {
	var sum uint32
	for i, c := range degree {
		if c > 0 {
			v := first + uint64(i)
			x.Present[v>>6] |= 1 << (v & 63)
		}
		degree[i] = sum
		sum += c
	}
}

//go:build cuda

package construct

import (
	"graph500/kernels/generate"
	"graph500/partition"
)

// Range is a range of labels, First..End-1. Both are multiples of 1024, or the number of
// vertices.
type Range struct{ First, End uint64 }

// All returns the range of all labels.
func All(vertices uint64) Range { return Range{End: vertices} }

// Ranges divides the labels of a graph into count ranges. Their numbers of tiles of 1024
// labels differ by at most one. In official graphs the ranges have nearly the same number
// of arcs, because the generator permutes the labels. Of other graphs, Form.Balanced chooses other
// ranges.
func Ranges(vertices uint64, count int) []Range {
	ranges := make([]Range, count)
	for k := range ranges {
		first, tiles := generate.ShareOf(tilesOf(vertices, tileLabels), count, k)
		ranges[k] = Range{First: min(first*tileLabels, vertices), End: min((first+tiles)*tileLabels, vertices)}
	}
	return ranges
}

// balanced returns ranges with about equally many arcs (partition.Balance) in place of these, which are
// all. before has the number of arcs of all tiles before each tile, and that of all. There is a tile
// in each of them.
func balanced(ranges []Range, before []uint64) []Range {
	firsts := make([]int, len(ranges)+1)
	for k, r := range ranges {
		first, end := r.ofTiles()
		firsts[k], firsts[k+1] = int(first), int(end)
	}
	vertices := ranges[len(ranges)-1].End
	of := make([]Range, len(ranges))
	firsts = partition.Balance(firsts, before)
	for k := range of {
		of[k] = Range{First: min(uint64(firsts[k])*tileLabels, vertices), End: min(uint64(firsts[k+1])*tileLabels, vertices)}
	}
	return of
}

// ofTiles returns the tiles of the labels, first..end-1.
func (r Range) ofTiles() (first, end uint64) {
	return tilesOf(r.First, tileLabels), tilesOf(r.End, tileLabels)
}

// tiles returns the number of tiles of the labels.
func (r Range) tiles() uint64 {
	first, end := r.ofTiles()
	return end - first
}

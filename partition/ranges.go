// Package partition determines which rank owns which vertex: ranges of labels, and the rules and
// policies of CuSP (rules.go, policy.go). It knows neither graphs nor communication.
package partition

import (
	"math/bits"
	"slices"
	"sort"

	"graph500/engine"
)

// wordBits is the number of vertices in a word of a bitmap. Ranges consist of whole
// words, so that the bitmaps of ranks are joined without shifts.
const wordBits = 64

// mostBlocks is the largest number of blocks of labels whose arcs are counted to balance ranges.
const mostBlocks = 1 << 16

// Ranges gives each rank a contiguous range of vertices, whole blocks of labels. Those of NewRanges
// are equally long, except that the last ranks own fewer vertices or none. In official graphs they
// have nearly the same number of arcs, because the generator permutes the vertices. Balanced
// returns ranges for any graph.
type Ranges struct {
	vertices uint64
	firsts   []uint64 // first word of each rank, and the number of words
	inverse  uint64   // 2^64 / words of a rank, rounded up; 0 if ranges are not equally long, or one word
}

// NewRanges divides vertices, at most 2^32, between ranks.
func NewRanges(vertices uint64, ranks int) Ranges {
	block := uint64(1) << (BlockBits(vertices) - 6)
	all := Words(vertices)
	words := max(1, (all+uint64(ranks)-1)/uint64(ranks))
	words = (words + block - 1) / block * block
	r := Ranges{vertices: vertices, firsts: make([]uint64, ranks+1)}
	for rank := range r.firsts {
		r.firsts[rank] = min(uint64(rank)*words, all)
	}
	if words > 1 { // else the inverse has no room for 2^64
		r.inverse = (1<<64-1)/words + 1
	}
	return r
}

// BlockBits returns log2 of the number of labels in a block: the least one, of whole words, with
// at most 2^16 blocks.
func BlockBits(vertices uint64) int {
	return max(6, bits.Len64((max(1, vertices)-1)/mostBlocks))
}

// Blocks returns the number of blocks of labels.
func Blocks(vertices uint64) int {
	return int((vertices + 1<<BlockBits(vertices) - 1) >> BlockBits(vertices))
}

// Words returns the number of words in a bitmap of vertices.
func Words(vertices uint64) uint64 { return (vertices + wordBits - 1) / wordBits }

// Balanced returns ranges of the same vertices with about equally many arcs, as far as whole blocks
// allow. before has the number of arcs of all blocks before each block, and that of all. Ranges
// that are balanced already (Balance) stay as they are.
func (r Ranges) Balanced(before []uint64) Ranges {
	shift := BlockBits(r.vertices) - 6
	even := make([]int, len(r.firsts))
	for rank, word := range r.firsts {
		even[rank] = int((word + 1<<shift - 1) >> shift)
	}
	firsts := Balance(even, before)
	if slices.Equal(firsts, even) {
		return r
	}
	of := Ranges{vertices: r.vertices, firsts: make([]uint64, len(firsts))}
	for rank, block := range firsts {
		of.firsts[rank] = min(uint64(block)<<shift, Words(r.vertices))
	}
	return of
}

// unbalanced is the part of the mean, 1/unbalanced, by which the largest of equally long ranges can
// be above it before Balance changes them.
const unbalanced = 16

// Balance divides blocks between parts. firsts has the first block of each part, and the number
// of blocks; the parts are about equally long. before has the number of arcs of all blocks before
// each block, and that of all. If the parts have unequally many arcs, Balance returns other first
// blocks: one part after the other gets as near as possible to its share of the arcs that are
// left, and a block at least, if there are as many.
func Balance(firsts []int, before []uint64) []int {
	parts, blocks := len(firsts)-1, len(before)-1
	all := before[blocks]
	largest := largestPart(firsts, before)
	if parts > blocks || largest <= all/uint64(parts)*(unbalanced+1)/unbalanced {
		return firsts
	}
	balanced := make([]int, parts+1)
	balanced[parts] = blocks
	for part := 1; part < parts; part++ {
		from, left := balanced[part-1], parts-part+1
		want := before[from] + (all-before[from])/uint64(left)
		end := sort.Search(blocks, func(i int) bool { return before[i] >= want })
		if end > 0 && want-before[end-1] < before[end]-want {
			end--
		}
		balanced[part] = min(max(end, from+1), blocks-left+1)
	}
	if largestPart(balanced, before) >= largest {
		return firsts
	}
	return balanced
}

// largestPart returns the largest number of arcs of a part.
func largestPart(firsts []int, before []uint64) (arcs uint64) {
	for part, first := range firsts[:len(firsts)-1] {
		arcs = max(arcs, before[firsts[part+1]]-before[first])
	}
	return arcs
}

// Vertices returns the number of vertices of all ranks.
func (r Ranges) Vertices() uint64 { return r.vertices }

// Ranks returns the number of ranks.
func (r Ranges) Ranks() int { return len(r.firsts) - 1 }

// Words returns the number of bitmap words of a rank's range.
func (r Ranges) Words(rank int) int { return int(r.firsts[rank+1] - r.firsts[rank]) }

// MostWords returns the largest number of bitmap words of a rank.
func (r Ranges) MostWords() (most int) {
	for rank := range r.Ranks() {
		most = max(most, r.Words(rank))
	}
	return most
}

// Bounds returns for each rank where its entries begin in an array by vertex of whole words, and the
// length of the array.
func (r Ranges) Bounds() []int {
	bounds := make([]int, len(r.firsts))
	for rank, word := range r.firsts {
		bounds[rank] = int(word * wordBits)
	}
	return bounds
}

// ArcsOf returns the number of arcs of a rank. before has those before each block, as in Balanced.
func (r Ranges) ArcsOf(rank int, before []uint64) uint64 {
	block := func(word uint64) uint64 {
		return (word*wordBits + 1<<BlockBits(r.vertices) - 1) >> BlockBits(r.vertices)
	}
	return before[block(r.firsts[rank+1])] - before[block(r.firsts[rank])]
}

// Owner returns the rank that owns v.
func (r Ranges) Owner(v engine.Label) int {
	word := uint64(v / wordBits)
	if r.inverse != 0 {
		// The product's error is below word/2^64, too small to reach the next integer for 26
		// bits of word and of words.
		owner, _ := bits.Mul64(word, r.inverse)
		return int(owner)
	}
	return sort.Search(r.Ranks()-1, func(rank int) bool { return word < r.firsts[rank+1] })
}

// Range returns the vertices of a rank: first..first+count-1.
func (r Ranges) Range(rank int) (first, count uint64) {
	first = min(r.firsts[rank]*wordBits, r.vertices)
	return first, min(r.firsts[rank+1]*wordBits, r.vertices) - first
}

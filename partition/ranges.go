// Package partition determines which rank owns which vertex: ranges of labels, and the rules and
// policies of CuSP (rules.go, policy.go). It knows neither graphs nor communication.
package partition

import (
	"math/bits"

	"graph500/engine"
)

// wordBits is the number of vertices in a word of a bitmap. Ranges consist of whole
// words, so that the bitmaps of ranks are joined without shifts.
const wordBits = 64

// Ranges gives each rank a contiguous range of vertices. All ranges have the same number
// of words, except that the last ranks own fewer vertices or none. In official graphs
// the ranges have nearly the same number of edges, because the generator permutes the
// vertices.
type Ranges struct {
	vertices uint64
	ranks    int
	words    uint64 // of a range
	inverse  uint64 // 2^64 / words, rounded up
}

// NewRanges divides vertices, at most 2^32, between ranks.
func NewRanges(vertices uint64, ranks int) Ranges {
	words := max(1, (Words(vertices)+uint64(ranks)-1)/uint64(ranks))
	return Ranges{vertices: vertices, ranks: ranks, words: words, inverse: (1<<64-1)/words + 1}
}

// Words returns the number of words in a bitmap of vertices.
func Words(vertices uint64) uint64 { return (vertices + wordBits - 1) / wordBits }

// Vertices returns the number of vertices of all ranks.
func (r Ranges) Vertices() uint64 { return r.vertices }

// Ranks returns the number of ranks.
func (r Ranges) Ranks() int { return r.ranks }

// Words returns the number of bitmap words of each range, including those behind the
// last vertex.
func (r Ranges) Words() int { return int(r.words) }

// Owner returns the rank that owns v.
func (r Ranges) Owner(v engine.Label) int {
	word := uint64(v / wordBits)
	if r.words == 1 {
		return int(word) // the inverse has no room for 2^64
	}
	// The product's error is below word/2^64, too small to reach the next integer for 26
	// bits of word and of words.
	owner, _ := bits.Mul64(word, r.inverse)
	return int(owner)
}

// Range returns the vertices of a rank: first..first+count-1.
func (r Ranges) Range(rank int) (first, count uint64) {
	size := r.words * wordBits
	first = min(uint64(rank)*size, r.vertices)
	return first, min(size, r.vertices-first)
}

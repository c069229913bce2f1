package validate

import (
	"sync/atomic"

	"graph500/engine"
	"graph500/vector"
)

// piece is the number of tuples that a scanner examines at a time, at most 255, so that
// their number fits in a byte, and of those in a page of groups. It is a power of two, so that a mask
// replaces the bounds check.
const piece = 128

// mostCandidates is the number of candidates for which a scanner has room, and that of their trees whose
// parents are loaded together. It is a power of two for the same reason.
const mostCandidates = mostLookups

// scanner examines up to piece tuples for all trees of a batch of BFS.
type scanner struct {
	form vector.Form

	// Candidates of several pieces, not examined yet. ends holds a child in the low half and its
	// possible parent in the high half, trees the trees concerned.
	found       int
	ends, trees [mostCandidates]uint64

	// For each tree of a candidate, the child's parent in it, the parent to find, and the byte
	// offset of the entry to close.
	children lookups
	wanted   [mostCandidates]engine.Label
	closed   [mostCandidates]uint64

	// By tree, number of tuples inside it, and of self loops among them, of at most tupleGrain
	// tuples.
	inside, loops [MaxBatch]uint16
	// apart has a bit for each tree in which the ends of a tuple are more than
	// one level apart, or only one of them is in the tree.
	apart uint64
}

// reset discards candidates and counts.
func (s *scanner) reset() {
	s.found, s.inside, s.loops = 0, [MaxBatch]uint16{}, [MaxBatch]uint16{}
}

// isFull reports whether there may be no room for the candidates of another piece, two a tuple.
func (s *scanner) isFull() bool { return s.found+2*piece > mostCandidates }

// scanGo is scan, in Go.
func (s *scanner) scanGo(table []uint64, words int, tuples []engine.Edge) (ok bool) {
	const codes, mask = codeMask * ones, mostCandidates - 1
	found := s.found
	vertices := uint64(len(table) / words)
	var inside, loops, apart [MaxBatch / 8]uint64
	for _, e := range tuples {
		if uint64(e.U) >= vertices || uint64(e.V) >= vertices {
			return false
		}
		// Open entries of U as a child of V, and of V as a child of U.
		openU := (open+1)*ones + uint64(e.V&hashMask)<<hashShift*ones
		openV := (open+1)*ones + uint64(e.U&hashMask)<<hashShift*ones
		rowU, rowV := table[int(e.U)*words:][:words], table[int(e.V)*words:][:words]
		ofU, ofV := uint64(0), uint64(0)
		for k := range rowU {
			u, v := atomic.LoadUint64(&rowU[k]), atomic.LoadUint64(&rowV[k])
			a, b := u&codes, v&codes
			// 0x20 + difference + 1 is 0x20, 0x21 or 0x22 if the ends are at most
			// one level apart.
			apart[k&7] |= ((a + 0x21*ones - b) ^ 0x20*ones) + ones
			in := (a + (open-rootCode)*ones) >> 7 & ones
			inside[k&7] += in
			if e.U == e.V {
				loops[k&7] += in
			}
			if (u|v)&(open*ones) != 0 { // seldom in the later trees, see entry
				ofU |= topBits(equalBytes(u, b+openU)) << (8 * k)
				ofV |= topBits(equalBytes(v, a+openV)) << (8 * k)
			}
		}
		s.ends[found&mask], s.trees[found&mask] = uint64(e.U)|uint64(e.V)<<32, ofU
		if ofU != 0 {
			found++
		}
		s.ends[found&mask], s.trees[found&mask] = uint64(e.V)|uint64(e.U)<<32, ofV
		if ofV != 0 {
			found++
		}
	}
	for t := range 8 * words {
		s.inside[t] += uint16(inside[t/8] >> (t % 8 * 8) & 0xff)
		s.loops[t] += uint16(loops[t/8] >> (t % 8 * 8) & 0xff)
	}
	s.apart = 0
	for k, word := range apart {
		s.apart |= topBits(equalBytes(word&(0xfc*ones), 0)^open*ones) << (8 * k)
	}
	s.found = found
	return true
}

// equalBytes sets the highest bit of each byte that is equal in a and b.
func equalBytes(a, b uint64) uint64 {
	x := a ^ b
	return ^(x&(0x7f*ones) + 0x7f*ones | x) & (0x80 * ones)
}

package validate

import (
	"sync/atomic"

	"graph500/engine"
)

// lanes is the number of tuples in a vector register.
const lanes = 8

// scanner examines up to block tuples for all trees of a batch.
type scanner struct {
	simd bool

	// Candidates. ends holds a child in the low half and its possible parent in
	// the high half. trees holds the open bits of the trees concerned.
	ends, trees [2*block + lanes]uint64

	// For each candidate, the child's parent in the first of these trees. closed
	// holds the byte offsets of the entries to close.
	parents [2 * block]engine.Local
	closed  [2 * block]uint64

	// Number of tuples inside each tree, and of self loops among them. The
	// number for tree t is the sum of byte t of the eight words.
	inside, loops [8]uint64
	// apart has a bit for each tree in which the ends of a tuple are more than
	// one level apart, or only one of them is in the tree.
	apart uint8
}

// countBlock is the number of tuples that one word of inside counts.
const countBlock = block / 8

// scanGo is scan, in Go.
func (s *scanner) scanGo(table []uint64, tuples []engine.Edge) (found int, ok bool) {
	const codes, mask = codeMask * ones, 2*block - 1
	s.inside, s.loops = [8]uint64{}, [8]uint64{}
	apart := uint64(0)
	for part := 0; len(tuples) > 0; part++ {
		counted := tuples[:min(countBlock, len(tuples))]
		tuples = tuples[len(counted):]
		inside := uint64(0)
		for _, e := range counted {
			if uint64(e.U) >= uint64(len(table)) || uint64(e.V) >= uint64(len(table)) {
				return 0, false
			}
			u, v := atomic.LoadUint64(&table[e.U]), atomic.LoadUint64(&table[e.V])
			a, b := u&codes, v&codes
			// 0x20 + difference + 1 is 0x20, 0x21 or 0x22 if the ends are at most
			// one level apart.
			apart |= ((a + 0x21*ones - b) ^ 0x20*ones) + ones
			in := (a + (open-rootCode)*ones) >> 7 & ones
			inside += in
			if e.U == e.V {
				s.loops[part&7] += in
			}
			// Open entries of U as a child of V, and of V as a child of U.
			childU := b + (open+1)*ones + uint64(e.V&hashMask)<<hashShift*ones
			childV := a + (open+1)*ones + uint64(e.U&hashMask)<<hashShift*ones
			s.ends[found&mask] = uint64(e.U) | uint64(e.V)<<32
			s.trees[found&mask] = equalBytes(u, childU)
			if s.trees[found&mask] != 0 {
				found++
			}
			s.ends[found&mask] = uint64(e.V) | uint64(e.U)<<32
			s.trees[found&mask] = equalBytes(v, childV)
			if s.trees[found&mask] != 0 {
				found++
			}
		}
		s.inside[part&7] = inside
	}
	s.apart = treesOf(apart & (0xfc * ones))
	return found, true
}

// equalBytes sets the highest bit of each byte that is equal in a and b.
func equalBytes(a, b uint64) uint64 {
	x := a ^ b
	return ^(x&(0x7f*ones) + 0x7f*ones | x) & (0x80 * ones)
}

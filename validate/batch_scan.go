package validate

import (
	"sync/atomic"

	"graph500/engine"
)

// lanes is the number of tuples that the vector form looks at together.
const lanes = 8

// scanner looks at up to block tuples for all trees of a batch.
type scanner struct {
	simd bool

	// Children and the ends that may be their parents: the child in the low
	// half, and in trees the open bit of each tree in question.
	ends, trees [2*block + lanes]uint64

	// A parent of each of these children, and the bytes of entries to close.
	parents [2 * block]engine.Local
	closed  [2 * block]uint64

	// For each tree the number of tuples inside it, and of self loops among
	// them: the sum of its bytes in eight words.
	inside, loops [8]uint64
	// apart has a bit for each tree that has one end of a tuple more than one
	// level from the other, or outside.
	apart uint8
}

// partBlock is the number of tuples that are counted in one word.
const partBlock = block / 8

// scanGo is scan, in Go.
func (s *scanner) scanGo(table []uint64, tuples []engine.Edge) (found int, ok bool) {
	const codes, mask = codeMask * ones, 2*block - 1
	s.inside, s.loops = [8]uint64{}, [8]uint64{}
	apart := uint64(0)
	for part := 0; len(tuples) > 0; part++ {
		some := tuples[:min(partBlock, len(tuples))]
		tuples = tuples[len(some):]
		inside := uint64(0)
		for _, e := range some {
			if uint64(e.U) >= uint64(len(table)) || uint64(e.V) >= uint64(len(table)) {
				return 0, false
			}
			u, v := atomic.LoadUint64(&table[e.U]), atomic.LoadUint64(&table[e.V])
			a, b := u&codes, v&codes
			// 0x20 + the difference + 1 is 0x20, 0x21 or 0x22 if all is well.
			apart |= ((a + 0x21*ones - b) ^ 0x20*ones) + ones
			in := (a + (open-rootCode)*ones) >> 7 & ones
			inside += in
			if e.U == e.V {
				s.loops[part&7] += in
			}
			// The entry of a child of the other end, while it is open.
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

// equalBytes returns the highest bit of each byte that is the same in a and b.
func equalBytes(a, b uint64) uint64 {
	x := a ^ b
	return ^(x&(0x7f*ones) + 0x7f*ones | x) & (0x80 * ones)
}

package validate

import (
	"context"
	"math/bits"
	"sync/atomic"

	"graph500/engine"
)

// ahead is the number of tuples between those that are looked at and those
// whose vertices are fetched into the second-level cache.
const ahead = 512

// checkTuples looks at every tuple once, for rules Edge and Level and for the
// counts. A tuple that names no vertex is a fault of all trees here.
func (b *batch) checkTuples(ctx context.Context, tuples []engine.Edge) error {
	return b.team.For(ctx, len(tuples), tupleGrain, func(number, lo, hi int) {
		w := &b.workers[number]
		s := &w.scanner
		for lo < hi {
			part := tuples[lo:min(lo+block, hi)]
			next := min(lo+ahead, len(tuples)-len(part))
			done, found := s.scan(b.table, part, tuples[next:next+len(part)])
			if done == 0 {
				w.faults = b.all()
				return
			}
			b.join(s, found)
			w.faults |= s.apart
			for t := range b.searches {
				w.inside[t] += sumOf(&s.inside, t)
				w.loops[t] += sumOf(&s.loops, t)
			}
			lo += done
		}
	})
}

// sumOf adds up byte t of the words.
func sumOf(words *[8]uint64, t int) (sum int64) {
	for _, w := range words {
		sum += int64(w >> (8 * t) & 0xff)
	}
	return sum
}

// join closes the entries of the children whose parents are the other ends.
func (b *batch) join(s *scanner, found int) {
	for i, ends := range s.ends[:found] {
		child, parent := engine.Local(ends), engine.Local(ends>>32)
		closed := uint64(0)
		for set := s.trees[i]; set != 0; set &= set - 1 {
			bit := bits.TrailingZeros64(set)
			if b.searches[bit>>3].Parents[child] == parent {
				closed |= 1 << bit
			}
		}
		if closed != 0 {
			atomic.AndUint64(&b.table[child], ^closed)
		}
	}
}

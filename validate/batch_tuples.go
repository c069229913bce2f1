package validate

import (
	"context"
	"math/bits"
	"sync/atomic"

	"graph500/engine"
)

// ahead is the number of tuples between those that are looked at and those
// whose vertices are fetched into the second-level cache.
const ahead = 128

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

// join closes the entries of the children whose parents are the other ends. It
// goes by stages without a branch, so that many look-ups are under way at once.
func (b *batch) join(s *scanner, found int) {
	const mask = 2*block - 1
	for i, ends := range s.ends[:found] {
		tree := bits.TrailingZeros64(s.trees[i]) >> 3
		s.parents[i&mask] = b.searches[tree].Parents[engine.Local(ends)]
	}
	n := 0
	for i, ends := range s.ends[:found] {
		child, parent, trees := engine.Local(ends), engine.Local(ends>>32), s.trees[i]
		s.closed[n&mask] = uint64(child)<<3 | uint64(bits.TrailingZeros64(trees)>>3)
		if s.parents[i&mask] == parent {
			n++
		}
		for trees &= trees - 1; trees != 0; trees &= trees - 1 {
			bit := bits.TrailingZeros64(trees)
			if b.searches[bit>>3].Parents[child] == parent {
				atomic.AndUint64(&b.table[child], ^(uint64(1) << bit))
			}
		}
	}
	s.closeEntries(b.table, s.closed[:n])
}

// closeEntriesGo is closeEntries, in Go.
func closeEntriesGo(table []uint64, places []uint64) {
	for _, place := range places {
		atomic.AndUint64(&table[place>>3], ^(uint64(open) << (place & 7 * 8)))
	}
}

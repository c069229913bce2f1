package validate

import (
	"context"
	"math/bits"
	"sync/atomic"

	"graph500/engine"
)

// prefetchDistance is the distance, in tuples, between a tuple and the tuple whose
// words are prefetched into the second-level (L2) cache at the same time.
const prefetchDistance = 128

// checkTuples examines every tuple once, for the rules Edge and Level and for the
// counts. After a tuple with an end out of range, all trees are unconfirmed.
func (b *batch) checkTuples(ctx context.Context, tuples engine.Tuples) error {
	return b.team.For(ctx, tuples.Len(), tupleGrain, func(number, lo, hi int) {
		w := &b.workers[number]
		s := &w.scanner
		edges, first := tuples.View(lo, hi, &w.edges)
		lo, hi = lo-first, hi-first
		for lo < hi {
			part := edges[lo:min(lo+block, hi)]
			next := min(lo+prefetchDistance, len(edges)-len(part))
			done, found := s.scan(b.table, part, edges[next:next+len(part)])
			if done == 0 {
				w.unconfirmed = b.all()
				return
			}
			b.join(s, found)
			w.unconfirmed |= s.apart
			for t := range b.searches {
				w.inside[t] += sumOf(&s.inside, t)
				w.loops[t] += sumOf(&s.loops, t)
			}
			lo += done
		}
	})
}

// sumOf returns the sum of byte t of the words.
func sumOf(words *[8]uint64, t int) (sum int64) {
	for _, w := range words {
		sum += int64(w >> (8 * t) & 0xff)
	}
	return sum
}

// join closes the entries of the candidates whose parent is the other end. It
// works in stages without unpredictable branches, so that many loads are in flight
// at the same time.
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

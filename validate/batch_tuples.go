package validate

import (
	"context"
	"math/bits"
	"sync/atomic"

	"graph500/engine"
)

// prefetchDistance is the distance, in tuples, between a tuple and the tuple whose
// rows are prefetched into the second-level (L2) cache at the same time.
const prefetchDistance = 128

// checkTuples examines every tuple once, for the rules Edge and Level and for the
// counts. After a tuple with an end out of range, all trees are unconfirmed.
func (b *batch) checkTuples(ctx context.Context, tuples engine.Tuples) error {
	return b.team.For(ctx, tuples.Len(), tupleGrain, func(number, lo, hi int) {
		w := &b.workers[number]
		s := &w.scanner
		s.inside, s.loops = [MaxBatch]uint16{}, [MaxBatch]uint16{}
		edges, first := tuples.View(lo, hi, &w.edges)
		lo, hi = lo-first, hi-first
		for lo < hi {
			part := edges[lo:min(lo+piece, hi)]
			next := min(lo+prefetchDistance, len(edges)-len(part))
			found, ok := s.scan(b, part, edges[next:next+len(part)])
			if !ok {
				w.unconfirmed = b.all()
				return
			}
			b.join(s, found)
			w.unconfirmed |= s.apart
			lo += len(part)
		}
		for t := range b.searches {
			w.inside[t] += int64(s.inside[t])
			w.loops[t] += int64(s.loops[t])
		}
	})
}

// join closes the entries of the candidates whose parent is the other end. It
// works in stages without branches on what is loaded, so that many loads are in flight
// at the same time.
func (b *batch) join(s *scanner, found int) {
	const mask = piece*MaxBatch - 1
	shift, n := b.shift(), 0
	for i, ends := range s.ends[:found] {
		child := engine.Label(ends)
		for trees := s.trees[i]; trees != 0; trees &= trees - 1 {
			t := bits.TrailingZeros64(trees)
			s.slots[n&mask], s.parents[n&mask] = b.searches[t].slot(child)
			s.wanted[n&mask] = engine.Label(ends >> 32)
			s.closed[n&mask] = uint64(child)<<shift | uint64(t)
			n++
		}
	}
	b.loadParents(s, n)
	joined := 0
	for i, place := range s.closed[:n] {
		s.closed[joined&mask] = place
		if s.parents[i&mask] == s.wanted[i&mask] {
			joined++
		}
	}
	s.closeEntries(b.table, s.closed[:joined])
}

// loadParents sets the parents of n entries to close that are in a forest, from their slots.
func (b *batch) loadParents(s *scanner, n int) {
	const mask = piece*MaxBatch - 1
	shift, trees := b.shift(), 8*b.words-1
	for i, slot := range s.slots[:n] {
		if slot != noSlot {
			search := &b.searches[int(s.closed[i])&trees]
			s.parents[i&mask] = search.Forest.at(search.Tree, engine.Label(s.closed[i]>>shift), slot)
		}
	}
}

// closeEntriesGo is closeEntries, in Go.
func closeEntriesGo(table []uint64, places []uint64) {
	for _, place := range places {
		atomic.AndUint64(&table[place>>3], ^(uint64(open) << (place & 7 * 8)))
	}
}

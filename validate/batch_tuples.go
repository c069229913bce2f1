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
	tuples.Weights = nil
	return pass{most: piece, examine: b.scanPiece, finish: b.finishScan}.run(ctx, b, tuples)
}

// scanPiece scans tuples. It returns false if an end is out of range.
func (b *batch) scanPiece(w *batchWorker, tuples engine.Tuples, next []engine.Edge) bool {
	s := &w.scanner
	if !s.scan(b, tuples.Edges, next) {
		return false
	}
	w.unconfirmed |= s.apart
	if s.isFull() {
		b.join(s)
	}
	return true
}

// finishScan closes the entries of the last candidates and adds the counts of a scanner.
func (b *batch) finishScan(w *batchWorker) {
	s := &w.scanner
	b.join(s)
	for t := range b.searches {
		w.inside[t] += int64(s.inside[t])
		w.loops[t] += int64(s.loops[t])
	}
	s.reset()
}

// join closes the entries of the candidates whose parent is the other end. It
// works in stages without branches on what is loaded, so that many loads are in flight
// at the same time.
func (b *batch) join(s *scanner) {
	const mask = mostCandidates - 1
	shift, n := b.shift(), 0
	for i, ends := range s.ends[:s.found] {
		child := engine.Label(ends)
		for trees := s.trees[i]; trees != 0; trees &= trees - 1 {
			t := bits.TrailingZeros64(trees)
			s.children.vertices[n&mask], s.children.trees[n&mask] = child, b.kept[t]
			s.wanted[n&mask] = engine.Label(ends >> 32)
			s.closed[n&mask] = uint64(child)<<shift | uint64(t)
			n++
		}
		if n > mostCandidates-MaxBatch {
			b.close(s, n)
			n = 0
		}
	}
	b.close(s, n)
	s.found = 0
}

// close closes the first n entries whose parent is the one to find.
func (b *batch) close(s *scanner, n int) {
	const mask = mostCandidates - 1
	if b.forest != nil {
		b.forest.find(&s.children, n)
	}
	parents, joined := &s.children.parents, 0
	for i, place := range s.closed[:n] {
		if t := place & uint64(8*b.words-1); b.alone>>t&1 != 0 {
			parents[i&mask] = b.searches[t].Parents[place>>b.shift()]
		}
		s.closed[joined&mask] = place
		if parents[i&mask] == s.wanted[i&mask] {
			joined++
		}
	}
	s.closeEntries(b.table, s.closed[:joined])
}

// closeEntriesGo is closeEntries, in Go.
func closeEntriesGo(table []uint64, places []uint64) {
	for _, place := range places {
		atomic.AndUint64(&table[place>>3], ^(uint64(open) << (place & 7 * 8)))
	}
}

package validate

import (
	"context"
	"math/bits"
	"sync/atomic"

	"graph500/engine"
)

// fillBlock is the number of vertices that are filled in at a time.
const fillBlock = 64

// filler is what a worker notes while it fills in the table.
type filler struct {
	simd    bool
	left    [BatchSize]uint64     // by tree: a bit for each vertex of the block that is still to be filled in
	visited [BatchSize]int64      // by tree: vertices of all blocks that have a parent
	codes   [BatchSize][16]uint32 // by tree: some codes, the largest among them

	above   [BatchSize * fillBlock]engine.Local // parents of parents
	touched uint64                              // keeps loads from being left out
}

// fill makes the table of the trees and checks the rules Entry and Path. Trees
// that break one, or are too deep, are noted as faults.
func (b *batch) fill(ctx context.Context) error {
	if err := b.team.For(ctx, len(b.table), vertexGrain, func(_, lo, hi int) {
		clear(b.table[lo:hi])
	}); err != nil {
		return err
	}
	for t, s := range b.searches {
		b.table[s.Root] |= rootCode << (8 * t)
	}
	all := b.all()
	return b.team.For(ctx, len(b.table), vertexGrain, func(number, lo, hi int) {
		w := &b.workers[number]
		for ; lo < hi && w.faults != all; lo += fillBlock {
			b.fillBlock(w, lo, min(lo+fillBlock, hi))
		}
	})
}

// fillBlock fills in vertices lo..hi-1.
func (b *batch) fillBlock(w *batchWorker, lo, hi int) {
	f := &w.filler
	b.fillKnown(f, lo, hi)
	b.fetch(w, lo)
	for t := range b.searches {
		for left := f.left[t]; left != 0 && w.faults>>t&1 == 0; left &= left - 1 {
			if !b.fillOne(f, t, engine.Local(lo+bits.TrailingZeros64(left))) {
				w.faults |= 1 << t
			}
		}
	}
}

// fetch looks up what fillOne is about to, without a branch on it, so that all
// of it is under way at once.
func (b *batch) fetch(w *batchWorker, lo int) {
	f := &w.filler
	n := 0
	for t, s := range b.searches {
		if w.faults>>t&1 != 0 {
			continue
		}
		for left := f.left[t]; left != 0; left &= left - 1 {
			p := s.Parents[lo+bits.TrailingZeros64(left)]
			if uint64(p) < uint64(len(b.table)) {
				f.above[n] = s.Parents[p]
				n++
			}
		}
	}
	for _, p := range f.above[:n] {
		if uint64(p) < uint64(len(b.table)) {
			f.touched ^= atomic.LoadUint64(&b.table[p])
		}
	}
}

// fillKnownGo is fillKnown, in Go.
func (b *batch) fillKnownGo(f *filler, lo, hi int) {
	var words [fillBlock]uint64
	for t, s := range b.searches {
		f.left[t] = 0
		for i, p := range s.Parents[lo:hi] {
			if p == engine.None {
				continue
			}
			f.visited[t]++
			v := engine.Local(lo + i)
			code := uint64(0)
			if uint64(p) < uint64(len(b.table)) && p != v {
				code = b.code(t, p)
			}
			if code == 0 || code == lastCode {
				f.left[t] |= 1 << i
				continue
			}
			words[i] |= b.entry(f, t, v, p, code+1) << (8 * t)
		}
	}
	for i, word := range words[:hi-lo] {
		atomic.StoreUint64(&b.table[lo+i], word)
	}
}

// code returns that of v in tree t, 0 if it is not known yet.
func (b *batch) code(t int, v engine.Local) uint64 {
	return atomic.LoadUint64(&b.table[v]) >> (8 * t) & codeMask
}

// entry returns that of v with a parent in tree t. It is open unless an earlier
// tree of the table has the same parent: what joins them there joins them here.
func (b *batch) entry(f *filler, t int, v, parent engine.Local, code uint64) uint64 {
	f.codes[t][0] = max(f.codes[t][0], uint32(code))
	entry := code | uint64(parent&hashMask)<<hashShift
	for _, earlier := range b.searches[:t] {
		if earlier.Parents[v] == parent {
			return entry
		}
	}
	return entry | open
}

// fillOne fills in any vertex of tree t. It returns false for a fault.
func (b *batch) fillOne(f *filler, t int, v engine.Local) bool {
	s := &b.searches[t]
	p := s.Parents[v]
	entry := uint64(rootCode)
	switch {
	case engine.Vertex(v) == s.Root:
	case uint64(p) >= uint64(len(b.table)):
		return false
	default:
		code := b.walk(t, p)
		if code == 0 || code == lastCode {
			return false
		}
		entry = b.entry(f, t, v, p, code+1)
	}
	atomic.OrUint64(&b.table[v], entry<<(8*t))
	return true
}

// walk follows the parents from v to a vertex with a code and sets the codes of
// those on the way. It returns that of v, or 0 if the way is too long or ends
// elsewhere. A code may get lost again when the block of its vertex is stored;
// then it is found anew.
func (b *batch) walk(t int, v engine.Local) uint64 {
	s := &b.searches[t]
	var way [lastCode - rootCode]engine.Local
	n := 0
	code := uint64(rootCode)
	for engine.Vertex(v) != s.Root {
		if code = b.code(t, v); code != 0 {
			break
		}
		if n == len(way) {
			return 0
		}
		way[n] = v
		n++
		if v = s.Parents[v]; uint64(v) >= uint64(len(b.table)) {
			return 0
		}
		code = rootCode
	}
	if code+uint64(n) > lastCode {
		return 0
	}
	for n > 0 {
		n--
		code++
		atomic.OrUint64(&b.table[way[n]], code<<(8*t))
	}
	return code
}

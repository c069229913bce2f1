package validate

import (
	"context"
	"math/bits"
	"sync/atomic"

	"graph500/engine"
)

// fillBlock is the number of vertices in a block of fill.
const fillBlock = 64

// filler holds the results and buffers of one worker in fill.
type filler struct {
	simd    bool
	left    [BatchSize]uint64     // by tree: a bit for each vertex of the block whose entry is still missing
	visited [BatchSize]int64      // by tree: vertices of all blocks that have a parent
	codes   [BatchSize][16]uint32 // by tree: partial maxima of the codes

	path         [maxCode - rootCode]engine.Local // of one walk
	grandparents [BatchSize * fillBlock]engine.Local
	touched      uint64 // stores the prefetched words, so that the compiler does not remove the loads
}

// entryForm divides the byte of an entry in the table.
type entryForm struct {
	codeMask, lastCode uint32 // the code is in the low bits and at most lastCode
	hashBits           uint32 // place of the low bits of the parent's label
	open               uint32 // bit of an open entry
}

// maxCode is the largest code of any form.
const maxCode = 1<<8 - 1

// entryFormOf returns the form of a batch of this kernel. For SSSP, the table serves
// rule Path only, and the whole byte is the code.
func entryFormOf(kernel engine.Kernel) entryForm {
	if kernel == engine.SSSP {
		return entryForm{codeMask: maxCode, lastCode: maxCode}
	}
	return entryForm{codeMask: codeMask, lastCode: lastCode, hashBits: hashMask << hashShift, open: open}
}

// fill builds the table of the trees and checks the rules Entry and Path. A tree
// that breaks one of them, or is too deep, becomes unconfirmed.
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
		for ; lo < hi && w.unconfirmed != all; lo += fillBlock {
			b.fillBlock(w, lo, min(lo+fillBlock, hi))
		}
	})
}

// fillBlock sets the entries of vertices lo..hi-1.
func (b *batch) fillBlock(w *batchWorker, lo, hi int) {
	f := &w.filler
	b.fillKnown(f, lo, hi)
	b.prefetch(w, lo)
	for t := range b.searches {
		for left := f.left[t]; left != 0 && w.unconfirmed>>t&1 == 0; left &= left - 1 {
			if !b.fillOne(f, t, engine.Local(lo+bits.TrailingZeros64(left))) {
				w.unconfirmed |= 1 << t
			}
		}
	}
}

// prefetch loads the words that fillOne needs. It does not branch on them, so that
// all loads are in flight at the same time.
func (b *batch) prefetch(w *batchWorker, lo int) {
	f := &w.filler
	n := 0
	for t, s := range b.searches {
		if w.unconfirmed>>t&1 != 0 {
			continue
		}
		for left := f.left[t]; left != 0; left &= left - 1 {
			p := s.Parents[lo+bits.TrailingZeros64(left)]
			if uint64(p) < uint64(len(b.table)) {
				f.grandparents[n] = s.Parents[p]
				n++
			}
		}
	}
	for _, p := range f.grandparents[:n] {
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
			if code == 0 || code == uint64(b.form.lastCode) {
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

// code returns the code of v in tree t, 0 if it is not known yet.
func (b *batch) code(t int, v engine.Local) uint64 {
	return atomic.LoadUint64(&b.table[v]) >> (8 * t) & uint64(b.form.codeMask)
}

// entry returns the entry of v in tree t with the given parent and code. It is
// open, unless v has the same parent in an earlier tree of the table: the tuple
// that closes that entry also joins v to its parent in tree t.
func (b *batch) entry(f *filler, t int, v, parent engine.Local, code uint64) uint64 {
	f.codes[t][0] = max(f.codes[t][0], uint32(code))
	entry := code | uint64(parent<<hashShift&b.form.hashBits)
	if b.form.open == 0 {
		return entry
	}
	for _, earlier := range b.searches[:t] {
		if earlier.Parents[v] == parent {
			return entry
		}
	}
	return entry | uint64(b.form.open)
}

// fillOne sets the entry of v in tree t. It returns false if v breaks a rule or
// the tree is too deep.
func (b *batch) fillOne(f *filler, t int, v engine.Local) bool {
	s := &b.searches[t]
	p := s.Parents[v]
	entry := uint64(rootCode)
	switch {
	case engine.Vertex(v) == s.Root:
	case uint64(p) >= uint64(len(b.table)):
		return false
	default:
		code := b.walk(f, t, p)
		if code == 0 || code == uint64(b.form.lastCode) {
			return false
		}
		entry = b.entry(f, t, v, p, code+1)
	}
	atomic.OrUint64(&b.table[v], entry<<(8*t))
	return true
}

// walk follows the parents from v to a vertex with a code and sets the codes of
// the vertices on this path. It returns the code of v, or 0 if the path is too
// long or ends outside the tree. A store of the block of such a vertex may
// overwrite its code; the code is then computed again.
func (b *batch) walk(f *filler, t int, v engine.Local) uint64 {
	s := &b.searches[t]
	path := f.path[:b.form.lastCode-rootCode]
	n := 0
	code := uint64(rootCode)
	for engine.Vertex(v) != s.Root {
		if code = b.code(t, v); code != 0 {
			break
		}
		if n == len(path) {
			return 0
		}
		path[n] = v
		n++
		if v = s.Parents[v]; uint64(v) >= uint64(len(b.table)) {
			return 0
		}
		code = rootCode
	}
	if code+uint64(n) > uint64(b.form.lastCode) {
		return 0
	}
	for n > 0 {
		n--
		code++
		atomic.OrUint64(&b.table[path[n]], code<<(8*t))
	}
	return code
}

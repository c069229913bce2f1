package validate

import (
	"context"
	"math/bits"
	"sync/atomic"

	"graph500/engine"
	"graph500/vector"
)

// fillBlock is the number of vertices in a block of fill, at most 255, so that their number
// fits in a byte.
const fillBlock = 64

// settleDepth is the number of levels, with that of its vertex, that settle goes up the trees. The trees of
// official graphs have fewer.
const settleDepth = 12

// filler holds the results and buffers of one worker in fill.
type filler struct {
	form    vector.Form
	left    [fillBlock]uint64 // by vertex of the block: trees in which the entry is still missing
	visited [MaxBatch]int64   // by tree: vertices of all blocks that have a parent
	counted [MaxBatch]uint8   // by tree: those of the last fillKnown
	codes   [MaxBatch]uint8   // by tree: largest code

	// Parents of the block in all trees, None in a tree that the table does not have.
	parents [fillBlock][MaxBatch]engine.Label

	unpacked [8][fillBlock]engine.Label       // of the block in eight trees
	path     [maxCode - rootCode]engine.Label // of one walk
	above    [settleDepth]filled              // vertices that settle has begun with
	touched  uint32                           // what loadAbove loads, so that the compiler does not remove it
}

// filled is a vertex outside the block.
type filled struct {
	parents [1][MaxBatch]engine.Label
	left    [1]uint64
	row     [MaxBatch / 8]uint64
}

// reset prepares the filler for a table.
func (f *filler) reset() {
	f.visited, f.codes = [MaxBatch]int64{}, [MaxBatch]uint8{}
	fill := func(parents [][MaxBatch]engine.Label) {
		for i := range parents {
			for t := range parents[i] {
				parents[i][t] = engine.None
			}
		}
	}
	fill(f.parents[:])
	for i := range f.above {
		fill(f.above[i].parents[:])
	}
}

// entryForm divides the byte of an entry in the table.
type entryForm struct {
	codeMask, lastCode uint8 // the code is in the low bits and at most lastCode
	hashBits           uint8 // place of the low bits of the parent's label
	open               uint8 // bit of an open entry
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
	if err := b.team.For(ctx, b.vertices, vertexGrain, func(_, lo, hi int) {
		clear(b.table[lo*b.words : hi*b.words])
	}); err != nil {
		return err
	}
	for t, s := range b.searches {
		b.row(engine.Label(s.Root))[t/8] |= rootCode << (t % 8 * 8)
	}
	all := b.all()
	return b.team.For(ctx, b.vertices, vertexGrain, func(number, lo, hi int) {
		w := &b.workers[number]
		for ; lo < hi && w.unconfirmed != all; lo += fillBlock {
			b.fillBlock(w, lo, min(lo+fillBlock, hi))
		}
	})
}

// fillBlock sets the entries of vertices lo..hi-1.
func (b *batch) fillBlock(w *batchWorker, lo, hi int) {
	f := &w.filler
	b.takeParents(f, lo, hi)
	b.fillKnown(f, b.blockRows(f, lo, 0, hi-lo))
	for t := range b.searches {
		f.visited[t] += int64(f.counted[t])
	}
	b.loadAbove(w, hi-lo)
	for i := range hi - lo {
		if f.left[i]&^w.unconfirmed == 0 {
			continue
		}
		b.settleAbove(w, engine.Label(lo+i), &f.parents[i], f.left[i]&^w.unconfirmed, 0)
		b.fillKnown(f, b.blockRows(f, lo, i, i+1))
		for left := f.left[i] &^ w.unconfirmed; left != 0; left &= left - 1 {
			t := bits.TrailingZeros64(left)
			if !b.fillOne(f, t, i, engine.Label(lo+i)) {
				w.unconfirmed |= 1 << t
			}
		}
	}
}

// loadAbove loads what settle reads first of a parent of each vertex of the block that has entries left. Many of
// these loads are in flight at the same time.
func (b *batch) loadAbove(w *batchWorker, vertices int) {
	f := &w.filler
	for i, left := range f.left[:vertices] {
		if left &^= w.unconfirmed; left == 0 || b.forest == nil {
			continue
		}
		if p := f.parents[i][bits.TrailingZeros64(left)]; uint64(p) < uint64(b.vertices) {
			f.touched ^= b.forest.load(p)
		}
	}
}

// settleAbove settles the parents of v in the trees of a set, if they have no codes. It reports whether there
// are such parents.
func (b *batch) settleAbove(w *batchWorker, v engine.Label, parents *[MaxBatch]engine.Label, left uint64, level int) (some bool) {
	for left != 0 {
		t := bits.TrailingZeros64(left)
		p := parents[t]
		same := uint64(0)
		for of := left; of != 0; of &= of - 1 {
			if t := bits.TrailingZeros64(of); parents[t&(MaxBatch-1)] == p {
				same |= 1 << t
			}
		}
		left &^= same
		if uint64(p) < uint64(b.vertices) && p != v && b.code(t, p) == 0 {
			if level == 0 {
				same = ^w.unconfirmed // likely to be needed for another vertex
			}
			b.settle(w, p, same, level)
			some = true
		}
	}
	return some
}

// settle sets the codes of v in all trees in which those of its parents are known, and before that, in the
// trees of a set, those of its ancestors, up to settleDepth levels with its own. Most vertices are leaves of all trees, and
// the others have children in many: for 64 trees at scale 20, 58,000 rows replace 2.5 million walks of fillOne.
//
// Each tree of the set has one ancestor in a level, so that a call of fillBlock's ends after settleDepth rows a
// tree, whatever the parents are.
func (b *batch) settle(w *batchWorker, v engine.Label, trees uint64, level int) {
	a := &w.filler.above[level]
	b.takeParentsOf(v, &a.parents[0])
	row := knownRows{first: v, parents: a.parents[:], left: a.left[:], to: a.row[:b.words]}
	b.fillKnown(&w.filler, row)
	if level+1 < settleDepth && b.settleAbove(w, v, &a.parents[0], a.left[0]&trees, level+1) {
		b.fillKnown(&w.filler, row)
	}
	codes := uint64(b.form.codeMask) * ones
	for k, word := range a.row[:b.words] {
		to := &b.table[int(v)*b.words+k]
		if word &= codes; word&^atomic.LoadUint64(to) != 0 {
			atomic.OrUint64(to, word)
		}
	}
}

// knownRows are rows that fillKnown sets, of successive vertices, with a slice of as many elements for each.
type knownRows struct {
	first   engine.Label
	parents [][MaxBatch]engine.Label // in all trees, None in a tree that the table does not have
	left    []uint64                 // trees in which the entry is still missing
	to      []uint64                 // rows, without the entries that are missing
}

// blockRows are those of vertices from..to-1 of the block that begins with vertex lo.
func (b *batch) blockRows(f *filler, lo, from, to int) knownRows {
	return knownRows{engine.Label(lo + from), f.parents[from:to], f.left[from:to], b.table[(lo+from)*b.words : (lo+to)*b.words]}
}

// takeParentsGo is takeParents, in Go, from a tree on.
func (b *batch) takeParentsGo(f *filler, lo, hi, first int) {
	for t := first; t < len(b.searches); t++ {
		for i, p := range b.searches[t].part(lo, hi, &f.unpacked[0]) {
			f.parents[i&(fillBlock-1)][t&(MaxBatch-1)] = p
		}
	}
}

// takeParentsOf sets the parents of a vertex.
func (b *batch) takeParentsOf(v engine.Label, parents *[MaxBatch]engine.Label) {
	if b.forest != nil {
		b.forest.parentsOf(v, b.kept[:len(b.searches)], parents)
	}
	for alone := b.alone; alone != 0; alone &= alone - 1 {
		t := bits.TrailingZeros64(alone)
		parents[t] = b.searches[t].Parents[v]
	}
}

// fillKnownGo is fillKnown, in Go.
func (b *batch) fillKnownGo(f *filler, rows knownRows) {
	f.counted = [MaxBatch]uint8{}
	for i := range rows.parents {
		v := rows.first + engine.Label(i)
		var words [MaxBatch / 8]uint64
		left := uint64(0)
		parents := &rows.parents[i]
		for t := range b.searches {
			p := parents[t]
			if p == engine.None {
				continue
			}
			f.counted[t]++
			code := uint8(0)
			if uint64(p) < uint64(b.vertices) && p != v {
				code = b.code(t, p)
			}
			if code == 0 || code == b.form.lastCode {
				left |= 1 << t
				continue
			}
			words[t/8] |= b.entry(f, t, parents, code+1) << (t % 8 * 8)
		}
		rows.left[i] = left
		for k := range b.words {
			atomic.StoreUint64(&rows.to[i*b.words+k], words[k])
		}
	}
}

// code returns the code of v in tree t, 0 if it is not known yet.
func (b *batch) code(t int, v engine.Label) uint8 {
	return uint8(atomic.LoadUint64(&b.table[int(v)*b.words+t/8])>>(t%8*8)) & b.form.codeMask
}

// add adds an entry, or a part of it, to the table.
func (b *batch) add(t int, v engine.Label, entry uint64) {
	atomic.OrUint64(&b.table[int(v)*b.words+t/8], entry<<(t%8*8))
}

// entry returns the entry in tree t of a vertex with the given parents and code. It is
// open, unless the vertex has the same parent in an earlier tree of the table: the tuple
// that closes that entry also joins it to its parent in tree t.
func (b *batch) entry(f *filler, t int, parents *[MaxBatch]engine.Label, code uint8) uint64 {
	f.codes[t] = max(f.codes[t], code)
	parent := parents[t]
	entry := uint64(code | uint8(parent<<hashShift)&b.form.hashBits)
	for earlier := t - 1; earlier >= 0; earlier-- {
		if parents[earlier] == parent {
			return entry
		}
	}
	return entry | uint64(b.form.open)
}

// fillOne sets the entry in tree t of v, vertex i of the block. It returns false if v breaks a
// rule or the tree is too deep.
func (b *batch) fillOne(f *filler, t, i int, v engine.Label) bool {
	p := f.parents[i][t]
	entry := uint64(rootCode)
	switch {
	case engine.Vertex(v) == b.searches[t].Root:
	case uint64(p) >= uint64(b.vertices):
		return false
	default:
		code := b.walk(f, t, p)
		if code == 0 || code == b.form.lastCode {
			return false
		}
		entry = b.entry(f, t, &f.parents[i], code+1)
	}
	b.add(t, v, entry)
	return true
}

// walk follows the parents from v to a vertex with a code and sets the codes of
// the vertices on this path. It returns the code of v, or 0 if the path is too
// long or ends outside the tree. A store of the block of such a vertex may
// overwrite its code; the code is then computed again.
func (b *batch) walk(f *filler, t int, v engine.Label) uint8 {
	s := &b.searches[t]
	path := f.path[:b.form.lastCode-rootCode]
	n := 0
	code := uint8(rootCode)
	for engine.Vertex(v) != s.Root {
		if code = b.code(t, v); code != 0 {
			break
		}
		if n == len(path) {
			return 0
		}
		path[n] = v
		n++
		if v = s.parent(v); uint64(v) >= uint64(b.vertices) {
			return 0
		}
		code = rootCode
	}
	if int(code)+n > int(b.form.lastCode) {
		return 0
	}
	for n > 0 {
		n--
		code++
		b.add(t, path[n], uint64(code))
	}
	return code
}

package validate

import (
	"context"
	"slices"

	"graph500/engine"
	"graph500/parallel"
)

// batch checks up to BatchSize trees with one pass over the tuples. What it
// finds right is right. A tree that is wrong, or too deep for the table, it does
// not judge.
//
// The table has a word for each vertex, so that one cache miss serves all trees.
// Byte t of the word is the vertex's entry in tree t, 0 outside it:
//
//	bits 0..3  its code: depth + rootCode
//	bits 4..6  the low bits of its parent
//	bit 7      open: no tuple has joined it to its parent yet
//
// A tuple can join a vertex to its parent only if the code of one end is one
// more than that of the other and the parent's bits agree. At official graphs
// that leaves one tuple in ten at which the parents themselves are looked up.
//
// Where trees give a vertex the same parent, the entry of an earlier one stands
// for those of later ones, which are not opened (see entry). If it stays open, or
// its tree is checked by itself and found wrong, later trees may be taken for
// right, but theirs is not the first wrong tree.
type batch struct {
	team     *parallel.Team
	simd     bool
	table    []uint64
	searches []Search // whose trees are in the table
	workers  []batchWorker
}

const (
	rootCode  = 2  // 0, outside the tree, is more than one apart from it
	lastCode  = 14 // largest: no sum in a byte overflows
	codeMask  = 15
	hashShift = 4
	hashMask  = 7 // bits of the parent that an entry has
	open      = 0x80
)

// ones has a one in each byte.
const ones = 0x0101010101010101

// batchWorker is what one worker found out, and its buffers.
type batchWorker struct {
	faults  uint8            // a bit for each tree that is not known to be right
	inside  [BatchSize]int64 // by tree: tuples inside, self loops among them
	loops   [BatchSize]int64 // by tree
	filler  filler
	scanner scanner
	_       [64]byte
}

func newBatch(team *parallel.Team, table []uint64) batch {
	b := batch{team: team, table: table, workers: make([]batchWorker, team.Size())}
	b.useSIMD(haveSIMD())
	return b
}

// useSIMD chooses between the vector forms and those in Go.
func (b *batch) useSIMD(yes bool) {
	b.simd = yes
	for i := range b.workers {
		b.workers[i].filler.simd, b.workers[i].scanner.simd = yes, yes
	}
}

// pays reports whether so many trees are checked faster together than one by
// one. In Go a pass for all takes as long as three for one, at scale 20.
func (b *batch) pays(trees int) bool { return b.simd || trees > 3 }

// check returns the facts of the trees, with no vertex visited for one that is
// not known to be right.
func (b *batch) check(ctx context.Context, tuples []engine.Edge, searches []Search) (facts [BatchSize]engine.Tree, err error) {
	b.reset()
	var places []int // in searches, of the trees in the table
	for i, s := range searches {
		if s.checkRoot(len(b.table)) == nil {
			places = append(places, i)
			b.searches = append(b.searches, s)
		}
	}
	for _, step := range []func() error{
		func() error { return b.fill(ctx) },
		func() error { return b.checkTuples(ctx, tuples) },
		func() error { return b.findOpen(ctx) },
	} {
		if b.faults() == b.all() {
			return facts, nil
		}
		if err := step(); err != nil {
			return facts, err
		}
	}
	faults := b.faults()
	for t, i := range places {
		if faults>>t&1 == 0 {
			facts[i] = b.tree(t)
		}
	}
	return facts, nil
}

// all has a bit for each tree in the table.
func (b *batch) all() uint8 { return 1<<len(b.searches) - 1 }

func (b *batch) reset() {
	b.searches = b.searches[:0]
	for i := range b.workers {
		w := &b.workers[i]
		w.faults, w.inside, w.loops = 0, [BatchSize]int64{}, [BatchSize]int64{}
		w.filler = filler{simd: w.filler.simd}
	}
}

// faults returns a bit for each tree in the table that is not known to be right.
func (b *batch) faults() (set uint8) {
	for i := range b.workers {
		set |= b.workers[i].faults
	}
	return set
}

// tree returns the facts of tree t in the table.
func (b *batch) tree(t int) engine.Tree {
	tree, last := engine.Tree{}, uint32(rootCode)
	for i := range b.workers {
		w := &b.workers[i]
		tree.Visited += w.filler.visited[t]
		tree.Edges += w.inside[t] - w.loops[t]
		tree.SelfLoops += w.loops[t]
		last = max(last, slices.Max(w.filler.codes[t][:]))
	}
	tree.Depth = int64(last - rootCode)
	return tree
}

// findOpen looks for vertices that no tuple has joined to their parents.
func (b *batch) findOpen(ctx context.Context) error {
	return b.team.For(ctx, len(b.table), vertexGrain, func(number, lo, hi int) {
		left := uint64(0)
		for _, word := range b.table[lo:hi] {
			left |= word
		}
		b.workers[number].faults |= treesOf(left & (open * ones))
	})
}

// treesOf returns a bit for each byte that is not 0.
func treesOf(word uint64) (set uint8) {
	for t := range BatchSize {
		if word>>(8*t)&0xff != 0 {
			set |= 1 << t
		}
	}
	return set
}

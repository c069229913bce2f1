package validate

import (
	"context"
	"math"
	"slices"

	"graph500/engine"
	"graph500/parallel"
)

// batch checks up to BatchSize trees with one pass over the tuples. It confirms
// correct trees. A tree that is wrong, or too deep for the table, remains
// unconfirmed.
//
// The table has one word per vertex, so that one cache miss serves all trees.
// For BFS, byte t of the word is the vertex's entry in tree t, 0 outside the tree:
//
//	bits 0..3  code: depth + rootCode
//	bits 4..6  low bits of the parent's label
//	bit 7      open: no tuple has been found yet that joins the vertex to its parent
//
// A tuple can join a vertex to its parent only if the code of one end is one
// more than the code of the other and the parent's low bits match. In official
// graphs, this is true for 10 % of the tuples. Only for these, the parents
// themselves are looked up.
//
// If several trees give a vertex the same parent, only the entry of the first of
// these trees is opened (see entry). If that entry stays open, or the first tree
// is wrong, a later tree may be confirmed although it is wrong too. This does not
// matter, because only the first wrong tree is reported.
//
// For SSSP, the byte is only the code. When the table has shown that the parents lead
// to the root, rows take its memory (see row).
type batch struct {
	team     *parallel.Team
	simd     bool
	kernel   engine.Kernel
	form     entryForm
	table    []uint64
	rows     []row    // of SSSP; they overlap the table
	searches []Search // whose trees are in the table
	workers  []batchWorker
}

const (
	rootCode  = 2  // differs by more than one from 0, which is outside the tree
	lastCode  = 14 // largest code: sums in a byte do not overflow
	codeMask  = 15
	hashShift = 4
	hashMask  = 7 // low bits of the parent's label in an entry
	open      = 0x80
)

// ones has the value 1 in each byte.
const ones = 0x0101010101010101

// batchWorker holds the results and buffers of one worker.
type batchWorker struct {
	unconfirmed uint8             // a bit per tree
	inside      [BatchSize]int64  // by tree: tuples inside, including self loops
	loops       [BatchSize]int64  // by tree: self loops inside
	farthest    [BatchSize]uint32 // by tree: bits of the largest distance
	edges       []engine.Edge     // of tuples with labels of 48 bits
	filler      filler
	scanner     scanner // BFS
	relaxer     relaxer // SSSP
	_           [64]byte
}

func newBatch(team *parallel.Team, kernel engine.Kernel, table []uint64, rows []row) batch {
	b := batch{team: team, kernel: kernel, form: entryFormOf(kernel), table: table, rows: rows, workers: make([]batchWorker, team.Size())}
	b.useSIMD(haveSIMD())
	return b
}

// useSIMD selects the vector forms or the Go forms.
func (b *batch) useSIMD(yes bool) {
	b.simd = yes
	for i := range b.workers {
		w := &b.workers[i]
		w.filler.simd, w.scanner.simd, w.relaxer.simd = yes, yes, yes
	}
}

// isFaster reports whether a batch checks this number of trees faster than single
// does one by one. At scale 20, the Go form of a batch takes as long as three or four
// single checks, and the vector form for SSSP longer than one.
func (b *batch) isFaster(trees int) bool {
	switch {
	case !b.simd:
		return trees > 3
	case b.kernel == engine.SSSP:
		return trees > 1
	}
	return true
}

// check returns the facts of the trees. Visited is 0 for an unconfirmed tree.
func (b *batch) check(ctx context.Context, tuples engine.Tuples, searches []Search) (facts [BatchSize]engine.Tree, err error) {
	b.reset()
	var indexes []int // by tree of the table: its index in searches
	for i, s := range searches {
		if s.checkRoot(b.kernel, len(b.table)) == nil {
			indexes = append(indexes, i)
			b.searches = append(b.searches, s)
		}
	}
	steps := []func() error{
		func() error { return b.fill(ctx) },
		func() error { return b.checkTuples(ctx, tuples) },
		func() error { return b.findOpen(ctx) },
	}
	if b.kernel == engine.SSSP {
		steps = []func() error{
			func() error { return b.fill(ctx) },
			func() error { return b.fillRows(ctx) },
			func() error { return b.relaxTuples(ctx, tuples) },
			func() error { return b.findOpenRows(ctx) },
		}
	}
	for _, step := range steps {
		if b.unconfirmed() == b.all() {
			return facts, nil
		}
		if err := step(); err != nil {
			return facts, err
		}
	}
	unconfirmed := b.unconfirmed()
	for t, i := range indexes {
		if unconfirmed>>t&1 == 0 {
			facts[i] = b.tree(t)
		}
	}
	return facts, nil
}

// all returns a bit set of all trees in the table.
func (b *batch) all() uint8 { return 1<<len(b.searches) - 1 }

func (b *batch) reset() {
	b.searches = b.searches[:0]
	for i := range b.workers {
		w := &b.workers[i]
		w.unconfirmed, w.inside, w.loops, w.farthest = 0, [BatchSize]int64{}, [BatchSize]int64{}, [BatchSize]uint32{}
		w.filler = filler{simd: w.filler.simd}
	}
}

// unconfirmed returns a bit set of the trees in the table that a worker has not
// confirmed.
func (b *batch) unconfirmed() (set uint8) {
	for i := range b.workers {
		set |= b.workers[i].unconfirmed
	}
	return set
}

// tree returns the facts of tree t in the table.
func (b *batch) tree(t int) engine.Tree {
	tree, last, farthest := engine.Tree{}, uint32(rootCode), uint32(0)
	for i := range b.workers {
		w := &b.workers[i]
		tree.Visited += w.filler.visited[t]
		tree.Edges += w.inside[t] - w.loops[t]
		tree.SelfLoops += w.loops[t]
		last = max(last, slices.Max(w.filler.codes[t][:]))
		farthest = max(farthest, w.farthest[t])
	}
	tree.Depth = int64(last - rootCode)
	tree.MaxDistance = math.Float32frombits(farthest)
	return tree
}

// findOpen looks for open entries: no tuple joins these vertices to their parents.
func (b *batch) findOpen(ctx context.Context) error {
	return b.team.For(ctx, len(b.table), vertexGrain, func(number, lo, hi int) {
		left := uint64(0)
		for _, word := range b.table[lo:hi] {
			left |= word
		}
		b.workers[number].unconfirmed |= treesOf(left & (open * ones))
	})
}

// treesOf returns a bit set of the bytes of word that are not 0.
func treesOf(word uint64) (set uint8) {
	for t := range BatchSize {
		if word>>(8*t)&0xff != 0 {
			set |= 1 << t
		}
	}
	return set
}

package validate

import (
	"context"
	"math"
	"math/bits"
	"unsafe"

	"graph500/engine"
	"graph500/parallel"
	"graph500/vector"
)

// batch checks several trees with one pass over the tuples. It confirms correct trees. A
// tree that is wrong, or too deep for the table, remains unconfirmed.
//
// The table has one row per vertex, with a byte for each tree, so that one cache miss serves
// all trees. For BFS, byte t of the row is the vertex's entry in tree t, 0 outside the tree:
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
// these trees is opened (see entry): in official graphs, a vertex has 4 different parents
// in 64 trees. If that entry stays open, or the first tree is wrong, a later tree may be
// confirmed although it is wrong too. This does not matter, because only the first wrong
// tree is reported.
//
// For SSSP, the byte is only the code. When the table has shown that the parents lead
// to the root, rows take its memory (see row).
type batch struct {
	team     *parallel.Team
	vector   vector.Form
	kernel   engine.Kernel
	form     entryForm
	vertices int
	memory   []uint64         // of the table
	words    int              // of a row, 1, 2, 4 or 8 with eight entries each
	table    []uint64         // rows of all vertices
	paths    []row            // of SSSP; they overlap the table
	searches []Search         // whose trees are in the table
	forest   *Forest          // that has the parents of all of them but those of alone; nil without one
	kept     [MaxBatch]uint32 // by tree of the table: its number in forest
	alone    uint64           // a bit per tree whose parents are in an array
	groups   *groups          // of tuples
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
	unconfirmed uint64           // a bit per tree
	inside      [MaxBatch]int64  // by tree: tuples inside, including self loops
	loops       [MaxBatch]int64  // by tree: self loops inside
	farthest    [MinBatch]uint32 // by tree of SSSP: bits of the largest distance
	edges       []engine.Edge    // of tuples with labels of 48 bits
	filler      filler
	scanner     scanner // BFS
	relaxer     relaxer // SSSP
	_           [64]byte
}

func newBatch(team *parallel.Team, kernel engine.Kernel, vertices int, memory []uint64, paths []row, groups *groups) batch {
	b := batch{team: team, kernel: kernel, form: entryFormOf(kernel), vertices: vertices, memory: memory, paths: paths, groups: groups, workers: make([]batchWorker, team.Size())}
	b.use(vector.Chosen())
	return b
}

// use selects the form of the code.
func (b *batch) use(f vector.Form) {
	b.vector = f
	for i := range b.workers {
		w := &b.workers[i]
		w.filler.form, w.scanner.form, w.relaxer.form = f, f, f
	}
}

// shift returns the binary logarithm of the length of a row, in bytes.
func (b *batch) shift() int { return bits.TrailingZeros(uint(8 * b.words)) }

// rowBytes returns the length in bytes of the rows that the pass over the tuples reads.
func (b *batch) rowBytes() int {
	if b.kernel == engine.SSSP {
		return int(unsafe.Sizeof(row{}))
	}
	return 8 * b.words
}

// isFaster reports whether a batch checks this number of trees faster than single
// does one by one. At scale 20, the Go form of a batch takes as long as six single
// checks, and the vector forms as long as two.
func (b *batch) isFaster(trees int) bool {
	switch {
	case b.vector == vector.Plain:
		return trees > 6
	case b.kernel == engine.SSSP:
		return trees > 1
	}
	return trees > 2
}

// rowWords returns the number of words of a row for at least one tree: eight trees in each, a
// power of two so that no row is in more cache lines than it must.
func rowWords(trees int) int { return 1 << bits.Len(uint(trees-1)/MinBatch) }

// check returns the facts of the trees. The memory must suffice for as many. Visited is 0 for an
// unconfirmed tree.
func (b *batch) check(ctx context.Context, tuples engine.Tuples, searches []Search) (facts []engine.Tree, err error) {
	facts = make([]engine.Tree, len(searches))
	b.reset(len(searches))
	var indexes []int // by tree of the table: its index in searches
	for i, s := range searches {
		if s.size() == b.vertices && (b.kernel == engine.BFS || len(s.Distances) == b.vertices) && s.checkRoot(b.vertices) == nil {
			if b.take(s) {
				indexes = append(indexes, i)
			}
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
			func() error { return b.fillPaths(ctx) },
			func() error { return b.relaxTuples(ctx, tuples) },
			func() error { return b.findOpenPaths(ctx) },
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

// take adds a search to the table. It returns false if there are those of another Forest.
func (b *batch) take(s Search) bool {
	t := len(b.searches)
	switch {
	case s.Forest == nil:
		b.alone |= 1 << t
	case b.forest == nil || b.forest == s.Forest:
		b.forest, b.kept[t] = s.Forest, uint32(s.Tree)
	default:
		return false
	}
	b.searches = append(b.searches, s)
	return true
}

// all returns a bit set of all trees in the table.
func (b *batch) all() uint64 { return 1<<len(b.searches) - 1 }

// reset prepares the table for a number of trees.
func (b *batch) reset(trees int) {
	b.searches, b.forest, b.alone, b.kept = b.searches[:0], nil, 0, [MaxBatch]uint32{}
	b.words = rowWords(max(1, trees))
	b.table = b.memory[:b.words*b.vertices]
	for i := range b.workers {
		w := &b.workers[i]
		w.unconfirmed, w.inside, w.loops, w.farthest = 0, [MaxBatch]int64{}, [MaxBatch]int64{}, [MinBatch]uint32{}
		w.filler.reset()
		w.scanner.reset()
	}
}

// unconfirmed returns a bit set of the trees in the table that a worker has not
// confirmed.
func (b *batch) unconfirmed() (set uint64) {
	for i := range b.workers {
		set |= b.workers[i].unconfirmed
	}
	return set
}

// tree returns the facts of tree t in the table.
func (b *batch) tree(t int) engine.Tree {
	tree, last, farthest := engine.Tree{}, uint8(rootCode), uint32(0)
	for i := range b.workers {
		w := &b.workers[i]
		tree.Visited += w.filler.visited[t]
		tree.Edges += w.inside[t] - w.loops[t]
		tree.SelfLoops += w.loops[t]
		last = max(last, w.filler.codes[t])
		if b.kernel == engine.SSSP {
			farthest = max(farthest, w.farthest[t])
		}
	}
	tree.Depth = int64(last - rootCode)
	tree.MaxDistance = math.Float32frombits(farthest)
	return tree
}

// findOpen looks for open entries: no tuple joins these vertices to their parents.
func (b *batch) findOpen(ctx context.Context) error {
	return b.team.For(ctx, b.vertices, vertexGrain, func(number, lo, hi int) {
		var left [MaxBatch / 8]uint64
		for v := lo; v < hi; v++ {
			for k, word := range b.row(engine.Label(v)) {
				left[k&7] |= word
			}
		}
		for k, word := range left {
			b.workers[number].unconfirmed |= topBits(word) << (8 * k)
		}
	})
}

// row returns the words of a row of the table.
func (b *batch) row(v engine.Label) []uint64 {
	return b.table[int(v)*b.words:][:b.words]
}

// topBits returns a bit set of the bytes of word whose highest bit is set.
func topBits(word uint64) uint64 { return word >> 7 & ones * 0x0102040810204080 >> 56 }

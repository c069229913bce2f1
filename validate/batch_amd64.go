//go:build !noasm

package validate

import (
	"graph500/engine"
	"graph500/vector"
)

// takeParents copies the parents of vertices lo..hi-1, a block, to the filler.
func (b *batch) takeParents(f *filler, lo, hi int) {
	first := 0
	if f.form != vector.Plain && hi-lo == fillBlock {
		if b.forest != nil {
			prefetchRows(&b.table[0], &b.forest.slots[lo/fillBlock], int64(b.shift()), uint32(b.vertices))
		}
		for ; first+8 <= len(b.searches); first += 8 {
			var from [8]*engine.Label
			for i := range from {
				from[i] = &b.searches[first+i].part(lo, hi, &f.unpacked[i])[0]
			}
			transposeAVX2(&from, &f.parents[0][first])
		}
	}
	b.takeParentsGo(f, lo, hi, first)
}

// prefetchRows requests the rows of the parents in the slots of a block, which fillKnown reads next.
//
//go:noescape
func prefetchRows(table *uint64, slots *forestBlock, shift int64, vertices uint32)

// transposeAVX2 copies the parents of a block in eight trees to the block's rows of all trees, and
// prefetches those of the next block.
//
//go:noescape
func transposeAVX2(from *[8]*engine.Label, to *engine.Label)

// fillKnown sets rows in the trees in which the parent has a code. In the table, it may overwrite codes of
// these vertices that other workers have set; they are then computed again, with the same values.
func (b *batch) fillKnown(f *filler, rows knownRows) {
	if f.form == vector.Plain {
		b.fillKnownGo(f, rows)
		return
	}
	a := fillArgs{
		table:    &b.table[0],
		to:       &rows.to[0],
		parents:  &rows.parents[0][0],
		left:     &rows.left[0],
		first:    int64(rows.first),
		count:    int64(len(rows.parents)),
		shift:    int64(b.shift()),
		f:        f,
		vertices: uint32(b.vertices),
		form:     b.form,
	}
	if f.form == vector.AVX2 {
		fillAVX2(&a)
	} else {
		fillAVX512(&a)
	}
}

// fillArgs are the operands of fillAVX512 and fillAVX2.
type fillArgs struct {
	table    *uint64
	to       *uint64       // first row
	parents  *engine.Label // of the first vertex in all trees, then of the next one
	left     *uint64       // of the first vertex
	first    int64         // first vertex
	count    int64         // number of vertices, not 0
	shift    int64         // logarithm of the length of a row in bytes
	f        *filler
	vertices uint32
	form     entryForm
}

// fillAVX512 is fillKnownGo for all trees of a vertex at a time, one parent after the other.
//
//go:noescape
func fillAVX512(a *fillArgs)

// fillAVX2 is fillAVX512 with AVX2.
//
//go:noescape
func fillAVX2(a *fillArgs)

// scan examines at most piece tuples. next has the same length and holds the tuples to
// prefetch. scan adds candidates for children. It returns false if an end is out of range.
func (s *scanner) scan(b *batch, tuples, next []engine.Edge) (ok bool) {
	if s.form == vector.Plain || len(tuples) == 0 {
		return s.scanGo(b.table, b.words, tuples)
	}
	a := scanArgs{
		table:    &b.table[0],
		tuples:   &tuples[0],
		next:     &next[0],
		count:    int64(len(tuples)),
		shift:    int64(b.shift()),
		s:        s,
		vertices: uint32(b.vertices),
	}
	if s.form == vector.AVX2 {
		scanAVX2(&a)
	} else {
		scanAVX512(&a)
	}
	return a.outside == 0
}

// scanArgs are the operands of scanAVX512 and scanAVX2.
type scanArgs struct {
	table        *uint64
	tuples, next *engine.Edge
	count        int64 // number of tuples, not 0
	shift        int64 // logarithm of the length of a row in bytes
	s            *scanner
	vertices     uint32
	outside      uint32 // result: 1 if an end is out of range
}

// scanAVX512 is scanGo for all trees of a tuple at a time. It reads the table while other
// workers close entries; a stale entry only adds a candidate.
//
//go:noescape
func scanAVX512(a *scanArgs)

// scanAVX2 is scanAVX512 with AVX2.
//
//go:noescape
func scanAVX2(a *scanArgs)

// closeEntries closes the entries at the given byte offsets of the table, while
// other workers read and close entries. The Go form uses atomic operations.
func (s *scanner) closeEntries(table, places []uint64) {
	if s.form == vector.Plain || len(places) == 0 {
		closeEntriesGo(table, places)
		return
	}
	closeBytes(&table[0], &places[0], len(places))
}

// closeBytes is closeEntriesGo with stores of single bytes. All workers store the
// same value.
//
//go:noescape
func closeBytes(table, places *uint64, count int)

// relax examines the first tuples, at most block. next has the same length and holds
// the tuples to prefetch. relax returns the number of tuples examined, 0 if one is
// unusual (see relaxGo).
func (r *relaxer) relax(rows []row, tuples engine.Tuples, next []engine.Edge) (done int) {
	const lanes = 8 // tuples in a vector register
	done = len(tuples.Edges) &^ (lanes - 1)
	if r.form == vector.Plain || done == 0 {
		if !r.relaxGo(rows, tuples) {
			return 0
		}
		return len(tuples.Edges)
	}
	a := relaxArgs{
		rows:     &rows[0],
		tuples:   &tuples.Edges[0],
		weights:  &tuples.Weights[0],
		next:     &next[0],
		count:    int64(done),
		vertices: uint32(len(rows)),
		r:        r,
	}
	if r.form == vector.AVX2 {
		relaxAVX2(&a)
	} else {
		relaxAVX512(&a)
	}
	if a.unusual != 0 {
		return 0
	}
	return done
}

// relaxArgs are the operands of relaxAVX512 and relaxAVX2.
type relaxArgs struct {
	rows         *row
	tuples, next *engine.Edge
	weights      *float32
	count        int64 // number of tuples, a multiple of lanes
	r            *relaxer
	vertices     uint32
	unusual      uint32 // result: 1 if a tuple is unusual
}

// relaxAVX512 is relaxGo, with a vector of all trees. It reads parents while other
// workers close them; a stale parent is only closed again.
//
//go:noescape
func relaxAVX512(a *relaxArgs)

// relaxAVX2 is relaxAVX512 with AVX2.
//
//go:noescape
func relaxAVX2(a *relaxArgs)

//go:build !noasm

package validate

import (
	"graph500/engine"
	"graph500/vector"
)

// haveSIMD reports whether fill512, scan512, closeBytes and relax512 run.
func haveSIMD() bool { return vector.Chosen() == vector.AVX512 }

// fillKnown sets the entries of vertices lo..hi-1 whose parents have a code. It
// may overwrite codes of these vertices that other workers have set; they are then
// computed again, with the same values.
func (b *batch) fillKnown(f *filler, lo, hi int) {
	if !f.simd || hi-lo < fillBlock || len(b.table) > 1<<31 {
		b.fillKnownGo(f, lo, hi)
		return
	}
	a := fillArgs{table: &b.table[0], first: int64(lo), trees: int64(len(b.searches)), vertices: uint32(len(b.table)), form: b.form, f: f}
	if b.form.open != 0 {
		a.opens = -1
	}
	for t, s := range b.searches {
		a.parents[t] = &s.Parents[lo]
	}
	fill512(&a)
}

// fillArgs are the operands of fill512.
type fillArgs struct {
	table    *uint64
	first    int64 // first vertex of the block
	trees    int64
	opens    int64 // -1 if entries can be open, 0 if not
	f        *filler
	parents  [BatchSize]*engine.Local // by tree: parents of the block
	form     entryForm
	vertices uint32 // at most 2^31, because gather indices are signed
}

// fill512 is fillKnownGo for a whole block, 16 vertices at a time.
//
//go:noescape
func fill512(a *fillArgs)

// scan examines the first tuples, at most block. next has the same length and
// holds the tuples to prefetch. scan returns the number of tuples examined, 0 if
// an end is out of range, and the number of candidates for children.
func (s *scanner) scan(table []uint64, tuples, next []engine.Edge) (done, found int) {
	done = len(tuples) &^ (lanes - 1)
	if !s.simd || done == 0 {
		var ok bool
		if found, ok = s.scanGo(table, tuples); !ok {
			return 0, 0
		}
		return len(tuples), found
	}
	a := scanArgs{
		table:    &table[0],
		tuples:   &tuples[0],
		next:     &next[0],
		count:    int64(done),
		vertices: uint32(len(table)),
		s:        s,
	}
	scan512(&a)
	if a.outside != 0 {
		return 0, 0
	}
	return done, int(a.found)
}

// scanArgs are the operands of scan512.
type scanArgs struct {
	table        *uint64
	tuples, next *engine.Edge
	count        int64 // number of tuples, a multiple of lanes
	s            *scanner
	vertices     uint32
	outside      uint32 // result: 1 if an end is out of range
	found        int64  // result: number of candidates
}

// scan512 is scanGo, eight tuples at a time. It reads the table while other
// workers close entries; a stale entry only adds a candidate.
//
//go:noescape
func scan512(a *scanArgs)

// closeEntries closes the entries at the given byte offsets of the table, while
// other workers read and close entries. The Go form uses atomic operations.
func (s *scanner) closeEntries(table, places []uint64) {
	if !s.simd || len(places) == 0 {
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
	done = len(tuples.Edges) &^ (lanes - 1)
	if !r.simd || done == 0 {
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
	relax512(&a)
	if a.unusual != 0 {
		return 0
	}
	return done
}

// relaxArgs are the operands of relax512.
type relaxArgs struct {
	rows         *row
	tuples, next *engine.Edge
	weights      *float32
	count        int64 // number of tuples, a multiple of lanes
	r            *relaxer
	vertices     uint32
	unusual      uint32 // result: 1 if a tuple is unusual
}

// relax512 is relaxGo, with a vector of all trees. It reads parents while other
// workers close them; a stale parent is only closed again.
//
//go:noescape
func relax512(a *relaxArgs)

//go:build !noasm

package validate

import (
	"golang.org/x/sys/cpu"

	"graph500/engine"
)

// haveSIMD reports whether processor and system offer what scan512 uses.
func haveSIMD() bool {
	return cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasPOPCNT
}

// fillKnown fills in vertices lo..hi-1, as far as the codes of their parents are
// known. Codes that others have set for them, to the same values, may get lost.
func (b *batch) fillKnown(f *filler, lo, hi int) {
	if !f.simd || hi-lo < fillBlock || len(b.table) > 1<<31 {
		b.fillKnownGo(f, lo, hi)
		return
	}
	a := fillArgs{table: &b.table[0], first: int64(lo), trees: int64(len(b.searches)), vertices: uint32(len(b.table)), f: f}
	for t, s := range b.searches {
		a.parents[t] = &s.Parents[lo]
	}
	fill512(&a)
}

// fillArgs are the operands of fill512.
type fillArgs struct {
	table    *uint64
	first    int64 // vertex
	trees    int64
	f        *filler
	parents  [BatchSize]*engine.Local // of the block, by tree
	vertices uint32                   // at most 2^31: indices have a sign
}

// fill512 is fillKnownGo for a whole block, sixteen vertices at a time.
//
//go:noescape
func fill512(a *fillArgs)

// scan looks at tuples, at most block, from the first on; next, of the same
// length, are those to come. It returns how many were looked at, 0 if one names
// no vertex, and the number of candidates to be children.
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
	count        int64 // tuples, a multiple of lanes
	s            *scanner
	vertices     uint32
	outside      uint32 // result: 1 if a tuple names no vertex
	found        int64  // result
}

// scan512 is scanGo, eight tuples at a time. It reads the table while others
// close entries; an old entry only makes a candidate more.
//
//go:noescape
func scan512(a *scanArgs)

// closeEntries closes the entries in the given bytes of the table. Others read
// and close entries meanwhile, in Go atomically.
func (s *scanner) closeEntries(table, places []uint64) {
	if !s.simd || len(places) == 0 {
		closeEntriesGo(table, places)
		return
	}
	closeBytes(&table[0], &places[0], len(places))
}

// closeBytes is closeEntriesGo by stores of a byte, which has the same value
// whoever writes it.
//
//go:noescape
func closeBytes(table, places *uint64, count int)

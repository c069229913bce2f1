//go:build !noasm

package graph

import (
	"unsafe"

	"graph500/engine"
	"graph500/vector"
)

// collectVectors is collectGo for as many of the first tuples as the vector form takes, which it returns.
func collectVectors(form vector.Form, a *collectArgs, edges []engine.Edge) (whole int) {
	const tuples = 4 // at a time
	if whole = len(edges) &^ (tuples - 1); form == vector.Plain || whole == 0 {
		return 0
	}
	a.tuples, a.count = &edges[0], int64(whole)
	collect256(a)
	return whole
}

// collect256 is collectGo: first the arcs from U of four tuples, then those from V.
//
//go:noescape
func collect256(a *collectArgs)

// putVectors puts all of the arcs, or none without vectors, and returns their number.
func putVectors[A packedArc](l *arcLines[A], arcs []uint64) int {
	if l.form == vector.Plain || len(arcs) == 0 {
		return 0
	}
	a := putArgs{
		from: &arcs[0], count: int64(len(arcs)), next: &l.next[0], begin: &l.begin[0],
		arcs: unsafe.Pointer(&l.arcs[0]), lines: unsafe.Pointer(&l.lines[0]),
		shift: uint64(l.shift) + 32, first: uint64(l.first), inWindow: 1<<l.shift - 1, sourceBit: uint64(l.sourceBit()),
	}
	for a.count > 0 {
		if l.words == 1 {
			putWords(&a)
		} else {
			putPairs(&a)
		}
		if a.window >= 0 {
			l.store(uint32(a.window), l.next[a.window])
		}
	}
	return len(arcs)
}

// putArgs are the operands of putWords and putPairs.
type putArgs struct {
	from      *uint64 // result: the next one; at the end what is behind them in the arcBlock
	count     int64   // of these; result: how many are left
	next      *uint64
	begin     *uint64
	arcs      unsafe.Pointer
	lines     unsafe.Pointer
	shift     uint64 // of an arc from to its window
	first     uint64
	inWindow  uint64
	sourceBit uint64
	window    int64 // result
}

// putWords puts arcs of one word as put does, with the shifts of BMI2, and stores whole lines past the caches.
// It ends early at a full line that begins before the worker's first arc of its window, and returns this window,
// else -1.
//
//go:noescape
func putWords(a *putArgs)

// putPairs is putWords for arcs of two words.
//
//go:noescape
func putPairs(a *putArgs)

// finishLines makes the lines that putWords and putPairs stored visible before those that follow.
func finishLines()

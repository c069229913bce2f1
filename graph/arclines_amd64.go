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

// storeLine stores a line, aligned to its size, past the caches.
//
//go:noescape
func storeLine(to, line unsafe.Pointer)

// finishLines makes the stores of storeLine visible before those that follow.
func finishLines()

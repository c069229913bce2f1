//go:build !noasm

package cpu

import (
	"unsafe"

	"graph500/engine"
	"graph500/graph"
	"graph500/vector"
)

// hubHits is hubHitsGo.
func (s *byHubs) hubHits(hits []uint64, hubs []uint16) {
	a := hitArgs{hubs: &hubs[0], bitmap: &s.hubsBefore, hits: &hits[0], words: int64(len(hits))}
	switch s.form {
	case vector.Plain:
		s.hubHitsGo(hits, hubs)
	case vector.AVX2:
		hubHits256(&a)
	case vector.AVX512:
		hubHits512(&a)
	}
}

// failingRows is failingRowsGo.
func (s *byHubs) failingRows(list *rowList, runs []graph.Run, first, row uint32, n int) int {
	whole := len(runs) &^ (lanes - 1)
	if s.form == vector.Plain || whole == 0 {
		return s.failingRowsGo(list, runs, first, row, n)
	}
	a := runArgs{runs: &runs[0], count: int64(whole), before: &s.before, list: list, first: first, row: row, n: int64(n)}
	if s.form == vector.AVX512 {
		failing512(&a)
	} else {
		failing256(&a)
	}
	return s.failingRowsGo(list, runs[whole:], first, first+uint32(runs[whole-1].Last)+1, int(a.n))
}

// tryNext is tryNextGo.
func (s *byHubs) tryNext(l *denseLists, n int, parents []engine.Label) int {
	if s.form == vector.Plain || n == 0 {
		return s.tryNextGo(l, n, parents)
	}
	a := nextArgs{
		records: &s.g.Records[0], count: int64(n), before: &s.before, after: &s.after, labels: &s.hubLabels[0],
		found: &s.found[0], parents: &parents[0], failing: &l.failing, open: &l.open,
	}
	tryNextBMI(&a)
	return int(a.n)
}

// tryRows is tryRowsGo.
func (s *byHubs) tryRows(l *denseLists, n int, lists []uint32, set rowSet) (hits, rest int) {
	if s.form == vector.Plain || n == 0 || len(lists) == 0 {
		return s.tryRowsGo(l, n, lists, set)
	}
	a := rowArgs{
		records: &s.g.Records[0], count: int64(n), after: &s.after, lists: &lists[0],
		bitmap: &set.bitmap[0], flip: set.flip, open: &l.open, row: &l.row, parent: &l.parent,
	}
	tryRowsBMI(&a)
	return int(a.hits), int(a.rest)
}

// tryFurther is tryFurtherGo.
func (s *byHubs) tryFurther(l *denseLists, n int, lists []uint32) (hits, rest int) {
	if s.form == vector.Plain || n == 0 || len(lists) == 0 {
		return s.tryFurtherGo(l, n, lists)
	}
	a := furtherArgs{
		records: &s.g.Records[0], count: int64(n), before: &s.before, after: &s.after, lists: &lists[0],
		open: &l.open, row: &l.row, parent: &l.parent,
	}
	tryFurtherBMI(&a)
	return int(a.hits), int(a.rest)
}

// unvisited is unvisitedGo.
func unvisited[T uint16 | uint32](form vector.Form, to []uint32, list []T, bitmap []uint64, flag uint32) int {
	whole := len(list) &^ (lanes - 1)
	if form == vector.Plain || whole == 0 {
		return unvisitedGo(to, list, bitmap, flag)
	}
	a := unvisitedArgs{
		list: unsafe.Pointer(&list[0]), size: int64(unsafe.Sizeof(list[0])), count: int64(whole),
		bitmap: &bitmap[0], to: &to[0], flag: flag,
	}
	if form == vector.AVX512 {
		unvisited512(&a)
	} else {
		unvisited256(&a)
	}
	return int(a.n) + unvisitedGo(to[a.n:], list[whole:], bitmap, flag)
}

// hitArgs are the operands of hubHits256 and hubHits512.
type hitArgs struct {
	hubs   *uint16
	bitmap *[hubWords]uint64
	hits   *uint64
	words  int64 // at least 1
}

// hubHits256 is hubHitsGo for eight hubs at a time.
//
//go:noescape
func hubHits256(a *hitArgs)

// hubHits512 is hubHitsGo for 16 hubs at a time.
//
//go:noescape
func hubHits512(a *hitArgs)

// runArgs are the operands of failing256 and failing512.
type runArgs struct {
	runs       *graph.Run
	count      int64 // a multiple of lanes
	before     *hubBytes
	list       *rowList
	first, row uint32
	n          int64 // of the list, before and after
}

// failing256 is failingRowsGo for eight runs at a time.
//
//go:noescape
func failing256(a *runArgs)

// failing512 is failingRowsGo for 16 runs at a time.
//
//go:noescape
func failing512(a *runArgs)

// nextArgs are the operands of tryNextBMI.
type nextArgs struct {
	records       *graph.Record
	count         int64
	before, after *hubBytes
	labels        *uint32
	found         *uint64
	parents       *uint32
	failing, open *rowList
	n             int64 // result
}

// tryNextBMI is tryNextGo with prefetched records and without branches.
//
//go:noescape
func tryNextBMI(a *nextArgs)

// rowArgs are the operands of tryRowsBMI.
type rowArgs struct {
	records           *graph.Record
	count             int64
	after             *hubBytes
	lists             *uint32
	bitmap            *uint64
	flip              uint64
	open, row, parent *rowList
	hits, rest        int64 // results
}

// tryRowsBMI is tryRowsGo with prefetched records and lists.
//
//go:noescape
func tryRowsBMI(a *rowArgs)

// furtherArgs are the operands of tryFurtherBMI.
type furtherArgs struct {
	records           *graph.Record
	count             int64
	before, after     *hubBytes
	lists             *uint32
	open, row, parent *rowList
	hits, rest        int64 // results
}

// tryFurtherBMI is tryFurtherGo without branches.
//
//go:noescape
func tryFurtherBMI(a *furtherArgs)

// unvisitedArgs are the operands of unvisited256 and unvisited512.
type unvisitedArgs struct {
	list   unsafe.Pointer
	size   int64 // bytes of an entry, 2 or 4
	count  int64 // a multiple of lanes
	bitmap *uint64
	to     *uint32
	flag   uint32
	n      int64 // result
}

// unvisited256 is unvisitedGo for eight entries at a time.
//
//go:noescape
func unvisited256(a *unvisitedArgs)

// unvisited512 is unvisitedGo for 16 entries at a time.
//
//go:noescape
func unvisited512(a *unvisitedArgs)

// The assembly relies on the form of a record.
var (
	_ [16]struct{} = [unsafe.Sizeof(graph.Record{})]struct{}{}
	_ [8]struct{}  = [unsafe.Offsetof(graph.Record{}.Hub)]struct{}{}
	_ [10]struct{} = [unsafe.Offsetof(graph.Record{}.Place)]struct{}{}
	_ [12]struct{} = [unsafe.Offsetof(graph.Record{}.List)]struct{}{}
)

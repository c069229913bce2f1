//go:build !noasm

package cpu

import (
	"math"
	"unsafe"

	"graph500/vector"
)

// pullFirst is the first step of the pull, see pullFirstGo.
func (s *bounded) pullFirst(w *pullWorker, lo, hi int) (open, kept int) {
	// pull256 stores whole groups of eight labels.
	if s.form == vector.Plain || s.form == vector.AVX2 && hi<<6 > len(s.parents) {
		return s.pullFirstGo(w, lo, hi)
	}
	l := &s.g.Lightest
	a := pullArgs{
		present:      &s.g.Present[lo],
		words:        int64(hi - lo),
		firstTo:      unsafe.SliceData(l.FirstTo),
		firstWeight:  unsafe.SliceData(l.FirstWeight),
		secondTo:     unsafe.SliceData(l.SecondTo),
		secondWeight: unsafe.SliceData(l.SecondWeight),
		thirdWeight:  unsafe.SliceData(l.ThirdWeight),
		row:          int64(s.g.RowsBefore[lo]),
		distances:    unsafe.SliceData(s.distances),
		own:          &s.distances[s.first+uint32(lo)<<6],
		parents:      &s.parents[lo<<6],
		block:        &w.block,
		label:        s.first + uint32(lo)<<6,
		bound:        math.Float32bits(s.bound),
		least:        s.least,
		lanes:        s.lanes,
	}
	if s.form == vector.AVX2 {
		pull256(&a)
	} else {
		pull512(&a)
	}
	w.found += a.found
	w.examined += a.examined
	return int(a.n), int(a.kept)
}

// pullArgs are the operands of pull256 and pull512. present, own and parents point to the first
// element of the chunk, the other pointers to whole arrays; row is the index of the chunk's
// first row, label its first label.
type pullArgs struct {
	present                                *uint64
	words                                  int64
	firstTo, secondTo                      *uint32
	firstWeight, secondWeight, thirdWeight *float32
	row                                    int64
	distances, own, parents                *uint32 // own: distances of the chunk
	block                                  *pullBlock
	label, bound                           uint32
	least                                  float32
	_                                      uint32
	lanes                                  *laneTables // of pull256
	n, kept, found, examined               int64       // results
}

// pull512 is pullFirstGo for 16 labels at a time. It expands the arcs of the rows to
// the lanes of their labels.
//
//go:noescape
func pull512(a *pullArgs)

// pull256 is pullFirstGo for eight labels at a time. It stores the distances and parents of all
// labels of the words again.
//
//go:noescape
func pull256(a *pullArgs)

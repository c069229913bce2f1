//go:build !noasm

package cpu

import (
	"unsafe"

	"graph500/engine"
	"graph500/vector"
)

// sweep relaxes kept arcs, see sweepGo. AVX2 has no form, because it cannot scatter.
func (s *bounded) sweep(w *pullWorker, kept []keptArc, all bool) (found, examined int64) {
	if s.form != vector.AVX512 {
		return s.sweepGo(kept, all)
	}
	for ; len(kept) > 0; kept = kept[min(len(kept), sweepBatch):] {
		a := sweepArgs{
			kept:      &kept[0],
			arcs:      int64(min(len(kept), sweepBatch)),
			distances: unsafe.SliceData(s.distances),
			parents:   unsafe.SliceData(s.parents),
			changed:   unsafe.SliceData(s.changed),
			improved:  &w.improved[0],
			all:       all,
		}
		sweep512(&a)
		for _, v := range w.improved[:a.found] {
			s.newChanged[v>>6] |= 1 << (v & 63)
		}
		found += a.found
		examined += a.examined
	}
	return found, examined
}

// sweepArgs are the operands of sweep512.
type sweepArgs struct {
	kept            *keptArc
	arcs            int64
	distances       *uint32
	parents         *engine.Label
	changed         *uint64
	improved        *engine.Label // the vertices whose distances have become smaller, maybe repeated
	all             bool
	_               [7]byte
	found, examined int64 // results
}

// sweep512 is sweepGo for 16 arcs at a time, of at most sweepBatch. It leaves newChanged to its
// caller.
//
//go:noescape
func sweep512(a *sweepArgs)

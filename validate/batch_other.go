//go:build !amd64 || noasm

package validate

import "graph500/engine"

func haveSIMD() bool { return false }

func (b *batch) fillKnown(f *filler, lo, hi int) { b.fillKnownGo(f, lo, hi) }

func (*scanner) closeEntries(table, places []uint64) { closeEntriesGo(table, places) }

func (s *scanner) scan(table []uint64, tuples, _ []engine.Edge) (done, found int) {
	found, ok := s.scanGo(table, tuples)
	if !ok {
		return 0, 0
	}
	return len(tuples), found
}

func (r *relaxer) relax(rows []row, tuples engine.Tuples, _ []engine.Edge) (done int) {
	if !r.relaxGo(rows, tuples) {
		return 0
	}
	return len(tuples.Edges)
}

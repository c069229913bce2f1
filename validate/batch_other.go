//go:build !amd64 || noasm

package validate

import "graph500/engine"

func (b *batch) takeParents(f *filler, lo, hi int) { b.takeParentsGo(f, lo, hi, 0) }

func (b *batch) fillKnown(f *filler, rows knownRows) { b.fillKnownGo(f, rows) }

func (*scanner) closeEntries(table, places []uint64) { closeEntriesGo(table, places) }

func (s *scanner) scan(b *batch, tuples, _ []engine.Edge) (ok bool) {
	return s.scanGo(b.table, b.words, tuples)
}

func (r *relaxer) relax(rows []row, tuples engine.Tuples, _ []engine.Edge) (done int) {
	if !r.relaxGo(rows, tuples) {
		return 0
	}
	return len(tuples.Edges)
}

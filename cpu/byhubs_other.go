//go:build !amd64 || noasm

package cpu

import (
	"graph500/engine"
	"graph500/graph"
	"graph500/vector"
)

// hubHits is hubHitsGo.
func (s *byHubs) hubHits(hits []uint64, hubs []uint16) { s.hubHitsGo(hits, hubs) }

// failingRows is failingRowsGo.
func (s *byHubs) failingRows(list *rowList, runs []graph.Run, first, row uint32, n int) int {
	return s.failingRowsGo(list, runs, first, row, n)
}

// tryNext is tryNextGo.
func (s *byHubs) tryNext(l *denseLists, n int, parents []engine.Label) int {
	return s.tryNextGo(l, n, parents)
}

// tryRows is tryRowsGo.
func (s *byHubs) tryRows(l *denseLists, n int, lists []uint32, set rowSet) (hits, rest int) {
	return s.tryRowsGo(l, n, lists, set)
}

// tryFurther is tryFurtherGo.
func (s *byHubs) tryFurther(l *denseLists, n int, lists []uint32) (hits, rest int) {
	return s.tryFurtherGo(l, n, lists)
}

// unvisited is unvisitedGo.
func unvisited[T uint16 | uint32](_ vector.Form, to []uint32, list []T, bitmap []uint64, flag uint32) int {
	return unvisitedGo(to, list, bitmap, flag)
}

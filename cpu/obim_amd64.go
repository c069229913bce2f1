//go:build !noasm

package cpu

import (
	"unsafe"

	"graph500/graph"
	"graph500/vector"
)

// improving is improvingGo in the chosen form. The row is not empty.
func (s *obim) improving(row []graph.Arc, length uint32, list *improvingList) (n int) {
	switch s.form {
	case vector.AVX512:
		return improving512(&row[0], len(row), &s.paths[0], length, list)
	case vector.AVX2:
		whole := len(row) &^ 7
		if whole > 0 {
			n = improving256(&row[0], whole, &s.paths[0], length, list, s.lanes)
		}
		return improvingGo(row, whole, s.paths, length, list, n)
	}
	return improvingGo(row, 0, s.paths, length, list, 0)
}

// improving512 is improvingGo for 16 arcs at a time.
//
//go:noescape
func improving512(row *graph.Arc, arcs int, paths *uint64, length uint32, list *improvingList) int

// improving256 is improvingGo for eight arcs at a time. The number of arcs is a multiple of eight.
//
//go:noescape
func improving256(row *graph.Arc, arcs int, paths *uint64, length uint32, list *improvingList, lanes *laneTables) int

// prefetch begins to load the cache line of an address, which need not be valid.
//
//go:noescape
func prefetch(address unsafe.Pointer)

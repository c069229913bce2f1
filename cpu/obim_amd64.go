//go:build !noasm

package cpu

import (
	"unsafe"

	"graph500/graph"
)

// improving is improvingGo. The row is not empty.
func improving(row []graph.Arc, paths tentative, length uint32, list *improvingList) int {
	return improving512(&row[0], len(row), &paths[0], length, list)
}

// improving512 is improvingGo for 16 arcs at a time.
//
//go:noescape
func improving512(row *graph.Arc, arcs int, paths *uint64, length uint32, list *improvingList) int

// prefetch begins to load the cache line of an address, which need not be valid.
//
//go:noescape
func prefetch(address unsafe.Pointer)

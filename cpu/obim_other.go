//go:build !amd64 || noasm

package cpu

import (
	"unsafe"

	"graph500/graph"
)

// improving is improvingGo: this build has no vector forms.
func improving(row []graph.Arc, paths tentative, length uint32, list *improvingList) int {
	return improvingGo(row, paths, length, list)
}

// prefetch does nothing: this build has no assembly.
func prefetch(unsafe.Pointer) {}

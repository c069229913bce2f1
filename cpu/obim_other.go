//go:build !amd64 || noasm

package cpu

import (
	"unsafe"

	"graph500/graph"
)

// improving is improvingGo: this build has no vector forms.
func (s *obim) improving(row []graph.Arc, length uint32, list *improvingList) int {
	return improvingGo(row, 0, s.paths, length, list, 0)
}

// prefetch does nothing: this build has no assembly.
func prefetch(unsafe.Pointer) {}

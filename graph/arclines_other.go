//go:build !amd64 || noasm

package graph

import (
	"unsafe"

	"graph500/engine"
	"graph500/vector"
)

// collectVectors returns 0: there are no vectors.
func collectVectors(vector.Form, *collectArgs, []engine.Edge) int { return 0 }

func storeLine(to, line unsafe.Pointer) { *(*[4 * lineWords]byte)(to) = *(*[4 * lineWords]byte)(line) }

func finishLines() {}

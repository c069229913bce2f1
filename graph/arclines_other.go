//go:build !amd64 || noasm

package graph

import (
	"graph500/engine"
	"graph500/vector"
)

// collectVectors returns 0: there are no vectors.
func collectVectors(vector.Form, *collectArgs, []engine.Edge) int { return 0 }

// putVectors returns 0, too.
func putVectors[A packedArc](*arcLines[A], []uint64) int { return 0 }

func finishLines() {}

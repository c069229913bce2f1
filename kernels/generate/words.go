//go:build cuda

package generate

import (
	"unsafe"

	"graph500/device"
	"graph500/engine"
)

// asWords returns tuples as words of 32 bits (Config.words), in the same memory.
func asWords[E engine.Edge | engine.Edge48](tuples []E) []uint32 {
	if cap(tuples) == 0 {
		return nil
	}
	var e E
	words := int(unsafe.Sizeof(e) / 4)
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(tuples))), words*cap(tuples))[:words*len(tuples)]
}

// convertedPiece is the number of tuples that are converted at a time on the host.
const convertedPiece = 1 << 16

// writeEdges copies tuples to words of the device.
func writeEdges(to device.Array[uint32], tuples engine.Tuples, wide bool) error {
	switch {
	case tuples.Wide != nil:
		return to.Write(0, asWords(tuples.Wide))
	case !wide:
		return to.Write(0, asWords(tuples.Edges))
	}
	piece := make([]engine.Edge48, min(convertedPiece, len(tuples.Edges)))
	for at := 0; at < len(tuples.Edges); at += len(piece) {
		part := tuples.Edges[at:min(at+len(piece), len(tuples.Edges))]
		engine.Widen(piece, part)
		if err := to.Write(3*at, asWords(piece[:len(part)])); err != nil {
			return err
		}
	}
	return nil
}

// readEdges copies tuples, from index first on, from words of the device.
func readEdges(from device.Array[uint32], first int, edges []engine.Edge, wide bool) error {
	if !wide {
		return from.Read(2*first, asWords(edges))
	}
	piece := make([]engine.Edge48, min(convertedPiece, len(edges)))
	for at := 0; at < len(edges); at += len(piece) {
		part := edges[at:min(at+len(piece), len(edges))]
		if err := from.Read(3*(first+at), asWords(piece[:len(part)])); err != nil {
			return err
		}
		for i, e := range piece[:len(part)] {
			part[i] = e.Narrow()
		}
	}
	return nil
}

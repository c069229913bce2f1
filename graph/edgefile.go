package graph

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"graph500/engine"
	"graph500/parallel"
)

// edgeSize is the size of a tuple in an edge file, in bytes. The format is that
// of the Graph500 reference (TMPFILE): three little-endian 32-bit words. The first
// two are the low 32 bits of each vertex number. The third holds the high 16 bits
// of both, those of the first vertex in its lower half.
const edgeSize = 12

// EdgeFileSize returns the size in bytes of an uncompressed edge file.
func EdgeFileSize(tuples uint64) uint64 { return tuples * edgeSize }

func packEdges(dst []byte, edges []engine.Edge) {
	for i, e := range edges {
		p := dst[edgeSize*i:][:edgeSize]
		u, v := uint64(e.U), uint64(e.V)
		binary.LittleEndian.PutUint64(p, u&math.MaxUint32|v<<32)
		binary.LittleEndian.PutUint32(p[8:], uint32(u>>32)|uint32(v>>32)<<16)
	}
}

// unpackEdges decodes src into dst, tuples of either width. It returns the number of tuples before
// the first one with an end that is not below vertices, and an error about this end.
func unpackEdges[E engine.Edge | engine.Edge48](dst []E, src []byte, vertices uint64) (good int, err error) {
	switch dst := any(dst).(type) {
	case []engine.Edge:
		for i := range dst {
			low, high := packedWords(src[edgeSize*i:])
			if u, v := packedEnds(low, high); u >= vertices || v >= vertices {
				return i, outsideError(u, v, vertices)
			}
			dst[i] = engine.Edge{U: engine.Label(low), V: engine.Label(low >> 32)}
		}
	case []engine.Edge48:
		for i := range dst {
			low, high := packedWords(src[edgeSize*i:])
			if u, v := packedEnds(low, high); u >= vertices || v >= vertices {
				return i, outsideError(u, v, vertices)
			}
			dst[i] = engine.Edge48{ULow: uint32(low), VLow: uint32(low >> 32), High: high}
		}
	}
	return len(dst), nil
}

// packedWords returns the words of the tuple at the beginning of src: the low ones of both ends, and
// the high one.
func packedWords(src []byte) (low uint64, high uint32) {
	p := src[:edgeSize]
	return binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint32(p[8:])
}

// packedEnds returns the ends of the tuple with these words.
func packedEnds(low uint64, high uint32) (u, v uint64) {
	return low&math.MaxUint32 | uint64(high)&math.MaxUint16<<32, low>>32 | uint64(high)>>16<<32
}

// outsideError returns the error of the first end that is not below vertices.
func outsideError(u, v, vertices uint64) error {
	if u < vertices {
		u = v
	}
	return fmt.Errorf("vertex %d is out of range, the graph has %d vertices", u, vertices)
}

// ReadEdges reads a part of an edge file with tuples of vertices
// 0..vertices-1, in the width of E. The format is the packed format of the Graph500 reference, 12
// bytes per tuple, optionally compressed with gzip, zstd or bzip2. The tuples are
// allocated by memory.Alloc. Errors name the tuple and its offset in the
// uncompressed data.
func ReadEdges[E engine.Edge | engine.Edge48](ctx context.Context, path string, vertices uint64, part Part, team *parallel.Team) ([]E, error) {
	if vertices > 1<<engine.LabelBits {
		return nil, fmt.Errorf("%s: %d vertices do not fit labels of %d bits", path, vertices, engine.LabelBits)
	}
	if err := checkTuples(path, part.All); err != nil {
		return nil, err
	}
	f := &packedFile[E]{
		path: path, kind: "edge file", entry: "edge", size: edgeSize, part: part,
		unpack: func(dst []E, src []byte) (int, error) { return unpackEdges(dst, src, vertices) },
	}
	return f.read(ctx, team)
}

// checkTuples returns an error if a file of tuples cannot be that large.
func checkTuples(path string, tuples uint64) error {
	if tuples > math.MaxInt/edgeSize {
		return fmt.Errorf("%s: a file cannot hold %d tuples", path, tuples)
	}
	return nil
}

package graph

import (
	"context"
	"encoding/binary"
	"fmt"

	"graph500/atomicfile"
	"graph500/engine"
)

// parentSize is the size of an entry of a parents file in bytes. An entry is a
// little-endian int64, -1 for an unvisited vertex.
const parentSize = 8

// parentsFormat is the format of a parents file of a graph with the given number of
// vertices.
func parentsFormat(vertices int) *resultFormat[engine.Label] {
	return &resultFormat[engine.Label]{
		extension: "i64", results: "parents", size: parentSize, encode: encodeParents,
		decode: func(parents []engine.Label, src []byte) (int, error) { return decodeParents(parents, src, vertices) },
	}
}

func encodeParents(dst []byte, parents []engine.Label) {
	for i, p := range parents {
		v := int64(p)
		if p == engine.None {
			v = -1
		}
		binary.LittleEndian.PutUint64(dst[parentSize*i:], uint64(v))
	}
}

func decodeParents(parents []engine.Label, src []byte, vertices int) (good int, err error) {
	for i := range parents {
		p := int64(binary.LittleEndian.Uint64(src[parentSize*i:]))
		switch {
		case p == -1:
			parents[i] = engine.None
		case p < 0 || p >= int64(vertices):
			return i, fmt.Errorf("parent %d is neither -1 nor one of the %d vertices", p, vertices)
		default:
			parents[i] = engine.Label(p)
		}
	}
	return len(parents), nil
}

// CheckParentsDir creates the directory if it is missing. It returns an error if
// the parents files of a run cannot be written there: if it is not writable, has
// too little space or already holds parents or distances files. files is the number of
// searches.
func CheckParentsDir(dir string, vertices uint64, files int) error {
	return checkResultDir(dir, parentSize, vertices, files)
}

// WriteParents writes the parents of search number index to the file
// DIR/<index>-<root>.i64, one entry per vertex. All ranks write it together, each the
// parents of its own vertices. The file appears when it is complete. After an error or the
// end of ctx, no file remains.
func WriteParents(ctx context.Context, ranks atomicfile.Ranks, dir string, index int, root engine.Vertex, own Part, parents []engine.Label) error {
	return parentsFormat(int(own.All)).write(ctx, ranks, dir, index, root, own, parents)
}

// CheckParentsFile returns an error if path is not a regular file with the size
// of the parents of the given number of vertices; -1 means an unknown number.
func CheckParentsFile(path string, vertices int64) error {
	return parentsFormat(0).check(path, vertices)
}

// ReadParents reads a parents file into dst, which has one entry per vertex of
// the graph. Errors name the entry, whose index is the vertex.
func ReadParents(path string, dst []engine.Label) error {
	return parentsFormat(len(dst)).read(path, dst)
}

package graph

import (
	"context"
	"encoding/binary"
	"math"

	"graph500/atomicfile"
	"graph500/engine"
)

// distanceSize is the size of an entry of a distances file in bytes. An entry is a
// little-endian float32, engine.Unreached for an unvisited vertex.
const distanceSize = 4

func distancesFormat() *resultFormat[float32] {
	return &resultFormat[float32]{
		extension: "f32", results: "distances", size: distanceSize, encode: encodeDistances, decode: decodeDistances,
	}
}

func encodeDistances(dst []byte, distances []float32) {
	for i, d := range distances {
		binary.LittleEndian.PutUint32(dst[distanceSize*i:], math.Float32bits(d))
	}
}

func decodeDistances(distances []float32, src []byte) (good int, err error) {
	for i := range distances {
		distances[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[distanceSize*i:]))
	}
	return len(distances), nil
}

// CheckSSSPDir is CheckParentsDir for the parents and distances files of SSSP.
func CheckSSSPDir(dir string, vertices uint64, files int) error {
	return checkResultDir(dir, parentSize+distanceSize, vertices, files)
}

// WriteDistances is WriteParents for the distances and the file DIR/<index>-<root>.f32.
func WriteDistances(ctx context.Context, ranks atomicfile.Ranks, dir string, index int, root engine.Vertex, own Part, distances []float32) error {
	return distancesFormat().write(ctx, ranks, dir, index, root, own, distances)
}

// CheckDistancesFile is CheckParentsFile for a distances file.
func CheckDistancesFile(path string, vertices int64) error {
	return distancesFormat().check(path, vertices)
}

// ReadDistances reads a distances file into dst, which has one entry per vertex of
// the graph. It accepts all values: the rules of validation judge them.
func ReadDistances(path string, dst []float32) error {
	return distancesFormat().read(path, dst)
}

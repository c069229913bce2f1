package graph

import (
	"context"
	"encoding/binary"
	"math"

	"graph500/atomicfile"
	"graph500/engine"
)

// A Distance is an entry of a distances file, little-endian: a float32 in a file .f32, with
// engine.Unreached for an unvisited vertex, or with engine.Job.Integers a uint64 in a file .u64, with
// engine.UnreachedExact.
type Distance interface{ float32 | uint64 }

// Names of the extensions of distances files.
const (
	FloatDistances   = ".f32"
	IntegerDistances = ".u64"
)

func distancesFormat[D Distance]() *resultFormat[D] {
	f := &resultFormat[D]{results: "distances"}
	switch f := any(f).(type) {
	case *resultFormat[float32]:
		f.extension, f.size, f.encode, f.decode = FloatDistances[1:], 4, encodeFloats, decodeFloats
	case *resultFormat[uint64]:
		f.extension, f.size, f.encode, f.decode = IntegerDistances[1:], 8, encodeIntegers, decodeIntegers
	}
	return f
}

func encodeFloats(dst []byte, distances []float32) {
	for i, d := range distances {
		binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(d))
	}
}

func decodeFloats(distances []float32, src []byte) (good int, err error) {
	for i := range distances {
		distances[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
	}
	return len(distances), nil
}

func encodeIntegers(dst []byte, distances []uint64) {
	for i, d := range distances {
		binary.LittleEndian.PutUint64(dst[8*i:], d)
	}
}

func decodeIntegers(distances []uint64, src []byte) (good int, err error) {
	for i := range distances {
		distances[i] = binary.LittleEndian.Uint64(src[8*i:])
	}
	return len(distances), nil
}

// CheckSSSPDir is CheckParentsDir for the parents and distances files of SSSP.
func CheckSSSPDir[D Distance](dir string, vertices uint64, files int) error {
	return checkResultDir(dir, parentSize+distancesFormat[D]().size, vertices, files)
}

// WriteDistances is WriteParents for the distances and the file DIR/<index>-<root>.f32 or .u64.
func WriteDistances[D Distance](ctx context.Context, ranks atomicfile.Ranks, dir string, index int, root engine.Vertex, own Part, distances []D) error {
	return distancesFormat[D]().write(ctx, ranks, dir, index, root, own, distances)
}

// CheckDistancesFile is CheckParentsFile for a distances file.
func CheckDistancesFile[D Distance](path string, vertices int64) error {
	return distancesFormat[D]().check(path, vertices)
}

// ReadDistances reads a distances file into dst, which has one entry per vertex of
// the graph. It accepts all values: the rules of validation judge them.
func ReadDistances[D Distance](path string, dst []D) error {
	return distancesFormat[D]().read(path, dst)
}

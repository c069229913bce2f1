package graph

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"

	"graph500/parallel"
)

// weightSize is the size of an entry of a weights file in bytes. The format is that
// of the Graph500 reference: a little-endian float32 for each tuple.
const weightSize = 4

// WeightsPath returns the path of the weights file beside an edge file: FILE.weights
// beside FILE, and FILE.weights.zst beside FILE.zst. The extensions of gzip and
// bzip2 move to the end, too.
func WeightsPath(edges string) string {
	ext := filepath.Ext(edges)
	if compressionOf(ext) == "" {
		ext = ""
	}
	return strings.TrimSuffix(edges, ext) + ".weights" + ext
}

// packWeights encodes weights into dst.
func packWeights(dst []byte, weights []float32) {
	for i, w := range weights {
		binary.LittleEndian.PutUint32(dst[weightSize*i:], math.Float32bits(w))
	}
}

// unpackWeights decodes src into dst. It returns the number of weights before the
// first one that is not in [0, 1], and an error about that one. It replaces -0 by 0.
func unpackWeights(dst []float32, src []byte) (good int, err error) {
	const one, minusZero = 0x3f800000, 0x80000000
	for i := range dst {
		b := binary.LittleEndian.Uint32(src[weightSize*i:])
		if b > one { // as unsigned numbers, bits grow with the value; then come NaN and negative values
			if b != minusZero {
				return i, fmt.Errorf("%v is not in [0, 1]", math.Float32frombits(b))
			}
			b = 0
		}
		dst[i] = math.Float32frombits(b)
	}
	return len(dst), nil
}

// ReadWeights reads the weights of a part of the tuples, each in [0, 1]. The
// file has a little-endian float32 per tuple, optionally compressed with gzip, zstd
// or bzip2. The weights are allocated by memory.Alloc. Errors name the tuple and
// its offset in the uncompressed data.
func ReadWeights(ctx context.Context, path string, part Part, team *parallel.Team) ([]float32, error) {
	if err := checkTuples(path, part.All); err != nil {
		return nil, err
	}
	f := &packedFile[float32]{path: path, kind: "weights file", entry: "weight", size: weightSize, part: part, unpack: unpackWeights}
	weights, err := f.read(ctx, team)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w: the weights of an edge file are in a file beside it", path, fs.ErrNotExist)
	}
	return weights, err
}

package graph

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

// IsPacked reports whether a file can be an uncompressed edge file: it has the size of tuples,
// bytes that text does not have, and no other format that is known.
func IsPacked(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || info.Size()%edgeSize != 0 {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, 1<<12)
	n, err := io.ReadFull(f, begin)
	if err != nil && err != io.ErrUnexpectedEOF {
		return false
	}
	begin = begin[:n]
	known := slices.Contains([]string{".sg", ".wsg", ".mtx"}, extensionOf(path)) || isGalois(begin) || isTar(begin) ||
		slices.ContainsFunc(signatures, func(s signature) bool { return bytes.HasPrefix(begin, []byte(s.bytes)) })
	return bytes.IndexByte(begin, 0) >= 0 && !known
}

// ReadPacked reads a whole edge file, with the weights file beside it if there is one. The
// graph has the given number of vertices, or those up to the largest label if it is 0.
func ReadPacked(ctx context.Context, path string, vertices uint64, team *parallel.Team) (f *File, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	f = &File{Vertices: vertices}
	most := vertices
	if most == 0 {
		most = uint64(maxVertex) + 1
	}
	whole := Whole(uint64(info.Size()) / edgeSize)
	if f.Tuples, err = ReadEdges[engine.Edge](ctx, path, most, whole, team); err != nil {
		return nil, err
	}
	if _, statErr := os.Stat(WeightsPath(path)); statErr == nil {
		if f.Weights, err = ReadWeights(ctx, WeightsPath(path), whole, team); err != nil {
			return nil, errors.Join(err, memory.Free(f.Tuples))
		}
	}
	for _, e := range f.Tuples {
		f.Vertices = max(f.Vertices, uint64(max(e.U, e.V))+1)
	}
	return f, nil
}

// Unconnected returns a vertex without an edge, if there is one.
func (f *File) Unconnected(ctx context.Context) (v engine.Label, found bool, err error) {
	words, err := memory.Alloc[uint64](int((f.Vertices + 63) / 64))
	if err != nil {
		return 0, false, err
	}
	defer func() { err = errors.Join(err, memory.Free(words)) }()
	for _, e := range f.Tuples {
		words[e.U/64] |= 1 << (e.U % 64)
		words[e.V/64] |= 1 << (e.V % 64)
	}
	for v := range f.Vertices {
		if words[v/64]>>(v%64)&1 == 0 {
			return engine.Label(v), true, nil
		}
	}
	return 0, false, nil
}

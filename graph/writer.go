package graph

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"graph500/atomicfile"
	"graph500/engine"
	"graph500/memory"
)

// writers write a graph, by the extension of the file.
var writers = map[string]func(ctx context.Context, out io.Writer, f *File) error{
	".mtx": writeMatrix,
	".txt": writeList, ".tsv": writeList, ".el": writeList, ".wel": writeList,
	".sg":  func(ctx context.Context, out io.Writer, f *File) error { return writeGAP(ctx, out, f, false) },
	".wsg": func(ctx context.Context, out io.Writer, f *File) error { return writeGAP(ctx, out, f, true) },
}

// CanWrite reports whether Write knows the format of a file of this name.
func CanWrite(path string) bool { return writers[extensionOf(path)] != nil }

// Write writes a graph to a file in the format of its extension: Matrix Market (.mtx), a text
// edge list (.txt, .tsv, .el, .wel), or GAP (.sg, .wsg); .gz or .zst behind it compresses. The
// weights are written if there are any, except to .sg. The file appears when it is complete.
func Write(ctx context.Context, path string, f *File) error {
	file, err := atomicfile.Create(ctx, path, 0)
	if err != nil {
		return err
	}
	defer file.Discard()
	buffered := bufio.NewWriterSize(file, 1<<18)
	out, err := compress(buffered, compressionOf(filepath.Ext(path)))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := writers[extensionOf(path)](ctx, out, f); err != nil {
		return file.Fail(err)
	}
	if err := out.Close(); err != nil {
		return file.Fail(err)
	}
	if err := buffered.Flush(); err != nil {
		return file.Fail(err)
	}
	return atomicfile.Commit(file)
}

// compress returns a writer that compresses to out in a format, "" for none.
func compress(out io.Writer, format string) (io.WriteCloser, error) {
	switch format {
	case gzipFormat:
		return gzip.NewWriter(out), nil
	case zstdFormat:
		return zstd.NewWriter(out)
	case "":
		return plainWriter{out}, nil
	}
	return nil, fmt.Errorf("%s is read, but not written: choose .gz or .zst", format)
}

// plainWriter is a writer that needs no end.
type plainWriter struct{ io.Writer }

func (plainWriter) Close() error { return nil }

// writeMatrix writes a Matrix Market file: symmetric with the lower triangle, or general if
// the graph came from directed entries.
func writeMatrix(ctx context.Context, out io.Writer, f *File) error {
	field, symmetry := "pattern", "symmetric"
	if f.Weights != nil {
		field = "real"
	}
	if f.Symmetrised {
		symmetry = "general"
	}
	head := fmt.Sprintf("%s matrix coordinate %s %s\n%d %d %d\n", matrixBanner, field, symmetry, f.Vertices, f.Vertices, len(f.Tuples))
	return f.writeLines(ctx, out, head, ' ', 1, !f.Symmetrised)
}

// writeList writes an edge list with the comment of SNAP that states the sizes.
func writeList(ctx context.Context, out io.Writer, f *File) error {
	return f.writeLines(ctx, out, fmt.Sprintf("# Nodes: %d Edges: %d\n", f.Vertices, len(f.Tuples)), '\t', 0, false)
}

// writeLines writes head and a line for each tuple, with vertices that count from first, and
// the larger one before the smaller one if lower is true.
func (f *File) writeLines(ctx context.Context, out io.Writer, head string, separator byte, first uint64, lower bool) error {
	text := []byte(head)
	for i, e := range f.Tuples {
		if lower && e.U < e.V {
			e.U, e.V = e.V, e.U
		}
		text = strconv.AppendUint(text, uint64(e.U)+first, 10)
		text = append(text, separator)
		text = strconv.AppendUint(text, uint64(e.V)+first, 10)
		if f.Weights != nil {
			text = append(text, separator)
			text = strconv.AppendFloat(text, float64(f.Weights[i]), 'g', -1, 32)
		}
		if text = append(text, '\n'); len(text) < 1<<16 && i < len(f.Tuples)-1 {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if _, err := out.Write(text); err != nil {
			return err
		}
		text = text[:0]
	}
	return nil
}

// writeGAP writes an undirected graph of the GAP benchmark suite, with each edge in the rows of both ends and a self loop
// once in its row, by growing neighbours. It takes 8 bytes per vertex and 16 per edge.
func writeGAP(ctx context.Context, out io.Writer, f *File, weighted bool) (err error) {
	if f.Vertices > math.MaxInt32 {
		return fmt.Errorf("%d vertices, this format has numbers up to %d", f.Vertices, math.MaxInt32)
	}
	if weighted && f.Weights == nil {
		return fmt.Errorf("the graph has no weights: choose .sg")
	}
	starts, arcs, err := f.gapRows(weighted)
	if err != nil {
		return err
	}
	defer func() {
		if freeErr := memory.Free(starts); err == nil {
			err = freeErr
		}
		if freeErr := memory.Free(arcs); err == nil {
			err = freeErr
		}
	}()
	head := binary.LittleEndian.AppendUint64([]byte{0}, uint64(len(arcs)))
	if _, err := out.Write(binary.LittleEndian.AppendUint64(head, f.Vertices)); err != nil {
		return err
	}
	if err := writeWords(ctx, out, starts, binary.LittleEndian.AppendUint64); err != nil {
		return err
	}
	return writeWords(ctx, out, arcs, func(dst []byte, arc uint64) []byte {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(arc>>32))
		if weighted {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(arc))
		}
		return dst
	})
}

// gapRows returns the offsets of the rows and the arcs: the neighbour in the upper half of a
// word, its weight in the lower one.
func (f *File) gapRows(weighted bool) (starts, arcs []uint64, err error) {
	if starts, err = memory.Alloc[uint64](int(f.Vertices) + 1); err != nil {
		return nil, nil, err
	}
	n := uint64(0)
	for _, e := range f.Tuples {
		starts[e.U]++
		n++
		if e.U != e.V {
			starts[e.V]++
			n++
		}
	}
	for v, sum := 0, uint64(0); v < len(starts); v++ { // ends of the rows; filling turns them into starts
		sum += starts[v]
		starts[v] = sum
	}
	if arcs, err = memory.Alloc[uint64](int(n)); err != nil {
		return nil, nil, err
	}
	for i, e := range f.Tuples {
		weight := uint64(0)
		if weighted {
			w := f.Weights[i]
			if weight = uint64(w); w >= math.MaxInt32 || float32(weight) != w {
				err := fmt.Errorf("weight %g is not a whole number below %d, as this format needs: choose .sg or another format", w, math.MaxInt32)
				return nil, nil, errors.Join(err, memory.Free(starts), memory.Free(arcs))
			}
		}
		starts[e.U]--
		arcs[starts[e.U]] = uint64(e.V)<<32 | weight
		if e.U != e.V {
			starts[e.V]--
			arcs[starts[e.V]] = uint64(e.U)<<32 | weight
		}
	}
	for v := range f.Vertices {
		slices.Sort(arcs[starts[v]:starts[v+1]])
	}
	return starts, arcs, nil
}

// writeWords writes the words that appended encodes, piece by piece.
func writeWords(ctx context.Context, out io.Writer, words []uint64, appended func(dst []byte, word uint64) []byte) error {
	var buf []byte
	for part := range slices.Chunk(words, 1<<13) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		buf = buf[:0]
		for _, w := range part {
			buf = appended(buf, w)
		}
		if _, err := out.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

// Free frees the tuples of the file.
func (f *File) Free() error {
	err := memory.Free(f.Tuples)
	if freeErr := memory.Free(f.Weights); err == nil {
		err = freeErr
	}
	f.Tuples, f.Weights = []engine.Edge(nil), nil
	return err
}

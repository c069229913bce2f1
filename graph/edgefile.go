package graph

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/exp/mmap"

	"graph500/atomicfile"
	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

// packedSize is the size of a tuple in an edge file, in bytes. The format is that
// of the Graph500 reference (TMPFILE): three little-endian 32-bit words. The first
// two are the low 32 bits of each vertex number. The third holds the high 16 bits
// of both, those of the first vertex in its lower half.
const packedSize = 12

// EdgeFileSize returns the size in bytes of an uncompressed edge file.
func EdgeFileSize(tuples uint64) uint64 { return tuples * packedSize }

// packedBatch is the number of tuples that are encoded or decoded at a time:
// 768 KiB of file.
const packedBatch = 1 << 16

func packEdges(dst []byte, edges []engine.Edge) {
	for i, e := range edges {
		p := dst[packedSize*i:][:packedSize]
		u, v := uint64(e.U), uint64(e.V)
		binary.LittleEndian.PutUint64(p, u&math.MaxUint32|v<<32)
		binary.LittleEndian.PutUint32(p[8:], uint32(u>>32)|uint32(v>>32)<<16)
	}
}

// unpackEdges decodes src into dst. It returns the index of the first tuple with
// an end that is not below vertices, and this end; or len(dst) and 0.
func unpackEdges(dst []engine.Edge, src []byte, vertices uint64) (bad int, end uint64) {
	for i := range dst {
		p := src[packedSize*i:][:packedSize]
		low := binary.LittleEndian.Uint64(p)
		high := uint64(binary.LittleEndian.Uint32(p[8:]))
		u, v := low&math.MaxUint32|high&math.MaxUint16<<32, low>>32|high>>16<<32
		if u >= vertices {
			return i, u
		}
		if v >= vertices {
			return i, v
		}
		dst[i] = engine.Edge{U: engine.Local(u), V: engine.Local(v)}
	}
	return len(dst), 0
}

// ReadEdges reads an edge file with the given number of tuples of vertices
// 0..vertices-1. The format is the packed format of the Graph500 reference, 12
// bytes per tuple, optionally compressed with gzip, zstd or bzip2. The tuples are
// allocated by memory.Alloc. Errors name the tuple and its offset in the
// uncompressed data.
func ReadEdges(ctx context.Context, path string, vertices, tuples uint64, team *parallel.Team) ([]engine.Edge, error) {
	if vertices > 1<<engine.LocalBits {
		return nil, fmt.Errorf("%s: %d vertices do not fit labels of %d bits", path, vertices, engine.LocalBits)
	}
	if tuples > math.MaxInt/packedSize {
		return nil, fmt.Errorf("%s: a file cannot hold %d tuples", path, tuples)
	}
	f := &edgeFile{path: path, vertices: vertices, tuples: int(tuples)}
	if compressionOf(filepath.Ext(path)) != "" {
		return f.decompress(ctx)
	}
	return f.load(ctx, team)
}

// edgeFile describes an edge file to read.
type edgeFile struct {
	path     string
	vertices uint64
	tuples   int
}

// load reads an uncompressed file with all workers.
func (f *edgeFile) load(ctx context.Context, team *parallel.Team) ([]engine.Edge, error) {
	info, err := os.Stat(f.path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is not a regular file", f.path)
	}
	if want := int64(f.tuples) * packedSize; info.Size() != want {
		// The size is tested first, because tuples can begin with any bytes.
		if compressed, err := isCompressed(f.path); err != nil {
			return nil, err
		} else if compressed {
			return f.decompress(ctx)
		}
		return nil, fmt.Errorf("%s: has %d bytes, the edge file of %d tuples has %d", f.path, info.Size(), f.tuples, want)
	}
	m, err := mmap.Open(f.path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, atomicfile.Cause(err))
	}
	defer m.Close()
	dst, err := memory.Alloc[engine.Edge](f.tuples)
	if err != nil {
		return nil, err
	}
	if err := f.unpack(ctx, m, dst, team); err != nil {
		return nil, errors.Join(err, memory.Free(dst))
	}
	return dst, nil
}

// isCompressed examines the first bytes of a file. It returns an error if they
// belong to an unsupported format.
func isCompressed(path string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	format, err := formatOf(bufio.NewReader(file), path)
	if err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	return format != "", nil
}

// unpack fills dst. Its error is always about the first bad tuple of the file,
// whichever worker finds a bad tuple earlier.
func (f *edgeFile) unpack(ctx context.Context, m io.ReaderAt, dst []engine.Edge, team *parallel.Team) error {
	var first atomic.Int64 // smallest index of a bad tuple so far
	var mu sync.Mutex
	var bad error // of tuple first
	first.Store(math.MaxInt64)
	buffers := make([][]byte, team.Size())
	err := team.For(ctx, len(dst), packedBatch, func(worker, lo, hi int) {
		if int64(lo) > first.Load() {
			return
		}
		if buffers[worker] == nil {
			buffers[worker] = make([]byte, packedSize*packedBatch)
		}
		at, err := f.unpackRange(m, dst, lo, hi, buffers[worker])
		if err == nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if int64(at) < first.Load() {
			first.Store(int64(at))
			bad = err
		}
	})
	if err != nil {
		return err
	}
	return bad
}

// unpackRange fills dst[lo:hi]. With an error it returns the index of the bad
// tuple.
func (f *edgeFile) unpackRange(m io.ReaderAt, dst []engine.Edge, lo, hi int, buf []byte) (at int, err error) {
	// A read of a mapped file causes a page fault error if the file was truncated
	// or its disk failed.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch p := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			at, err = lo, fmt.Errorf("%s: cannot be read after offset %d: it was truncated while being read, or its disk failed", f.path, int64(lo)*packedSize)
		default:
			panic(p)
		}
	}()
	buf = buf[:packedSize*(hi-lo)]
	if _, err := m.ReadAt(buf, int64(lo)*packedSize); err != nil {
		return lo, fmt.Errorf("%s: cannot be read after offset %d: %w", f.path, int64(lo)*packedSize, err)
	}
	if i, end := unpackEdges(dst[lo:hi], buf, f.vertices); i < hi-lo {
		return lo + i, f.beyond(lo+i, end)
	}
	return 0, nil
}

// beyond returns the error of a tuple with an end out of range.
func (f *edgeFile) beyond(tuple int, end uint64) error {
	return fmt.Errorf("%s: edge %d at offset %d: vertex %d is out of range, the graph has %d vertices", f.path, tuple, int64(tuple)*packedSize, end, f.vertices)
}

// decompress reads a compressed file.
func (f *edgeFile) decompress(ctx context.Context) ([]engine.Edge, error) {
	s, err := openStream(ctx, f.path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	dst, err := memory.Alloc[engine.Edge](f.tuples)
	if err != nil {
		return nil, err
	}
	if err := f.unpackStream(ctx, s, dst); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, errors.Join(err, memory.Free(dst))
	}
	return dst, nil
}

// unpackStream fills dst from a stream and checks that the stream ends after the
// last tuple.
func (f *edgeFile) unpackStream(ctx context.Context, s *stream, dst []engine.Edge) error {
	size := int64(len(dst)) * packedSize
	buf := make([]byte, packedSize*packedBatch)
	for lo := 0; ; lo += packedBatch {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		offset := int64(lo) * packedSize
		// One byte more than expected detects a stream that is too long.
		want := min(int64(len(buf)), size-offset+1)
		n, err := s.fill(s, buf[:want])
		hi := min(lo+n/packedSize, len(dst))
		if i, end := unpackEdges(dst[lo:hi], buf, f.vertices); i < hi-lo {
			return f.beyond(lo+i, end)
		}
		offset += int64(n)
		switch {
		case offset > size:
			return fmt.Errorf("%s: the uncompressed stream continues at offset %d, after %d tuples", f.path, size, f.tuples)
		case err == io.EOF && offset == size:
			return nil
		case err == io.EOF:
			return fmt.Errorf("%s: ends at offset %d of the uncompressed stream, %d tuples end at %d", f.path, offset, f.tuples, size)
		case err != nil:
			return fmt.Errorf("%s: offset %d of the uncompressed stream: %w", f.path, offset, err)
		}
	}
}

// EdgeWriter writes an edge file in the packed format, which ReadEdges and the
// Graph500 reference can read.
type EdgeWriter struct {
	file    *atomicfile.File
	encoder *zstd.Encoder // nil for an uncompressed file
	out     io.Writer     // encoder or file
	buf     []byte        // encoded tuples, not yet written
	tuples  uint64        // expected number
	written uint64        // tuples passed to Write
	err     error         // first error, or os.ErrClosed after Close
}

// CreateEdges creates an edge file for the given number of tuples. It compresses
// the file with zstd if the name ends in .zst; otherwise it returns an error if
// the disk has too little free space. The file appears under its name when Close
// succeeds. Until then it is a temporary file in the same directory, which Abort,
// the end of ctx and any error remove.
func CreateEdges(ctx context.Context, path string, tuples uint64) (*EdgeWriter, error) {
	if tuples > math.MaxInt64/packedSize {
		return nil, fmt.Errorf("%s: a file cannot hold %d tuples", path, tuples)
	}
	size := tuples * packedSize
	compressed := false
	switch ext := filepath.Ext(path); compressionOf(ext) {
	case zstdFormat:
		compressed = true
		size = 0 // unknown
	case gzipFormat, bzip2Format:
		return nil, fmt.Errorf("%s: an edge file is written plain or as .zst, not as %s", path, strings.ToLower(ext))
	}
	f, err := atomicfile.Create(ctx, path, size)
	if err != nil {
		return nil, err
	}
	w := &EdgeWriter{file: f, out: f, tuples: tuples, buf: make([]byte, 0, packedSize*packedBatch)}
	if compressed {
		// Labels are nearly random, so a window contains no matches. The fastest
		// level compresses as well as the higher ones (to 53 %, measured on random
		// labels of 24 bits). A small window distributes the work evenly to the
		// cores.
		w.encoder, err = zstd.NewWriter(f, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<17), zstd.WithConcurrentBlocks(true))
		if err != nil {
			return nil, f.Fail(err)
		}
		w.out = w.encoder
	}
	return w, nil
}

// Target returns the path of the complete file, with symbolic links resolved.
func (w *EdgeWriter) Target() string { return w.file.Target() }

// Write appends tuples to the file.
func (w *EdgeWriter) Write(edges []engine.Edge) error {
	if w.err == nil && uint64(len(edges)) > w.tuples-w.written {
		w.fail(fmt.Errorf("more than the expected %d tuples", w.tuples))
	}
	for len(edges) > 0 && w.err == nil {
		used := len(w.buf)
		n := min(len(edges), (cap(w.buf)-used)/packedSize)
		w.buf = w.buf[:used+n*packedSize]
		packEdges(w.buf[used:], edges[:n])
		edges = edges[n:]
		w.written += uint64(n)
		if len(w.buf) == cap(w.buf) {
			w.flush()
		}
	}
	return w.err
}

func (w *EdgeWriter) flush() {
	if _, err := w.out.Write(w.buf); err != nil {
		w.fail(err)
	}
	w.buf = w.buf[:0]
}

// Close completes the file under its name. If tuples are missing, it removes the
// file and returns an error.
func (w *EdgeWriter) Close() error {
	if w.err == nil && w.written != w.tuples {
		w.fail(fmt.Errorf("%d of its %d tuples are missing", w.tuples-w.written, w.tuples))
	}
	if w.err == nil {
		w.flush()
	}
	if w.err == nil && w.encoder != nil {
		if err := w.encoder.Close(); err != nil {
			w.fail(err)
		}
	}
	if w.err != nil {
		return w.err
	}
	w.err = atomicfile.Commit(w.file)
	if w.err == nil {
		w.err = fmt.Errorf("%s: %w", w.file.Path(), os.ErrClosed)
		return nil
	}
	return w.err
}

// Abort removes the incomplete file. It has no effect after Close.
func (w *EdgeWriter) Abort() {
	if w.err == nil {
		w.fail(errors.New("aborted"))
	}
}

// fail removes the temporary file and stores err.
func (w *EdgeWriter) fail(err error) {
	if w.encoder != nil {
		w.encoder.Reset(nil) // waits for its goroutines, which write to the file
	}
	w.err = w.file.Fail(err)
}

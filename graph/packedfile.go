package graph

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"golang.org/x/exp/mmap"

	"graph500/atomicfile"
	"graph500/memory"
	"graph500/parallel"
)

// packedFile describes a file to read with an entry of fixed size for each tuple,
// optionally compressed with gzip, zstd or bzip2.
type packedFile[T any] struct {
	path  string
	kind  string // what the file is, such as "edge file"
	entry string // what an entry is, such as "edge"
	size  int    // bytes of an entry
	part  Part   // of the entries, to read

	// unpack decodes src into dst. It returns the number of entries before the
	// first bad one, and what is wrong with that.
	unpack func(dst []T, src []byte) (good int, err error)
}

// packedBatch is the number of entries that are encoded or decoded at a time:
// 768 KiB of an edge file.
const packedBatch = 1 << 16

// read returns the entries of the part, which are allocated by memory.Alloc. Errors name the
// entry and its offset in the uncompressed data.
func (f *packedFile[T]) read(ctx context.Context, team *parallel.Team) ([]T, error) {
	if compressionOf(filepath.Ext(f.path)) != "" {
		return f.decompress(ctx)
	}
	return f.load(ctx, team)
}

// load reads an uncompressed file with all workers.
func (f *packedFile[T]) load(ctx context.Context, team *parallel.Team) ([]T, error) {
	info, err := os.Stat(f.path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is not a regular file", f.path)
	}
	if want := f.offset(f.part.All); info.Size() != want {
		// The size is tested first, because tuples can begin with any bytes.
		if compressed, err := isCompressed(f.path); err != nil {
			return nil, err
		} else if compressed {
			return f.decompress(ctx)
		}
		return nil, fmt.Errorf("%s: has %d bytes, the %s of %d tuples has %d", f.path, info.Size(), f.kind, f.part.All, want)
	}
	m, err := mmap.Open(f.path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, atomicfile.Cause(err))
	}
	defer m.Close()
	dst, err := memory.Alloc[T](int(f.part.Count))
	if err != nil {
		return nil, err
	}
	if err := f.unpackMapped(ctx, m, dst, team); err != nil {
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

// offset returns the offset of an entry in the uncompressed data.
func (f *packedFile[T]) offset(entry uint64) int64 { return int64(entry) * int64(f.size) }

// unpackMapped fills dst. Its error is always about the first bad entry of the
// part, whichever worker finds a bad entry earlier.
func (f *packedFile[T]) unpackMapped(ctx context.Context, m io.ReaderAt, dst []T, team *parallel.Team) error {
	var first atomic.Int64 // smallest index in dst of a bad entry so far
	var mu sync.Mutex
	var bad error // of entry first
	first.Store(math.MaxInt64)
	buffers := make([][]byte, team.Size())
	err := team.For(ctx, len(dst), packedBatch, func(worker, lo, hi int) {
		if int64(lo) > first.Load() {
			return
		}
		if buffers[worker] == nil {
			buffers[worker] = make([]byte, f.size*packedBatch)
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
// entry in dst.
func (f *packedFile[T]) unpackRange(m io.ReaderAt, dst []T, lo, hi int, buf []byte) (at int, err error) {
	// A read of a mapped file causes a page fault error if the file was truncated
	// or its disk failed.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	offset := f.offset(f.part.First + uint64(lo))
	defer func() {
		switch p := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			at, err = lo, fmt.Errorf("%s: cannot be read after offset %d: it was truncated while being read, or its disk failed", f.path, offset)
		default:
			panic(p)
		}
	}()
	buf = buf[:f.size*(hi-lo)]
	if _, err := m.ReadAt(buf, offset); err != nil {
		return lo, fmt.Errorf("%s: cannot be read after offset %d: %w", f.path, offset, err)
	}
	if i, err := f.unpack(dst[lo:hi], buf); err != nil {
		return lo + i, f.bad(f.part.First+uint64(lo+i), err)
	}
	return 0, nil
}

// bad returns the error of a bad entry.
func (f *packedFile[T]) bad(entry uint64, err error) error {
	return fmt.Errorf("%s: %s %d at offset %d: %w", f.path, f.entry, entry, f.offset(entry), err)
}

// decompress reads a compressed file.
func (f *packedFile[T]) decompress(ctx context.Context) ([]T, error) {
	s, err := openStream(ctx, f.path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	dst, err := memory.Alloc[T](int(f.part.Count))
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
// last entry.
func (f *packedFile[T]) unpackStream(ctx context.Context, s *stream, dst []T) error {
	size := f.offset(f.part.All)
	buf := make([]byte, f.size*packedBatch)
	for first := uint64(0); ; first += packedBatch {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		offset := f.offset(first)
		// One byte more than expected detects a stream that is too long.
		want := min(int64(len(buf)), size-offset+1)
		n, err := s.fill(s, buf[:want])
		if err := f.unpackPiece(dst, first, uint64(n/f.size), buf); err != nil {
			return err
		}
		offset += int64(n)
		switch {
		case offset > size:
			return fmt.Errorf("%s: the uncompressed stream continues at offset %d, after %d tuples", f.path, size, f.part.All)
		case err == io.EOF && offset == size:
			if s.trailing() {
				return fmt.Errorf("%s: other bytes follow the end of the %s stream", f.path, s.format)
			}
			return nil
		case err == io.EOF:
			return fmt.Errorf("%s: ends at offset %d of the uncompressed stream, %d tuples end at %d", f.path, offset, f.part.All, size)
		case err != nil:
			return fmt.Errorf("%s: offset %d of the uncompressed stream: %w", f.path, offset, err)
		}
	}
}

// unpackPiece decodes those of count entries from entry first on that belong to the part.
func (f *packedFile[T]) unpackPiece(dst []T, first, count uint64, src []byte) error {
	lo, hi := max(first, f.part.First), min(first+count, f.part.First+f.part.Count)
	if lo >= hi {
		return nil
	}
	i, err := f.unpack(dst[lo-f.part.First:hi-f.part.First], src[f.offset(lo-first):])
	if err != nil {
		return f.bad(lo+uint64(i), err)
	}
	return nil
}

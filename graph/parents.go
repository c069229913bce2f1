package graph

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"regexp"

	"graph500/atomicfile"
	"graph500/engine"
)

// parentSize is the size of an entry of a parents file in bytes. An entry is a
// little-endian int64, -1 for an unvisited vertex.
const parentSize = 8

// parentBatch is the number of entries that are encoded or decoded at a time:
// 512 KiB of file.
const parentBatch = 1 << 16

// parentsName matches the names of parents files: <index>-<root>.i64.
var parentsName = regexp.MustCompile(`^[0-9]+-[0-9]+\.i64$`)

// IsParentsName reports whether name, without a directory, is the name of a
// parents file.
func IsParentsName(name string) bool { return parentsName.MatchString(name) }

// CheckParentsDir creates the directory if it is missing. It returns an error if
// the parents files of a run cannot be written there: if it is not writable, has
// too little space or already holds parents files. files is the number of
// searches.
func CheckParentsDir(dir string, vertices uint64, files int) error {
	if err := atomicfile.MakeDir(dir); err != nil {
		return fmt.Errorf("%s: cannot be created: %w", dir, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("%s: cannot be read: %w", dir, atomicfile.Cause(err))
	}
	for _, e := range entries {
		if IsParentsName(e.Name()) {
			return fmt.Errorf("%s: already holds parents files, such as %s: choose another directory", dir, e.Name())
		}
	}
	if err := atomicfile.Probe(dir, 0); err != nil {
		return fmt.Errorf("%s: cannot be written to: %w", dir, err)
	}
	high, size := bits.Mul64(vertices*parentSize, uint64(files))
	if high != 0 {
		size = 1<<64 - 1
	}
	if err := atomicfile.CheckSpace(dir, size); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	return nil
}

// WriteParents writes the parents of search number index to the file
// DIR/<index>-<root>.i64, one entry per vertex. The file appears when it is
// complete. After an error or the end of ctx, no file remains.
func WriteParents(ctx context.Context, dir string, index int, root engine.Vertex, parents []engine.Local) error {
	path := filepath.Join(dir, fmt.Sprintf("%d-%d.i64", index, root))
	f, err := atomicfile.Create(ctx, path, uint64(len(parents))*parentSize)
	if err != nil {
		return err
	}
	defer f.Discard()
	buf := make([]byte, parentSize*min(len(parents), parentBatch))
	for len(parents) > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n := min(len(parents), parentBatch)
		for i, p := range parents[:n] {
			v := int64(p)
			if p == engine.None {
				v = -1
			}
			binary.LittleEndian.PutUint64(buf[parentSize*i:], uint64(v))
		}
		if _, err := f.Write(buf[:parentSize*n]); err != nil {
			return f.Fail(err)
		}
		parents = parents[n:]
	}
	return atomicfile.Commit(f)
}

// CheckParentsFile returns an error if path is not a regular file with the size
// of the parents of the given number of vertices; -1 means an unknown number.
func CheckParentsFile(path string, vertices int64) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, atomicfile.Cause(err))
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: is not a regular file", path)
	}
	if want := vertices * parentSize; vertices >= 0 && info.Size() != want {
		return fmt.Errorf("%s: has %d bytes, the parents of %d vertices have %d", path, info.Size(), vertices, want)
	}
	return nil
}

// ReadParents reads a parents file into dst, which has one entry per vertex of
// the graph. Errors name the entry, whose index is the vertex.
func ReadParents(path string, dst []engine.Local) error {
	if err := CheckParentsFile(path, int64(len(dst))); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	buf := make([]byte, parentSize*min(len(dst), parentBatch))
	for first := 0; first < len(dst); first += parentBatch {
		part := dst[first:min(first+parentBatch, len(dst))]
		if _, err := io.ReadFull(f, buf[:parentSize*len(part)]); err != nil {
			return fmt.Errorf("%s: cannot be read after entry %d: %w", path, first, atomicfile.Cause(err))
		}
		for i := range part {
			p := int64(binary.LittleEndian.Uint64(buf[parentSize*i:]))
			switch {
			case p == -1:
				part[i] = engine.None
			case p < 0 || p >= int64(len(dst)):
				return fmt.Errorf("%s: entry %d: parent %d is neither -1 nor one of the %d vertices", path, first+i, p, len(dst))
			default:
				part[i] = engine.Local(p)
			}
		}
	}
	return nil
}

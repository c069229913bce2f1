package graph

import (
	"context"
	"fmt"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"regexp"

	"graph500/atomicfile"
	"graph500/engine"
)

// resultFormat describes a file with the results of a search, one entry of fixed
// size per vertex.
type resultFormat[T any] struct {
	extension string
	results   string // what the file holds: "parents" or "distances"
	size      int    // bytes of an entry

	// encode writes entries to dst. decode reads them from src; it returns the
	// number of entries before the first bad one, and what is wrong with that.
	encode func(dst []byte, entries []T)
	decode func(entries []T, src []byte) (good int, err error)
}

// resultBatch is the number of entries that are encoded or decoded at a time:
// 512 KiB of a parents file.
const resultBatch = 1 << 16

// resultName matches the names of parents and distances files,
// <index>-<root>.<extension>.
var resultName = regexp.MustCompile(`^[0-9]+-[0-9]+\.(i64|f32|u64)$`)

// IsParentsName reports whether name, without a directory, is the name of a
// parents file.
func IsParentsName(name string) bool { return resultsNamed(name) == "parents" }

// IsDistancesName reports whether name, without a directory, is the name of a
// distances file.
func IsDistancesName(name string) bool { return resultsNamed(name) == "distances" }

// resultsNamed returns what a file of this name holds, "" if it holds no results.
func resultsNamed(name string) string {
	switch {
	case !resultName.MatchString(name):
		return ""
	case filepath.Ext(name) == ".i64":
		return "parents"
	}
	return "distances"
}

// SSSPDir returns the directory for the results of SSSP in the directory for those
// of BFS.
func SSSPDir(dir string) string { return filepath.Join(dir, "sssp") }

// checkResultDir creates the directory if it is missing. It returns an error if
// the result files of a run cannot be written there: if it is not writable, has
// too little space or already holds result files. entry is the number of bytes of
// a vertex in the files of a search, files is the number of searches.
func checkResultDir(dir string, entry int, vertices uint64, files int) error {
	if err := atomicfile.MakeDir(dir); err != nil {
		return fmt.Errorf("%s: cannot be created: %w", dir, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("%s: cannot be read: %w", dir, atomicfile.Cause(err))
	}
	for _, e := range entries {
		if results := resultsNamed(e.Name()); results != "" {
			return fmt.Errorf("%s: already holds %s files, such as %s: choose another directory", dir, results, e.Name())
		}
	}
	if err := atomicfile.Probe(dir, 0); err != nil {
		return fmt.Errorf("%s: cannot be written to: %w", dir, err)
	}
	high, size := bits.Mul64(vertices*uint64(entry), uint64(files))
	if high != 0 {
		size = 1<<64 - 1
	}
	if err := atomicfile.CheckSpace(dir, size); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	return nil
}

// write writes the results of search number index to the file
// DIR/<index>-<root>.<extension>. All ranks write it together, each its own entries. The
// file appears when it is complete. After an error or the end of ctx, no incomplete file remains.
func (r *resultFormat[T]) write(ctx context.Context, ranks atomicfile.Ranks, dir string, index int, root engine.Vertex, own Part, entries []T) error {
	if uint64(len(entries)) != own.Count {
		return fmt.Errorf("%s: %d entries instead of %d", dir, len(entries), own.Count)
	}
	path := filepath.Join(dir, fmt.Sprintf("%d-%d.%s", index, root, r.extension))
	bytes := own.All * uint64(r.size)
	f, err := atomicfile.CreateShared(ctx, ranks, path, bytes, bytes)
	if err != nil {
		return err
	}
	defer f.Discard()
	out, buf := f.From(own.First*uint64(r.size)), make([]byte, r.size*min(len(entries), resultBatch))
	for len(entries) > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n := min(len(entries), resultBatch)
		r.encode(buf, entries[:n])
		if _, err := out.Write(buf[:r.size*n]); err != nil {
			return f.Fail(err)
		}
		entries = entries[n:]
	}
	return atomicfile.CommitShared(atomicfile.Commit, f)
}

// check returns an error if path is not a regular file with the size of the results
// of the given number of vertices; -1 means an unknown number.
func (r *resultFormat[T]) check(path string, vertices int64) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, atomicfile.Cause(err))
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: is not a regular file", path)
	}
	if want := vertices * int64(r.size); vertices >= 0 && info.Size() != want {
		return fmt.Errorf("%s: has %d bytes, the %s of %d vertices have %d", path, info.Size(), r.results, vertices, want)
	}
	return nil
}

// read reads a file into dst, which has one entry per vertex of the graph. Errors
// name the entry, whose index is the vertex.
func (r *resultFormat[T]) read(path string, dst []T) error {
	if err := r.check(path, int64(len(dst))); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	buf := make([]byte, r.size*min(len(dst), resultBatch))
	for first := 0; first < len(dst); first += resultBatch {
		part := dst[first:min(first+resultBatch, len(dst))]
		if _, err := io.ReadFull(f, buf[:r.size*len(part)]); err != nil {
			return fmt.Errorf("%s: cannot be read after entry %d: %w", path, first, atomicfile.Cause(err))
		}
		if i, err := r.decode(part, buf); err != nil {
			return fmt.Errorf("%s: entry %d: %w", path, first+i, err)
		}
	}
	return nil
}

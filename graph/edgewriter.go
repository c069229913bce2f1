package graph

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"graph500/atomicfile"
	"graph500/engine"
)

// EdgeWriter writes an edge file in the packed format and, for tuples with weights,
// the weights file beside it. ReadEdges, ReadWeights and the Graph500 reference can
// read them. Several ranks write a file together, each its own tuples.
type EdgeWriter struct {
	edges   *packedWriter
	weights *packedWriter // nil for tuples without weights
	target  string        // path of the complete edge file, with symbolic links resolved
	foreign []string      // weights files that must not exist
	own     Part          // tuples of this rank
	written uint64        // tuples passed to Write
	err     error         // first error, or os.ErrClosed after Close
}

// CreateEdges creates an edge file and, for weighted tuples, the weights file of
// WeightsPath. A single rank compresses the files with zstd if the name ends in .zst;
// otherwise there is an error if the disk has too little free space. The files appear
// under their names when Close succeeds. Until then they are temporary files in the
// same directory, which Abort, the end of ctx and any error remove.
//
// All ranks create the file together, each for its own tuples. Those of all ranks are
// the tuples of the file.
//
// An existing edge file is replaced. An existing weights file beside it is an
// error: it would be taken for the weights of the new edges, and the user did not
// name it to be replaced.
func CreateEdges(ctx context.Context, ranks atomicfile.Ranks, path string, own Part, weighted bool) (*EdgeWriter, error) {
	if err := checkTuples(path, own.All); err != nil {
		return nil, err
	}
	switch format := compressionOf(filepath.Ext(path)); {
	case format != "" && format != zstdFormat:
		return nil, fmt.Errorf("%s: an edge file is written plain or as .zst, not as %s", path, strings.ToLower(filepath.Ext(path)))
	case format != "" && ranks.Size() > 1:
		return nil, fmt.Errorf("%s: several ranks do not write a compressed file: name one without %s", path, filepath.Ext(path))
	}
	w := &EdgeWriter{own: own}
	if err := ranks.Agree(ctx, w.checkTarget(ranks, path)); err != nil {
		return nil, err
	}
	var err error
	if weighted {
		if w.weights, err = createPacked(ctx, ranks, WeightsPath(path), weightSize, own, own.All*weightSize); err != nil {
			return nil, err
		}
	}
	if w.edges, err = createPacked(ctx, ranks, path, edgeSize, own, w.besideEdges()); err != nil {
		w.discard()
		return nil, err
	}
	return w, nil
}

// besideEdges returns the bytes that the edge file and the files in its directory need.
func (w *EdgeWriter) besideEdges() uint64 {
	space := w.own.All * edgeSize
	if w.weights != nil && filepath.Dir(w.WeightsTarget()) == filepath.Dir(w.target) {
		space += w.own.All * weightSize
	}
	return space
}

// checkTarget returns an error on rank 0 if the edge file cannot be created.
func (w *EdgeWriter) checkTarget(ranks atomicfile.Ranks, path string) (err error) {
	if ranks.Rank() > 0 {
		return nil
	}
	if w.target, err = atomicfile.Target(path); err != nil {
		return err
	}
	w.foreign = slices.Compact([]string{WeightsPath(path), WeightsPath(w.target)})
	return w.checkForeign()
}

// checkForeign returns an error if there is a weights file that is not of this
// writer.
func (w *EdgeWriter) checkForeign() error {
	for _, path := range w.foreign {
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s: is there already and would be taken for the weights of the new edges: remove it, or choose another edge file", path)
		}
	}
	return nil
}

// Target returns the path of the complete edge file, with symbolic links resolved, on rank
// 0, and nothing on the others.
func (w *EdgeWriter) Target() string { return w.edges.file.Target() }

// WeightsTarget is Target for the weights file. It is empty for tuples without
// weights.
func (w *EdgeWriter) WeightsTarget() string {
	if w.weights == nil {
		return ""
	}
	return w.weights.file.Target()
}

// Write appends tuples to those of this rank in the files. It ignores their weights if the writer was
// not created for weighted tuples.
func (w *EdgeWriter) Write(tuples engine.Tuples) error {
	n := len(tuples.Edges)
	switch {
	case w.err != nil:
		return w.err
	case uint64(n) > w.own.Count-w.written:
		return w.fail(w.edges, fmt.Errorf("more than the expected %d tuples", w.own.Count))
	case w.weights != nil && len(tuples.Weights) != n:
		return w.fail(w.weights, fmt.Errorf("%d weights of %d tuples", len(tuples.Weights), n))
	}
	w.written += uint64(n)
	if err := writePacked(w.edges, tuples.Edges, packEdges); err != nil {
		return w.fail(w.edges, err)
	}
	if w.weights == nil {
		return nil
	}
	if err := writePacked(w.weights, tuples.Weights, packWeights); err != nil {
		return w.fail(w.weights, err)
	}
	return nil
}

// Close completes the files under their names, when all ranks have called it. If tuples
// are missing, it removes the files and returns an error.
func (w *EdgeWriter) Close() error {
	if w.err != nil {
		return w.err
	}
	if w.written != w.own.Count {
		return w.fail(w.edges, fmt.Errorf("%d of its %d tuples are missing", w.own.Count-w.written, w.own.Count))
	}
	var shared []*atomicfile.Shared
	for _, p := range w.files() {
		if err := p.finish(); err != nil {
			return w.fail(p, err)
		}
		shared = append(shared, p.file)
	}
	if w.err = atomicfile.CommitShared(func(files ...*atomicfile.File) error {
		if err := w.checkForeign(); err != nil { // the file may be new
			return err
		}
		return w.commit(files...)
	}, shared...); w.err != nil {
		w.discard()
		return w.err
	}
	w.err = fmt.Errorf("%s: %w", w.edges.file.Path(), os.ErrClosed)
	return nil
}

// commit moves the complete files to their names: the edge file and, if there is one, the
// weights file. The edge file comes first: a program that is killed between the moves
// leaves edges without weights, which ReadWeights reports, and never weights beside older
// edges. If the second move fails, the new edge file is removed, so that no part of the
// pair remains.
func (w *EdgeWriter) commit(files ...*atomicfile.File) error {
	edges, err := files[0].Stat()
	if err != nil {
		return files[0].Fail(err)
	}
	if err = atomicfile.Commit(files...); err == nil || len(files) == 1 {
		return err
	}
	if there, statErr := os.Stat(w.target); statErr == nil && os.SameFile(there, edges) {
		_ = os.Remove(w.target) // without it, the edges remain, but no weights
	}
	return err
}

// files returns the files of the writer that are created.
func (w *EdgeWriter) files() (list []*packedWriter) {
	for _, p := range []*packedWriter{w.edges, w.weights} {
		if p != nil {
			list = append(list, p)
		}
	}
	return list
}

// Abort removes the incomplete files. It has no effect after Close.
func (w *EdgeWriter) Abort() {
	if w.err == nil {
		_ = w.fail(w.edges, errors.New("aborted"))
	}
}

// fail removes the temporary files. It stores and returns the error of one of
// them.
func (w *EdgeWriter) fail(p *packedWriter, err error) error {
	w.discard()
	w.err = p.file.Fail(err)
	return w.err
}

// discard removes the temporary files.
func (w *EdgeWriter) discard() {
	for _, p := range w.files() {
		p.discard()
	}
}

// packedWriter writes a file with an entry of fixed size for each tuple, or a rank's part
// of it.
type packedWriter struct {
	file    *atomicfile.Shared
	encoder *zstd.Encoder // nil for an uncompressed file
	out     io.Writer     // encoder or file
	size    int           // bytes of an entry
	buf     []byte        // encoded entries, not yet written
}

// createPacked creates a file with entries of the given size, those of own from this rank.
// It compresses the file if its name ends in .zst; otherwise there must be space bytes on
// the disk.
func createPacked(ctx context.Context, ranks atomicfile.Ranks, path string, size int, own Part, space uint64) (*packedWriter, error) {
	compress := compressionOf(filepath.Ext(path)) == zstdFormat
	bytes := own.All * uint64(size)
	if compress {
		bytes, space = 0, 0 // unknown
	}
	f, err := atomicfile.CreateShared(ctx, ranks, path, bytes, space)
	if err != nil {
		return nil, err
	}
	p := &packedWriter{file: f, out: f.From(own.First * uint64(size)), size: size, buf: make([]byte, 0, size*packedBatch)}
	if compress {
		// Labels and weights are nearly random, so a window contains no matches. The
		// fastest level compresses as well as the higher ones (to 53 %, measured on
		// random labels of 24 bits). A small window distributes the work evenly to
		// the cores.
		p.encoder, err = zstd.NewWriter(p.out, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<17), zstd.WithConcurrentBlocks(true))
		if err != nil {
			return nil, f.Fail(err)
		}
		p.out = p.encoder
	}
	return p, nil
}

// writePacked appends entries, which pack encodes.
func writePacked[T any](p *packedWriter, entries []T, pack func(dst []byte, entries []T)) error {
	for len(entries) > 0 {
		used := len(p.buf)
		n := min(len(entries), (cap(p.buf)-used)/p.size)
		p.buf = p.buf[:used+n*p.size]
		pack(p.buf[used:], entries[:n])
		entries = entries[n:]
		if len(p.buf) == cap(p.buf) {
			if err := p.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *packedWriter) flush() error {
	_, err := p.out.Write(p.buf)
	p.buf = p.buf[:0]
	return err
}

// finish writes what is left. The file is then ready for atomicfile.Commit.
func (p *packedWriter) finish() error {
	if err := p.flush(); err != nil || p.encoder == nil {
		return err
	}
	return p.encoder.Close()
}

// discard removes the temporary file.
func (p *packedWriter) discard() {
	if p.encoder != nil {
		p.encoder.Reset(nil) // waits for its goroutines, which write to the file
	}
	p.file.Discard()
}

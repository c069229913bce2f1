package graph

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"graph500/engine"
	"graph500/memory"
)

// binaryBatch is the number of bytes of a binary file that are decoded at a time.
const binaryBatch = 1 << 16

// readBytes reads the next n bytes of a binary file in pieces of at most binaryBatch bytes,
// all but the last of which have that length.
func (r *reader) readBytes(ctx context.Context, n uint64, what string, use func(piece []byte) error) error {
	buf := make([]byte, min(n, binaryBatch))
	for n > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		piece := buf[:min(n, binaryBatch)]
		if _, err := r.fill(r.buf, piece); err == io.EOF {
			return fmt.Errorf("%s: ends within the %s", r.path, what)
		} else if err != nil {
			return fmt.Errorf("%s: %w", r.path, err)
		}
		if err := use(piece); err != nil {
			return err
		}
		n -= uint64(len(piece))
	}
	return nil
}

// readWords reads n little-endian words of 64 bits.
func (r *reader) readWords(ctx context.Context, n uint64, what string) ([]uint64, error) {
	if err := r.limit(n, 8); err != nil {
		return nil, err
	}
	words, err := memory.Alloc[uint64](int(n))
	if err != nil {
		return nil, err
	}
	at := 0
	if err := r.readBytes(ctx, 8*n, what, func(piece []byte) error {
		for ; len(piece) > 0; piece = piece[8:] {
			words[at] = binary.LittleEndian.Uint64(piece)
			at++
		}
		return nil
	}); err != nil {
		return nil, errors.Join(err, memory.Free(words))
	}
	return words, nil
}

// limit returns an error if n entries of the given size need more memory than there is.
func (r *reader) limit(n, size uint64) error {
	if n > r.tuples.limit.Bytes/size || n > 1<<56 {
		return fmt.Errorf("%s: %d entries of %d bytes need more memory than is available (%s, %s)", r.path, n, size, memory.Size(r.tuples.limit.Bytes), r.tuples.limit.Source)
	}
	return nil
}

// atEnd returns an error if the file continues.
func (r *reader) atEnd(where string) error {
	switch _, err := r.fill(r.buf, make([]byte, 1)); err {
	case io.EOF:
		return nil
	case nil:
		return fmt.Errorf("%s: continues after %s", r.path, where)
	default:
		return fmt.Errorf("%s: %w", r.path, err)
	}
}

// rows finds the rows of entries that follow each other. ends[i] is the number of
// entries in rows 0 to i.
type rows struct {
	ends []uint64
	row  uint64 // of the next entry
	at   uint64 // number of the next entry
}

// next returns the row of the next entry.
func (r *rows) next() uint64 {
	for r.ends[r.row] <= r.at {
		r.row++
	}
	r.at++
	return r.row
}

// checkRows returns an error if ends are not those of rows with that number of entries.
func (r *reader) checkRows(ends []uint64, entries uint64) error {
	last := uint64(0)
	for v, end := range ends {
		if end < last || end > entries {
			return fmt.Errorf("%s: the neighbours of vertex %d begin at %d and end at %d of %d", r.path, v, last, end, entries)
		}
		last = end
	}
	if last != entries {
		return fmt.Errorf("%s: the neighbours of all vertices end at %d of %d", r.path, last, entries)
	}
	return nil
}

// checkSizes returns an error if a graph cannot have that many vertices or edges.
func (r *reader) checkSizes(vertices, entries uint64) error {
	if vertices > uint64(maxVertex)+1 {
		return fmt.Errorf("%s: %d vertices, at most %d are possible", r.path, vertices, uint64(maxVertex)+1)
	}
	if entries == 0 {
		return fmt.Errorf("%s: no edges", r.path)
	}
	if vertices == 0 {
		return fmt.Errorf("%s: %d edges without vertices", r.path, entries)
	}
	return nil
}

// batch collects tuples of a file that is read sequentially.
type batch struct {
	r      *reader
	tuples engine.Tuples
}

// newBatch returns an empty batch.
func (r *reader) newBatch() *batch {
	const size = 1 << 14
	b := &batch{r: r, tuples: engine.Tuples{Edges: make([]engine.Edge, 0, size)}}
	if r.weighted {
		b.tuples.Weights = make([]float32, 0, size)
	}
	return b
}

// add appends a tuple to those of the reader, with its weight if weights were asked for when
// the batch was made.
func (b *batch) add(e engine.Edge, weight float32) error {
	b.tuples.Edges = append(b.tuples.Edges, e)
	if b.tuples.Weights != nil {
		b.tuples.Weights = append(b.tuples.Weights, weight)
	}
	if len(b.tuples.Edges) < cap(b.tuples.Edges) {
		return nil
	}
	return b.flush()
}

func (b *batch) flush() error {
	if len(b.tuples.Edges) == 0 {
		return nil
	}
	if err := b.r.tuples.add(b.tuples); err != nil {
		return fmt.Errorf("%s: %w", b.r.path, err)
	}
	b.tuples = firstTuples(b.tuples, 0)
	return nil
}

package graph

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"graph500/engine"
	"graph500/memory"
)

// A serialized graph of the GAP benchmark suite (github sbeamer/gapbs, src/writer.h) is a header of 17 bytes, the
// offsets of vertices+1 rows, 8 bytes each, and the neighbours: 4 bytes each (.sg), followed
// by a weight of 4 bytes each (.wsg). All numbers are signed and little-endian. A directed
// graph has a second pair of offsets and neighbours, of the arcs that end at each vertex. An
// undirected one has each edge in the rows of both ends.
const (
	gapHeader   = 17 // directed (1 byte), arcs, vertices
	gapDirected = 1
)

// readGAP reads a file of the GAP benchmark suite.
func (r *reader) readGAP(ctx context.Context, weighted bool) (*File, error) {
	r.weighted = r.weighted && weighted
	var head [gapHeader]byte
	if err := r.readBytes(ctx, gapHeader, "header", func(piece []byte) error { copy(head[:], piece); return nil }); err != nil {
		return nil, err
	}
	arcs, vertices := binary.LittleEndian.Uint64(head[1:]), binary.LittleEndian.Uint64(head[9:])
	if head[0] > gapDirected || arcs > math.MaxInt64 {
		return nil, fmt.Errorf("%s: is not a graph of the GAP benchmark suite, as its name says: its first byte is %d, and its number of arcs %d", r.path, head[0], int64(arcs))
	}
	if err := r.checkSizes(vertices, arcs); err != nil {
		return nil, err
	}
	f := &File{Vertices: vertices, Symmetrised: head[0] == gapDirected}
	var out, in bothEnds
	tuples, heaviest := r.newBatch(), float32(0)
	var rounded uint64
	err := r.gapRows(ctx, vertices, arcs, weighted, func(u, v engine.Label, weight int32) error {
		var w float32
		if r.weighted {
			if weight < 0 {
				return fmt.Errorf("%s: weight %d of the edge from %d to %d is negative", r.path, weight, u, v)
			}
			var err error
			if w, err = r.wholeWeight(uint64(weight), &rounded); err != nil {
				return fmt.Errorf("%s: %w", r.path, err)
			}
		}
		heaviest = max(heaviest, w)
		if !out.add(u, v, float32(weight)) && !f.Symmetrised {
			return nil
		}
		return tuples.add(engine.Edge{U: u, V: v}, w)
	})
	if err == nil && f.Symmetrised {
		err = r.gapRows(ctx, vertices, arcs, weighted, func(v, u engine.Label, weight int32) error {
			in.add(u, v, float32(weight))
			return nil
		})
		if err == nil && in != out {
			err = fmt.Errorf("%s: the arcs that end at the vertices are others than those that begin there", r.path)
		}
	} else if err == nil {
		if err = out.check(); err != nil {
			err = fmt.Errorf("%s: %w", r.path, err)
		}
	}
	if err == nil {
		err = r.atEnd("the neighbours")
	}
	if err == nil {
		err = r.checkHeaviest(heaviest, vertices)
	}
	f.Warnings = roundedWeights(rounded)
	return r.finish(ctx, f, tuples, err)
}

// finish joins the tuples that were read, unless there is an error.
func (r *reader) finish(ctx context.Context, f *File, last *batch, err error) (*File, error) {
	if err == nil {
		err = last.flush()
	}
	if err != nil {
		return nil, err
	}
	joined, err := r.tuples.join(ctx)
	f.Tuples, f.Weights = joined.Edges, joined.Weights
	return f, err
}

// gapRows reads the offsets and the neighbours of all vertices, and calls use for each
// neighbour.
func (r *reader) gapRows(ctx context.Context, vertices, arcs uint64, weighted bool, use func(u, v engine.Label, weight int32) error) error {
	offsets, err := r.readWords(ctx, vertices+1, "offsets")
	if err != nil {
		return err
	}
	defer func() { _ = memory.Free(offsets) }()
	if offsets[0] != 0 {
		return fmt.Errorf("%s: the neighbours of vertex 0 begin at %d", r.path, offsets[0])
	}
	if err := r.checkRows(offsets[1:], arcs); err != nil {
		return err
	}
	size := uint64(4)
	if weighted {
		size = 8
	}
	at := rows{ends: offsets[1:]}
	return r.readBytes(ctx, arcs*size, "neighbours", func(piece []byte) error {
		for ; len(piece) > 0; piece = piece[size:] {
			u, v := at.next(), uint64(binary.LittleEndian.Uint32(piece))
			if v >= vertices {
				return fmt.Errorf("%s: neighbour %d of vertex %d is out of range, the graph has %d vertices", r.path, int32(v), u, vertices)
			}
			weight := int32(0)
			if weighted {
				weight = int32(binary.LittleEndian.Uint32(piece[4:]))
			}
			if err := use(engine.Label(u), engine.Label(v), weight); err != nil {
				return err
			}
		}
		return nil
	})
}

package graph

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"graph500/engine"
	"graph500/memory"
)

// A binary graph of Galois (github IntelligentSoftwareSystems/Galois, libgalois/src/FileGraph.cpp)
// begins with four little-endian words of 64 bits: version, bytes of a weight, vertices, arcs. The ends of the
// rows follow, 8 bytes each, then the neighbours, 4 bytes each in version 1 (with 4 more if
// their number is odd) and 8 in version 2, and the weights. What the weights are is not in
// the file; graph-convert writes unsigned integers unless it is told otherwise.
const galoisHeader = 32

// isGalois reports whether a file begins as a binary graph of Galois.
func isGalois(begin []byte) bool {
	if len(begin) < galoisHeader {
		return false
	}
	version, weight := binary.LittleEndian.Uint64(begin), binary.LittleEndian.Uint64(begin[8:])
	return (version == 1 || version == 2) && slices.Contains([]uint64{0, 4, 8}, weight)
}

// readGalois reads a binary graph of Galois. Its arcs are directed.
func (r *reader) readGalois(ctx context.Context) (*File, error) {
	head, err := r.readWords(ctx, galoisHeader/8, "header")
	if err != nil {
		return nil, err
	}
	version, weightSize, vertices, arcs := head[0], head[1], head[2], head[3]
	if err := memory.Free(head); err != nil {
		return nil, err
	}
	if err := r.checkSizes(vertices, arcs); err != nil {
		return nil, err
	}
	r.weighted = r.weighted && weightSize > 0
	if err := r.tuples.check(arcs, r.weighted); err != nil {
		return nil, fmt.Errorf("%s: %w", r.path, err)
	}
	ends, err := r.readWords(ctx, vertices, "ends of the rows")
	if err != nil {
		return nil, err
	}
	defer func() { _ = memory.Free(ends) }()
	if err := r.checkRows(ends, arcs); err != nil {
		return nil, err
	}
	weighted := r.weighted
	r.weighted = false // the weights follow all neighbours
	tuples := r.newBatch()
	r.weighted = weighted
	if err := r.galoisNeighbours(ctx, rows{ends: ends}, version, arcs, tuples); err != nil {
		return nil, err
	}
	f := &File{Vertices: vertices, Symmetrised: true}
	err = r.galoisWeights(ctx, f, weightSize, arcs)
	if err == nil {
		err = r.atEnd("the weights")
	}
	return r.finish(ctx, f, tuples, err)
}

// galoisNeighbours reads the neighbours of all vertices into tuples.
func (r *reader) galoisNeighbours(ctx context.Context, at rows, version, arcs uint64, tuples *batch) error {
	vertices, size := uint64(len(at.ends)), 4*version
	if err := r.readBytes(ctx, arcs*size, "neighbours", func(piece []byte) error {
		for ; len(piece) > 0; piece = piece[size:] {
			v := uint64(binary.LittleEndian.Uint32(piece))
			if version == 2 {
				v = binary.LittleEndian.Uint64(piece)
			}
			u := at.next()
			if v >= vertices {
				return fmt.Errorf("%s: neighbour %d of vertex %d is out of range, the graph has %d vertices", r.path, v, u, vertices)
			}
			if err := tuples.add(engine.Edge{U: engine.Label(u), V: engine.Label(v)}, 0); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	return r.readBytes(ctx, arcs*size%8, "padding", func([]byte) error { return nil })
}

// galoisWeights reads the weights, as those of the tuples if they are asked for.
func (r *reader) galoisWeights(ctx context.Context, f *File, size, arcs uint64) error {
	var heaviest float32
	var rounded uint64
	var weights []float32
	if err := r.readBytes(ctx, arcs*size, "weights", func(piece []byte) error {
		if !r.weighted {
			return nil
		}
		weights = weights[:0]
		for ; len(piece) > 0; piece = piece[size:] {
			n := uint64(binary.LittleEndian.Uint32(piece))
			if size == 8 {
				n = binary.LittleEndian.Uint64(piece)
			}
			w, err := r.wholeWeight(n, &rounded)
			if err != nil {
				return fmt.Errorf("%s: %w", r.path, err)
			}
			heaviest = max(heaviest, w)
			weights = append(weights, w)
		}
		return r.tuples.weights.add(weights)
	}); err != nil {
		return err
	}
	if r.weighted {
		f.Notes = append(f.Notes, "the weights of a binary graph of Galois are taken as unsigned integers")
	}
	f.Warnings = roundedWeights(rounded)
	return r.checkHeaviest(heaviest, f.Vertices)
}

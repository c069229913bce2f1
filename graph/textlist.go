package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"graph500/engine"
	"graph500/memory"
)

// readList reads a text edge list. Vertices count from 0, the third column is a
// weight or ignored, further columns are ignored, lines that begin with # or % are comments, and there is no header.
// The number of vertices is the largest vertex plus 1 or the number in a SNAP
// comment ("# Nodes: 4"), whichever is larger: many SNAP files skip vertex
// numbers, so that the largest one exceeds the number of vertices.
func (r *lineReader) readList(ctx context.Context) (*File, error) {
	list := &syntax{
		last:     uint64(maxVertex),
		comments: "#%",
		entries:  math.MaxUint64,
		outside: func(number string) error {
			return fmt.Errorf("vertex number %s is too large, the largest is %d", number, maxVertex)
		},
	}
	found, err := r.parse(ctx, list)
	if err != nil {
		return nil, err
	}
	if r.tuples.edges.n == 0 {
		return nil, fmt.Errorf("%s: no edges", r.path)
	}
	if most := uint64(maxVertex) + 1; found.nodes > most {
		return nil, fmt.Errorf("%s: a comment states %d vertices, at most %d are possible", r.path, found.nodes, most)
	}
	vertices := max(uint64(found.largest)+1, found.nodes)
	if err := r.checkHeaviest(found.heaviest, vertices); err != nil {
		return nil, err
	}
	tuples, err := r.tuples.join(ctx)
	if err != nil {
		return nil, err
	}
	if found.nodes == 0 && isHeader(found.head, tuples.Edges[1:]) {
		err := r.errorAt(found.headLine, errors.New("may be a header with the numbers of vertices and edges: put # before it if edges follow, "+
			"put a line \"# Nodes: N\" before it if it is an edge; METIS files, in which neighbours follow, are not read"))
		return nil, errors.Join(err, memory.Free(tuples.Edges), memory.Free(tuples.Weights))
	}
	return &File{
		Vertices:    vertices,
		Tuples:      tuples.Edges,
		Weights:     tuples.Weights,
		Symmetrised: true,
	}, nil
}

// isHeader reports whether the first line of a list, which was parsed as an edge,
// holds the sizes of the rest: "vertices edges" or "rows columns edges". In a
// METIS file with two neighbours per line, the number of edges is also the number
// of lines.
func isHeader(line []byte, edges []engine.Edge) bool {
	var sizes []uint64
	for _, word := range bytes.FieldsFunc(line, func(c rune) bool { return c < 0x80 && strings.ContainsRune(" \t\r\n,", c) }) {
		n, err := strconv.ParseUint(string(word), 10, 64)
		if err != nil {
			return false
		}
		sizes = append(sizes, n)
	}
	last := len(sizes) - 1
	if last < 1 || last > 2 || len(edges) == 0 || sizes[last] != uint64(len(edges)) {
		return false
	}
	first, largest := engine.None, engine.Local(0)
	for _, e := range edges {
		first, largest = min(first, e.U, e.V), max(largest, e.U, e.V)
	}
	// Vertices counted from 1 go up to the number of vertices.
	return slices.Min(sizes[:last]) >= uint64(largest)+1-uint64(min(first, 1))
}

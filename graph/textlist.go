package graph

import (
	"context"
	"fmt"
	"math"
)

// readList reads a text edge list: vertices count from 0, columns after the
// second are ignored, lines that begin with # or % are comments. The number
// of vertices is the largest one plus 1 or what a comment states as SNAP
// does ("# Nodes: 4"), whichever is more: many files of SNAP leave numbers
// out and so have larger ones than vertices.
func (r *lineReader) readList(ctx context.Context) (*File, error) {
	list := &syntax{
		last:     uint64(maxVertex),
		columns:  2,
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
	if r.edges.n == 0 {
		return nil, fmt.Errorf("%s: no edges", r.path)
	}
	if most := uint64(maxVertex) + 1; found.nodes > most {
		return nil, fmt.Errorf("%s: a comment states %d vertices, at most %d are possible", r.path, found.nodes, most)
	}
	tuples, err := r.edges.join(ctx)
	if err != nil {
		return nil, err
	}
	return &File{
		Vertices:    max(uint64(found.largest)+1, found.nodes),
		Tuples:      tuples,
		Symmetrised: true,
	}, nil
}

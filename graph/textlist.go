package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"graph500/memory"
)

// readList reads a text edge list. Vertices count from 0, the third column is a
// weight or ignored, further columns are ignored, lines that begin with # or % are
// comments, as is the end of a line from a column that does so.
//
// The first line may be a header with the sizes, see listHeader. Without it,
// the number of vertices is the largest vertex plus 1 or the number in a SNAP
// comment ("# Nodes: 4"), whichever is larger: many SNAP files skip vertex
// numbers, so that the largest one exceeds the number of vertices. A file of the KONECT
// collection is understood as its first lines say. Beside a list NAME.e of LDBC Graphalytics,
// NAME.v lists the vertices.
func (r *reader) readList(ctx context.Context) (*File, error) {
	list := &syntax{
		last:     uint64(maxVertex),
		comments: "#%",
		entries:  math.MaxUint64,

		wholeWeights: r.integers,
		outside: func(number string) error {
			return fmt.Errorf("vertex number %s is too large, the largest is %d: -renumber numbers the vertices anew", number, maxVertex)
		},
	}
	begin, _ := r.buf.Peek(maxLine)
	k := parseKONECT(begin)
	if k != nil {
		list.first, list.last = 1, list.last+1
		r.weighted = r.weighted && konectWeights[k.weights]
	}
	listed, err := r.listedBeside(ctx, list)
	if err != nil {
		return nil, err
	}
	header, found := r.headerApart(list, begin)
	if found, err = r.parse(ctx, list, found); err != nil {
		return nil, err
	}
	if r.tuples.edges.n == 0 {
		return nil, fmt.Errorf("%s: no edges", r.path)
	}
	if most := uint64(maxVertex) + 1; found.nodes > most {
		return nil, fmt.Errorf("%s: a comment states %d vertices, at most %d are possible", r.path, found.nodes, most)
	}
	tuples, err := r.tuples.join(ctx)
	if err != nil {
		return nil, err
	}
	f := &File{
		Vertices: max(uint64(found.largest)+1, found.nodes, listed), Tuples: tuples.Edges, Weights: tuples.Weights, Symmetrised: true,
		Warnings: append(roundedWeights(found.rounded), missingLines(found.stated, uint64(len(tuples.Edges)))...),
	}
	switch {
	case k != nil:
		if err = k.complete(f, found.largest); err != nil {
			err = fmt.Errorf("%s: %w", r.path, err)
		}
	case listed > 0: // a first line is an edge
	default:
		if header == nil && found.nodes == 0 {
			header = parseListHeader(found.head, found.headLine)
		}
		err = r.applyHeader(ctx, header, f)
	}
	if err == nil {
		err = r.checkHeaviest(found.heaviest, f.Vertices)
	}
	if err != nil {
		return nil, errors.Join(err, memory.Free(f.Tuples), memory.Free(f.Weights))
	}
	return f, nil
}

// applyHeader sets what a header states of a file; nil states nothing.
func (r *reader) applyHeader(ctx context.Context, header *listHeader, f *File) error {
	if header == nil {
		return nil
	}
	if err := header.apply(ctx, f); err != nil {
		return r.errorAt(header.line, err)
	}
	return nil
}

// listedBeside returns the number of vertices up to the largest one in the list of vertices beside a
// list of LDBC Graphalytics; 0 without one.
func (r *reader) listedBeside(ctx context.Context, list *syntax) (vertices uint64, err error) {
	err = r.verticesBeside(ctx, func(id string) error {
		v, err := list.vertex(id)
		vertices = max(vertices, v+1)
		return err
	})
	return vertices, err
}

// missingLines returns the warning about a list of some edges, if a comment of SNAP states
// another number. An undirected graph can have both directions of its edges.
func missingLines(stated, edges uint64) []string {
	if stated == 0 || stated == edges || 2*stated == edges {
		return nil
	}
	return []string{fmt.Sprintf("a comment states %d edges, the file holds %d: it may be incomplete", stated, edges)}
}

// headerApart consumes the lines up to the first one that is no comment, if that is a header
// for sure: if it has another number of whole numbers than the next one. It returns what the
// comments say.
func (r *reader) headerApart(s *syntax, begin []byte) (*listHeader, result) {
	var total result
	var header *listHeader
	consumed := 0
	for line := range bytes.Lines(begin) {
		if line[len(line)-1] != '\n' {
			break
		}
		trimmed := trimBlanks(bytes.TrimRight(line, "\r\n"))
		isData := len(trimmed) > 0 && trimmed[0] != '#' && trimmed[0] != '%'
		if header == nil {
			consumed += len(line)
			total.lines++
			if !isData {
				if _, _, _, _, err := s.other(trimmed, &total); err != nil {
					break
				}
			} else if header = parseListHeader(trimmed, total.lines); header == nil || slices.Min(header.sizes) == 0 {
				break
			}
		} else if isData {
			next := parseListHeader(trimmed, 0)
			if next == nil || len(next.sizes) == len(header.sizes) {
				break
			}
			header.apart = true
			_, _ = io.CopyN(io.Discard, r.buf, int64(consumed))
			r.lines = total.lines
			return header, total
		}
	}
	return nil, result{}
}

package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// isDIMACS reports whether a text begins as a DIMACS file: comments, which begin with c, and
// a line that begins with p.
func isDIMACS(begin []byte) bool {
	for line := range bytes.Lines(begin) {
		words := bytes.Fields(line)
		switch {
		case len(words) == 0 || string(words[0]) == "c":
		default:
			return string(words[0]) == "p"
		}
	}
	return false
}

// readDIMACS reads a file of the 9th DIMACS challenge (shortest paths: "p sp N M", arcs
// "a FROM TO WEIGHT"), or an undirected graph of the 2nd one ("p edge N M", edges
// "e U V"). Vertices count from 1.
func (r *reader) readDIMACS(ctx context.Context) (*File, error) {
	kind, vertices, entries, err := r.dimacsProblem()
	if err != nil {
		return nil, err
	}
	if err := r.checkSizes(vertices, entries); err != nil {
		return nil, err
	}
	s := &syntax{
		first: 1, last: vertices, letter: 'a', matrix: 3, comments: "c", entries: entries, wholeWeights: r.integers,
		outside: func(number string) error {
			return fmt.Errorf("vertex %s is out of range, they are 1..%d", number, vertices)
		},
	}
	if kind != "sp" {
		s.letter, s.matrix, s.comments = 'e', 2, "cn" // n: a property of a vertex
	}
	r.weighted = r.weighted && s.matrix > 2
	if err := r.tuples.check(entries, r.weighted); err != nil {
		return nil, r.errorAt(r.lines, err)
	}
	found, err := r.parse(ctx, s, result{})
	if err != nil {
		return nil, err
	}
	if n := r.tuples.edges.n; n < entries {
		return nil, r.errorAt(r.lines, fmt.Errorf("ends after %d of the %d entries of the header", n, entries))
	}
	if err := r.checkHeaviest(found.heaviest, vertices); err != nil {
		return nil, err
	}
	tuples, err := r.tuples.join(ctx)
	return &File{
		Vertices: vertices, Tuples: tuples.Edges, Weights: tuples.Weights, Symmetrised: kind == "sp",
		Warnings: roundedWeights(found.rounded),
	}, err
}

// dimacsProblem skips comments and reads the line of sizes.
func (r *reader) dimacsProblem() (kind string, vertices, entries uint64, err error) {
	var words []string
	for len(words) == 0 || words[0] == "c" {
		line, err := r.line()
		if err == io.EOF {
			err = fmt.Errorf("%s: no edges", r.path)
		}
		if err != nil {
			return "", 0, 0, err
		}
		words = strings.Fields(string(line))
	}
	refuse := func(why string) (string, uint64, uint64, error) { return "", 0, 0, r.errorAt(r.lines, errors.New(why)) }
	if len(words) != 4 {
		return refuse("the line of sizes of a DIMACS file is \"p KIND VERTICES EDGES\"")
	}
	switch kind = words[1]; kind {
	case "sp", "edge", "col":
	default:
		return refuse(fmt.Sprintf("%s is no kind of DIMACS file that is read: those are sp and edge", quoted(kind)))
	}
	for i, size := range []*uint64{&vertices, &entries} {
		if *size, err = strconv.ParseUint(words[2+i], 10, 64); err != nil {
			return refuse(quoted(words[2+i]) + " is not a size")
		}
	}
	return kind, vertices, entries, nil
}

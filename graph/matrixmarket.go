package graph

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// matrixBanner begins every Matrix Market file (Boisvert, Pozo, Remington:
// The Matrix Market exchange formats, NISTIR 5935, 1996).
const matrixBanner = "%%MatrixMarket"

// isMatrixMarket reports whether the file begins with the banner or has the name
// of a Matrix Market file.
func (r *reader) isMatrixMarket() bool {
	begin, _ := r.buf.Peek(len(matrixBanner))
	if strings.EqualFold(string(begin), matrixBanner) {
		return true
	}
	return extensionOf(r.name) == ".mtx"
}

// readMatrix reads a square sparse matrix as a graph with one edge per entry,
// whose weight is the value. A stored zero is an edge too.
func (r *reader) readMatrix(ctx context.Context) (*File, error) {
	columns, symmetric, err := r.matrixKind()
	if err != nil {
		return nil, err
	}
	r.weighted = r.weighted && columns > 2
	vertices, entries, err := r.matrixSize()
	if err != nil {
		return nil, err
	}
	if entries == 0 {
		return nil, fmt.Errorf("%s: no edges", r.path)
	}
	if err := r.tuples.check(entries, r.weighted); err != nil {
		return nil, r.errorAt(r.lines, err)
	}
	matrix := &syntax{
		first:    1,
		last:     vertices,
		matrix:   columns,
		comments: "%",
		entries:  entries,

		wholeWeights: r.integers,
		outside: func(number string) error {
			if strings.Trim(number, "0") == "" {
				return errors.New("index 0: rows and columns count from 1")
			}
			return fmt.Errorf("index %s is out of range, the matrix has %d rows and columns", number, vertices)
		},
	}
	found, err := r.parse(ctx, matrix, result{})
	if err != nil {
		return nil, err
	}
	if r.tuples.edges.n < entries {
		return nil, r.errorAt(r.lines, fmt.Errorf("ends after %d of the %d entries of the header", r.tuples.edges.n, entries))
	}
	if err := r.checkHeaviest(found.heaviest, vertices); err != nil {
		return nil, err
	}
	tuples, err := r.tuples.join(ctx)
	if err != nil {
		return nil, err
	}
	return &File{
		Vertices: vertices, Tuples: tuples.Edges, Weights: tuples.Weights, Symmetrised: !symmetric,
		Warnings: roundedWeights(found.rounded),
	}, nil
}

// matrixKind reads the first line. It returns the number of columns of an entry's
// line, and whether the matrix is symmetric, skew-symmetric or hermitian.
func (r *reader) matrixKind() (columns int, symmetric bool, err error) {
	line, err := r.line()
	if err == io.EOF {
		return 0, false, fmt.Errorf("%s: no edges: the file is empty", r.path)
	}
	if err != nil {
		return 0, false, err
	}
	refuse := func(format string, args ...any) (int, bool, error) {
		return 0, false, r.errorAt(r.lines, fmt.Errorf(format, args...))
	}
	words := strings.Fields(strings.ToLower(string(line)))
	if len(words) != 5 || words[0] != strings.ToLower(matrixBanner) {
		return refuse("a Matrix Market file begins with %q, this one with %s", matrixBanner+" matrix coordinate FIELD SYMMETRY", quoted(string(line)))
	}
	object, format, field, symmetry := words[1], words[2], words[3], words[4]
	if object != "matrix" {
		return refuse("%.40q is not a matrix", object)
	}
	if format != "coordinate" {
		return refuse("format %.40q is not read, only sparse matrices in format \"coordinate\"", format)
	}
	columns, ok := map[string]int{"pattern": 2, "real": 3, "integer": 3, "unsigned-integer": 3, "complex": 4}[field]
	if !ok {
		return refuse("unknown field %.40q: not pattern, real, integer, unsigned-integer or complex", field)
	}
	if field == "complex" && r.weighted {
		return refuse("the complex values of this matrix cannot be weights")
	}
	// All matrices except general ones store one triangle: their edges are undirected.
	symmetric, ok = map[string]bool{"general": false, "symmetric": true, "skew-symmetric": true, "hermitian": true}[symmetry]
	if !ok {
		return refuse("unknown symmetry %.40q: not general, symmetric, skew-symmetric or hermitian", symmetry)
	}
	return columns, symmetric, nil
}

// matrixSize skips the comments and reads the line of sizes.
func (r *reader) matrixSize() (vertices, entries uint64, err error) {
	var words []string
	for len(words) == 0 || strings.HasPrefix(words[0], "%") {
		line, err := r.line()
		if err == io.EOF {
			return 0, 0, fmt.Errorf("%s: no edges: ends after line %d, before its line of sizes", r.path, r.lines)
		}
		if err != nil {
			return 0, 0, err
		}
		words = strings.Fields(string(line))
	}
	refuse := func(format string, args ...any) (uint64, uint64, error) {
		return 0, 0, r.errorAt(r.lines, fmt.Errorf(format, args...))
	}
	if len(words) != 3 {
		return refuse("%d numbers, expected three sizes: rows, columns and entries", len(words))
	}
	var sizes [3]uint64
	for i, w := range words {
		if sizes[i], err = strconv.ParseUint(w, 10, 64); err != nil {
			return refuse("%.40q is not a size", w)
		}
	}
	rows, columns, entries := sizes[0], sizes[1], sizes[2]
	if rows != columns {
		return refuse("a rectangular matrix of %d rows and %d columns is not a graph", rows, columns)
	}
	if most := uint64(maxVertex) + 1; rows > most {
		return refuse("%d rows and columns, at most %d are possible", rows, most)
	}
	if rows == 0 && entries > 0 {
		return refuse("%d entries in a matrix without rows", entries)
	}
	return rows, entries, nil
}

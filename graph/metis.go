package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"graph500/engine"
)

// A METIS file (METIS 5 manual, section 4.1.1) has a line "N M [FMT [NCON]]" and a line for
// each vertex, from 1: its size if the first of the three digits of FMT is 1, its NCON
// weights if the second is (one if there is no NCON), and its neighbours, each followed by the weight of the edge if the third
// is. Each edge is in the lists of both its ends. Lines that begin with % are comments.
type metisHeader struct {
	vertices, edges uint64
	skip            int  // numbers before the neighbours
	weighted        bool // weights follow the neighbours
}

// parseMETISHeader parses the first line of a METIS file.
func parseMETISHeader(numbers []uint64) (h metisHeader, err error) {
	if len(numbers) < 2 || len(numbers) > 4 {
		return h, errors.New("the first line of a METIS file holds two to four numbers: vertices, edges, format and weights of a vertex")
	}
	h.vertices, h.edges = numbers[0], numbers[1]
	if len(numbers) == 2 {
		return h, nil
	}
	format := numbers[2]
	sizes, weights, edges := format/100, format/10%10, format%10
	if max(sizes, weights, edges) > 1 {
		return h, fmt.Errorf("the format of a METIS file is three digits 0 or 1, not %d", format)
	}
	h.skip, h.weighted = int(sizes+weights), edges == 1
	if len(numbers) == 4 && numbers[3] > 0 {
		if weights == 0 && numbers[3] > 1 || numbers[3] > 1<<10 {
			return h, fmt.Errorf("%d weights of a vertex do not go with format %d", numbers[3], format)
		}
		h.skip = int(sizes + weights*numbers[3])
	}
	return h, nil
}

// isMETIS reports whether a text begins as a METIS file with lists that agree with each
// other. complete tells that the text is the whole file.
func isMETIS(begin []byte, complete bool) bool {
	rows, ok := numbersOfLines(begin, complete)
	if !ok || len(rows) < 2 {
		return false
	}
	h, err := parseMETISHeader(rows[0])
	rows = rows[1:]
	if err != nil || uint64(len(rows)) > h.vertices {
		return false
	}
	step := 1
	if h.weighted {
		step = 2
	}
	entries := map[[2]uint64]bool{}
	for i, row := range rows {
		if len(row) < h.skip || (len(row)-h.skip)%step != 0 {
			return false
		}
		for _, n := range everyNth(row[h.skip:], step) {
			if n == 0 || n > h.vertices || n == uint64(i)+1 {
				return false
			}
			entries[[2]uint64{uint64(i) + 1, n}] = true
		}
	}
	pairs := 0
	for e := range entries {
		if e[1] > uint64(len(rows)) {
			continue
		}
		if !entries[[2]uint64{e[1], e[0]}] {
			return false
		}
		pairs++
	}
	return pairs > 0 && (!complete || uint64(len(entries)) == 2*h.edges)
}

// everyNth returns every nth element, from the first on.
func everyNth(all []uint64, n int) (some []uint64) {
	for i := 0; i < len(all); i += n {
		some = append(some, all[i])
	}
	return some
}

// numbersOfLines returns the whole numbers in the lines of a text that are not comments of METIS, without an
// incomplete last line and without empty lines at the end. It is not ok if there is anything else.
func numbersOfLines(text []byte, complete bool) (rows [][]uint64, ok bool) {
	if !complete {
		text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	last := 0
	for line := range bytes.Lines(text) {
		words := bytes.Fields(line)
		if len(words) > 0 && words[0][0] == '%' {
			continue
		}
		row := make([]uint64, len(words))
		for i, word := range words {
			n, err := strconv.ParseUint(string(word), 10, 64)
			if err != nil || word[0] == '+' {
				return nil, false
			}
			row[i] = n
		}
		if rows = append(rows, row); len(row) > 0 {
			last = len(rows)
		}
	}
	return rows[:last], true
}

// readMETIS reads a METIS file, whose lines can be of any length.
func (r *reader) readMETIS(ctx context.Context) (*File, error) {
	h, err := r.metisHeader()
	if err != nil {
		return nil, err
	}
	if err := r.checkSizes(h.vertices, h.edges); err != nil {
		return nil, err
	}
	r.weighted = r.weighted && h.weighted
	m := &metisLists{metisHeader: h, reader: r, tuples: r.newBatch()}
	if err := m.read(ctx); err != nil {
		return nil, err
	}
	f := &File{
		Vertices: h.vertices, Warnings: roundedWeights(m.rounded),
		Notes: []string{fmt.Sprintf("a METIS file of %d vertices and %d edges, each listed at both ends", h.vertices, h.edges)},
	}
	return r.finish(ctx, f, m.tuples, r.checkHeaviest(m.heaviest, h.vertices))
}

// metisHeader reads the first line that is no comment.
func (r *reader) metisHeader() (h metisHeader, err error) {
	for {
		line, err := r.line()
		if err == io.EOF {
			err = fmt.Errorf("%s: no edges", r.path)
		}
		if err != nil {
			return h, err
		}
		rows, ok := numbersOfLines(line, true)
		if ok && len(rows) == 0 {
			continue
		}
		if !ok {
			return h, r.errorAt(r.lines, fmt.Errorf("%s is not the first line of a METIS file, as the name of the file says: it holds numbers only", quoted(string(line))))
		}
		if h, err = parseMETISHeader(rows[0]); err != nil {
			err = r.errorAt(r.lines, err)
		}
		return h, err
	}
}

// metisLists reads the lists of neighbours of a METIS file.
type metisLists struct {
	metisHeader
	*reader
	tuples   *batch
	ends     bothEnds
	heaviest float32
	rounded  uint64 // weights that float32 cannot hold
}

// read reads the lines of all vertices and checks that the rest of the file is empty.
func (m *metisLists) read(ctx context.Context) error {
	var v uint64
	for more := true; more; {
		if v%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		begin, err := m.buf.Peek(1)
		if err == io.EOF {
			break
		}
		m.lines++
		isComment := len(begin) > 0 && begin[0] == '%'
		if more, err = m.vertex(v, isComment); err != nil {
			return m.errorAt(m.lines, err)
		}
		if !isComment {
			v++
		}
	}
	if v < m.vertices {
		return m.errorAt(m.lines, fmt.Errorf("ends after the lines of %d of the %d vertices", v, m.vertices))
	}
	if err := m.ends.check(); err != nil {
		return fmt.Errorf("%s: %w", m.path, err)
	}
	if m.ends.up != m.edges {
		return fmt.Errorf("%s: the lists hold %d edges, the first line states %d", m.path, m.ends.up, m.edges)
	}
	return nil
}

// vertex reads a line, which is that of vertex v unless it is a comment. It reports whether
// the file may continue.
func (m *metisLists) vertex(v uint64, isComment bool) (more bool, err error) {
	var neighbour uint64
	for i := 0; ; i++ {
		n, end, err := m.number(isComment)
		if end == nothing {
			if !isComment && v < m.vertices && (i < m.skip || m.metisHeader.weighted && (i-m.skip)%2 == 1) {
				return false, fmt.Errorf("the line of vertex %d ends after %d numbers, which does not go with the format", v+1, i)
			}
			return err == nil, ignoreEOF(err)
		}
		if err != nil {
			return false, err
		}
		switch {
		case v >= m.vertices:
			return false, fmt.Errorf("a line after those of all %d vertices", m.vertices)
		case i < m.skip:
		case m.metisHeader.weighted && (i-m.skip)%2 == 0:
			neighbour = n
		case m.metisHeader.weighted:
			err = m.add(v, neighbour, n)
		default:
			err = m.add(v, n, 1)
		}
		if err != nil {
			return false, err
		}
	}
}

func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// add takes a neighbour of vertex v, which counts from 0, with the weight of the edge.
func (m *metisLists) add(v, neighbour, weight uint64) error {
	switch {
	case neighbour == 0 || neighbour > m.vertices:
		return fmt.Errorf("neighbour %d is out of range, the vertices are 1..%d", neighbour, m.vertices)
	case neighbour == v+1:
		return fmt.Errorf("vertex %d is its own neighbour, which a METIS file cannot say", neighbour)
	}
	w := float32(weight) // compared at both ends
	if m.reader.weighted {
		var err error
		if w, err = m.wholeWeight(weight, &m.rounded); err != nil {
			return err
		}
	}
	m.heaviest = max(m.heaviest, w)
	e := engine.Edge{U: engine.Label(v), V: engine.Label(neighbour - 1)}
	if !m.ends.add(e.U, e.V, w) {
		return nil
	}
	return m.tuples.add(e, w)
}

// token says what number found.
type token int

const (
	nothing token = iota // the end of the line, or of the file
	aNumber
)

// number reads the next number of a line. At the end of the line there is nothing, at that of the file
// also an error io.EOF. With skip it reads nothing but the end of the line.
func (m *metisLists) number(skip bool) (n uint64, found token, err error) {
	for digits := 0; ; {
		c, err := m.buf.ReadByte()
		switch {
		case err == io.EOF && digits > 0:
			return n, aNumber, nil
		case err != nil && err != io.EOF:
			return 0, aNumber, m.explain(err)
		case err != nil:
			return 0, nothing, err
		case c == '\n' && digits > 0:
			_ = m.buf.UnreadByte()
			return n, aNumber, nil
		case c == '\n':
			return 0, nothing, nil
		case skip:
		case c-'0' <= 9:
			if n > (1<<63)/10 {
				return 0, aNumber, errors.New("a number of more than 64 bits")
			}
			n = n*10 + uint64(c-'0')
			digits++
		case blank(c) || c == '\r':
			if digits > 0 {
				return n, aNumber, nil
			}
		default:
			return 0, aNumber, fmt.Errorf("%s is not a whole number", quoted(string(c)))
		}
	}
}

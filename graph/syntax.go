package graph

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"graph500/engine"
)

var errLongLine = fmt.Errorf("line of more than %d bytes", maxLine)

// syntax is the form of the lines of a file, an edge each: two vertex numbers
// and what else may follow them, in columns. Blanks and tabs divide the columns,
// or commas with or without blanks beside them: the first gap of a line says
// which.
type syntax struct {
	first, last uint64 // smallest and largest vertex number in the file
	comments    string // bytes that begin a comment line
	entries     uint64 // edges that there may be

	// matrix is the number of columns of a line of a Matrix Market file, which
	// knows no commas. In a list, 0, lines have at least two columns, and all lines
	// of whole numbers alone have equally many: others are no edges, but lists of
	// neighbours.
	matrix int

	// outside says what is wrong with a number outside first..last.
	outside func(number string) error
}

// result is what a block of lines holds.
type result struct {
	edges     int          // found
	lines     int          // read, one in error included
	largest   engine.Local // among the edges, counted from 0
	nodes     uint64       // number of vertices that a comment states, or 0
	head      []byte       // the first line with an edge
	headLine  int          // its number, counted from 1
	whole     int          // columns of the lines of whole numbers alone, 0 if there is none
	wholeLine int          // the first of these lines, counted from 1
	err       error        // about the last line read
}

// parse reads text, whose last byte is a line end, into dst. It ends early at
// a line in error, and at an edge that dst has no room for.
func (s *syntax) parse(text []byte, dst []engine.Edge) (r result) {
	span := s.last - s.first
	for i := 0; i < len(text); {
		r.lines++
		u, v, whole, size, ok := s.edge(text[i:])
		// The subtraction wraps a number below the first around.
		if u, v = u-s.first, v-s.first; !ok || u > span || v > span {
			line := text[i : i+bytes.IndexByte(text[i:], '\n')]
			size = len(line) + 1
			if u, v, whole, ok, r.err = s.other(line, &r.nodes); r.err != nil {
				return r
			}
		}
		if i += size; !ok {
			continue
		}
		if r.edges == len(dst) {
			r.err = fmt.Errorf("more than the %d entries of the header", s.entries)
			return r
		}
		if whole != r.whole && whole != 0 {
			if r.whole != 0 {
				r.err = uneven(whole, r.whole)
				return r
			}
			r.whole, r.wholeLine = whole, r.lines
		}
		if r.edges == 0 {
			r.head, r.headLine = text[i-size:i], r.lines
		}
		e := engine.Edge{U: engine.Local(u), V: engine.Local(v)}
		dst[r.edges] = e
		r.edges++
		r.largest = max(r.largest, e.U, e.V)
	}
	return r
}

// uneven is the error of a line that has other columns than those before it.
func uneven(columns, before int) error {
	return fmt.Errorf("%d whole numbers, the lines before have %d: this is no list of edges, which has two vertices in each line; lists of neighbours (METIS and others) are not read", columns, before)
}

// edge reads the line that text begins with, and its length. whole is the number
// of its columns if all hold whole numbers, else 0. It takes the common lines only
// and says !ok to all that need a closer look.
func (s *syntax) edge(text []byte) (u, v uint64, whole, size int, ok bool) {
	u, i, ok := number(text, blanks(text, 0))
	j := blanks(text, i)
	commas := text[j] == ',' && s.matrix == 0
	if commas {
		j = blanks(text, j+1)
	}
	if !ok || i == j {
		return 0, 0, 0, 0, false
	}
	v, i, ok = number(text, j)
	whole = 2
	if text[i] != '\n' || s.matrix > 2 {
		rest := text[i : i+bytes.IndexByte(text[i:], '\n')]
		i += len(rest)
		var complete bool
		whole, complete = s.rest(rest, commas)
		ok = ok && complete
	}
	return u, v, whole, i + 1, ok && i <= maxLine
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// blanks returns where those at i end.
func blanks(text []byte, i int) int {
	for blank(text[i]) {
		i++
	}
	return i
}

// number reads the digits at i, if they are not too many for 64 bits, and
// returns where they end.
func number(text []byte, i int) (n uint64, end int, ok bool) {
	for end = i; ; end++ {
		c := uint64(text[end]) - '0'
		if c > 9 {
			break
		}
		n = n*10 + c
	}
	return n, end, end > i && end-i < 20
}

// rest looks at what follows the second number of a line: whether it is divided
// from it, with as many columns as there must be. whole is as in edge.
func (s *syntax) rest(rest []byte, commas bool) (whole int, ok bool) {
	if k := len(rest) - 1; k >= 0 && rest[k] == '\r' {
		rest = rest[:k]
	}
	switch {
	case commas:
		return restOfCommas(rest)
	case len(rest) > 0 && !blank(rest[0]):
		return 0, false
	case s.matrix > 0:
		return s.matrix, holdsColumns(rest, s.matrix-2)
	}
	return restOfBlanks(rest)
}

// holdsColumns reports whether text holds so many columns divided by blanks.
func holdsColumns(text []byte, columns int) bool {
	for text = trimBlanks(text); len(text) > 0 && columns > 0; text = trimBlanks(text) {
		end := bytes.IndexByte(text, ' ')
		if end < 0 {
			end = len(text)
		}
		if tab := bytes.IndexByte(text[:end], '\t'); tab >= 0 {
			end = tab
		}
		text = text[end:]
		columns--
	}
	return len(text) == 0 && columns == 0
}

// restOfBlanks is rest for a line of a list whose columns are divided by blanks.
func restOfBlanks(rest []byte) (whole int, ok bool) {
	whole = 2
	for rest = trimBlanks(rest); len(rest) > 0; rest = trimBlanks(rest) {
		end := 0
		for end < len(rest) && rest[end]-'0' <= 9 {
			end++
		}
		if end < len(rest) && !blank(rest[end]) {
			return 0, true
		}
		rest = rest[end:]
		whole++
	}
	return whole, true
}

// restOfCommas is rest for a line whose columns are divided by commas.
func restOfCommas(rest []byte) (whole int, ok bool) {
	if rest = trimBlanks(rest); len(rest) == 0 {
		return 2, true
	}
	if rest[0] != ',' {
		return 0, false
	}
	whole = 2
	for column := range bytes.SplitSeq(rest[1:], []byte(",")) {
		if !digits(trimBlanks(column)) {
			return 0, true
		}
		whole++
	}
	return whole, true
}

// trimBlanks returns text without blanks at its ends.
func trimBlanks(text []byte) []byte {
	for len(text) > 0 && blank(text[0]) {
		text = text[1:]
	}
	for len(text) > 0 && blank(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

// digits reports whether text is a whole number.
func digits[T string | []byte](text T) bool {
	for i := range len(text) {
		if text[i]-'0' > 9 {
			return false
		}
	}
	return len(text) > 0
}

// other reads any line, given without its end: the uncommon ones that hold an
// edge, those that hold none (!ok), and those in error. Vertices are counted
// from 0. A comment may set the number of vertices.
func (s *syntax) other(line []byte, nodes *uint64) (u, v uint64, whole int, ok bool, err error) {
	if len(line) > maxLine {
		return 0, 0, 0, false, errLongLine
	}
	text := strings.Trim(strings.TrimSuffix(string(line), "\r"), " \t")
	if text == "" {
		return 0, 0, 0, false, nil
	}
	if strings.IndexByte(s.comments, text[0]) >= 0 {
		if n, ok := statedVertices(text); ok {
			*nodes = max(*nodes, n)
		}
		return 0, 0, 0, false, s.checkComment(text)
	}
	columns := s.columns(text)
	if u, err = s.vertex(columns[0]); err != nil {
		return 0, 0, 0, false, err
	}
	if len(columns) > 1 {
		if v, err = s.vertex(columns[1]); err != nil {
			return 0, 0, 0, false, err
		}
	}
	switch want := max(s.matrix, 2); {
	case len(columns) < want:
		return 0, 0, 0, false, fmt.Errorf("%d of the %d columns are missing", want-len(columns), want)
	case s.matrix > 0 && len(columns) > want:
		return 0, 0, 0, false, fmt.Errorf("%d columns, entries of the kind that the first line names have %d", len(columns), want)
	}
	whole = len(columns)
	if s.matrix == 0 && slices.ContainsFunc(columns, func(c string) bool { return !digits(c) }) {
		whole = 0
	}
	return u, v, whole, true, nil
}

// columns divides a line that is not empty.
func (s *syntax) columns(text string) []string {
	gap := strings.TrimLeft(text[max(0, strings.IndexAny(text, " \t,")):], " \t")
	if s.matrix > 0 || !strings.HasPrefix(gap, ",") {
		return strings.FieldsFunc(text, func(c rune) bool { return c < 0x80 && blank(byte(c)) })
	}
	columns := strings.Split(text, ",")
	for i := range columns {
		columns[i] = strings.Trim(columns[i], " \t")
	}
	return columns
}

// checkComment returns an error if a comment shows that the file is something
// else than it was taken for.
func (s *syntax) checkComment(text string) error {
	if s.matrix == 0 && len(text) >= len(matrixBanner) && strings.EqualFold(text[:len(matrixBanner)], matrixBanner) {
		return fmt.Errorf("%s is no comment in a list of edges: in a Matrix Market file it begins the first line", matrixBanner)
	}
	return nil
}

// vertex reads a vertex number and counts it from 0.
func (s *syntax) vertex(text string) (uint64, error) {
	if text == "" {
		return 0, errors.New("a column without a vertex number")
	}
	if !digits(strings.TrimPrefix(text, "-")) {
		return 0, fmt.Errorf("%.40q is not a vertex number%s", text, s.hint(text))
	}
	if text[0] == '-' {
		return 0, fmt.Errorf("vertex number %.40s is negative", text)
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		n = math.MaxUint64 // the syntax is right: out of range
	}
	if n < s.first || n > s.last {
		return 0, s.outside(fmt.Sprintf("%.40s", text))
	}
	return n - s.first, nil
}

// hint says more of a column that begins no edge.
func (s *syntax) hint(text string) string {
	switch {
	case s.matrix > 0:
		return ""
	case slices.Contains([]string{"a", "c", "e", "p"}, text):
		return ": DIMACS files are not read"
	case text[0]|0x20 >= 'a' && text[0]|0x20 <= 'z' || text[0] == '"':
		return ": a line that is no edge begins with # or %"
	}
	return ""
}

// statedVertices finds the number of vertices in a comment as the SNAP
// collection writes it: "# Nodes: 4 Edges: 5".
func statedVertices(comment string) (uint64, bool) {
	words := strings.Fields(strings.TrimLeft(comment, "#%"))
	for i := 1; i < len(words); i++ {
		if strings.EqualFold(words[i-1], "nodes:") {
			n, err := strconv.ParseUint(words[i], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

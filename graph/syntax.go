package graph

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"graph500/engine"
)

var errLongLine = fmt.Errorf("line of more than %d bytes", maxLine)

// syntax is the form of the lines of a file. A line holds one edge: two vertex
// numbers and possibly more columns. Columns are separated by blanks and tabs, or
// by commas with optional blanks. The first separator of a line decides which.
type syntax struct {
	first, last uint64 // smallest and largest vertex number in the file
	comments    string // bytes that begin a comment line
	entries     uint64 // largest number of edges

	// matrix is the number of columns of a line in a Matrix Market or DIMACS file,
	// where commas are not allowed. It is 0 in an edge list, where lines have two or
	// more columns, and a comment may follow them. All lines of an edge list that hold
	// only integers must have the same number of columns; otherwise they are lists of
	// neighbours.
	matrix int

	letter byte // begins each line with an edge of a DIMACS file, else 0

	wholeWeights bool // Options.Integers

	// outside returns the error of a number outside first..last.
	outside func(number string) error
}

// result is the result of parsing a block of lines.
type result struct {
	edges        int          // number of edges
	lines        int          // number of lines, including a line in error
	largest      engine.Label // largest label of the edges, counted from 0
	nodes        uint64       // number of vertices stated by a comment, or 0
	stated       uint64       // number of edges stated by a comment, or 0
	head         []byte       // first line with an edge
	headLine     int          // its number in the block, counted from 1
	integers     int          // columns of the lines that hold only integers, 0 if there is none
	integersLine int          // number of the first such line in the block, counted from 1
	weighted     bool         // the lines with an edge hold a weight
	rounded      uint64       // weights that are whole numbers which float32 cannot hold
	heaviest     float32      // largest weight
	err          error        // of the last line read
}

// parse parses text, whose last byte is a line end, into dst. It stops at a line
// in error and when dst is full. It ignores weights if dst has no array for them.
func (s *syntax) parse(text []byte, dst engine.Tuples) (r result) {
	span := s.last - s.first
	for i := 0; i < len(text); {
		r.lines++
		u, v, integers, size, ok := s.edge(text[i:])
		// A number below first wraps around to a large one.
		if u, v = u-s.first, v-s.first; !ok || u > span || v > span {
			line := text[i : i+bytes.IndexByte(text[i:], '\n')]
			size = len(line) + 1
			if u, v, integers, ok, r.err = s.other(line, &r); r.err != nil {
				return r
			}
		}
		if i += size; !ok {
			continue
		}
		if r.edges == len(dst.Edges) {
			r.err = fmt.Errorf("more than the %d entries of the header", s.entries)
			return r
		}
		if integers != r.integers && integers != 0 {
			if r.integers != 0 {
				r.err = uneven(integers, r.integers)
				return r
			}
			r.integers, r.integersLine = integers, r.lines
		}
		if dst.Weights != nil {
			if r.err = s.addWeight(&dst.Weights[r.edges], text[i-size:i], &r); r.err != nil {
				return r
			}
		}
		if r.edges == 0 {
			r.head, r.headLine = text[i-size:i], r.lines
		}
		e := engine.Edge{U: engine.Label(u), V: engine.Label(v)}
		dst.Edges[r.edges] = e
		r.edges++
		r.largest = max(r.largest, e.U, e.V)
	}
	return r
}

// uneven returns the error of a line whose number of columns differs from the
// lines before.
func uneven(columns, before int) error {
	if columns+before == 5 { // 2 and 3
		return unevenWeights(columns == 3)
	}
	return fmt.Errorf("%d integers, the lines before have %d: this is not an edge list, which has two vertices per line", columns, before)
}

// edge parses the first line of text and returns its size with the line end.
// integers is the number of its columns if all hold integers, else 0. It handles
// only common lines and returns !ok for all that need the slower method other.
func (s *syntax) edge(text []byte) (u, v uint64, integers, size int, ok bool) {
	begin := 0
	if s.letter != 0 {
		if text[0] != s.letter || !blank(text[1]) {
			return 0, 0, 0, 0, false
		}
		begin = 1
	}
	u, i, ok := number(text, blanks(text, begin))
	j := blanks(text, i)
	commas := text[j] == ',' && s.matrix == 0
	if commas {
		j = blanks(text, j+1)
	}
	if !ok || i == j {
		return 0, 0, 0, 0, false
	}
	v, i, ok = number(text, j)
	integers = 2
	if text[i] != '\n' || s.matrix > 2 {
		rest := text[i : i+bytes.IndexByte(text[i:], '\n')]
		i += len(rest)
		rest = s.withoutComment(rest)
		var complete bool
		integers, complete = s.rest(rest, commas)
		ok = ok && complete
	}
	return u, v, integers, i + 1, ok && i <= maxLine
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// blanks returns the end of the blanks at i.
func blanks(text []byte, i int) int {
	for blank(text[i]) {
		i++
	}
	return i
}

// number parses the digits at i and returns their end. It is not ok if there are
// no digits, or more than 64 bits can hold.
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

// rest checks the text after the second number of a line: its separator and the
// number of columns. integers is as in edge.
func (s *syntax) rest(rest []byte, commas bool) (integers int, ok bool) {
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

// withoutComment returns text, a line or its end, without a comment that follows a column.
// Only edge lists have such comments.
func (s *syntax) withoutComment(text []byte) []byte {
	if s.matrix > 0 {
		return text
	}
	for i := range text {
		if c := text[i]; (c == '#' || c == '%') && i > 0 && (blank(text[i-1]) || text[i-1] == ',') {
			return text[:i]
		}
	}
	return text
}

// holdsColumns reports whether text holds the given number of columns, separated
// by blanks.
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

// restOfBlanks is rest for a line of an edge list with columns separated by
// blanks.
func restOfBlanks(rest []byte) (integers int, ok bool) {
	integers = 2
	for rest = trimBlanks(rest); len(rest) > 0; rest = trimBlanks(rest) {
		end := 0
		for end < len(rest) && rest[end]-'0' <= 9 {
			end++
		}
		if end < len(rest) && !blank(rest[end]) {
			return 0, true
		}
		rest = rest[end:]
		integers++
	}
	return integers, true
}

// restOfCommas is rest for a line with columns separated by commas.
func restOfCommas(rest []byte) (integers int, ok bool) {
	if rest = trimBlanks(rest); len(rest) == 0 {
		return 2, true
	}
	if rest[0] != ',' {
		return 0, false
	}
	integers = 2
	for column := range bytes.SplitSeq(rest[1:], []byte(",")) {
		if !digits(trimBlanks(column)) {
			return 0, true
		}
		integers++
	}
	return integers, true
}

// trimBlanks returns text without leading and trailing blanks.
func trimBlanks(text []byte) []byte {
	for len(text) > 0 && blank(text[0]) {
		text = text[1:]
	}
	for len(text) > 0 && blank(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

// digits reports whether text consists of digits only.
func digits[T string | []byte](text T) bool {
	for i := range len(text) {
		if text[i]-'0' > 9 {
			return false
		}
	}
	return len(text) > 0
}

// other parses any line, given without its line end: uncommon lines with an edge,
// lines without an edge (!ok) and lines in error. It returns vertices counted from
// 0. A comment may set nodes and stated of r.
func (s *syntax) other(line []byte, r *result) (u, v uint64, integers int, ok bool, err error) {
	if len(line) > maxLine {
		return 0, 0, 0, false, errLongLine
	}
	text := strings.Trim(strings.TrimSuffix(string(line), "\r"), " \t")
	if text == "" {
		return 0, 0, 0, false, nil
	}
	if strings.IndexByte(s.comments, text[0]) >= 0 {
		r.nodes, r.stated = max(r.nodes, stated(text, "nodes:")), max(r.stated, stated(text, "edges:"))
		return 0, 0, 0, false, s.checkComment(text)
	}
	columns := s.columns(string(trimBlanks(s.withoutComment([]byte(text)))))
	if s.letter != 0 {
		if columns[0] != string(s.letter) {
			return 0, 0, 0, false, fmt.Errorf("%s begins no line of this DIMACS file: edges begin with %c, comments with c", quoted(columns[0]), s.letter)
		}
		if columns = columns[1:]; len(columns) == 0 {
			columns = []string{""}
		}
	}
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
	integers = len(columns)
	if s.matrix == 0 && slices.ContainsFunc(columns, func(c string) bool { return !digits(c) }) {
		integers = 0
	}
	return u, v, integers, true, nil
}

// columns splits a line, which must not be empty, into columns.
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

// checkComment returns an error if a comment of an edge list is the banner of a
// Matrix Market file.
func (s *syntax) checkComment(text string) error {
	if s.matrix == 0 && len(text) >= len(matrixBanner) && strings.EqualFold(text[:len(matrixBanner)], matrixBanner) {
		return fmt.Errorf("%s is not a comment of an edge list: in a Matrix Market file it begins the first line", matrixBanner)
	}
	return nil
}

// vertex parses a vertex number and returns it counted from 0.
func (s *syntax) vertex(text string) (uint64, error) {
	if text == "" {
		return 0, errors.New("a column without a vertex number")
	}
	if !digits(strings.TrimPrefix(text, "-")) {
		return 0, fmt.Errorf("%s is not a vertex number%s", quoted(text), s.hint(text))
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

// hint returns an addition to the error of a column that is not a vertex number.
func (s *syntax) hint(text string) string {
	switch {
	case s.matrix > 0:
		return ""
	case text[0]|0x20 >= 'a' && text[0]|0x20 <= 'z' || text[0] == '"':
		return ": a line that is not an edge begins with # or %; -renumber reads names of vertices"
	}
	return ""
}

// quoted returns the beginning of a column for a message. It shows no bytes that are not
// text.
func quoted(column string) string {
	begin := column[:min(len(column), 40)]
	if strings.ContainsFunc(begin, func(c rune) bool {
		return c < ' ' && c != '\r' && c != '\t' || c == utf8.RuneError && len(begin) == len(column)
	}) {
		return "something that is not text"
	}
	return fmt.Sprintf("%.40q", column)
}

// stated returns the number that follows a title in a comment of the form that the
// SNAP collection uses: "# Nodes: 4 Edges: 5". It is 0 if there is none.
func stated(comment, title string) uint64 {
	words := strings.Fields(strings.TrimLeft(comment, "#%"))
	for i := 1; i < len(words); i++ {
		if strings.EqualFold(words[i-1], title) {
			if n, err := strconv.ParseUint(words[i], 10, 64); err == nil {
				return n
			}
		}
	}
	return 0
}

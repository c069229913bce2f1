package graph

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"graph500/engine"
)

var errLongLine = fmt.Errorf("line of more than %d bytes", maxLine)

// syntax is the form of the lines of a file, an edge each: two vertex numbers
// and what else may follow them, in columns divided by blanks, tabs or commas.
type syntax struct {
	first, last uint64 // smallest and largest vertex number in the file
	columns     int    // that a line must have at least
	comments    string // bytes that begin a comment line
	entries     uint64 // edges that there may be

	// outside says what is wrong with a number outside first..last.
	outside func(number string) error
}

// result is what a block of lines holds.
type result struct {
	edges   int          // found
	lines   int          // read, one in error included
	largest engine.Local // among the edges, counted from 0
	nodes   uint64       // number of vertices that a comment states, or 0
	err     error        // about the last line read
}

// parse reads text, whose last byte is a line end, into dst. It ends early at
// a line in error, and at an edge that dst has no room for.
func (s *syntax) parse(text []byte, dst []engine.Edge) (r result) {
	span := s.last - s.first
	for i := 0; i < len(text); {
		r.lines++
		u, v, size, ok := s.edge(text[i:])
		// The subtraction wraps a number below the first around.
		if u, v = u-s.first, v-s.first; !ok || u > span || v > span {
			line := text[i : i+bytes.IndexByte(text[i:], '\n')]
			size = len(line) + 1
			if u, v, ok, r.err = s.other(line, &r.nodes); r.err != nil {
				return r
			}
		}
		i += size
		if !ok {
			continue
		}
		if r.edges == len(dst) {
			r.err = fmt.Errorf("more than the %d entries of the header", s.entries)
			return r
		}
		e := engine.Edge{U: engine.Local(u), V: engine.Local(v)}
		dst[r.edges] = e
		r.edges++
		r.largest = max(r.largest, e.U, e.V)
	}
	return r
}

// edge reads the line that text begins with, and its length. It takes the
// common lines only and says !ok to all that need a closer look.
func (s *syntax) edge(text []byte) (u, v uint64, size int, ok bool) {
	i := separators(text, 0)
	u, i, ok = number(text, i)
	if !ok || !separator(text[i]) {
		return 0, 0, 0, false
	}
	v, i, ok = number(text, separators(text, i))
	if text[i] != '\n' || s.columns > 2 {
		rest := text[i : i+bytes.IndexByte(text[i:], '\n')]
		ok = ok && s.complete(rest)
		i += len(rest)
	}
	return u, v, i + 1, ok && i <= maxLine
}

func separator(c byte) bool { return c == ' ' || c == '\t' || c == ',' }

// separators returns where those at i end.
func separators(text []byte, i int) int {
	for separator(text[i]) {
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

// complete reports whether the rest of a line after the second number is
// divided from it and holds the columns that must be there.
func (s *syntax) complete(rest []byte) bool {
	if k := len(rest) - 1; k >= 0 && rest[k] == '\r' {
		rest = rest[:k]
	}
	if len(rest) > 0 && !separator(rest[0]) {
		return false
	}
	columns := 2
	for i, c := range rest {
		if columns >= s.columns {
			return true
		}
		if !separator(c) && separator(rest[i-1]) {
			columns++
		}
	}
	return columns >= s.columns
}

// other reads any line, given without its end: the uncommon ones that hold an
// edge, those that hold none (!ok), and those in error. Vertices are counted
// from 0. A comment may set the number of vertices.
func (s *syntax) other(line []byte, nodes *uint64) (u, v uint64, ok bool, err error) {
	if len(line) > maxLine {
		return 0, 0, false, errLongLine
	}
	text := strings.Trim(strings.TrimSuffix(string(line), "\r"), " \t,")
	if text == "" {
		return 0, 0, false, nil
	}
	if strings.IndexByte(s.comments, text[0]) >= 0 {
		if n, ok := statedVertices(text); ok {
			*nodes = max(*nodes, n)
		}
		return 0, 0, false, nil
	}
	columns := strings.FieldsFunc(text, func(c rune) bool { return c < 0x80 && separator(byte(c)) })
	if u, err = s.vertex(columns[0]); err != nil {
		return 0, 0, false, err
	}
	if len(columns) > 1 {
		if v, err = s.vertex(columns[1]); err != nil {
			return 0, 0, false, err
		}
	}
	if len(columns) < s.columns {
		return 0, 0, false, fmt.Errorf("%d of the %d columns are missing", s.columns-len(columns), s.columns)
	}
	return u, v, true, nil
}

// vertex reads a vertex number and counts it from 0.
func (s *syntax) vertex(text string) (uint64, error) {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, fmt.Errorf("%.40q is not a vertex number", text)
	}
	if digits != text {
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

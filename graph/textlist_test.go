package graph

import (
	"bufio"
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"graph500/engine"
)

func TestReadListErrors(t *testing.T) {
	long := strings.Repeat("7", maxLine)
	for name, c := range map[string]struct{ text, want string }{
		"empty":            {"", ": no edges"},
		"comments only":    {"# nothing\n% at all\n\n", ": no edges"},
		"isolated only":    {"# Nodes: 5 Edges: 0\n", ": no edges"},
		"negative":         {"0 1\n2 -3\n", ":2: vertex number -3 is negative"},
		"minus":            {"0 1\n- 3\n", `:2: "-" is not a vertex number`},
		"word":             {"0 1\r\n1 2\r\nfrom to\r\n", `:3: "from" is not a vertex number`},
		"fraction":         {"0 1.5\n", `:1: "1.5" is not a vertex number`},
		"plus":             {"+0 1\n", `:1: "+0" is not a vertex number`},
		"hexadecimal":      {"0 0x1\n", `:1: "0x1" is not a vertex number`},
		"semicolons":       {"0;1\n", `:1: "0;1" is not a vertex number`},
		"old line ends":    {"0 1\r1 2\r", `:1: "1\r1" is not a vertex number`},
		"glued columns":    {"0 1x\n", `:1: "1x" is not a vertex number`},
		"binary":           {"0 1\n\x00\x01\xff\n", `:2: "\x00\x01\xff" is not a vertex number`},
		"no break space":   {"0\u00a01\n", `:1: "0\u00a01" is not a vertex number`},
		"too large":        {"4294967294 0\n4294967295 0\n", ":2: vertex number 4294967295 is too large, the largest is 4294967294"},
		"far too large":    {"0 18446744073709551617\n", ":1: vertex number 18446744073709551617 is too large"},
		"absurdly large":   {"0 " + long[:400] + "\n", ":1: vertex number " + long[:40] + " is too large"},
		"one column":       {"0 1\n\n# x\n2\n", ":4: 1 of the 2 columns are missing"},
		"cut last line":    {"0 1\n2", ":2: 1 of the 2 columns are missing"},
		"long line":        {"0 1\n" + long + " 1\n", fmt.Sprintf(":2: line of more than %d bytes", maxLine)},
		"long comment":     {"0 1\n#" + long + "\n", fmt.Sprintf(":2: line of more than %d bytes", maxLine)},
		"long blank":       {"0 1\n1" + strings.Repeat(" ", maxLine) + "2\n", fmt.Sprintf(":2: line of more than %d bytes", maxLine)},
		"line of a block":  {"0 1\n" + strings.Repeat("7", blockSize) + "\n0 2\n", fmt.Sprintf(":2: line of more than %d bytes", maxLine)},
		"line of 3 blocks": {strings.Repeat(" ", 3*blockSize) + "1 2\n", fmt.Sprintf(":1: line of more than %d bytes", maxLine)},
		"stated vertices":  {"# Nodes: 4294967296\n0 1\n", ": a comment states 4294967296 vertices, at most 4294967295 are possible"},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeTemp(t, "list.txt", []byte(c.text))
			_, err := Read(t.Context(), path)
			wantError(t, err, path, c.want)
		})
	}
}

func TestReadListVertices(t *testing.T) {
	for text, want := range map[string]uint64{
		"0 0\n":                                          1,
		"0 4294967294\n":                                 4294967295,
		"# Nodes: 9 Edges: 1\n0 4\n":                     10 - 1,
		"# Nodes: 3 Edges: 1\n0 4\n":                     5, // as in SNAP's roadNet files
		"0 4\n#nodes: 7\n":                               7,
		"0 4\n# Nodes: x\n":                              5,
		"# about Nodes:\n0 4\n":                          5,
		"0 4\n% NODES: 6\n":                              6,
		strings.Repeat(" ", maxLine-4) + "0 4\n":         5,
		"0 4 " + strings.Repeat("x", maxLine-4) + "\n":   5,
		"#" + strings.Repeat("x", maxLine-1) + "\n0 4\n": 5,
	} {
		f, err := Read(t.Context(), writeTemp(t, "list.txt", []byte(text)))
		if err != nil {
			t.Errorf("%.20q: %v", text, err)
			continue
		}
		if f.Vertices != want {
			t.Errorf("%.20q: %d vertices, want %d", text, f.Vertices, want)
		}
		freeEdges(t, f.Tuples)
	}
}

// plainParse is parse as one would write it at first: the edges before the
// first bad line, and its number or 0.
func plainParse(text []byte, first, last int64, columns int, comments string) (edges []engine.Edge, bad int) {
	s := bufio.NewScanner(bytes.NewReader(text))
	s.Buffer(nil, len(text)+2)
	for line := 1; s.Scan(); line++ {
		if len(s.Bytes())+len("\r") > maxLine {
			return edges, line
		}
		words := strings.FieldsFunc(s.Text(), func(c rune) bool { return strings.ContainsRune(" \t,", c) })
		if len(words) == 0 || strings.ContainsAny(words[0][:1], comments) {
			continue
		}
		if len(words) < columns {
			return edges, line
		}
		var ends [2]engine.Local
		for i, w := range words[:2] {
			n, ok := new(big.Int).SetString(w, 10)
			if !ok || strings.ContainsAny(w, "+-_") || n.Cmp(big.NewInt(first)) < 0 || n.Cmp(big.NewInt(last)) > 0 {
				return edges, line
			}
			ends[i] = engine.Local(n.Int64() - first)
		}
		edges = append(edges, engine.Edge{U: ends[0], V: ends[1]})
	}
	return edges, 0
}

// checkParse compares parse with plainParse.
func checkParse(t interface{ Fatalf(string, ...any) }, text []byte, s *syntax) {
	text = append(bytes.ReplaceAll(text, []byte("\r\r"), nil), '\n')
	dst := make([]engine.Edge, len(text)/minLine)
	r := s.parse(text, dst)
	want, bad := plainParse(text, int64(s.first), int64(s.last), s.columns, s.comments)
	if !slices.Equal(dst[:r.edges], want) {
		t.Fatalf("%q: edges %v, want %v", text, dst[:r.edges], want)
	}
	if (r.err == nil) != (bad == 0) || bad > 0 && r.lines != bad {
		t.Fatalf("%q: error in line %d: %v, want line %d", text, r.lines, r.err, bad)
	}
	if r.err == nil && r.lines != bytes.Count(text, []byte("\n")) {
		t.Fatalf("%q: %d lines", text, r.lines)
	}
	var largest engine.Local
	for _, e := range want {
		largest = max(largest, e.U, e.V)
	}
	if r.largest != largest {
		t.Fatalf("%q: largest %d, want %d", text, r.largest, largest)
	}
}

// syntaxes that the parser is checked with.
func someSyntax(first uint64, columns int) *syntax {
	return &syntax{
		first: first, last: 5_000_000, columns: columns, comments: "#%",
		outside: func(n string) error { return fmt.Errorf("%s is outside", n) },
	}
}

func TestParseLikePlainParse(t *testing.T) {
	word := rapid.SampledFrom([]string{
		"0", "1", "7", "42", "4999999", "5000000", "5000001", "00003", "00000000000000000000001", "18446744073709551616",
		"12345678901234567890", "-1", "x", "1.5", "#", "%c", "\r", "\x00", " ", "\t", ",",
	})
	separator := rapid.SampledFrom([]string{" ", "\t", ",", "  ", ", ", "\n", "\r\n", " \n", ""})
	rapid.Check(t, func(t *rapid.T) {
		var text []byte
		for range rapid.IntRange(0, 12).Draw(t, "words") {
			text = append(text, word.Draw(t, "word")...)
			text = append(text, separator.Draw(t, "separator")...)
		}
		checkParse(t, text, someSyntax(rapid.Uint64Range(0, 1).Draw(t, "first"), rapid.IntRange(2, 4).Draw(t, "columns")))
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("# Nodes: 4\n0 1\n2,\t3 0.5\r\n"), false, uint8(2))
	f.Add([]byte("1 2 3\n00 18446744073709551616\n-1 2\n"), true, uint8(3))
	f.Fuzz(func(t *testing.T, text []byte, one bool, columns uint8) {
		var first uint64
		if one {
			first = 1
		}
		checkParse(t, text, someSyntax(first, 2+int(columns%3)))
	})
}

// FuzzReadList reads any bytes as a list; what is read is read again after it
// was written in the plainest form.
func FuzzReadList(f *testing.F) {
	f.Add([]byte("# Nodes: 4 Edges: 4\n0 1\n2 0\n2 3\n1 2\n"))
	f.Add([]byte("\xef\xbb\xbf0,1\r\n4294967294,0"))
	f.Add([]byte("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := read(t.Context(), writeTemp(t, "list", text), noLimit)
		if err != nil {
			return
		}
		defer freeEdges(t, got.Tuples)
		plain := fmt.Appendf(nil, "# Nodes: %d Edges: %d\n", got.Vertices, len(got.Tuples))
		for _, e := range got.Tuples {
			if uint64(max(e.U, e.V)) >= got.Vertices {
				t.Fatalf("%v of %d vertices", e, got.Vertices)
			}
			plain = fmt.Appendln(plain, e.U, e.V)
		}
		again, err := read(t.Context(), writeTemp(t, "plain", plain), noLimit)
		if err != nil {
			t.Fatal(err)
		}
		defer freeEdges(t, again.Tuples)
		if again.Vertices != got.Vertices || !slices.Equal(again.Tuples, got.Tuples) {
			t.Fatalf("%+v came back as %+v", got, again)
		}
	})
}

func BenchmarkReadList(b *testing.B) {
	var text []byte
	n := 1 << 20
	for i := range n {
		u := uint32(i) * 2654435761 >> 8 // 24 bits
		text = fmt.Appendf(text, "%d\t%d\n", u, u*7&0xffffff)
	}
	b.Run("parse", func(b *testing.B) {
		s := someSyntax(0, 2)
		s.last = uint64(maxVertex)
		dst := make([]engine.Edge, n)
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if r := s.parse(text, dst); r.edges != n {
				b.Fatal(r.err)
			}
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "edges/s")
	})
	for _, name := range []string{"list", "list.gz", "list.zst"} {
		path := writeTemp(b, name, compressed(b, name, text))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				f, err := Read(b.Context(), path)
				if err != nil {
					b.Fatal(err)
				}
				freeEdges(b, f.Tuples)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "edges/s")
		})
	}
}

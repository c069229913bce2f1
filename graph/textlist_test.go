package graph

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
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
		"double comma":     {"0,1\n1,,5\n", ":2: a column without a vertex number"},
		"thousands":        {"0 1\n1,000 2\n", `:2: "000 2" is not a vertex number`},
		"comma first":      {"0,1\n,1,2\n", ":2: a column without a vertex number"},
		"commas alone":     {"0,1\n,,\n", ":2: a column without a vertex number"},
		"comma last":       {"0,1\n1,\n", ":2: a column without a vertex number"},
		"decimal comma":    {"0 1\n1 2,5\n", `:2: "2,5" is not a vertex number`},
		"two edges":        {"0 1\n0,1 2,3\n", `:2: "1 2" is not a vertex number`},
		"decimals":         {"1.0 2.0\n", `:1: "1.0" is not a vertex number`},
		"exponent":         {"1e3 2\n", `:1: "1e3" is not a vertex number`},
		"titles":           {"source,target\n0,1\n", `:1: "source" is not a vertex number: a line that is not an edge begins with # or %`},
		"quoted":           {"\"0\",\"1\"\n", `:1: "\"0\"" is not a vertex number: a line that is not an edge`},
		"JSON":             {"{\"edges\": [[0, 1]]}\n", `:1: "{\"edges\":" is not a vertex number`},
		"GraphML":          {"<?xml version=\"1.0\"?>\n", `:1: "<?xml" is not a vertex number`},
		"late banner":      {"\n%%matrixmarket matrix coordinate pattern general\n3 3 2\n2 1\n3 2\n", ":2: %%MatrixMarket is not a comment of an edge list"},
		"adjacency list":   {"0 1 2 3\n1 2\n2 3\n", ":2: 2 integers, the lines before have 4: this is not an edge list"},
		"packed edges":     {"\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00", ": is not text, and no binary format that is read"},
		"64 bits":          {"0 18446744073709551616\n", ":1: vertex number 18446744073709551616 is too large"},
		"many digits":      {"0 00000000000000000000004294967295\n", ":1: vertex number 00000000000000000000004294967295 is too large"},
		"negative":         {"0 1\n2 -3\n", ":2: vertex number -3 is negative"},
		"minus":            {"0 1\n- 3\n", `:2: "-" is not a vertex number`},
		"word":             {"0 1\r\n1 2\r\nfrom to\r\n", `:3: "from" is not a vertex number`},
		"fraction":         {"0 1.5\n", `:1: "1.5" is not a vertex number`},
		"plus":             {"+0 1\n", `:1: "+0" is not a vertex number`},
		"hexadecimal":      {"0 0x1\n", `:1: "0x1" is not a vertex number`},
		"semicolons":       {"0;1\n", `:1: "0;1" is not a vertex number`},
		"old line ends":    {"0 1\r1 2\r", `:1: "1\r1" is not a vertex number`},
		"glued columns":    {"0 1x\n", `:1: "1x" is not a vertex number`},
		"binary":           {"0 1\n\x00\x01\xff\n", ": is not text, and no binary format that is read"},
		"control bytes":    {"0 1\n\x01\xff\x02\n", ":2: something that is not text is not a vertex number"},
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
			_, err := Read(t.Context(), path, Options{})
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
		f, err := Read(t.Context(), writeTemp(t, "list.txt", []byte(text)), Options{})
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

// TestReadListUnusual reads lists whose first line resembles a header but is an
// edge, and lists with different numbers of columns.
func TestReadListUnusual(t *testing.T) {
	for text, want := range map[string][]engine.Edge{
		"# Nodes: 4\n3 2\n2 1\n1 0\n":             {{U: 3, V: 2}, {U: 2, V: 1}, {U: 1, V: 0}},
		"# Nodes: 4\n3 2\n3 1\n1 0\n":             {{U: 3, V: 2}, {U: 3, V: 1}, {U: 1, V: 0}},
		"2 2\n3 1\n1 2\n":                         {{U: 2, V: 2}, {U: 3, V: 1}, {U: 1, V: 2}},
		"1 2\n2 3\n3 4\n":                         {{U: 1, V: 2}, {U: 2, V: 3}, {U: 3, V: 4}},
		"5 0\n4 0\n3 0\n":                         {{U: 5, V: 0}, {U: 4, V: 0}, {U: 3, V: 0}},
		"2 3 1\n70 80 1\n90 95 1\n91 92 1\n":      {{U: 2, V: 3}, {U: 70, V: 80}, {U: 90, V: 95}, {U: 91, V: 92}},
		"5 0\n":                                   {{U: 5, V: 0}},
		"3 2 7\n2 1 7\n1 0 7\n":                   {{U: 3, V: 2}, {U: 2, V: 1}, {U: 1, V: 0}},
		"0 1 0.5\n1 2 1\n2 3 -1\n":                {{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}},
		"0 1 {'weight': 3}\n1 2 {}\n":             {{U: 0, V: 1}, {U: 1, V: 2}},
		"0,1,\n1 , 2,,x y\n2,3,\"a, b\"\n3,\t4\n": {{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}, {U: 3, V: 4}},
		"0 1 2,5\n1 2 3,5 7\n":                    {{U: 0, V: 1}, {U: 1, V: 2}},
	} {
		f, err := Read(t.Context(), writeTemp(t, "list.txt", []byte(text)), Options{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if !slices.Equal(f.Tuples, want) {
			t.Errorf("%q: %v", text, f.Tuples)
		}
		freeEdges(t, f.Tuples)
	}
}

// A line with a different number of columns is found in every block. It is
// reported before an error in a later line.
func TestReadListUnevenInLaterBlock(t *testing.T) {
	const lines = 100_000
	text := []byte(strings.Repeat("10 200 0.5\n", lines) + strings.Repeat("10 200\n", lines))
	text = append(text, "10 200 300\nx\n"...)
	text = append(text, strings.Repeat("10 200\n", lines)...)
	path := writeTemp(t, "list", text)
	_, err := Read(t.Context(), path, Options{})
	wantError(t, err, path, fmt.Sprintf(":%d: a weight in the third column, the lines before have none", 2*lines+1))

	text = []byte(strings.Repeat("10 200\n", lines) + strings.Repeat("10 200 300\n", lines))
	path = writeTemp(t, "list", text)
	_, err = Read(t.Context(), path, Options{})
	wantError(t, err, path, fmt.Sprintf(":%d: a weight in the third column, the lines before have none", lines+1))

	// A header is found after blocks of comments.
	text = []byte(strings.Repeat("# comment\n", lines) + "500 4\n10 200\n11 200\n12 200\n")
	path = writeTemp(t, "list", text)
	_, err = Read(t.Context(), path, Options{})
	wantError(t, err, path, fmt.Sprintf(":%d: may be a header", lines+1))
}

var (
	commaFirst  = regexp.MustCompile(`^[^ \t,]*[ \t]*,`)
	decimal     = regexp.MustCompile(`^[-+0-9.eE]*$`)
	wholeNumber = regexp.MustCompile(`^[0-9]+$`)
	lineComment = regexp.MustCompile(`[ \t,][#%]`)
)

// plainColumns is a simple form of syntax.columns.
func plainColumns(line string, s *syntax) []string {
	if s.matrix > 0 || !commaFirst.MatchString(line) {
		return strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" \t", c) })
	}
	columns := strings.Split(line, ",")
	for i, c := range columns {
		columns[i] = strings.Trim(c, " \t")
	}
	return columns
}

// plainParse is a simple form of parse. It returns the tuples before the first bad
// line and the number of this line, or 0.
func plainParse(text []byte, s *syntax, weighted bool) (tuples engine.Tuples, bad int) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+2)
	whole := 0
	for line := 1; lines.Scan(); line++ {
		if len(lines.Bytes())+len("\r") > maxLine {
			return tuples, line
		}
		trimmed := strings.Trim(lines.Text(), " \t")
		if trimmed == "" || strings.ContainsAny(trimmed[:1], s.comments) {
			continue
		}
		if at := lineComment.FindStringIndex(trimmed); at != nil && s.matrix == 0 {
			trimmed = strings.TrimRight(trimmed[:at[0]+1], " \t")
		}
		columns := plainColumns(trimmed, s)
		if len(columns) < 2 || s.matrix > 0 && len(columns) != s.matrix {
			return tuples, line
		}
		var ends [2]engine.Label
		for i, c := range columns[:2] {
			n, ok := new(big.Int).SetString(c, 10)
			if !ok || !wholeNumber.MatchString(c) || n.Cmp(big.NewInt(int64(s.first))) < 0 || n.Cmp(big.NewInt(int64(s.last))) > 0 {
				return tuples, line
			}
			ends[i] = engine.Label(n.Int64() - int64(s.first))
		}
		if s.matrix == 0 && !slices.ContainsFunc(columns, func(c string) bool { return !wholeNumber.MatchString(c) }) {
			if whole > 0 && len(columns) != whole {
				return tuples, line
			}
			whole = len(columns)
		}
		if weighted {
			hasWeight := len(columns) > 2 && columns[2] != ""
			if len(tuples.Edges) > 0 && hasWeight != (tuples.Weights != nil) {
				return tuples, line
			}
			if hasWeight {
				w, err := strconv.ParseFloat(columns[2], 32)
				if err != nil || !(w >= 0 && w <= math.MaxFloat32) || !decimal.MatchString(columns[2]) {
					return tuples, line
				}
				tuples.Weights = append(tuples.Weights, float32(w+0)) // 0 for -0
			}
		}
		tuples.Edges = append(tuples.Edges, engine.Edge{U: ends[0], V: ends[1]})
	}
	return tuples, 0
}

// checkParse compares parse with plainParse.
func checkParse(t interface{ Fatalf(string, ...any) }, text []byte, s *syntax, weighted bool) {
	text = append(bytes.ReplaceAll(text, []byte("\r\r"), nil), '\n')
	dst := engine.Tuples{Edges: make([]engine.Edge, len(text)/minLine)}
	if weighted {
		dst.Weights = make([]float32, len(dst.Edges))
	}
	r := s.parse(text, dst)
	want, bad := plainParse(text, s, weighted)
	got := firstTuples(dst, r.edges)
	if !r.weighted || r.edges == 0 {
		got.Weights = nil
	}
	if !slices.Equal(got.Edges, want.Edges) || !sameWeights(got.Weights, want.Weights) {
		t.Fatalf("%q: tuples %v, want %v", text, got, want)
	}
	if (r.err == nil) != (bad == 0) || bad > 0 && r.lines != bad {
		t.Fatalf("%q: error in line %d: %v, want line %d", text, r.lines, r.err, bad)
	}
	if r.err == nil && r.lines != bytes.Count(text, []byte("\n")) {
		t.Fatalf("%q: %d lines", text, r.lines)
	}
	var largest engine.Label
	for _, e := range want.Edges {
		largest = max(largest, e.U, e.V)
	}
	if r.largest != largest {
		t.Fatalf("%q: largest %d, want %d", text, r.largest, largest)
	}
}

// someSyntax returns a syntax for the tests of the parser.
func someSyntax(first uint64, matrix int) *syntax {
	return &syntax{
		first: first, last: 5_000_000, matrix: matrix, comments: "#%",
		outside: func(n string) error { return fmt.Errorf("%s is outside", n) },
	}
}

func TestParseLikePlainParse(t *testing.T) {
	word := rapid.SampledFrom([]string{
		"0", "1", "7", "42", "4999999", "5000000", "5000001", "00003", "00000000000000000000001", "18446744073709551616",
		"12345678901234567890", "-1", "x", "1.5", "0.25", "1e-3", "-0", "+7", "1e39", "1e-50", "inf", "NaN", "-0.5", "0x1p-2", "#", "%c", "\r", "\x00", " ", "\t", ",",
	})
	separator := rapid.SampledFrom([]string{" ", "\t", ",", "  ", ", ", " ,", ",,", "\n", "\r\n", " \n", ",\n", ""})
	rapid.Check(t, func(t *rapid.T) {
		var text []byte
		for range rapid.IntRange(0, 12).Draw(t, "words") {
			text = append(text, word.Draw(t, "word")...)
			text = append(text, separator.Draw(t, "separator")...)
		}
		checkParse(t, text, someSyntax(rapid.Uint64Range(0, 1).Draw(t, "first"), rapid.SampledFrom([]int{0, 0, 2, 3, 4}).Draw(t, "matrix")),
			rapid.Bool().Draw(t, "weighted"))
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("# Nodes: 4\n0 1\n2,\t3, 0.5\r\n"), false, uint8(0), false)
	f.Add([]byte("1 2 3\n00 18446744073709551616\n-1 2\n"), true, uint8(3), false)
	f.Add([]byte("1,2\n1,,5\n1,000 2\n,1,2\n"), false, uint8(0), false)
	f.Add([]byte("3 2\n2 3\n1 3 1\n"), false, uint8(0), false)
	f.Add([]byte("3 2 .5\n2\t3 -0 x\r\n1,3 ,1e-46,\n1 2 1e99\n"), false, uint8(0), true)
	f.Add([]byte("3 2 0,5\n2 3\n1 3 -1\n"), true, uint8(3), true)
	f.Fuzz(func(t *testing.T, text []byte, one bool, matrix uint8, weighted bool) {
		var first uint64
		if one {
			first = 1
		}
		checkParse(t, text, someSyntax(first, []int{0, 0, 2, 3, 4}[matrix%5]), weighted)
	})
}

// FuzzReadList reads any bytes as a list. It writes the result as a simple list
// and reads it again.
func FuzzReadList(f *testing.F) {
	f.Add([]byte("# Nodes: 4 Edges: 4\n0 1\n2 0\n2 3\n1 2\n"), false)
	f.Add([]byte("\xef\xbb\xbf0,1\r\n4294967294,0"), true)
	f.Add([]byte("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n"), true)
	f.Add([]byte("3 3\n2 3\n1 3\n1 2\n"), false)
	f.Add([]byte("0 1 5\n1,2\n"), false)
	f.Add([]byte("0 1 5\n1,2,.25e-7\n"), true)
	f.Add(append(compressed(f, "list.gz", []byte("0 1\n1 2\n")), 0, 0), false)
	f.Add(compressed(f, "list.zst", []byte("0 1\n1 2\n")), false)
	f.Add(fixture(f, "four.txt.bz2"), true)
	f.Fuzz(func(t *testing.T, text []byte, weighted bool) {
		got, err := read(t.Context(), writeTemp(t, "list", text), Options{Weighted: weighted}, noLimit)
		if err != nil {
			return
		}
		defer freeFile(t, got)
		checkFile(t, got, weighted)
		plain := fmt.Appendf(nil, "# Nodes: %d Edges: %d\n", got.Vertices, len(got.Tuples))
		for i, e := range got.Tuples {
			plain = fmt.Append(plain, e.U, " ", e.V)
			if got.Weights != nil {
				plain = fmt.Append(plain, " ", got.Weights[i])
			}
			plain = append(plain, '\n')
		}
		again, err := read(t.Context(), writeTemp(t, "plain", plain), Options{Weighted: weighted}, noLimit)
		if err != nil {
			t.Fatal(err)
		}
		defer freeFile(t, again)
		if !sameFile(again, got) {
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
		s := someSyntax(0, 0)
		s.last = uint64(maxVertex)
		dst := engine.Tuples{Edges: make([]engine.Edge, n)}
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if r := s.parse(text, dst); r.edges != n {
				b.Fatal(r.err)
			}
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "edges/s")
	})
	weights, _ := longWeights(1 << 17)
	path := writeTemp(b, "weights", weights)
	b.Run("weights", func(b *testing.B) {
		b.SetBytes(int64(len(weights)))
		for b.Loop() {
			f, err := Read(b.Context(), path, Options{Weighted: true})
			if err != nil {
				b.Fatal(err)
			}
			freeFile(b, f)
		}
	})
	for _, name := range []string{"list", "list.gz", "list.zst"} {
		path := writeTemp(b, name, compressed(b, name, text))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				f, err := Read(b.Context(), path, Options{})
				if err != nil {
					b.Fatal(err)
				}
				freeEdges(b, f.Tuples)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "edges/s")
		})
	}
}

package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"graph500/engine"
)

const generalPattern = "%%MatrixMarket matrix coordinate pattern general\n"

func TestReadMatrixErrors(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":            {"", ": no edges: the file is empty"},
		"no banner":        {"4 4 4\n1 2\n", `:1: a Matrix Market file begins with "%%MatrixMarket matrix coordinate FIELD SYMMETRY", this one with "4 4 4"`},
		"short banner":     {"%%MatrixMarket matrix coordinate real\n", ":1: a Matrix Market file begins with "},
		"vector":           {"%%MatrixMarket vector coordinate real general\n", `:1: "vector" is not a matrix`},
		"array":            {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", `:1: format "array" is not read`},
		"unknown field":    {"%%MatrixMarket matrix coordinate text general\n", `:1: unknown field "text"`},
		"unknown symmetry": {"%%MatrixMarket matrix coordinate real lopsided\n", `:1: unknown symmetry "lopsided"`},
		"banner only":      {generalPattern, ": no edges: ends after line 1, before its line of sizes"},
		"comments only":    {generalPattern + "% x\n\n", ": no edges: ends after line 3, before its line of sizes"},
		"two sizes":        {generalPattern + "4 4\n1 2\n", ":2: 2 numbers, expected three sizes"},
		"sizes missing":    {generalPattern + "% x\n1 2 0.5 7\n", ":3: 4 numbers, expected three sizes"},
		"bad size":         {generalPattern + "4 -4 1\n1 2\n", `:2: "-4" is not a size`},
		"rectangular":      {generalPattern + "%\n%\n3 4 1\n1 2\n", ":4: a rectangular matrix of 3 rows and 4 columns is not a graph"},
		"too many rows":    {generalPattern + "4294967296 4294967296 1\n1 2\n", ":2: 4294967296 rows and columns, at most 4294967295 are possible"},
		"no rows":          {generalPattern + "0 0 1\n1 1\n", ":2: 1 entries in a matrix without rows"},
		"no entries":       {generalPattern + "4 4 0\n", ": no edges"},
		"entries too few":  {generalPattern + "4 4 3\n1 2\n2 3\n", ":4: ends after 2 of the 3 entries of the header"},
		"no entry line":    {generalPattern + "4 4 3\n", ":2: ends after 0 of the 3 entries of the header"},
		"entries too many": {generalPattern + "4 4 2\n1 2\n%\n2 3\n\n3 4\n5 5\n", ":7: more than the 2 entries of the header"},
		"huge count":       {generalPattern + "4 4 1152921504606846976\n1 2\n", ":3: ends after 1 of the 1152921504606846976 entries of the header"},
		"row 0":            {generalPattern + "4 4 2\n1 2\n0 3\n", ":4: index 0: rows and columns count from 1"},
		"column 00":        {generalPattern + "4 4 2\n1 00\n1 3\n", ":3: index 0: rows and columns count from 1"},
		"beyond":           {generalPattern + "4 4 2\n1 2\n5 1\n", ":4: index 5 is out of range, the matrix has 4 rows and columns"},
		"negative":         {generalPattern + "4 4 2\n1 2\n-1 1\n", ":4: vertex number -1 is negative"},
		"word":             {generalPattern + "4 4 2\r\n1 2\r\none 1\r\n", `:4: "one" is not a vertex number`},
		"one index":        {generalPattern + "4 4 2\n1 2\n1\n", ":4: 1 of the 2 columns are missing"},
		"value missing":    {"%%MatrixMarket matrix coordinate real general\n4 4 2\n1 2 0.5\n2 3 \n", ":4: 1 of the 3 columns are missing"},
		"imaginary part missing": {"%%MatrixMarket matrix coordinate complex general\n4 4 2\n1 2 0.5 1\n2 3 1\n",
			":4: 1 of the 4 columns are missing"},
		"too many columns": {generalPattern + "4 4 2\n1 2\n2 3 0.5\n", ":4: 3 columns, entries of the kind that the first line names have 2"},
		"too many values":  {"%%MatrixMarket matrix coordinate real general\n4 4 1\n1 2 0.5 1\n", ":3: 4 columns, entries of the kind"},
		"commas":           {generalPattern + "4 4 2\n1 2\n1,000 2\n", `:4: "1,000" is not a vertex number`},
		"decimals":         {generalPattern + "4 4 1\n1.0 2.0\n", `:3: "1.0" is not a vertex number`},
		"64 bits":          {generalPattern + "4 4 1\n1 18446744073709551617\n", ":3: index 18446744073709551617 is out of range, the matrix has 4 rows and columns"},
		"size of 64 bits":  {generalPattern + "4 4 18446744073709551616\n1 2\n", `:2: "18446744073709551616" is not a size`},
		"hash comment":     {generalPattern + "4 4 1\n# x\n1 2\n", `:3: "#" is not a vertex number`},
		"long header line": {generalPattern + "%" + strings.Repeat("x", maxLine) + "\n", fmt.Sprintf(":2: line of more than %d bytes", maxLine)},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeTemp(t, "m.mtx", []byte(c.text))
			_, err := read(t.Context(), path, Options{}, noLimit)
			wantError(t, err, path, c.want)
		})
	}
}

func TestReadMatrixKeepsEntries(t *testing.T) {
	f, err := Read(t.Context(), writeTemp(t, "m.mtx", []byte(generalPattern+"9 9 5\n1 2\n2 1\n3 3\n1 2\n9 1\n")), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer freeEdges(t, f.Tuples)
	want := []engine.Edge{{U: 0, V: 1}, {U: 1, V: 0}, {U: 2, V: 2}, {U: 0, V: 1}, {U: 8, V: 0}}
	if f.Vertices != 9 || !slices.Equal(f.Tuples, want) || !f.Symmetrised {
		t.Errorf("got %+v", f)
	}
}

// A surplus entry is found in every block.
func TestReadMatrixTooManyInLaterBlock(t *testing.T) {
	const entries = 200_000
	text := fmt.Appendf([]byte(generalPattern), "10 10 %d\n", entries)
	for i := range entries + 1 {
		text = fmt.Appendln(text, i%10+1, i%7+1)
	}
	path := writeTemp(t, "m.mtx", text)
	_, err := Read(t.Context(), path, Options{})
	wantError(t, err, path, fmt.Sprintf(":%d: more than the %d entries of the header", entries+3, entries))
}

func TestReadMatrixTruncatedStream(t *testing.T) {
	for _, name := range []string{"m.mtx.gz", "m.mtx.zst"} {
		whole := compressed(t, name, []byte(generalPattern+"% "+strings.Repeat("comment ", 20)+"\n4 4 1\n1 2\n"))
		path := writeTemp(t, name, whole[:len(whole)-1])
		_, err := Read(t.Context(), path, Options{})
		if err == nil || !strings.Contains(err.Error(), "stream is truncated") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func FuzzReadMatrix(f *testing.F) {
	f.Add([]byte(generalPattern+"4 4 4\n1 2\n3 1\n3 4\n2 3\n"), true)
	f.Add([]byte("%%MatrixMarket matrix coordinate complex hermitian\r\n% x\n2 2 1\n2 1 0.5 -1\n"), false)
	f.Add([]byte("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 0.5\n1 1 1e9"), false)
	f.Add([]byte("%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n2 1 0.5\n1 1 1e-9"), true)
	f.Fuzz(func(t *testing.T, text []byte, weighted bool) {
		got, err := read(t.Context(), writeTemp(t, "m.mtx", text), Options{Weighted: weighted}, noLimit)
		if err != nil {
			return
		}
		defer freeFile(t, got)
		checkFile(t, got, weighted)
		field := "pattern"
		if got.Weights != nil {
			field = "real"
		}
		plain := fmt.Appendf(nil, "%%%%MatrixMarket matrix coordinate %s general\n%d %d %d\n", field, got.Vertices, got.Vertices, len(got.Tuples))
		for i, e := range got.Tuples {
			plain = fmt.Append(plain, uint64(e.U)+1, " ", uint64(e.V)+1)
			if got.Weights != nil {
				plain = fmt.Append(plain, " ", got.Weights[i])
			}
			plain = append(plain, '\n')
		}
		again, err := read(t.Context(), writeTemp(t, "plain.mtx", plain), Options{Weighted: weighted}, noLimit)
		if err != nil {
			t.Fatal(err)
		}
		defer freeFile(t, again)
		if !sameFile(again, got) {
			t.Fatalf("%+v came back as %+v", got, again)
		}
	})
}

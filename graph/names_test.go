package graph

import (
	"os"
	"slices"
	"strings"
	"testing"

	"graph500/engine"
	"graph500/memory"
)

// TestReadNamed reads lists whose vertices are words, or numbers with gaps.
func TestReadNamed(t *testing.T) {
	for text, want := range map[string]*File{
		"# x\nrome paris\nberlin rome # x\nberlin prague\nparis berlin\n": {Vertices: 4, Names: []string{"rome", "paris", "berlin", "prague"},
			Tuples: []engine.Edge{{U: 0, V: 1}, {U: 2, V: 0}, {U: 2, V: 3}, {U: 1, V: 2}}},
		"18446744073709551616,7,0.5\n7,-3,2\n": {Vertices: 3, Names: []string{"18446744073709551616", "7", "-3"}, Tuples: []engine.Edge{{U: 0, V: 1}, {U: 1, V: 2}}, Weights: []float32{0.5, 2}},
		"4294967295 5\n5 4294967295\n":         {Vertices: 2, Names: []string{"4294967295", "5"}, Tuples: []engine.Edge{{U: 0, V: 1}, {U: 1, V: 0}}},
		"c d\np q\n":                           {Vertices: 4, Names: []string{"c", "d", "p", "q"}, Tuples: []engine.Edge{{U: 0, V: 1}, {U: 2, V: 3}}},
		"7 7\n":                                {Vertices: 1, Names: []string{"7"}, Tuples: []engine.Edge{{U: 0, V: 0}}},
	} {
		f, err := Read(t.Context(), writeTemp(t, "list", []byte(text)), Options{Weighted: true, Renumber: true})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if !sameFile(f, want) || !slices.Equal(f.Names, want.Names) {
			t.Errorf("%q: got %+v", text, f)
		}
		freeFile(t, f)
	}
	for name, c := range map[string]struct{ text, want string }{
		"one.txt":     {"a b\nc\n", ":2: a line without the names of two vertices"},
		"titles.csv":  {"source,target\n1,2\n2,3\n", ":1: only this line holds words: put # before it"},
		"sizes.txt":   {"# x\n30 3\n100 200\n200 300\n", ""},
		"header.txt":  {"3 2\n100 200\n200 300\n", ":1: may be a header"},
		"weight.txt":  {"a b 1\nb c x\n", `:2: "x" is not a weight`},
		"uneven.txt":  {"a b 1\nb c\n", ":2: no weight in the third column"},
		"empty.txt":   {"# x\n", ": no edges"},
		"matrix.mtx":  {generalPattern, ": -renumber is for edge lists"},
		"konect":      {"% bip unweighted\n1 1\n", ": the vertices of both sides have the same names"},
		"lists.graph": {"2 1\n2\n1\n", ": -renumber is for edge lists"},
	} {
		path := writeTemp(t, name, []byte(c.text))
		f, err := Read(t.Context(), path, Options{Weighted: true, Renumber: true})
		if err == nil {
			freeFile(t, f)
			if c.want == "" {
				continue
			}
		}
		wantError(t, err, path, c.want)
	}
	path := writeTemp(t, "list", []byte("a b\nc d\n"))
	_, err := read(t.Context(), path, Options{Renumber: true}, memory.Limit{Bytes: 200, Source: "test"})
	wantError(t, err, path, ":2: the names of 3 vertices need more memory than the 200 B that are available")
}

// TestReadGraphalytics reads a list of edges with the list of vertices beside it.
func TestReadGraphalytics(t *testing.T) {
	path := writeTemp(t, "g.e", []byte("2 4 0.5\n4 9 1\n"))
	beside := strings.TrimSuffix(path, "e") + "v"
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(beside, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	fourPath := writeTemp(t, "four.e", []byte("0 1 5\n2 0 6\n2 3 7\n1 2 8\n"))
	if err := os.WriteFile(strings.TrimSuffix(fourPath, "e")+"v", []byte("0\n1\n2\n3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	want := &File{Vertices: 4, Tuples: four, Weights: []float32{5, 6, 7, 8}}
	whole, err := Read(t.Context(), fourPath, Options{Weighted: true})
	if err != nil {
		t.Fatal(err)
	}
	defer freeFile(t, whole)
	if !sameFile(whole, want) {
		t.Errorf("got %+v", whole)
	}
	wantRoundTrips(t, "four.e", whole)
	write("2\n4\n7\n9\n11\n")
	f, err := Read(t.Context(), path, Options{Weighted: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := (&File{Vertices: 12, Tuples: []engine.Edge{{U: 2, V: 4}, {U: 4, V: 9}}, Weights: []float32{0.5, 1}}); !sameFile(f, want) {
		t.Errorf("got %+v", f)
	}
	freeFile(t, f)
	f, err = Read(t.Context(), path, Options{Weighted: true, Renumber: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := (&File{Vertices: 5, Tuples: []engine.Edge{{U: 0, V: 1}, {U: 1, V: 3}}, Weights: []float32{0.5, 1}}); !sameFile(f, want) || !slices.Equal(f.Names, []string{"2", "4", "7", "9", "11"}) {
		t.Errorf("got %+v", f)
	}
	freeFile(t, f)
	write("2\n4\n")
	_, err = Read(t.Context(), path, Options{Renumber: true})
	wantError(t, err, path, `:2: "9" is none of the vertices of the .v file`)
	write("2\n4 5\n")
	_, err = Read(t.Context(), path, Options{})
	wantError(t, err, beside, ":2: 2 words, a list of vertices has one in each line")
	write("2\n99999999999\n")
	_, err = Read(t.Context(), path, Options{})
	wantError(t, err, beside, ":2: vertex number 99999999999 is too large")
}

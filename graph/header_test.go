package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"graph500/engine"
)

// wantGraph compares the graph of a file, whose text is given, with the expected one.
func wantGraph(t *testing.T, name string, content []byte, want *File) *File {
	t.Helper()
	f, err := Read(t.Context(), writeTemp(t, name, content), Options{Weighted: want.Weights != nil})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return new(File)
	}
	t.Cleanup(func() { freeFile(t, f) })
	if !sameFile(f, want) || f.Symmetrised != want.Symmetrised {
		t.Errorf("%s: got %+v, want %+v", name, f, want)
	}
	return f
}

// TestReadHeader reads lists whose first line holds the sizes.
func TestReadHeader(t *testing.T) {
	path := []engine.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}, {U: 3, V: 4}}
	for text, want := range map[string]*File{
		"5 4\n0 1\n1 2\n2 3\n3 4\n":                                       {Vertices: 5, Tuples: path, Symmetrised: true},
		"# x\n\n5,4\n0,1\n1,2\n2,3\n3,4":                                  {Vertices: 5, Tuples: path, Symmetrised: true},
		"5 4\n1 2\n2 3\n3 4\n4 5\n":                                       {Vertices: 5, Tuples: path, Symmetrised: true},
		"5 4\n0 1\n1 0\n1 2\n2 1\n2 3\n3 2\n3 4\n4 3\n":                   {Vertices: 5, Tuples: path},
		"5 4\n1 2\n2 1\n2 3\n3 2\n3 4\n4 3\n4 5\n5 4\n":                   {Vertices: 5, Tuples: path},
		"5 5 4\n0 1\n1 2\n2 3\n3 4\n":                                     {Vertices: 5, Tuples: path, Symmetrised: true},
		"% rows\n5 5 4\n1 2 7\n2 3 7\n3 4 7\n4 5 7\n":                     {Vertices: 5, Tuples: path, Weights: []float32{7, 7, 7, 7}, Symmetrised: true},
		"5 4\n1 2 7\n2 3 7\n3 4 7\n4 5 7\n":                               {Vertices: 5, Tuples: path, Weights: []float32{7, 7, 7, 7}, Symmetrised: true},
		"9 4\n0 1\n1 2\n2 3\n3 4\n":                                       {Vertices: 9, Tuples: path, Symmetrised: true},
		"5 5 4\n0 1 7\n1 0 7\n1 2 3\n2 1 3\n2 3 1\n3 2 1\n3 4 2\n4 3 2\n": {Vertices: 5, Tuples: path, Weights: []float32{7, 3, 1, 2}},
	} {
		f := wantGraph(t, "list.txt", []byte(text), want)
		if len(f.Notes) != 1 || !strings.Contains(f.Notes[0], fmt.Sprintf("is a header: %d vertices", want.Vertices)) {
			t.Errorf("%q: notes %q", text, f.Notes)
		}
	}
}

// TestReadUnclearHeader refuses first lines that may be sizes but do not go with the edges.
func TestReadUnclearHeader(t *testing.T) {
	for text, line := range map[string]int{
		"5 5 4\n0 1\n1 2\n2 3\n":                        1, // an edge is missing
		"5 5 4\n0 1 1\n1 2 1\n2 3 1\n":                  1,
		"# x\n5 3\n0 1\n1 2\n2 3\n3 4\n":                2,
		"5 4\n0 1\n1 0\n1 2\n2 1\n2 3\n3 2\n3 4\n3 4\n": 1, // not both directions
		"4 4 10\n1 1 2\n1 2 3\n1 3 4\n1 4 1\n":          1, // METIS, with one direction only
		"5 4\n0 1\n1 2\n2 3\n3 4\n4 1\n":                1,
		"3 2\n3 1\n1 0\n":                               1,
		"4 5\n10 20\n20 30\n30 40\n40 10\n10 30\n":      1, // labels that are not 0..3
		"100 7\n" + strings.Repeat("1 50\n", 40):        1,
		"5 6 4\n0 1\n1 2\n2 3\n3 4\n":                   1, // rectangular
		"3 4\n1 2 5\n2 3 5\n":                           1,
	} {
		path := writeTemp(t, "list.txt", []byte(text))
		_, err := Read(t.Context(), path, Options{})
		wantError(t, err, path, fmt.Sprintf(":%d: may be a header", line))
	}
}

// TestReadFirstEdge reads lists whose first line is an edge, small as they are.
func TestReadFirstEdge(t *testing.T) {
	for text, want := range map[string]*File{
		"0 1\n2 2\n":           {Vertices: 3, Tuples: []engine.Edge{{U: 0, V: 1}, {U: 2, V: 2}}, Symmetrised: true},
		"0 3\n1 2\n2 3\n1 3\n": {Vertices: 4, Tuples: []engine.Edge{{U: 0, V: 3}, {U: 1, V: 2}, {U: 2, V: 3}, {U: 1, V: 3}}, Symmetrised: true},
	} {
		if f := wantGraph(t, "list.txt", []byte(text), want); len(f.Notes) > 0 {
			t.Errorf("%q: notes %q", text, f.Notes)
		}
	}
}

// TestReadComments reads comments at the end of lines, which are no weights.
func TestReadComments(t *testing.T) {
	edges := []engine.Edge{{U: 0, V: 1}, {U: 1, V: 2}}
	for text, weights := range map[string][]float32{
		"0 1 # tail\n1 2\n":           nil,
		"0 1\n1 2 % tail":             nil,
		"0 1 5 # 7\n1 2 .5 #8\r\n":    {5, 0.5},
		"0,1 # tail\n1,2,# tail, 7\n": nil,
		"0,1,5 # tail, 7\n1,2,3,%x\n": {5, 3},
	} {
		for _, weighted := range []bool{false, true} {
			f, err := Read(t.Context(), writeTemp(t, "list", []byte(text)), Options{Weighted: weighted})
			if err != nil {
				t.Errorf("%q: %v", text, err)
				continue
			}
			if !slices.Equal(f.Tuples, edges) || weighted && !sameWeights(f.Weights, weights) {
				t.Errorf("%q: got %+v", text, f)
			}
			freeFile(t, f)
		}
	}
}

// TestReadUnevenWeight names what is missing, and not METIS.
func TestReadUnevenWeight(t *testing.T) {
	for _, weighted := range []bool{false, true} {
		path := writeTemp(t, "list", []byte("0 1 5\n1 2\n2 3 4\n"))
		_, err := Read(t.Context(), path, Options{Weighted: weighted})
		wantError(t, err, path, ":2: no weight in the third column, the lines before have one")
	}
}

// TestReadKONECT reads files of the KONECT collection.
func TestReadKONECT(t *testing.T) {
	for text, want := range map[string]*File{
		"% sym unweighted\n% 3 4 4\n1 2\n2 3\n3 4\n":            {Vertices: 4, Tuples: []engine.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}}},
		"% asym positive\n1 2 1 1082040961\n2 4 3 1082040962\n": {Vertices: 4, Tuples: []engine.Edge{{U: 0, V: 1}, {U: 1, V: 3}}, Symmetrised: true},
		"% bip unweighted\n% 4 2 3\n1 1\n1 2\n2 2\n2 3\n":       {Vertices: 5, Tuples: []engine.Edge{{U: 0, V: 2}, {U: 0, V: 3}, {U: 1, V: 3}, {U: 1, V: 4}}},
		"% bip unweighted\n1 1\n1 2\n2 2\n2 3\n":                {Vertices: 5, Tuples: []engine.Edge{{U: 0, V: 2}, {U: 0, V: 3}, {U: 1, V: 3}, {U: 1, V: 4}}},
		"% bip posweighted \r\n% 2 2 2\r\n1\t1\t0.5\n2\t2\t3\n": {Vertices: 4, Tuples: []engine.Edge{{U: 0, V: 2}, {U: 1, V: 3}}, Weights: []float32{0.5, 3}},
		"% bip\n1 1\n1 2\n2 2\n2 3\n":                           {Vertices: 5, Tuples: []engine.Edge{{U: 0, V: 2}, {U: 0, V: 3}, {U: 1, V: 3}, {U: 1, V: 4}}},
		"%bip\n% 2 2 2\n1 1 5\n2 2 7\n":                         {Vertices: 4, Tuples: []engine.Edge{{U: 0, V: 2}, {U: 1, V: 3}}},
		"% sym weighted\n% 1 5 5\n1 2 0.5 1082040961\n":         {Vertices: 5, Tuples: []engine.Edge{{U: 0, V: 1}}, Weights: []float32{0.5}},
	} {
		f := wantGraph(t, "out.list", []byte(text), want)
		if len(f.Notes) == 0 || !strings.HasPrefix(f.Notes[0], "a KONECT file (") || len(f.Warnings) > 0 {
			t.Errorf("%q: %q, %q", text, f.Notes, f.Warnings)
		}
	}
	// Times and multiplicities are no weights.
	f, err := Read(t.Context(), writeTemp(t, "out", []byte("% asym positive\n% 3 3 3\n1 2 1 7\n2 3 1 8\n")), Options{Weighted: true})
	if err != nil {
		t.Fatal(err)
	}
	defer freeFile(t, f)
	if f.Weights != nil || len(f.Notes) != 2 || len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0], "states 3 edges, the file holds 2") {
		t.Errorf("got %+v", f)
	}
	path := writeTemp(t, "out", []byte("% bip unweighted\n1 1\n0 2\n"))
	_, err = Read(t.Context(), path, Options{})
	wantError(t, err, path, ":3: vertex number 0")
}

// TestReadWeightWarnings tells what float32 cannot hold, and timestamps.
func TestReadWeightWarnings(t *testing.T) {
	for text, want := range map[string]string{
		"0 1 16777216\n1 2 1\n2 3 1\n":                     "",
		"0 1 16777217\n1 2 1\n":                            "1 weights are whole numbers above 16777216",
		"0 1 1082040961\n1 2 1082155839\n2 3 1082155839\n": "the weights grow from line to line: they look like timestamps",
		"0 1 5\n1 2 6\n2 3 7\n":                            "",
		"0 1 16777217.5\n1 2 1\n":                          "",
		"# Nodes: 4 Edges: 9\n0 1 1\n":                     "a comment states 9 edges, the file holds 1",
	} {
		f, err := Read(t.Context(), writeTemp(t, "list", []byte(text)), Options{Weighted: true})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := strings.Join(f.Warnings, "; "); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%q: %q", text, got)
		}
		freeFile(t, f)
	}
}

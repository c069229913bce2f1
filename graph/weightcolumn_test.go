package graph

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"graph500/engine"
)

// fourWeights are the weights of four in the files of testdata.
var fourWeights = []float32{0.5, 0.001, 0, 16777216}

// sameWeights reports whether a and b hold the same bits, so that 0 differs from
// -0, and whether both or neither are nil.
func sameWeights(a, b []float32) bool {
	return (a == nil) == (b == nil) && slices.EqualFunc(a, b, func(x, y float32) bool {
		return math.Float32bits(x) == math.Float32bits(y)
	})
}

// sameFile reports whether the graphs of two files are equal.
func sameFile(a, b *File) bool {
	return a.Vertices == b.Vertices && slices.Equal(a.Tuples, b.Tuples) && sameWeights(a.Weights, b.Weights)
}

// checkFile checks the ranges of a graph.
func checkFile(t *testing.T, f *File, weighted bool) {
	t.Helper()
	for _, e := range f.Tuples {
		if uint64(max(e.U, e.V)) >= f.Vertices {
			t.Fatalf("%v of %d vertices", e, f.Vertices)
		}
	}
	if f.Weights == nil {
		return
	}
	if !weighted || len(f.Weights) != len(f.Tuples) {
		t.Fatalf("%d weights of %d tuples", len(f.Weights), len(f.Tuples))
	}
	for _, w := range f.Weights {
		if !(w <= engine.LargestWeight(f.Vertices)) || math.Signbit(float64(w)) {
			t.Fatalf("weight %v", w)
		}
	}
}

func freeTuples(t testing.TB, tuples engine.Tuples) {
	t.Helper()
	if err := FreeTuples(tuples); err != nil {
		t.Error(err)
	}
}

func freeFile(t testing.TB, f *File) {
	t.Helper()
	freeTuples(t, engine.Tuples{Edges: f.Tuples, Weights: f.Weights})
}

func TestReadWeightsFixtures(t *testing.T) {
	for name, want := range map[string][]float32{
		"four-weights.txt":     fourWeights,
		"four-weights.csv":     fourWeights,
		"four-weights.mtx":     fourWeights,
		"four.txt.gz":          nil,
		"four.txt.bz2":         nil,
		"four.csv":             nil,
		"four-snap.txt":        nil,
		"four-pattern.mtx.zst": nil,
	} {
		for _, weighted := range []bool{true, false} {
			f, err := Read(t.Context(), filepath.Join("testdata", name), Options{Weighted: weighted})
			if err != nil {
				t.Error(err)
				continue
			}
			if !weighted {
				want = nil
			}
			if f.Vertices != 4 || !slices.Equal(f.Tuples, four) || !sameWeights(f.Weights, want) {
				t.Errorf("%s, weights %v: got %+v", name, weighted, f)
			}
			freeFile(t, f)
		}
	}
}

func TestParseWeight(t *testing.T) {
	for text, want := range map[string]float32{
		"0": 0, "-0": 0, "-0.0": 0, "1": 1, "1.": 1, ".5": 0.5, "+1e-3": 1e-3, "1E3": 1000, "007": 7,
		"1e-46": 0, "-1e-46": 0, // the nearest float32 is 0
		"1.4e-45": math.SmallestNonzeroFloat32, "3.4028235e38": math.MaxFloat32,
		// Halves of a unit in the last place, which are rounded to even, and
		// numbers that rounding to float64 first would move to such a half.
		"16777217": 16777216, "16777219": 16777220,
		"1.000000059604644775390625": 1, "1.00000005960464477539062500001": 1.0000001,
		"1.000000178813934326171874999": 1.0000001, "0.1": 0.1,
	} {
		if got, err := parseWeight([]byte(text)); err != nil || math.Float32bits(got) != math.Float32bits(want) {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"x": `"x" is not a weight`, "1,5": `"1,5" is not a weight`, "1_0": `"1_0" is not a weight`, "0x1p-2": `"0x1p-2" is not a weight`, "1e": `"1e" is not a weight`, "-": `"-" is not a weight`, "0.5\r": `"0.5\r" is not a weight`,
		"nan": `"nan" is not a weight`, "NaN": `"NaN" is not a weight`, "inf": `"inf" is not a weight`, "-Infinity": `"-Infinity" is not a weight`,
		"-1": "weight -1 is negative", "-1e-45": "weight -1e-45 is negative", "-1e99": "weight -1e99 is negative",
		"1e39":         "weight 1e39 is too large, the largest is 3.4028235e+38",
		"3.4028236e38": "weight 3.4028236e38 is too large", "1" + strings.Repeat("0", 400): "weight 1" + strings.Repeat("0", 39) + " is too large",
	} {
		if got, err := parseWeight([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %s", text, got, err, want)
		}
	}
}

// TestReadBadWeights reads files with bad weights, which are read without an error
// if the weights are not asked for.
func TestReadBadWeights(t *testing.T) {
	matrix := func(kind, entries string) string {
		return fmt.Sprintf("%%%%MatrixMarket matrix coordinate %s\n4 4 %d\n%s", kind, strings.Count(entries, "\n"), entries)
	}
	for name, c := range map[string]struct{ text, want string }{
		"negative":         {"0 1 0.5\n1 2 -0.25\n", ":2: weight -0.25 is negative"},
		"negative integer": {"0 1 5\n1 2 -3\n", ":2: weight -3 is negative"},
		"word":             {"0 1 0.5\n\n# x\n1 2 far\n", `:4: "far" is not a weight`},
		"attributes":       {"0 1 {'weight': 3}\n", `:1: "{'weight':" is not a weight`},
		"not a number":     {"0,1,nan\n", `:1: "nan" is not a weight`},
		"infinite":         {"0,1,1\n1,2,inf\n", `:2: "inf" is not a weight`},
		"too large":        {"0 1 1\n1 2 1000000000000000000000000000000000000000\n", ":2: weight 1000000000000000000000000000000000000000 is too large"},
		"decimal comma":    {"0 1 2,5\n", `:1: "2,5" is not a weight`},
		"missing":          {"0 1 0.5\n1 2 0.5\n2 3\n", ":3: no weight in the third column, the lines before have one"},
		"surplus":          {"0 1\n1 2\n2 3 0.5\n", ":3: a weight in the third column, the lines before have none"},
		"empty column":     {"0,1,0.5\n1,2,,7\n", ":2: no weight in the third column, the lines before have one"},
		"empty first":      {"0,1,\n1,2,0.5\n", ":2: a weight in the third column, the lines before have none"},
		"matrix negative":  {matrix("real symmetric", "2 1 0.5\n3 1 -1e-3\n"), ":4: weight -1e-3 is negative"},
		"matrix skew":      {matrix("integer skew-symmetric", "2 1 3\n3 1 -1\n"), ":4: weight -1 is negative"},
		"matrix word":      {matrix("real general", "2 1 x\n"), `:3: "x" is not a weight`},
		"matrix comma":     {matrix("real general", "2 1 0,5\n"), `:3: "0,5" is not a weight`},
		"matrix large":     {matrix("real general", "2 1 1\n3 1 1e300\n"), ":4: weight 1e300 is too large"},
		"long paths":       {"0 1 1e37\n5 2 4e37\n3 4 1\n", ": weight 4e+37 is too large for 6 vertices, whose paths could be longer than float32 can hold: scale all weights down so that the largest is at most 3.4028235e+37"},
		"matrix paths":     {matrix("real symmetric", "2 1 0.5\n3 1 6e37\n"), ": weight 6e+37 is too large for 4 vertices, "},
		"matrix complex":   {matrix("complex hermitian", "2 1 0.5 1\n"), ":1: the complex values of this matrix cannot be weights"},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeTemp(t, "list", []byte(c.text))
			_, err := Read(t.Context(), path, Options{Weighted: true})
			wantError(t, err, path, c.want)
			f, err := Read(t.Context(), path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(f.Tuples) == 0 || f.Weights != nil {
				t.Errorf("got %+v", f)
			}
			freeFile(t, f)
		})
	}
}

// longWeights returns an edge list of several blocks with weights, its edges and
// its weights.
func longWeights(lines int) ([]byte, engine.Tuples) {
	var text []byte
	var tuples engine.Tuples
	for i := range lines {
		e := engine.Edge{U: engine.Label(i) * 2654435761 >> 1, V: engine.Label(i % 1000)}
		w := float32(i*7919%1000003) / 1000003
		tuples.Edges, tuples.Weights = append(tuples.Edges, e), append(tuples.Weights, w)
		if i%97 == 5 {
			text = append(text, "# a comment\n\n"...)
		}
		text = fmt.Appendf(text, [...]string{"%d %d %v\n", "%d,%d , %v,x\n", "%d\t%d %v\r\n"}[i%3], e.U, e.V, w)
	}
	return text, tuples
}

func TestReadLongListOfWeights(t *testing.T) {
	text, tuples := longWeights(60_000)
	want := &File{Vertices: 1 << 31, Tuples: tuples.Edges, Weights: tuples.Weights}
	for _, name := range []string{"list", "list.gz", "list.zst"} {
		f, err := Read(t.Context(), writeTemp(t, name, compressed(t, name, text)), Options{Weighted: true})
		if err != nil {
			t.Fatal(err)
		}
		want.Vertices = f.Vertices
		if !sameFile(f, want) {
			t.Errorf("%s: other tuples came back", name)
		}
		freeFile(t, f)
	}
}

// A line that differs from those of the blocks before is found.
func TestReadUnevenWeightsInLaterBlock(t *testing.T) {
	const lines = 100_000
	with, without := strings.Repeat("10 200 0.5\n", lines), strings.Repeat("10 200\n", lines)
	for text, want := range map[string]string{
		with + without:           ":100001: no weight in the third column",
		without + with:           ":100001: a weight in the third column",
		with + "10 200\n" + with: ":100001: no weight in the third column",
		strings.Repeat("#\n", lines) + with + "1 2\n": ":200001: no weight in the third column",
	} {
		path := writeTemp(t, "list", []byte(text))
		_, err := Read(t.Context(), path, Options{Weighted: true})
		wantError(t, err, path, want)
	}
}

// The parser allocates nothing for a line.
func TestParseAllocatesNothing(t *testing.T) {
	text := []byte(strings.Repeat("10 200 0.123456789\n11,\t5, 1e-7,x\r\n", 100))
	dst := engine.Tuples{Edges: make([]engine.Edge, 200), Weights: make([]float32, 200)}
	s := someSyntax(0, 0)
	if n := testing.AllocsPerRun(10, func() {
		if r := s.parse(text, dst); r.edges != 200 {
			t.Fatal(r.err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

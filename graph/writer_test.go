package graph

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"graph500/engine"
)

// undirected returns the edges with the smaller vertex first and their weights, sorted.
func undirected(f *File) (list [][3]float64) {
	for i, e := range f.Tuples {
		weight := 0.0
		if f.Weights != nil {
			weight = float64(f.Weights[i])
		}
		list = append(list, [3]float64{float64(min(e.U, e.V)), float64(max(e.U, e.V)), weight})
	}
	slices.SortFunc(list, func(a, b [3]float64) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]), cmp.Compare(a[2], b[2]))
	})
	return list
}

// TestWrite writes graphs in every format, plain and compressed, and reads them again.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "vertices")
		f := &File{Vertices: uint64(n), Symmetrised: rapid.Bool().Draw(t, "directed")}
		name := rapid.SampledFrom([]string{"g.mtx", "g.txt", "g.tsv", "g.el", "g.wel", "g.sg", "g.wsg"}).Draw(t, "name")
		weighted := name == "g.wsg" || name != "g.sg" && rapid.Bool().Draw(t, "weighted")
		for range rapid.IntRange(1, 20).Draw(t, "edges") {
			f.Tuples = append(f.Tuples, engine.Edge{U: engine.Label(rapid.IntRange(0, n-1).Draw(t, "u")), V: engine.Label(rapid.IntRange(0, n-1).Draw(t, "v"))})
			if weighted {
				f.Weights = append(f.Weights, float32(rapid.IntRange(0, 1000).Draw(t, "weight")))
			}
		}
		path := filepath.Join(dir, name+rapid.SampledFrom([]string{"", ".gz", ".zst"}).Draw(t, "compression"))
		if err := Write(t.Context(), path, f); err != nil {
			t.Fatal(err)
		}
		got, err := Read(t.Context(), path, Options{Weighted: weighted})
		if err != nil {
			t.Fatal(err)
		}
		if got.Vertices != f.Vertices || (got.Weights != nil) != weighted || !slices.Equal(undirected(got), undirected(f)) {
			t.Fatalf("%+v came back as %+v", f, got)
		}
		if err := got.Free(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestWriteErrors leaves no file behind.
func TestWriteErrors(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		f    File
		want string
	}{
		"g.wsg":     {File{Vertices: 4, Tuples: four}, ": the graph has no weights"},
		"half.wsg":  {File{Vertices: 4, Tuples: four, Weights: fourWeights}, ": weight "},
		"g.mtx.bz2": {File{Vertices: 4, Tuples: four}, ": bzip2 is read, but not written"},
		"huge.sg":   {File{Vertices: 1 << 31, Tuples: four}, ": 2147483648 vertices, this format has numbers up to"},
	} {
		path := filepath.Join(dir, name)
		err := Write(t.Context(), path, &c.f)
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}

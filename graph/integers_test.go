package graph

import (
	"slices"
	"testing"

	"graph500/engine"
)

// TestReadIntegers reads whole weights exactly, in each format that has some.
func TestReadIntegers(t *testing.T) {
	const a, b, c = 1<<24 + 1, 1082040961, engine.LargestInteger
	three := []engine.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}}
	for name, content := range map[string][]byte{
		"list.txt":   []byte("0 1 16777217\n1 2 1082040961 # x\n2 3 2139095039\n"),
		"list.csv":   []byte("# x\n0,1,16777217\n1,2,1082040961\n2,3,2139095039\n"),
		"header.txt": []byte("4 4 3\n0 1 16777217\n1 2 1082040961\n2 3 2139095039\n"),
		"out.list":   []byte("% sym posweighted\n% 3 4 4\n1 2 16777217\n2 3 1082040961\n3 4 2139095039\n"),
		"four.mtx":   []byte("%%MatrixMarket matrix coordinate integer symmetric\n4 4 3\n1 2 16777217\n2 3 1082040961\n3 4 2139095039\n"),
		"four.gr":    []byte("p sp 4 3\na 1 2 16777217\na 2 3 1082040961\na 3 4 2139095039\n"),
		"four.graph": []byte("4 3 1\n2 16777217\n1 16777217 3 1082040961\n2 1082040961 4 2139095039\n3 2139095039\n"),
		"four.wsg":   little(t, false, int64(6), int64(4), []int64{0, 1, 3, 5, 6}, []int32{1, a, 0, a, 2, b, 1, b, 3, c, 2, c}),
		"galois.gr":  little(t, []uint64{2, 4, 4, 3, 1, 2, 3, 3}, []uint64{1, 2, 3}, []uint32{a, b, c}),
	} {
		f, err := Read(t.Context(), writeTemp(t, name, content), Options{Weighted: true, Integers: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := []float32{engine.IntegerWeight(a), engine.IntegerWeight(b), engine.IntegerWeight(c)}
		if !slices.Equal(f.Tuples, three) || !slices.Equal(f.Weights, want) || !f.WholeWeights {
			t.Errorf("%s: %v, %v", name, f.Tuples, f.Weights)
		}
		if len(f.Warnings) != 1 { // they grow
			t.Errorf("%s: %q", name, f.Warnings)
		}
		freeFile(t, f)
	}
	f, err := Read(t.Context(), writeTemp(t, "names.txt", []byte("x y 16777217\ny z 0\n")), Options{Weighted: true, Integers: true, Renumber: true})
	if err != nil {
		t.Fatal(err)
	}
	defer freeFile(t, f)
	if want := []float32{engine.IntegerWeight(a), 0}; !slices.Equal(f.Weights, want) || len(f.Warnings) > 0 {
		t.Errorf("%v, %q", f.Weights, f.Warnings)
	}
}

// TestReadBadIntegers refuses weights that are no whole numbers, negative or too large.
func TestReadBadIntegers(t *testing.T) {
	const large = " is too large, whole numbers are at most 2139095039: divide all weights by one number"
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"fraction.txt": {[]byte("0 1 1\n1 2 1.5\n"), ":2: weight 1.5 is not a whole number"},
		"whole.txt":    {[]byte("0 1 1e3\n"), ":1: weight 1e3 is not a whole number"},
		"negative.txt": {[]byte("0 1 -1\n"), ":1: weight -1 is negative"},
		"word.txt":     {[]byte("0 1 x\n"), `:1: "x" is not a weight`},
		"large.txt":    {[]byte("0 1 2139095040\n"), ":1: weight 2139095040" + large},
		"huge.txt":     {[]byte("0 1 99999999999999999999999\n"), ":1: weight 99999999999999999999999" + large},
		"real.mtx":     {[]byte("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 0.5\n"), ":3: weight 0.5 is not a whole number"},
		"large.graph":  {[]byte("2 1 1\n2 2139095040\n1 2139095040\n"), ":2: weight 2139095040" + large},
		"minus.wsg":    {little(t, false, int64(2), int64(2), []int64{0, 1, 2}, []int32{1, -1, 0, -1}), ": weight -1 of the edge from 0 to 1 is negative"},
		"large.gr":     {little(t, []uint64{2, 8, 2, 1, 1, 1}, []uint64{1}, []uint64{1 << 40}), ": weight 1099511627776" + large},
	} {
		path := writeTemp(t, name, c.content)
		_, err := Read(t.Context(), path, Options{Weighted: true, Integers: true})
		wantError(t, err, path, c.want)
	}
}

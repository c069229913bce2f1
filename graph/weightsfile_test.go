package graph

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"testing"

	"graph500/engine"
	"graph500/parallel"
)

func TestWeightsPath(t *testing.T) {
	for edges, want := range map[string]string{
		"e": "e.weights", "d.zst/e": "d.zst/e.weights", "e.bin": "e.bin.weights", "e.zst": "e.weights.zst",
		"d/s20.edges.ZST": "d/s20.edges.weights.ZST", "e.gz": "e.weights.gz", "e.bz2": "e.weights.bz2",
	} {
		if got := WeightsPath(edges); got != want {
			t.Errorf("%s: %s, want %s", edges, got, want)
		}
	}
}

func TestWeightsFileFormat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "e")
	writeTuples(t, path, engine.Tuples{Edges: four, Weights: []float32{1, 0, 0.5, 0x1.234568p-3}})
	got, err := os.ReadFile(path + ".weights")
	if err != nil {
		t.Fatal(err)
	}
	if want := "0000803f" + "00000000" + "0000003f" + "b4a2113e"; hex.EncodeToString(got) != want {
		t.Errorf("wrote %x, want %s", got, want)
	}
}

// packedWeights returns a weights file with some weights replaced.
func packedWeights(n int, replaced map[int]float32) []byte {
	weights := someTuples(n).Weights
	for i, w := range replaced {
		weights[i] = w
	}
	b := make([]byte, n*weightSize)
	packWeights(b, weights)
	return b
}

func TestReadWeightsRange(t *testing.T) {
	content := packedWeights(4, map[int]float32{0: float32(math.Copysign(0, -1)), 1: 1, 2: math.SmallestNonzeroFloat32, 3: 0})
	for _, name := range []string{"w", "w.zst", "w.gz"} {
		got, err := ReadWeights(t.Context(), writeTemp(t, name, compressed(t, name, content)), Whole(4), newTeam(t, 1))
		if err != nil {
			t.Fatal(err)
		}
		if !sameWeights(got, []float32{0, 1, math.SmallestNonzeroFloat32, 0}) {
			t.Errorf("%s: got %v", name, got)
		}
		freeTuples(t, engine.Tuples{Weights: got})
	}
}

func TestReadWeightsErrors(t *testing.T) {
	const n = packedBatch + 4
	read := func(ctx context.Context, path string, part Part, team *parallel.Team) error {
		_, err := ReadWeights(ctx, path, part, team)
		return err
	}
	packedKind{"weights", read}.checkErrors(t, packedWeights(n, nil), n, map[string][]byte{
		": weight 2 at offset 8: 1.0000001 is not in [0, 1]":       packedWeights(n, map[int]float32{2: 0x1.000002p0}),
		": weight 65537 at offset 262148: -1e-45 is not in [0, 1]": packedWeights(n, map[int]float32{packedBatch + 1: -1e-45}),
		": weight 0 at offset 0: NaN is not in [0, 1]":             packedWeights(n, map[int]float32{0: math.Float32frombits(0xffc00001)}),
		": weight 65539 at offset 262156: +Inf is not in [0, 1]":   packedWeights(n, map[int]float32{n - 1: float32(math.Inf(1))}),
		": weight 1 at offset 4: -Inf is not in [0, 1]":            packedWeights(n, map[int]float32{1: float32(math.Inf(-1))}),
		": weight 17 at offset 68: 2 is not in [0, 1]":             packedWeights(n, map[int]float32{17: 2, packedBatch + 2: 3}), // the first of two
	})
	_, err := ReadWeights(t.Context(), "testdata/none.weights", Whole(4), newTeam(t, 1))
	wantError(t, err, "testdata/none.weights", ": file does not exist: the weights of an edge file are in a file beside it")
}

func FuzzReadWeights(f *testing.F) {
	good := packedWeights(5, nil)
	f.Add(good, uint16(5), false)
	f.Add(good, uint16(4), false)
	f.Add([]byte("\x00\x00\x00\x80"), uint16(1), false)
	f.Add(compressed(f, "w.zst", good), uint16(5), true)
	f.Add(compressed(f, "w.gz", good), uint16(5), false)
	team := newTeam(f, 2)
	f.Fuzz(func(t *testing.T, content []byte, tuples uint16, zst bool) {
		name := "w"
		if zst {
			name = "w.zst"
		}
		got, err := ReadWeights(t.Context(), writeTemp(t, name, content), Whole(uint64(tuples)), team)
		if !zst && len(content) == int(tuples)*weightSize {
			want, valid := make([]float32, tuples), true
			for i := range want {
				w := math.Float32frombits(binary.LittleEndian.Uint32(content[i*weightSize:]))
				valid = valid && w >= 0 && w <= 1
				want[i] = w + 0 // 0 for -0
			}
			if valid != (err == nil) || valid && tuples > 0 && !sameWeights(got, want) {
				t.Fatalf("%x: %v, %v", content, got, err)
			}
		}
		if err != nil {
			return
		}
		defer freeTuples(t, engine.Tuples{Weights: got})
		if len(got) != int(tuples) {
			t.Fatalf("%d weights, want %d", len(got), tuples)
		}
		for _, w := range got {
			if !(w >= 0 && w <= 1) {
				t.Fatalf("weight %v", w)
			}
		}
	})
}

package graph

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"graph500/engine"
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
	team := newTeam(t, 2)
	const n = packedBatch + 4
	good := packedWeights(n, nil)
	size := len(good)
	nan := math.Float32frombits(0xffc00001)
	for name, c := range map[string]struct {
		content       []byte
		plain, stream string
	}{
		"above 1":          {packedWeights(n, map[int]float32{2: 0x1.000002p0}), ": weight 2 at offset 8: 1.0000001 is not in [0, 1]", "the same"},
		"negative":         {packedWeights(n, map[int]float32{packedBatch + 1: -1e-45}), ": weight 65537 at offset 262148: -1e-45 is not in [0, 1]", "the same"},
		"not a number":     {packedWeights(n, map[int]float32{0: nan}), ": weight 0 at offset 0: NaN is not in [0, 1]", "the same"},
		"infinite":         {packedWeights(n, map[int]float32{n - 1: float32(math.Inf(1))}), ": weight 65539 at offset 262156: +Inf is not in [0, 1]", "the same"},
		"minus infinite":   {packedWeights(n, map[int]float32{1: float32(math.Inf(-1))}), ": weight 1 at offset 4: -Inf is not in [0, 1]", "the same"},
		"the first of two": {packedWeights(n, map[int]float32{17: 2, packedBatch + 2: 3}), ": weight 17 at offset 68: 2 is not in [0, 1]", "the same"},
		"one byte short": {good[:size-1], fmt.Sprintf(": has %d bytes, the weights file of %d tuples has %d", size-1, n, size),
			fmt.Sprintf(": ends at offset %d of the uncompressed stream, %d tuples end at %d", size-1, n, size)},
		"empty": {nil, fmt.Sprintf(": has 0 bytes, the weights file of %d tuples has %d", n, size),
			fmt.Sprintf(": ends at offset 0 of the uncompressed stream, %d tuples end at %d", n, size)},
		"another scale": {append(bytes.Clone(good), good...), fmt.Sprintf(": has %d bytes, the weights file of %d tuples has %d", 2*size, n, size),
			fmt.Sprintf(": the uncompressed stream continues at offset %d, after %d tuples", size, n)},
	} {
		if c.stream == "the same" {
			c.stream = c.plain
		}
		t.Run(name, func(t *testing.T) {
			for file, want := range map[string]string{"w": c.plain, "w.zst": c.stream, "w.gz": c.stream} {
				path := writeTemp(t, file, compressed(t, file, c.content))
				_, err := ReadWeights(t.Context(), path, Whole(n), team)
				wantError(t, err, path, want)
			}
		})
	}
}

func TestReadWeightsRefuses(t *testing.T) {
	team := newTeam(t, 1)
	_, err := ReadWeights(t.Context(), "testdata/four.edges", Whole(4), team)
	wantError(t, err, "testdata/four.edges", ": has 48 bytes, the weights file of 4 tuples has 16")
	_, err = ReadWeights(t.Context(), "testdata/four.edges", Whole(math.MaxUint64/weightSize+5), team) // 4 times that is 16 again
	wantError(t, err, "testdata/four.edges", ": a file cannot hold")
	_, err = ReadWeights(t.Context(), "testdata", Whole(4), team)
	wantError(t, err, "testdata", ": is not a regular file")
	for _, path := range []string{"testdata/none.weights", "testdata/none.weights.zst"} {
		_, err := ReadWeights(t.Context(), path, Whole(4), team)
		wantError(t, err, path, ": file does not exist: the weights of an edge file are in a file beside it")
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("got %v", err)
		}
	}
}

func TestReadWeightsCancelled(t *testing.T) {
	stop := errors.New("stopped by the test")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	for _, name := range []string{"w", "w.zst"} {
		path := writeTemp(t, name, compressed(t, name, packedWeights(4, nil)))
		if _, err := ReadWeights(ctx, path, Whole(4), newTeam(t, 2)); !errors.Is(err, stop) {
			t.Errorf("%s: got %v", name, err)
		}
	}
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

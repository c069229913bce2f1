//go:build cuda

package generate

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kronecker"
)

// newGenerator returns a generator that lives until the test ends.
func newGenerator(t testing.TB, d *device.Device, spec kronecker.Spec, form Config) *Generator {
	t.Helper()
	g := &Generator{weighted: form.Weighted, wide: form.Wide}
	held, err := d.Take(device.Group{Alive: engine.Always, Arrays: g.arrays()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := held.Free(); err != nil {
			t.Error(err)
		}
	})
	if err := g.prepare(d, spec); err != nil {
		t.Fatal(err)
	}
	return g
}

// poisonedEdge is an edge with poison in every byte, poisonedWeight a weight.
var (
	poisonedEdge   = engine.Edge{U: 0xA5A5A5A5, V: 0xA5A5A5A5}
	poisonedWeight = math.Float32frombits(0xA5A5A5A5)
)

// checkTuples generates the tuples first..first+count-1 at index at of the arrays, with and
// without weights, also with labels of 48 bits, and compares them with those of the host and the
// elements around them with poison.
func checkTuples(t *testing.T, d *device.Device, spec kronecker.Spec, at, count, behind int, first uint64) {
	t.Helper()
	host := kronecker.New(spec)
	edges := slices.Repeat([]engine.Edge{poisonedEdge}, at+count+behind)
	host.Edges(edges[at:at+count], first)
	wide := slices.Repeat([]engine.Edge48{{ULow: 0xA5A5A5A5, VLow: 0xA5A5A5A5, High: 0xA5A5A5A5}}, len(edges))
	engine.Widen(wide[at:at+count], edges[at:at+count])
	for _, form := range []Config{{}, {Weighted: true}, {Weighted: true, Wide: true}} {
		words, weights := asWords(edges), slices.Repeat([]float32{poisonedWeight}, len(edges))
		if form.Wide {
			words = asWords(wide)
		}
		if form.Weighted {
			host.Weights(weights[at:at+count], first)
		}
		dst, freeDst := devicetest.Borrowed[uint32](t, d, len(words))
		dstWeights, freeWeights := devicetest.Borrowed[float32](t, d, len(edges))
		if err := newGenerator(t, d, spec, form).generate(dst, dstWeights, at, count, first); err != nil {
			t.Fatal(err)
		}
		gotWords, gotWeights := devicetest.Host(t, dst), devicetest.Host(t, dstWeights)
		for i := range weights {
			n := int(form.words())
			if got, want := gotWords[n*i:][:n], words[n*i:][:n]; !slices.Equal(got, want) || math.Float32bits(gotWeights[i]) != math.Float32bits(weights[i]) {
				t.Fatalf("%+v, %d tuples from number %d at index %d, %+v: element %d is %v, %v, want %v, %v",
					spec, count, first, at, form, i, got, gotWeights[i], want, weights[i])
			}
		}
		freeWeights()
		freeDst()
	}
}

func TestGenerateRanges(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(7, 8))
	counts := []int{0, 1, 2, 31, 32, 33, 255, 256, 257, 511, 1000, 4097, 65537}
	for i := range devicetest.Sized(150, 30) {
		spec := kronecker.Spec{Scale: 1 + i%30, EdgeFactor: 1 + r.IntN(64), Seed1: r.Uint64(), Seed2: r.Uint64()}
		first := r.Uint64N(1 << (1 + r.IntN(40)))
		if i%7 == 0 {
			first = 0
		}
		checkTuples(t, d, spec, r.IntN(300), counts[i%len(counts)], r.IntN(300), first)
	}
}

// TestGenerateLong gives each thread several tuples, and only some threads a last
// one. At scale 30 about 50 tuples in a million have a rejected draw.
func TestGenerateLong(t *testing.T) {
	d := devicetest.Open(t)
	for _, first := range []uint64{0, 1<<33 - 12345, 1 << 34} {
		for _, scale := range devicetest.Sized([]int{1, 3, 4, 5, 9, 22, 23, 26, 30}, []int{3, 30}) {
			checkTuples(t, d, devicetest.Official(scale), 3, devicetest.Sized(1_234_567, 234_567), 5, first)
		}
	}
}

// TestGenerateLimits generates tuples whose first draw is next to a limit of the
// quadrants or of rejection.
func TestGenerateLimits(t *testing.T) {
	d := devicetest.Open(t)
	draws := []uint64{0, 1, 3646, 3647, 3648, 1<<31 - 2}
	for _, tenThousands := range []uint64{1, 2, 4095, 65536, 107374, 214747} {
		for _, limit := range []uint64{0, 1900, 3800, 9500} {
			draws = append(draws, 10000*tenThousands+limit-1, 10000*tenThousands+limit)
		}
	}
	for _, draw := range draws {
		spec := firstDraw(draw)
		for _, spec.Scale = range []int{1, 2, 7} {
			checkTuples(t, d, spec, 0, 1, 0, 0)
		}
	}
}

// firstDraw returns seeds for which the first draw of tuple 0 is draw. It solves the
// recurrence for the newest word of the state.
func firstDraw(draw uint64) kronecker.Spec {
	const (
		modulus     = 1<<31 - 1
		far         = 104480
		inverseNear = 1840700266 // of 107374182
	)
	for oldest := uint64(1); ; oldest++ {
		newest := (draw + (modulus-far)*oldest) % modulus * inverseNear % modulus
		if 1 <= newest && newest <= 1<<30 {
			return kronecker.Spec{EdgeFactor: 16, Seed1: newest - 1 + (oldest-1)%16<<60, Seed2: (oldest - 1) / 16 << 60}
		}
	}
}

// secondDraw returns seeds for which the first draw of tuple 0 is not rejected and the
// second one is draw. It solves the recurrence for the oldest word but one.
func secondDraw(draw uint64) kronecker.Spec {
	const (
		modulus    = 1<<31 - 1
		near       = 107374182
		inverseFar = 1840344978 // of 104480
	)
	for first := uint64(5000); ; first++ {
		word := (draw + modulus*modulus - near*first) % modulus * inverseFar % modulus
		if 1 <= word && word <= 1<<30 {
			spec := firstDraw(first)
			spec.Seed2 |= (word - 1) << 30
			return spec
		}
	}
}

// TestGenerateWeightLimits generates tuples of scale 1 whose weights are next to a limit
// of their conversion: 0, the first draws that float32 rounds, the largest ones, of which
// the last 64 are rounded to weight 1.
func TestGenerateWeightLimits(t *testing.T) {
	d := devicetest.Open(t)
	draws := []uint64{0, 1, 2, 1 << 23, 1<<24 - 1}
	for _, limit := range []uint64{1 << 24, 1 << 25, 1 << 29, 1 << 30, 1<<30 + 64, 1<<31 - 64, 1<<31 - 192, 1<<31 - 5} {
		for step := range uint64(4) {
			draws = append(draws, limit+step)
		}
	}
	for _, draw := range draws {
		spec := secondDraw(draw)
		spec.Scale = 1
		var weight [1]float32
		kronecker.New(spec).Weights(weight[:], 0)
		if want := float32(draw) / (1 << 31); weight[0] != want {
			t.Fatalf("draw %d has weight %v on the host, want %v", draw, weight[0], want)
		}
		checkTuples(t, d, spec, 0, 1, 0, 0)
	}
}

// vectors has the checksums of a file of kronecker/testdata.
type vectors struct {
	Scale, EdgeFactor int
	UserSeed          []uint64
	LinSum            hex    `json:"lin_sum"`
	LinXor            hex    `json:"lin_xor"`
	MixSum            hex    `json:"mix_sum"`
	MixXor            hex    `json:"mix_xor"`
	UndMixSum         hex    `json:"und_mix_sum"`
	WeightBitsSum     hex    `json:"weight_bits_sum"`
	OrdSum            hex    `json:"ord_sum"`
	SelfLoops         uint64 `json:"self_loops"`
	MaxVertex         uint64 `json:"max_vertex_id_used"`
}

// hex is a number written as "0x...".
type hex uint64

func (h *hex) UnmarshalJSON(b []byte) error {
	n, err := strconv.ParseUint(string(b[1:len(b)-1]), 0, 64)
	*h = hex(n)
	return err
}

// TestGenerateVectors compares the checksums of graphs up to scale 24 (2 GiB) with
// those of the reference implementation, generated at once and in uneven pieces.
func TestGenerateVectors(t *testing.T) {
	for _, scale := range devicetest.Sized([]int{4, 8, 10, 14, 16, 20, 24}, []int{4, 10, 14}) {
		t.Run(strconv.Itoa(scale), func(t *testing.T) {
			d := devicetest.Open(t)
			b, err := os.ReadFile(filepath.Join("..", "..", "kronecker", "testdata", fmt.Sprintf("vec-scale%d.json", scale)))
			if err != nil {
				t.Fatal(err)
			}
			var v vectors
			if err := json.Unmarshal(b, &v); err != nil {
				t.Fatal(err)
			}
			spec := kronecker.Spec{Scale: v.Scale, EdgeFactor: v.EdgeFactor, Seed1: v.UserSeed[0], Seed2: v.UserSeed[1]}
			want := Checksums{
				uint64(v.LinSum), uint64(v.LinXor), uint64(v.MixSum), uint64(v.MixXor),
				uint64(v.UndMixSum), uint64(v.OrdSum), v.SelfLoops, v.MaxVertex, uint64(v.WeightBitsSum),
			}
			edges := devicetest.Array[engine.Edge](t, d, int(spec.Tuples()))
			words := device.As[uint32](edges)
			weights := devicetest.Array[float32](t, d, edges.Len())
			for _, weighted := range []bool{true, false} { // the weights stay in their array
				g := newGenerator(t, d, spec, Config{Weighted: weighted})
				for _, piece := range []int{edges.Len(), edges.Len()/3 + 1} {
					err := edges.Fill(devicetest.Poison)
					if weighted {
						err = errors.Join(err, weights.Fill(devicetest.Poison))
					}
					for at := 0; at < edges.Len(); at += piece {
						err = errors.Join(err, g.generate(words, weights, at, min(piece, edges.Len()-at), uint64(at)))
					}
					if err != nil {
						t.Fatal(err)
					}
					if got := checksum(t, d, edges, weights, 0, edges.Len(), 0); got != want {
						t.Errorf("in pieces of %d, weighted %v: %+v, want %+v", piece, weighted, got, want)
					}
				}
			}
		})
	}
}

func TestChecksumOfParts(t *testing.T) {
	d := devicetest.Open(t)
	edges, weights := devicetest.Array[engine.Edge](t, d, 5000), devicetest.Array[float32](t, d, 5000)
	if err := newGenerator(t, d, kronecker.Spec{Scale: 3, EdgeFactor: 16}, Config{Weighted: true}).generate(device.As[uint32](edges), weights, 0, 5000, 0); err != nil {
		t.Fatal(err)
	}
	if got := checksum(t, d, edges, weights, 17, 0, 17); got != (Checksums{}) {
		t.Errorf("nothing: %+v", got)
	}
	whole := checksum(t, d, edges, weights, 0, 5000, 0)
	var together Checksums
	for _, part := range [][2]int{{0, 1}, {1, 1234}, {1234, 5000}} {
		sums := checksum(t, d, edges, weights, part[0], part[1]-part[0], uint64(part[0]))
		together.Lin += sums.Lin
		together.LinXor ^= sums.LinXor
		together.Mix += sums.Mix
		together.MixXor ^= sums.MixXor
		together.UndirectedMix += sums.UndirectedMix
		together.Ordered += sums.Ordered
		together.Loops += sums.Loops
		together.Largest = max(together.Largest, sums.Largest)
		together.Weights += sums.Weights
	}
	if together != whole {
		t.Errorf("parts %+v, whole %+v", together, whole)
	}
}

func TestGenerateOutOfRange(t *testing.T) {
	d := devicetest.Open(t)
	for _, scale := range []int{-1, 0, 33} {
		if err := new(Generator).prepare(d, kronecker.Spec{Scale: scale, EdgeFactor: 16}); err == nil || !strings.Contains(err.Error(), "is not 1..32") {
			t.Errorf("scale %d: %v", scale, err)
		}
	}
	g := newGenerator(t, d, kronecker.Spec{Scale: 10, EdgeFactor: 16}, Config{Weighted: true})
	edges := devicetest.Array[engine.Edge](t, d, 100)
	for _, weights := range []device.Array[float32]{devicetest.Array[float32](t, d, 200), devicetest.Array[float32](t, d, 50)} {
		for _, r := range [][2]int{{-1, 1}, {0, -1}, {0, 101}, {100, 1}, {101, 0}, {50, 1<<63 - 1}, {1 << 62, 1}, {-1 << 62, 1}, {0, 100}} {
			if r == [2]int{0, 100} && weights.Len() >= 100 {
				continue
			}
			if err := g.generate(device.As[uint32](edges), weights, r[0], r[1], 0); err == nil {
				t.Errorf("%d tuples at index %d of 100 were generated, of %d weights", r[1], r[0], weights.Len())
			}
		}
	}
	for i, e := range devicetest.Host(t, edges) {
		if e != poisonedEdge {
			t.Errorf("element %d was written", i)
		}
	}
}

// BenchmarkGenerate generates official graphs up to scale 26 (12 GiB), without and with
// weights.
func BenchmarkGenerate(b *testing.B) {
	for _, scale := range []int{20, 22, 24, 26} {
		for _, weighted := range []bool{false, true} {
			b.Run(fmt.Sprintf("scale=%d/weighted=%v", scale, weighted), func(b *testing.B) {
				d := devicetest.Open(b)
				spec := devicetest.Official(scale)
				tuples, err := New(b.Context(), d, Config{Count: spec.Tuples(), Weighted: weighted}, Source{Spec: spec})
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					if err := errors.Join(tuples.generator.generate(tuples.edges, tuples.weights, 0, int(tuples.Len()), 0), d.Synchronize()); err != nil {
						b.Fatal(err)
					}
				}
				b.SetBytes(int64(tuples.edges.Bytes() + tuples.weights.Bytes()))
				b.ReportMetric(float64(b.N)*float64(tuples.Len())/b.Elapsed().Seconds(), "edges/s")
				devicetest.Close(b, tuples)
			})
		}
	}
}

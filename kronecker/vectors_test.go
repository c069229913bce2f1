package kronecker

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"graph500/engine"
	"graph500/parallel"
)

// official returns the graph of the reference at a scale.
func official(scale int) Spec { return Spec{Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3} }

// vectors holds the test vectors that testdata/README.md describes.
type vectors struct {
	Scale         int
	EdgeFactor    int
	UserSeed      []uint64
	N, M          uint64
	LinSum        hex      `json:"lin_sum"`
	LinXor        hex      `json:"lin_xor"`
	MixSum        hex      `json:"mix_sum"`
	MixXor        hex      `json:"mix_xor"`
	UndMixSum     hex      `json:"und_mix_sum"`
	OrdSum        hex      `json:"ord_sum"`
	WeightBits    hex      `json:"weight_bits_sum"`
	WeightMin     float64  `json:"weight_min"`
	WeightMax     float64  `json:"weight_max"`
	SelfLoops     int64    `json:"self_loops"`
	Connected     int64    `json:"nonisolated_excl_loops"`
	ConnectedLoop int64    `json:"nonisolated_incl_loops"`
	MaxVertex     uint32   `json:"max_vertex_id_used"`
	MaxDegree     uint32   `json:"max_degree_multi_excl_loops"`
	MaxDegreeAt   uint32   `json:"max_degree_vertex"`
	Distinct      int      `json:"distinct_undirected_nonloop_edges"`
	Samples       []sample `json:"sample_edges"`
	First         []row    `json:"first_edges_u_v_wbits_w"`
	Tries         int      `json:"search_keys_tries"`
	Forced        int      `json:"search_keys_taken_after_exhaustion"`
	Keys          []uint32 `json:"search_keys"`

	Val0 uint64 `json:"val0,string"`
	Val1 uint64 `json:"val1,string"`

	SeedWords [order]uint64 `json:"seed_words"`

	BlockStride uint64 `json:"block_stride"`
	BlockEdges  uint64 `json:"block_edges_checked"`
	BlockCheck  hex    `json:"block_check"`
}

type sample struct {
	Index uint64
	U, V  uint32
	Bits  hex `json:"w_bits"`
}

// hex is a number written as "0x...".
type hex uint64

func (h *hex) UnmarshalJSON(b []byte) error {
	n, err := strconv.ParseUint(string(b[1:len(b)-1]), 0, 64)
	*h = hex(n)
	return err
}

func (h hex) String() string { return fmt.Sprintf("%#x", uint64(h)) }

// row is [u, v, "weight bits", weight].
type row struct {
	U, V uint32
	Bits hex
}

func (r *row) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&r.U, &r.V, &r.Bits})
}

func readVectors(t *testing.T, name string) *vectors {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	v := new(vectors)
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

func key(u, v uint32) uint64 { return uint64(u)*0x9E3779B97F4A7C15 + uint64(v) }

func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xBF58476D1CE4E5B9
	x ^= x >> 27
	x *= 0x94D049BB133111EB
	return x ^ x>>31
}

func TestCompleteLists(t *testing.T) {
	for _, scale := range []int{4, 8, 10} {
		t.Run(strconv.Itoa(scale), func(t *testing.T) {
			edges, weights := readList(t, scale)
			s := official(scale)
			if uint64(len(edges)) != s.Tuples() {
				t.Fatalf("%d tuples in the list, want %d", len(edges), s.Tuples())
			}
			g := New(s)
			gotEdges, gotWeights := make([]engine.Edge, len(edges)), make([]float32, len(edges))
			g.Edges(gotEdges, 0)
			g.Weights(gotWeights, 0)
			for e := range edges {
				if gotEdges[e] != edges[e] {
					t.Fatalf("tuple %d = %v, want %v", e, gotEdges[e], edges[e])
				}
				if math.Float32bits(gotWeights[e]) != weights[e] {
					t.Fatalf("weight %d = %#x, want %#x", e, math.Float32bits(gotWeights[e]), weights[e])
				}
			}
		})
	}
}

func readList(t *testing.T, scale int) (edges []engine.Edge, weights []uint32) {
	f, err := os.Open(filepath.Join("testdata", fmt.Sprintf("edges-scale%d-ef16-seed2-3.tsv.gz", scale)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		var e engine.Edge
		var w uint32
		if _, err := fmt.Sscanf(lines.Text(), "%d\t%d\t%x", &e.U, &e.V, &w); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		edges, weights = append(edges, e), append(weights, w)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return edges, weights
}

// sums holds the checksums of a range of tuples.
type sums struct {
	lin, linXor, mix, mixXor, undMix, ord, weight uint64
	min, max                                      float32
	loops                                         int64
	vertex                                        uint32
}

func (s *sums) add(first uint64, edges []engine.Edge, weights []float32) {
	for i, e := range edges {
		k := key(e.U, e.V)
		m := mix(k)
		s.lin += k
		s.linXor ^= k
		s.mix += m
		s.mixXor ^= m
		s.undMix += mix(key(min(e.U, e.V), max(e.U, e.V)))
		s.ord += (first + uint64(i) + 1) * m
		s.weight += uint64(math.Float32bits(weights[i]))
		s.min, s.max = min(s.min, weights[i]), max(s.max, weights[i])
		if e.U == e.V {
			s.loops++
		}
		s.vertex = max(s.vertex, e.U, e.V)
	}
}

func (s *sums) merge(o *sums) {
	s.lin += o.lin
	s.linXor ^= o.linXor
	s.mix += o.mix
	s.mixXor ^= o.mixXor
	s.undMix += o.undMix
	s.ord += o.ord
	s.weight += o.weight
	s.min, s.max = min(s.min, o.min), max(s.max, o.max)
	s.loops += o.loops
	s.vertex = max(s.vertex, o.vertex)
}

// TestCheckSums compares whole graphs.
func TestCheckSums(t *testing.T) {
	scales := []int{4, 8, 10, 14, 16, 20}
	if testing.Short() {
		scales = scales[:5]
	}
	for _, scale := range scales {
		t.Run(strconv.Itoa(scale), func(t *testing.T) {
			want := readVectors(t, fmt.Sprintf("vec-scale%d.json", scale))
			s := Spec{want.Scale, want.EdgeFactor, want.UserSeed[0], want.UserSeed[1]}
			if s.Vertices() != want.N || s.Tuples() != want.M {
				t.Fatalf("N, M = %d, %d, want %d, %d", s.Vertices(), s.Tuples(), want.N, want.M)
			}
			if z := seedState(s.Seed1, s.Seed2); z != want.SeedWords {
				t.Errorf("seed words = %v, want %v", z, want.SeedWords)
			}
			checkSums(t, s, want)
		})
	}
}

// checkWindow is the number of tuples whose degrees are counted at a time.
const checkWindow = 1 << 19

func checkSums(t *testing.T, s Spec, want *vectors) {
	team := parallel.NewTeam(0)
	defer team.Close()
	g := New(s)
	n := min(int(s.Tuples()), checkWindow)
	edges, weights := make([]engine.Edge, n), make([]float32, n)
	parts := make([]sums, team.Size())
	for i := range parts {
		parts[i].min = 1
	}
	degree := make([]uint32, s.Vertices()) // tuple ends other than those of loops
	loop := make([]bool, s.Vertices())
	var distinct map[engine.Edge]bool
	if want.Distinct >= 0 && s.Tuples() <= 1<<20 {
		distinct = map[engine.Edge]bool{}
	}
	for first := uint64(0); first < s.Tuples(); first += uint64(n) {
		team.Run(func(worker int) {
			lo, hi := parallel.Split(n, team.Size(), worker)
			g.Edges(edges[lo:hi], first+uint64(lo))
			g.Weights(weights[lo:hi], first+uint64(lo))
			parts[worker].add(first+uint64(lo), edges[lo:hi], weights[lo:hi])
		})
		for _, e := range edges {
			if e.U == e.V {
				loop[e.U] = true
				continue
			}
			degree[e.U]++
			degree[e.V]++
			if distinct != nil {
				distinct[engine.Edge{U: min(e.U, e.V), V: max(e.U, e.V)}] = true
			}
		}
	}
	sum := sums{min: 1}
	for i := range parts {
		sum.merge(&parts[i])
	}

	for name, c := range map[string][2]uint64{
		"lin_sum":         {sum.lin, uint64(want.LinSum)},
		"lin_xor":         {sum.linXor, uint64(want.LinXor)},
		"mix_sum":         {sum.mix, uint64(want.MixSum)},
		"mix_xor":         {sum.mixXor, uint64(want.MixXor)},
		"und_mix_sum":     {sum.undMix, uint64(want.UndMixSum)},
		"ord_sum":         {sum.ord, uint64(want.OrdSum)},
		"weight_bits_sum": {sum.weight, uint64(want.WeightBits)},
	} {
		if c[0] != c[1] {
			t.Errorf("%s = %#x, want %#x", name, c[0], c[1])
		}
	}
	if sum.min != float32(want.WeightMin) || sum.max != float32(want.WeightMax) {
		t.Errorf("weights from %v to %v, want %v to %v", sum.min, sum.max, want.WeightMin, want.WeightMax)
	}
	if sum.loops != want.SelfLoops {
		t.Errorf("%d self loops, want %d", sum.loops, want.SelfLoops)
	}
	if sum.vertex != want.MaxVertex {
		t.Errorf("largest vertex %d, want %d", sum.vertex, want.MaxVertex)
	}
	if distinct != nil && len(distinct) != want.Distinct {
		t.Errorf("%d distinct edges, want %d", len(distinct), want.Distinct)
	}
	var connected, connectedLoop int64
	var largest uint32
	for v, d := range degree {
		if d > 0 {
			connected++
		}
		if d > 0 || loop[v] {
			connectedLoop++
		}
		largest = max(largest, d)
	}
	if connected != want.Connected || connectedLoop != want.ConnectedLoop {
		t.Errorf("%d connected vertices, %d with loops, want %d, %d", connected, connectedLoop, want.Connected, want.ConnectedLoop)
	}
	if largest != want.MaxDegree || degree[want.MaxDegreeAt] != largest {
		t.Errorf("largest degree %d, at %d %d, want %d", largest, want.MaxDegreeAt, degree[want.MaxDegreeAt], want.MaxDegree)
	}

	usable := func(v engine.Label) bool { return degree[v] > 0 }
	roots := sampled(t, s, 64, connected, usable)
	if want.Forced == 0 && !slices.Equal(roots, want.Keys) {
		t.Errorf("search keys %v, want %v", roots, want.Keys)
	}
	got, tries, forced := referenceKeys(s, usable)
	if !slices.Equal(got, want.Keys) || tries != want.Tries || forced != want.Forced {
		t.Errorf("the reference's rule on our key stream: %v after %d tries, %d forced, want %v, %d, %d",
			got, tries, forced, want.Keys, want.Tries, want.Forced)
	}
}

// referenceKeys chooses 64 keys as the reference does: after 2N doubles, it accepts
// any key.
func referenceKeys(s Spec, usable func(engine.Label) bool) (roots []uint32, tries, forced int) {
	keys := newKeyStream(s)
	for len(roots) < 64 {
		v := uint32(keys.next())
		tries++
		if uint64(2*tries) > 2*s.Vertices() {
			forced++
		} else if slices.Contains(roots, v) || !usable(v) {
			continue
		}
		roots = append(roots, v)
	}
	return roots, tries, forced
}

func TestScramblingConstants(t *testing.T) {
	want := readVectors(t, "vec-scale24.json")
	s := newScrambler(official(24))
	if s.k0 != uint32(want.Val0|0x4519840211493211) || s.k1 != uint32(want.Val1|0x3050852102C843A5) ||
		s.shift != uint32(want.Val0+want.Val1) {
		t.Errorf("scrambler %+v does not come from %d, %d", s, want.Val0, want.Val1)
	}
}

// TestBlocks checks one block of 4096 tuples per stride and some single tuples,
// without generating the whole graph.
func TestBlocks(t *testing.T) {
	scales := []int{20, 24}
	if testing.Short() {
		scales = scales[:1]
	}
	for _, scale := range scales {
		t.Run(strconv.Itoa(scale), func(t *testing.T) {
			want := readVectors(t, fmt.Sprintf("blocks-scale%d.json", scale))
			s := official(scale)
			g := New(s)
			edges, weights := make([]engine.Edge, 4096), make([]float32, 4096)
			var check, count uint64
			for first := uint64(0); first < s.Tuples(); first += 4096 * want.BlockStride {
				g.Edges(edges, first)
				g.Weights(weights, first)
				for i, e := range edges {
					check += (first + uint64(i) + 1) * (mix(key(e.U, e.V)) + uint64(math.Float32bits(weights[i])))
				}
				count += 4096
			}
			if count != want.BlockEdges || check != uint64(want.BlockCheck) {
				t.Errorf("check %#x of %d tuples, want %v of %d", check, count, want.BlockCheck, want.BlockEdges)
			}
			for e, r := range want.First {
				checkTuple(t, g, uint64(e), r.U, r.V, uint32(r.Bits))
			}
			for _, r := range want.Samples {
				checkTuple(t, g, r.Index, r.U, r.V, uint32(r.Bits))
			}
		})
	}
}

func checkTuple(t *testing.T, g *Generator, e uint64, u, v, weightBits uint32) {
	t.Helper()
	var edge [1]engine.Edge
	var weight [1]float32
	g.Edges(edge[:], e)
	g.Weights(weight[:], e)
	if want := (engine.Edge{U: u, V: v}); edge[0] != want || math.Float32bits(weight[0]) != weightBits {
		t.Errorf("tuple %d = %v, %#x, want %v, %#x", e, edge[0], math.Float32bits(weight[0]), want, weightBits)
	}
}

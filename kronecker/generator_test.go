package kronecker

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/engine"
	"graph500/parallel"
)

// generateOne returns one tuple and its weight by the exported methods.
func generateOne(g *Generator, e uint64) (engine.Edge, float32) {
	var edge [1]engine.Edge
	var weight [1]float32
	g.Edges(edge[:], e)
	g.Weights(weight[:], e)
	return edge[0], weight[0]
}

func TestAgainstOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		s := randomSpec(r)
		g := New(s)
		for _, e := range []uint64{0, 1, 255, 256, r.Uint64N(s.Tuples()), s.Tuples() - 1, r.Uint64()} {
			edge, weight := generateOne(g, e)
			wantEdge, wantWeight := oracle(s, e)
			if edge != wantEdge || weight != wantWeight {
				t.Fatalf("%+v: tuple %d = %v, %v, want %v, %v", s, e, edge, weight, wantEdge, wantWeight)
			}
		}
	}
}

// TestRejectedDraws tests tuples with rejected draws in a graph of scale 32, where
// 1 of 18000 tuples has one.
func TestRejectedDraws(t *testing.T) {
	s := Spec{Scale: 32, EdgeFactor: 16, Seed1: 5, Seed2: 8}
	g := New(s)
	found := 0
	for first := uint64(0); first < 1<<17; first += blockLen {
		var edges [blockLen]engine.Edge
		c := g.jumpTo(first)
		cc := c.centred()
		redo := g.fast(&cc, &edges, nil)
		for j := range uint64(blockLen) {
			if redo[j/64]>>(j%64)&1 == 0 {
				continue
			}
			found++
			edge, weight := generateOne(g, first+j)
			wantEdge, wantWeight := oracle(s, first+j)
			if edge != wantEdge || weight != wantWeight {
				t.Errorf("tuple %d = %v, %v, want %v, %v", first+j, edge, weight, wantEdge, wantWeight)
			}
			if edge == edges[j] {
				t.Errorf("tuple %d was made from a rejected draw", first+j)
			}
		}
	}
	if found < 3 {
		t.Fatalf("%d tuples with rejected draws: too few to test", found)
	}
}

// TestForcedDraws tests seeds whose first draws are rejected, are at the bounds of
// rejection, or are weights with values that would be rejected for a quadrant.
func TestForcedDraws(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	low, high := draws{0, 3646}, draws{3647, 2147483646}
	for _, want := range [][]draws{
		{{1, 1}}, {{3646, 3646}}, {{3647, 3647}}, {{3648, 3648}}, {{2147483646, 2147483646}},
		{low, low}, {low, {3646, 3646}}, {low, {3647, 3647}}, {{3647, 3647}, low}, {{3646, 3646}, high},
		{low, low, low}, {low, low, low, low}, {high, low}, {high, high, low}, {high, high, high, low}, {high, low, low, {3647, 3647}},
	} {
		for scale := 1; scale <= 8; scale++ {
			s := forced(r, want)
			s.Scale, s.EdgeFactor = scale, 16
			z := oracleState(s, shifted(0, 0))
			for i, w := range want {
				if d := oracleDraw(&z); d < w.least || d > w.most {
					t.Fatalf("draw %d of %+v is %d, want %d", i, s, d, w)
				}
			}
			edge, weight := generateOne(New(s), 0)
			wantEdge, wantWeight := oracle(s, 0)
			if edge != wantEdge || weight != wantWeight {
				t.Errorf("draws %d, %+v: %v, %v, want %v, %v", want, s, edge, weight, wantEdge, wantWeight)
			}
		}
	}
}

// draws is a range of draws, both bounds included.
type draws struct{ least, most uint64 }

// forced returns seeds whose first draws (at most four) are in the given ranges.
// It solves the recurrence for one seed word per draw: the word that no earlier draw
// depends on.
func forced(r *rand.Rand, want []draws) Spec {
	const p = modulus
	inverseNear, inverseFar := invert(near), invert(far)
	for {
		var draw [4]uint64
		for i, w := range want {
			draw[i] = w.least + r.Uint64N(w.most-w.least+1)
		}
		z := [5]uint64{0, 1 + r.Uint64N(1<<30), 1 + r.Uint64N(1<<30), 1 + r.Uint64N(1<<30), 1 + r.Uint64N(1<<8)}
		z[0] = (draw[0] + (p-far)*z[4]) % p * inverseNear % p
		for i := 1; i < len(want); i++ {
			z[4-i] = (draw[i] + (p-near)*draw[i-1]) % p * inverseFar % p
		}
		if !slices.ContainsFunc(z[:4], func(w uint64) bool { return w < 1 || w > 1<<30 }) {
			top := z[4] - 1
			return Spec{
				Seed1: z[0] - 1 + (z[1]-1)<<30 + top%16<<60,
				Seed2: z[2] - 1 + (z[3]-1)<<30 + top/16<<60,
			}
		}
	}
}

// invert returns 1/x by Fermat's little theorem.
func invert(x uint64) uint64 {
	y := uint64(1)
	for e := modulus - 2; e > 0; e >>= 1 {
		if e&1 != 0 {
			y = y * x % modulus
		}
		x = x * x % modulus
	}
	return y
}

// FuzzRanges checks that any range is the slice of a larger one.
func FuzzRanges(f *testing.F) {
	f.Add(uint64(2), uint64(3), byte(20), uint64(0), uint16(1000), uint16(3), uint16(500))
	f.Add(uint64(2), uint64(3), byte(1), uint64(255), uint16(2), uint16(1), uint16(1))
	f.Add(^uint64(0), ^uint64(0), byte(32), ^uint64(0)>>1, uint16(768), uint16(256), uint16(256))
	f.Add(uint64(0), uint64(0), byte(31), uint64(1)<<35-100, uint16(700), uint16(44), uint16(600))
	f.Fuzz(func(t *testing.T, seed1, seed2 uint64, scale byte, first uint64, length, skip, part uint16) {
		s := Spec{Scale: 1 + int(scale%32), EdgeFactor: 16, Seed1: seed1, Seed2: seed2}
		first %= 1 << 63
		n := int(length) % 2048
		lo := int(skip) % (n + 1)
		hi := lo + int(part)%(n-lo+1)
		g := New(s)
		edges, weights := make([]engine.Edge, n), make([]float32, n)
		g.Edges(edges, first)
		g.Weights(weights, first)
		someEdges, someWeights := make([]engine.Edge, hi-lo), make([]float32, hi-lo)
		g.Edges(someEdges, first+uint64(lo))
		g.Weights(someWeights, first+uint64(lo))
		if !slices.Equal(someEdges, edges[lo:hi]) || !slices.Equal(someWeights, weights[lo:hi]) {
			t.Fatalf("%+v: tuples %d to %d differ from those made from %d on", s, first+uint64(lo), first+uint64(hi), first)
		}
		for _, at := range []int{lo, hi - 1} {
			if at < 0 || at >= n {
				continue
			}
			edge, weight := oracle(s, first+uint64(at))
			if edges[at] != edge || weights[at] != weight {
				t.Fatalf("%+v: tuple %d = %v, %v, want %v, %v", s, first+uint64(at), edges[at], weights[at], edge, weight)
			}
		}
	})
}

func TestScaleOutOfRange(t *testing.T) {
	for _, scale := range []int{-1, 0, 33} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("scale %d was taken", scale)
				}
			}()
			New(Spec{Scale: scale, EdgeFactor: 1})
		}()
	}
}

func TestEdgeFactorIsAPrefix(t *testing.T) {
	few, many := Spec{9, 3, 2, 3}, Spec{9, 16, 2, 3}
	a, b := make([]engine.Edge, few.Tuples()), make([]engine.Edge, many.Tuples())
	New(few).Edges(a, 0)
	New(many).Edges(b, 0)
	if !slices.Equal(a, b[:len(a)]) {
		t.Error("the tuples of edge factor 3 are not the first ones of edge factor 16")
	}
}

func TestFill(t *testing.T) {
	s := official(14)
	g := New(s)
	want := engine.Tuples{Edges: make([]engine.Edge, s.Tuples()), Weights: make([]float32, s.Tuples())}
	g.Edges(want.Edges, 0)
	g.Weights(want.Weights, 0)
	for workers := 1; workers <= 5; workers++ {
		team := parallel.NewTeam(workers)
		for _, n := range []int{0, 1, fillGrain - 1, fillGrain + 1, len(want.Edges)} {
			got := engine.Tuples{Edges: make([]engine.Edge, n), Weights: make([]float32, n)}
			last := int64(-1)
			err := g.Fill(context.Background(), team, got, func(done, total int64) {
				if done < last || done > total || total != int64(n) {
					t.Errorf("progress %d of %d after %d", done, total, last)
				}
				last = done
			})
			if err != nil || last != int64(n) {
				t.Errorf("%d workers, %d tuples: %v, progress ended at %d", workers, n, err, last)
			}
			checkFilled(t, got, want)
			for _, part := range []engine.Tuples{{Edges: got.Edges}, {Weights: got.Weights}} {
				clear(part.Edges)
				clear(part.Weights)
				if err := g.Fill(context.Background(), team, part, nil); err != nil {
					t.Error(err)
				}
				checkFilled(t, got, want)
			}
		}
		team.Close()
	}
}

// checkFilled compares generated tuples with the first ones of want.
func checkFilled(t *testing.T, got, want engine.Tuples) {
	t.Helper()
	n := len(got.Edges)
	if !slices.Equal(got.Edges, want.Edges[:n]) {
		t.Errorf("%d tuples differ from those of Edges", n)
	}
	if !slices.Equal(got.Weights, want.Weights[:n]) {
		t.Errorf("%d weights differ from those of Weights", n)
	}
}

func TestFillStops(t *testing.T) {
	team := parallel.NewTeam(2)
	defer team.Close()
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(stop)
	dst := make([]engine.Edge, 4*fillGrain)
	err := New(official(14)).Fill(ctx, team, engine.Tuples{Edges: dst}, func(int64, int64) { t.Error("progress of a cancelled Fill") })
	if !errors.Is(err, stop) {
		t.Errorf("err = %v", err)
	}
	if dst[len(dst)-1] != (engine.Edge{}) {
		t.Error("a cancelled Fill went on to the end")
	}
}

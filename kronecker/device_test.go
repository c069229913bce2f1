package kronecker

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"graph500/engine"
)

// TestDeviceParts generates tuples from the exported constants only.
func TestDeviceParts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		s := randomSpec(r)
		g := New(s)
		e, tuples := r.Uint64N(1<<40), r.Uint64N(1<<40)
		if r.IntN(4) == 0 {
			tuples = 0
		}
		from, c := g.Stream(e), g.Jump(tuples)
		var numbers [2*order - 1]int64
		for i := range numbers {
			if i < order {
				numbers[i] = int64(from[i])
				continue
			}
			numbers[i] = (near*numbers[i-1] + far*numbers[i-order]) % modulus
		}
		for i, want := range g.Stream(e + tuples) {
			sum := int64(0)
			for k, ck := range c {
				sum = (sum + int64(ck)*numbers[i+k]) % modulus
			}
			if (sum+modulus)%modulus != int64(want) {
				t.Fatalf("%+v: word %d of stream %d, %d after %d, is %d, want %d", s, i, e+tuples, tuples, e, sum, want)
			}
		}

		var z state
		for i, word := range g.Stream(e) {
			z[order-1-i] = uint64(word)
		}
		drawn := [5]uint64(z)
		u, v, _ := oracleEnds(s.Scale, &drawn)
		k := g.Scrambling()
		hide := func(x uint64) engine.Label {
			rev := func(y uint32) uint32 { return bits.Reverse32(y) >> (32 - s.Scale) }
			return rev(k.K1 * rev(k.K0*(uint32(x)+k.Shift)))
		}
		if want, _ := oracle(s, e); hide(u) != want.U || hide(v) != want.V {
			t.Fatalf("%+v: tuple %d = %d, %d, want %v", s, e, hide(u), hide(v), want)
		}
	}
}

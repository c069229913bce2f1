package kronecker

import (
	"math/rand/v2"
	"testing"

	"graph500/engine"
	"graph500/vector"
)

// special are draws at the bounds of rejection and of the quadrants.
var special = []uint64{
	0, 1, rejected - 1, rejected, rejected + 1, modulus - 1, modulus - 2,
	limitB - 1, limitB, limitC - 1, limitC, limitA - 1, limitA, 9999, 10000,
	2147470000 + limitB - 1, 2147470000 + limitB, 2147470000 + limitC - 1, 2147470000 + limitC,
	2147470000 + limitA - 1, 2147470000 + limitA, 2147469999, 2147470000, 2147480000 + limitB - 1, 2147480000 + limitB,
}

// TestForms compares blocks of all forms with each other and with the oracle. The
// streams hold special draws at every level and lane. With the identity as the
// jump, the streams are the first draws.
func TestForms(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	identity := centredJump{1}
	for round := range 200 {
		s := randomSpec(r)
		s.Scale = 1 + round%32
		g := New(s)
		var starts [blockLen]state
		for j := range blockLen {
			starts[j] = plant(r, s.Scale)
			draws := starts[j]
			for k := range g.streams {
				g.streams[k][j] = int32(centred(draws.next()))
			}
		}
		var edges, otherEdges [blockLen]engine.Edge
		var draws, otherDraws [blockLen]uint32
		redo := g.fastGo(&identity, &edges, &draws)
		for _, g.form = range vector.Forms() {
			if other := g.fast(&identity, &otherEdges, &otherDraws); redo != other || edges != otherEdges || draws != otherDraws {
				t.Fatalf("%+v: form %v differs", s, g.form)
			}
		}
		for j := range blockLen {
			z := [5]uint64(starts[j])
			u, v, rejectedDraws := oracleEnds(s.Scale, &z)
			if again := redo[j/64]>>(j%64)&1 != 0; again != (rejectedDraws > 0) {
				t.Fatalf("%+v: lane %d: redo %v with %d rejected draws", s, j, again, rejectedDraws)
			}
			want := engine.Edge{U: g.scr.vertex(uint32(u)), V: g.scr.vertex(uint32(v))}
			if rejectedDraws == 0 && (edges[j] != want || uint64(draws[j]) != oracleDraw(&z)) {
				t.Fatalf("%+v: lane %d: %v, want %v", s, j, edges[j], want)
			}
		}
	}
}

// plant returns a state that is followed by up to five consecutive special draws at
// a random position before the last level, and by random draws elsewhere.
func plant(r *rand.Rand, scale int) state {
	inverseFar := invert(far)
	var z state
	for i := range z {
		z[i] = r.Uint64N(modulus)
	}
	for i := range r.IntN(order + 1) {
		z[i] = special[r.IntN(len(special))]
	}
	for range r.IntN(scale + order) { // backwards: the oldest number follows from the others
		z = state{z[1], z[2], z[3], z[4], (z[0] + (modulus-near)*z[1]) % modulus * inverseFar % modulus}
	}
	return z
}

// TestFormsOnRealBlocks compares the forms on blocks of random graphs.
func TestFormsOnRealBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		s := randomSpec(r)
		g := New(s)
		c := g.jumpTo(r.Uint64() >> r.IntN(56) &^ (blockLen - 1))
		cc := c.centred()
		var edges, otherEdges [blockLen]engine.Edge
		var draws, otherDraws [blockLen]uint32
		redo := g.fastGo(&cc, &edges, &draws)
		for _, g.form = range vector.Forms() {
			if other := g.fast(&cc, &otherEdges, &otherDraws); redo != other || edges != otherEdges || draws != otherDraws {
				t.Fatalf("%+v: form %v differs behind jump %v", s, g.form, c)
			}
			if without := g.fast(&cc, &otherEdges, nil); redo != without || edges != otherEdges {
				t.Fatalf("%+v, form %v: without draws the edges differ", s, g.form)
			}
		}
	}
}

// TestExtremeSums tests the forms with the largest coefficients and draws.
func TestExtremeSums(t *testing.T) {
	const most = modulus / 2
	g := New(official(20))
	r := rand.New(rand.NewPCG(9, 10))
	for range 50 {
		var c centredJump
		for i := range c {
			c[i] = most - 2*most*int64(r.IntN(2))
		}
		for k := range g.streams {
			for j := range blockLen {
				g.streams[k][j] = most - 2*most*int32(r.IntN(2))
			}
		}
		var edges, otherEdges [blockLen]engine.Edge
		var draws, otherDraws [blockLen]uint32
		redo := g.fastGo(&c, &edges, &draws)
		for _, g.form = range vector.Forms() {
			if other := g.fast(&c, &otherEdges, &otherDraws); redo != other || edges != otherEdges || draws != otherDraws {
				t.Fatalf("form %v differs for jump %v", g.form, c)
			}
		}
		for j := range blockLen {
			var first [order]uint64
			g.streams.jumped(j, &c, &first)
			for m, d := range first {
				var sum int64
				for k, ck := range c {
					sum = (sum + ck*int64(g.streams[m+k][j])%modulus) % modulus
				}
				if want := uint64(sum+modulus) % modulus; d != want {
					t.Fatalf("draw %d of lane %d = %d, want %d", m, j, d, want)
				}
			}
		}
	}
}

// TestQuadrants compares quadrants.of with the remainder operator, at the bounds of
// hundreds and for random draws.
func TestQuadrants(t *testing.T) {
	q := newQuadrants()
	check := func(r uint64) {
		t.Helper()
		x := r % 10000
		var want uint64
		if x >= limitB && x < limitC || x >= limitA {
			want++
		}
		if x < limitB || x >= limitA {
			want += 1 << 32
		}
		if got := q.of(r); got != want {
			t.Fatalf("quadrant of %d = %#x, want %#x", r, got, want)
		}
	}
	for r := uint64(0); r < modulus; r += 10000 * 97 {
		for _, x := range []uint64{0, limitB - 1, limitB, limitC - 1, limitC, limitA - 1, limitA, 9999} {
			check(r + x)
		}
	}
	for _, r := range special {
		check(r)
	}
	random := rand.New(rand.NewPCG(11, 12))
	for range 100000 {
		check(random.Uint64N(modulus))
	}
}

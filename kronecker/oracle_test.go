package kronecker

import (
	"math/big"
	"math/bits"
	"math/rand/v2"

	"graph500/engine"
)

// The oracle generates tuples literally by the specification: a companion matrix
// raised to the number of draws, remainders by the % operator, 64-bit scrambling.
// It shares only the Spec with the generator.

type matrix [5][5]uint64

func (a *matrix) times(b *matrix) (c matrix) {
	for i := range 5 {
		for j := range 5 {
			for k := range 5 {
				c[i][j] = (c[i][j] + a[i][k]*b[k][j]) % 2147483647
			}
		}
	}
	return c
}

// oracleState returns the state after the given number of draws, newest number
// first.
func oracleState(s Spec, draws *big.Int) (z [5]uint64) {
	step := matrix{{107374182, 0, 0, 0, 104480}, {1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1}}
	power := matrix{{1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 0, 1}}
	for i := draws.BitLen() - 1; i >= 0; i-- {
		power = power.times(&power)
		if draws.Bit(i) != 0 {
			power = power.times(&step)
		}
	}
	seed := [5]uint64{
		s.Seed1%(1<<30) + 1, s.Seed1>>30%(1<<30) + 1,
		s.Seed2%(1<<30) + 1, s.Seed2>>30%(1<<30) + 1,
		16*(s.Seed2>>60) + s.Seed1>>60 + 1,
	}
	for i := range 5 {
		for k := range 5 {
			z[i] = (z[i] + power[i][k]*seed[k]) % 2147483647
		}
	}
	return z
}

func oracleDraw(z *[5]uint64) uint64 {
	r := (107374182*z[0] + 104480*z[4]) % 2147483647
	*z = [5]uint64{r, z[0], z[1], z[2], z[3]}
	return r
}

// shifted returns n * 2^by.
func shifted(n uint64, by uint) *big.Int {
	x := new(big.Int).SetUint64(n)
	return x.Lsh(x, by)
}

// oracle generates tuple e and its weight.
func oracle(s Spec, e uint64) (engine.Edge, float32) {
	z := oracleState(s, shifted(e, 64))
	u, v, _ := oracleEnds(s.Scale, &z)
	edge := engine.Edge{U: oracleScramble(s, u), V: oracleScramble(s, v)}
	return edge, float32(float64(float32(oracleDraw(&z))) * 4.65661287524579692e-10)
}

// oracleEnds draws the ends of a tuple before scrambling. It returns them and the
// number of rejected draws.
func oracleEnds(scale int, z *[5]uint64) (u, v uint64, rejectedDraws int) {
	for range scale {
		r := oracleDraw(z)
		for r < 3647 {
			r = oracleDraw(z)
			rejectedDraws++
		}
		i, j := uint64(0), uint64(0)
		x := r % 10000
		if x >= 1900 && x < 3800 || x >= 9500 {
			i = 1
		}
		if x < 1900 || x >= 9500 {
			j = 1
		}
		if u == v && i == 1 && j == 0 {
			i, j = 0, 1
		}
		u, v = 2*u+i, 2*v+j
	}
	return u, v, rejectedDraws
}

func oracleScramble(s Spec, x uint64) engine.Label {
	z := oracleState(s, new(big.Int).Add(shifted(50, 128), shifted(7, 64)))
	const k = 4294967295
	var val [2]uint64
	for i := range val {
		a := oracleDraw(&z)
		val[i] = a*k + oracleDraw(&z)
	}
	rev := func(y uint64) uint64 { return bits.Reverse64(y) >> (64 - s.Scale) }
	k0, k1 := val[0]|0x4519840211493211, val[1]|0x3050852102C843A5
	return engine.Label(rev(k1 * rev(k0*(x+val[0]+val[1]))))
}

func randomSpec(r *rand.Rand) Spec {
	return Spec{Scale: 1 + r.IntN(32), EdgeFactor: 16, Seed1: r.Uint64(), Seed2: r.Uint64()}
}

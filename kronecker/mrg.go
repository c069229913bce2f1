package kronecker

// The random numbers are those of the multiple recursive generator of order
// five of L'Ecuyer, Blouin and Couture, "A search for good multiple recursive
// random number generators", ACM TOMACS 3(2), 1993, table 3:
//
//	r[n+1] = (107374182 r[n] + 104480 r[n-4]) mod (2^31-1)
//
// Jumps use its characteristic polynomial Q(X) = X^5 - 107374182 X^4 - 104480. If
// c = X^E mod Q, then r[n+E] = c0 r[n] + c1 r[n+1] + ... + c4 r[n+4].
const (
	modulus = 1<<31 - 1
	near    = 107374182 // factor of r[n]
	far     = 104480    // factor of r[n-4]
	order   = 5
)

// fold returns a number below 2^31 + v/2^31 that is congruent to v, because 2^31 is
// 1 modulo 2^31-1.
func fold(v uint64) uint64 { return v&modulus + v>>31 }

// canonical reduces x < 2*modulus to 0..modulus-1.
func canonical(x uint64) uint64 { return min(x, x-modulus) }

// reduce returns v mod modulus.
func reduce(v uint64) uint64 { return canonical(fold(fold(v))) }

// state holds the last five numbers of the sequence, newest first.
type state [order]uint64

// seedState distributes two user seeds over five nonzero words.
func seedState(seed1, seed2 uint64) state {
	const low30 = 1<<30 - 1
	return state{
		seed1&low30 + 1,
		seed1>>30&low30 + 1,
		seed2&low30 + 1,
		seed2>>30&low30 + 1,
		seed2>>60<<4 + seed1>>60 + 1,
	}
}

// next returns the next draw, 0..modulus-1.
func (z *state) next() uint64 {
	r := canonical(fold(near*z[0] + far*z[4]))
	*z = state{r, z[0], z[1], z[2], z[3]}
	return r
}

// jumped returns the state after the jump c.
func (z state) jumped(c *jump) state {
	var r [2*order - 1]uint64 // the five numbers, oldest first, and the next four draws
	for i := range order {
		r[i] = z[order-1-i]
	}
	for i := order; i < len(r); i++ {
		r[i] = z.next()
	}
	var out state
	for i := range order {
		var sum uint64
		for k, ck := range c {
			sum = fold(sum) + ck*r[i+k]
		}
		out[order-1-i] = reduce(sum)
	}
	return out
}

// jump is X^E mod Q for a distance of E draws: coefficients 0..modulus-1, constant
// coefficient first.
type jump [order]uint64

// times returns the jump over the sum of both distances.
func (a *jump) times(b *jump) jump {
	var t [2*order - 1]uint64
	for i, ai := range a {
		for k, bk := range b {
			t[i+k] = fold(fold(t[i+k] + ai*bk))
		}
	}
	for i := len(t) - 1; i >= order; i-- { // X^i = near X^(i-1) + far X^(i-5)
		h := reduce(t[i])
		t[i-1] = fold(t[i-1] + near*h)
		t[i-order] = fold(t[i-order] + far*h)
	}
	var out jump
	for i := range out {
		out[i] = reduce(t[i])
	}
	return out
}

// doubled returns the jump over 2^times times the distance.
func (a jump) doubled(times int) jump {
	for range times {
		a = a.times(&a)
	}
	return a
}

// power returns the jump over n times the distance.
func (a jump) power(n uint64) jump {
	c := jump{1}
	for ; n != 0; n >>= 1 {
		if n&1 != 0 {
			c = c.times(&a)
		}
		a = a.times(&a)
	}
	return c
}

// distance returns the jump over high*2^128 + middle*2^64 draws.
func distance(high, middle uint64) jump {
	step := jump{0, 1}
	h, m := step.power(high).doubled(64), step.power(middle)
	return h.times(&m).doubled(64)
}

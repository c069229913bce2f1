package kronecker

// streams holds draws 1 to 9 of the tuples of block 0, centred around zero. The
// first five draws of a tuple of any block are linear combinations of them, see
// jump.
type streams [2*order - 1][blockLen]int32

// newStreams returns the streams of block 0. z is the state of tuple 0, and toNext
// is the jump to the next tuple.
func newStreams(z state, toNext *jump) (s streams) {
	for j := range blockLen {
		draws := z
		for k := range s {
			s[k][j] = int32(centred(draws.next()))
		}
		z = z.jumped(toNext)
	}
	return s
}

// centred returns the number nearest to zero that is congruent to r, which must be
// 0..modulus-1.
func centred(r uint64) int64 {
	if r > modulus/2 {
		return int64(r) - modulus
	}
	return int64(r)
}

// centredJump is a jump with coefficients centred around zero, so that the sum of
// five products of centred numbers fits in 64 bits.
type centredJump [order]int64

func (a *jump) centred() (c centredJump) {
	for i, ai := range a {
		c[i] = centred(ai)
	}
	return c
}

// sumBias is a multiple of the modulus. Added to a sum of five products of centred
// numbers, it makes the sum positive.
const sumBias = 3 * modulus << 30

// jumped computes the first five draws of tuple j of the block that c jumps to.
func (s *streams) jumped(j int, c *centredJump, draws *[order]uint64) {
	j %= blockLen // removes bounds checks
	c0, c1, c2, c3, c4 := c[0], c[1], c[2], c[3], c[4]
	s0, s1, s2 := int64(s[0][j]), int64(s[1][j]), int64(s[2][j])
	s3, s4, s5 := int64(s[3][j]), int64(s[4][j]), int64(s[5][j])
	s6, s7, s8 := int64(s[6][j]), int64(s[7][j]), int64(s[8][j])
	draws[0] = reduce(sumBias + uint64(c0*s0+c1*s1+c2*s2+c3*s3+c4*s4))
	draws[1] = reduce(sumBias + uint64(c0*s1+c1*s2+c2*s3+c3*s4+c4*s5))
	draws[2] = reduce(sumBias + uint64(c0*s2+c1*s3+c2*s4+c3*s5+c4*s6))
	draws[3] = reduce(sumBias + uint64(c0*s3+c1*s4+c2*s5+c3*s6+c4*s7))
	draws[4] = reduce(sumBias + uint64(c0*s4+c1*s5+c2*s6+c3*s7+c4*s8))
}

package kronecker

import (
	"math/bits"

	"graph500/engine"
)

// Tuples are made in blocks of consecutive ones that share a jump; 256 keep
// the table of their streams (9 KiB) and the block in the L1 cache.
const (
	blockBits = 8
	blockLen  = 1 << blockBits
)

// One draw below rejected is thrown away: what remains is a multiple of 10000.
// Its remainder by 10000 chooses a quadrant: B below limitB, C below limitC, A
// below limitA, else D (probabilities 0.19, 0.19, 0.57, 0.05).
const (
	rejected = modulus % 10000
	limitB   = 1900
	limitC   = 3800
	limitA   = 9500
)

// streams holds draws 1 to 9 of the tuples of block 0, centred around 0. The
// first five draws of a tuple of any block are linear combinations of them
// (see jump).
type streams [2*order - 1][blockLen]int32

func (s *streams) fill(z state, toNext *jump) {
	for j := range blockLen {
		draws := z
		for k := range s {
			s[k][j] = centred(draws.next())
		}
		z = z.jumped(toNext)
	}
}

// centred returns the number congruent to r, 0..modulus-1, that is nearest to
// zero. Five products of two such numbers can be summed in 64 bits.
func centred(r uint64) int32 {
	if r > modulus/2 {
		return int32(r) - modulus
	}
	return int32(r)
}

// sumBias is a multiple of the modulus that keeps a sum of five products of
// centred numbers positive.
const sumBias = 3 * modulus << 30

// block makes the blockLen tuples from first on, to which c jumps, and the
// draws of their weights if draws is not nil.
func (g *Generator) block(first uint64, c *jump, edges *[blockLen]engine.Edge, draws *[blockLen]uint32) {
	var cc [order]int64
	for i, ci := range c {
		cc[i] = int64(centred(ci))
	}
	redo := g.fast(&cc, edges, draws)
	for w, set := range redo {
		for ; set != 0; set &= set - 1 {
			j := 64*w + bits.TrailingZeros64(set)
			var draw uint32
			edges[j], draw = g.tuple(first + uint64(j))
			if draws != nil {
				draws[j] = draw
			}
		}
	}
}

// maxDraws is the number of draws of a tuple of scale 32, that of its weight
// included.
const maxDraws = 33

// fraction is 2^64/10000 rounded up: the low 64 bits of r*fraction are the
// fractional part of r/10000, with an error that cannot reach a limit while
// r < 2^31 (Lemire, Kaser and Kurz, "Faster remainder by direct computation",
// 2019). Comparing it replaces the remainder.
const (
	fraction  = (1<<64-1)/10000 + 1
	fractionB = limitB * fraction
	fractionC = limitC * fraction
	fractionA = limitA * fraction
)

// fast is block without regard to rejected draws: it returns the set of tuples
// that met one and are wrong.
func (g *Generator) fast(c *[order]int64, edges *[blockLen]engine.Edge, draws *[blockLen]uint32) (redo [blockLen / 64]uint64) {
	for j := range blockLen {
		var r [maxDraws]uint64
		for m := range order {
			sum := uint64(sumBias)
			for k, ck := range c {
				sum += uint64(ck * int64(g.streams[m+k][j]))
			}
			r[m] = reduce(sum)
		}
		for i := order; i <= g.scale; i++ {
			r[i] = canonical(fold(near*r[i-1] + far*r[i-order]))
		}
		var w uint64 // u in the low half, v in the high half
		lowest := uint64(modulus)
		for _, x := range r[:g.scale] {
			lowest = min(lowest, x)
			f := x * fraction
			_, b := bits.Sub64(f, fractionB, 0)
			_, bc := bits.Sub64(f, fractionC, 0)
			_, abc := bits.Sub64(f, fractionA, 0)
			u, v := bc-b+1-abc, b+1-abc
			w = w<<1 + v<<32 + u
		}
		if lowest < rejected {
			redo[j/64] |= 1 << (j % 64)
		}
		u, v := uint32(w), uint32(w>>32)
		if u > v { // the first level that differs is below the diagonal
			flip := uint32(1) << (bits.Len32(u^v) - 1)
			u, v = u^flip, v^flip
		}
		edges[j] = engine.Edge{U: g.scr.apply(u), V: g.scr.apply(v)}
		if draws != nil {
			draws[j] = uint32(r[g.scale])
		}
	}
	return redo
}

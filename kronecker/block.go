package kronecker

import (
	"math/bits"

	"graph500/engine"
)

// Tuples are generated in blocks of consecutive tuples that share a jump. With 256
// tuples, the block and the table of its streams (9 KiB) fit in the L1 cache.
const (
	blockBits = 8
	blockLen  = 1 << blockBits
)

// A draw below rejected is discarded, so that the number of remaining values is a
// multiple of 10000. The remainder of a draw modulo 10000 selects a quadrant: B
// below limitB, C below limitC, A below limitA, else D (probabilities 0.19, 0.19,
// 0.57 and 0.05).
const (
	rejected = modulus % 10000
	limitB   = 1900
	limitC   = 3800
	limitA   = 9500
)

// maxDraws is the number of draws of a tuple at scale 32, including the draw of its
// weight.
const maxDraws = 33

// block generates tuples first..first+blockLen-1 and, if draws is not nil, the
// draws of their weights. c is the jump to tuple first.
func (g *Generator) block(first uint64, c *jump, edges *[blockLen]engine.Edge, draws *[blockLen]uint32) {
	cc := c.centred()
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

// fastGo is block without the handling of rejected draws. It returns a bit set of
// the tuples with a rejected draw, which are wrong, about 40 in a million at scale
// 24. It interleaves two tuples, because each draw depends on the previous one (20
// instead of 16 million tuples per second).
func (g *Generator) fastGo(c *centredJump, edges *[blockLen]engine.Edge, draws *[blockLen]uint32) (redo [blockLen / 64]uint64) {
	var r, s [maxDraws + order]uint64
	for j := 0; j < blockLen; j += 2 {
		g.streams.jumped(j, c, (*[order]uint64)(r[:]))
		g.streams.jumped(j+1, c, (*[order]uint64)(s[:]))
		x, y := r[order-1], s[order-1]
		var a, b uint64 // the packed ends
		leastA, leastB := uint64(modulus), uint64(modulus)
		for i := range g.scale {
			p, q := r[i], s[i]
			x = canonical(fold(near*x + far*p))
			y = canonical(fold(near*y + far*q))
			r[i+order], s[i+order] = x, y
			leastA, leastB = min(leastA, p), min(leastB, q)
			a = a<<1 + g.quadrants.of(p)
			b = b<<1 + g.quadrants.of(q)
		}
		edges[j], edges[j+1] = g.scr.edge(a), g.scr.edge(b)
		if leastA < rejected {
			redo[j/64] |= 1 << (j % 64)
		}
		if leastB < rejected {
			redo[j/64] |= 2 << (j % 64)
		}
		if draws != nil {
			draws[j], draws[j+1] = uint32(r[g.scale]), uint32(s[g.scale])
		}
	}
	return redo
}

// quadrants maps the hundreds of a remainder modulo 10000 to a bit of u in the low
// half and a bit of v in the high half.
type quadrants [128]uint64

func newQuadrants() (q quadrants) {
	const u, v = 1, 1 << 32
	for h := range 100 {
		switch x := 100 * h; {
		case x < limitB:
			q[h] = v
		case x < limitC:
			q[h] = u
		case x >= limitA:
			q[h] = u + v
		}
	}
	return q
}

// of returns the quadrant of draw r. It multiplies r by 2^64/10000, rounded up. The
// low 64 bits of the product are the fractional part of r/10000. Their error is too
// small to reach the next hundredth for r < 2^31 (Lemire, Kaser and Kurz, "Faster
// remainder by direct computation", 2019).
func (q *quadrants) of(r uint64) uint64 {
	const perTenThousand = (1<<64-1)/10000 + 1
	hundreds, _ := bits.Mul64(r*perTenThousand, 100)
	return q[hundreds%uint64(len(q))]
}

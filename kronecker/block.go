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

// A draw below rejected is thrown away: as many as are left are a multiple of
// 10000. The remainder of the others by 10000 chooses a quadrant: B below
// limitB, C below limitC, A below limitA, else D (probabilities 0.19, 0.19,
// 0.57 and 0.05).
const (
	rejected = modulus % 10000
	limitB   = 1900
	limitC   = 3800
	limitA   = 9500
)

// maxDraws is the number of draws of a tuple of scale 32, that of its weight
// included.
const maxDraws = 33

// block makes the blockLen tuples from first on, to which c jumps, and the
// draws of their weights if draws is not nil.
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

// fastGo is block without regard to rejected draws: it returns the set of the
// tuples that met one and are wrong, about 40 in a million at scale 24. It
// makes two tuples side by side because each draw waits for the one before
// (20 instead of 16 million tuples a second).
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

// quadrants holds, for the hundreds of a remainder by 10000, one bit of u in
// the low half and one of v in the high half.
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

// of returns the quadrant of draw r. The low 64 bits of r times 2^64/10000,
// rounded up, are the fractional part of r/10000, with an error too small to
// reach the next hundredth for r < 2^31 (Lemire, Kaser and Kurz, "Faster
// remainder by direct computation", 2019).
func (q *quadrants) of(r uint64) uint64 {
	const perTenThousand = (1<<64-1)/10000 + 1
	hundreds, _ := bits.Mul64(r*perTenThousand, 100)
	return q[hundreds%uint64(len(q))]
}

package kronecker

// This file exports the constants of a graph for a generator on a device. The
// device code implements the recurrence, the limits of the quadrants and the mirror
// rule itself.

// Stream returns the five random numbers before the first draw of tuple e, oldest
// first, each 0..2^31-2.
func (g *Generator) Stream(e uint64) (r [order]uint32) {
	c := g.jumpTo(e)
	z := g.start.jumped(&c)
	for i := range r {
		r[i] = uint32(z[order-1-i])
	}
	return r
}

// Jump returns the coefficients, each -2^30+1..2^30-1, of the jump over the given
// number of tuples. If r[0..4] is Stream(e) and r[5..8] are the next four draws,
// word i of Stream(e+tuples) is c[0] r[i] + c[1] r[i+1] + ... + c[4] r[i+4] modulo
// 2^31-1.
func (g *Generator) Jump(tuples uint64) (c [order]int32) {
	to := g.jumpTo(tuples)
	for i, ci := range to.centred() {
		c[i] = int32(ci)
	}
	return c
}

// Scrambling holds the constants of the vertex scrambling. A vertex number x of
// Scale bits becomes rev(K1 * rev(K0 * (x + Shift))), where rev reverses the lowest
// Scale bits of a word and drops the others.
type Scrambling struct {
	K0, K1, Shift uint32
}

// Scrambling returns the constants of the graph.
func (g *Generator) Scrambling() Scrambling {
	return Scrambling{K0: g.scr.k0, K1: g.scr.k1, Shift: g.scr.shift}
}

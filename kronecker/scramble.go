package kronecker

import (
	"math/bits"

	"graph500/engine"
)

// scrambler is the fixed bijection on the vertex numbers that hides how the
// tuples were made: with rev reversing the scale lowest bits,
//
//	x -> rev(k1 * rev(k0 * (x + shift)))
//
// Only the scale lowest bits of each step matter, so 32-bit arithmetic does.
type scrambler struct {
	k0, k1, shift uint32
	drop          uint32 // 32 - scale
}

func newScrambler(s Spec) scrambler {
	c := distance(50, 7)
	z := seedState(s.Seed1, s.Seed2).jumped(&c)
	const k = 1<<32 - 1
	val0 := z.next()*k + z.next()
	val1 := z.next()*k + z.next()
	return scrambler{
		k0:    uint32(val0 | 0x4519840211493211),
		k1:    uint32(val1 | 0x3050852102C843A5),
		shift: uint32(val0 + val1),
		drop:  uint32(32 - s.Scale),
	}
}

// vertex returns the number that hides x.
func (s *scrambler) vertex(x engine.Local) engine.Local {
	y := bits.Reverse32(s.k0*(x+s.shift)) >> s.drop
	return bits.Reverse32(s.k1*y) >> s.drop
}

// edge makes the tuple of two ends whose bits were drawn freely: u is the low
// half of ends, v the high half. Below the diagonal the reference mirrors the
// first level at which the ends differ, and that level only.
func (s *scrambler) edge(ends uint64) engine.Edge {
	u, v := uint32(ends), uint32(ends>>32)
	below := uint32((uint64(v) - uint64(u)) >> 63)
	first := bits.Len32((u ^ v) >> 1) // the level's bit; 0 also when the ends are equal
	flip := below << first            // without a branch: it would go either way at random
	return engine.Edge{U: s.vertex(u ^ flip), V: s.vertex(v ^ flip)}
}

package kronecker

import (
	"math/bits"

	"graph500/engine"
)

// scrambler is the fixed bijection of vertex numbers that removes the locality of
// the generated tuples. With rev reversing the lowest scale bits, it maps
//
//	x -> rev(k1 * rev(k0 * (x + shift)))
//
// 32-bit arithmetic is sufficient, because only the lowest scale bits of each step
// matter.
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

// vertex returns the scrambled number of x.
func (s *scrambler) vertex(x engine.Label) engine.Label {
	y := bits.Reverse32(s.k0*(x+s.shift)) >> s.drop
	return bits.Reverse32(s.k1*y) >> s.drop
}

// edge returns the tuple of two unmirrored, unscrambled ends: u is the low half of
// ends, v the high half. If they are below the diagonal, it mirrors the first level
// at which they differ, and only this level, as the reference does.
func (s *scrambler) edge(ends uint64) engine.Edge {
	u, v := uint32(ends), uint32(ends>>32)
	below := uint32((uint64(v) - uint64(u)) >> 63)
	first := bits.Len32((u ^ v) >> 1) // bit of the level; 0 also if the ends are equal
	flip := below << first            // not a branch, because it would be unpredictable
	return engine.Edge{U: s.vertex(u ^ flip), V: s.vertex(v ^ flip)}
}

package cpu

import "math/bits"

// laneTables are the orders in which the AVX2 forms move the lanes of a vector of eight, by mask:
// a number in each byte, from the lowest on.
type laneTables struct {
	compress [256]uint64 // the lanes of the mask, in order
	expand   [256]uint64 // by lane: how many lanes of the mask are before it
}

func newLaneTables() *laneTables {
	t := new(laneTables)
	for mask := range uint(256) {
		for lane := range uint(8) {
			before := uint64(bits.OnesCount(mask & (1<<lane - 1)))
			t.expand[mask] |= before << (8 * lane)
			if mask>>lane&1 == 1 {
				t.compress[mask] |= uint64(lane) << (8 * before)
			}
		}
	}
	return t
}

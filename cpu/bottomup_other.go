//go:build !amd64 || noasm

package cpu

// vectorUnit is empty: there are no vector forms here.
func vectorUnit() string { return "" }

// tryHubs is hubsOf.
func (b *bottomUp) tryHubs(visited, next []uint64, lo, hi int) (found, n int) {
	return b.hubsOf(visited, next, lo, hi)
}

// tryRecords is recordsOf.
func (b *bottomUp) tryRecords(visited []uint64, n int) (hits, rest int) {
	return b.recordsOf(visited, n)
}

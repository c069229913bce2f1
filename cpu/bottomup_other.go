//go:build !amd64 || noasm

package cpu

// tryHubs is step 1, see tryHubsGo.
func (b *bottomUp) tryHubs(visited, next []uint64, lo, hi int) (found, n int) {
	return b.tryHubsGo(visited, next, lo, hi)
}

// tryRecords is step 2, see tryRecordsGo.
func (b *bottomUp) tryRecords(visited []uint64, n int) (hits, rest int) {
	return b.tryRecordsGo(visited, n)
}

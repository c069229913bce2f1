//go:build !amd64 || noasm

package graph

import "graph500/vector"

// lanes is 0: there are no vector forms.
const lanes = 0

// numberHubs is numberHubsGo.
func numberHubs(_ vector.Form, to, from []uint32, numbers *hubNumbers) (best uint16, hubs int) {
	return numberHubsGo(to, from, numbers)
}

// splitHubs is splitHubsGo.
func splitHubs(_ vector.Form, hubs []uint16, others, row []uint32, lastHub uint32) (nh, no int) {
	return splitHubsGo(hubs, others, row, lastHub)
}

// splitLeaves is splitLeavesGo.
func splitLeaves(_ vector.Form, rows, codes, leaves, code []uint32, mask uint32, n int) (nr, nl int) {
	return splitLeavesGo(rows, codes, leaves, code, mask, 0, n, 0, 0)
}

// rankHubs returns false: there are no vectors.
func rankHubs(vector.Form, *[mostRanked]uint16, []uint16) bool { return false }

// prefetchCodes and prefetchRow do nothing.
func prefetchCodes(_, _ []uint32) {}
func prefetchRow([]uint32)        {}

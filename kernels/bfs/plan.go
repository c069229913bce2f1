//go:build cuda

package bfs

import "math/bits"

// searchPlan is what differs with the size of a graph.
type searchPlan struct {
	kernel     string
	hubs       hubPlan
	filterBits int // of the filter for a small frontier; 0 where there is none
	// binShift is the logarithm of the labels of a bin, at least leastBinShift,
	// where the parents of large top-down levels are put in order bin by bin; 0
	// where they are written as they are found. There are at most maxBins bins.
	binShift int
	// hubsShare lets a bottom-up level look for hubs only, where the other vertices
	// of a small frontier have less than one arc for so many vertices of the graph;
	// these are followed top-down. 0 where it never does, as without HubRows.
	hubsShare int
	// ahead lets a pass that writes parents fetch the first neighbours of a warp's next
	// piece in time: worth 8 % of it where the second-level cache holds the bitmaps, and
	// a loss of 9 % where the pieces are so far apart that it does not.
	ahead bool
}

// bins is the number of bins of labels in which parents are put in order.
func (p searchPlan) bins(vertices uint64) uint64 { return (vertices-1)>>p.binShift + 1 }

// planSearch returns the plan that is fastest for N vertices on an H200, by what its
// second-level cache of l2 bytes holds: of the parents, half of which it should have
// room for, and of the three bitmaps that a bottom-up level goes through.
//
//   - Where it holds the parents with as much again, all that counts is how soon a
//     warp is done.
//   - Where it does not hold them, a filter saves look-ups in the bitmap of visited
//     vertices, and the hubs among neighbours pay.
//   - Where it does not hold the bitmaps with as much again, minor hubs have a bitmap
//     of their own, and parents of large top-down levels are put in order.
func planSearch(vertices uint64, l2 int) searchPlan {
	parents, bitmaps, cache := 4*vertices, 3*vertices/8, uint64(l2)
	switch {
	case 2*parents <= cache:
		return searchPlan{kernel: "bfsFew", hubs: hubPlan{usedHubs, 0, false}}
	case parents <= cache:
		return searchPlan{kernel: "bfs", hubs: hubPlan{usedHubs, 0, false}, ahead: true}
	case 2*bitmaps <= cache:
		return searchPlan{kernel: "bfs", hubs: hubPlan{usedHubs, 0, true}, filterBits: 1 << 17, hubsShare: 4, ahead: true}
	}
	return searchPlan{"bfsMany", hubPlan{usedHubs, maxMinors, true}, 1 << 20, max(leastBinShift, bits.Len64((vertices-1)/maxBins)), 2, false}
}

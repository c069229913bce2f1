//go:build cuda

package bfs

import (
	"math/bits"

	"graph500/engine"
)

// searchPlan is the part of a search that depends on the size of the graph.
type searchPlan struct {
	kernel     string
	hubs       hubPlan
	filterBits int // bits of the filter for a small frontier; 0: no filter
	// binShift is the binary logarithm of the number of labels in a bin, at least
	// leastBinShift. The parents of large top-down levels are put in order bin by
	// bin. With 0, parents are written when they are found. There are at most maxBins
	// bins.
	binShift int
	// nonHubShare lets a bottom-up level look for hubs only, if the other vertices of
	// a small frontier have fewer than vertices / nonHubShare arcs. The search
	// follows these arcs top-down. With 0, and without HubRows, no level looks for
	// hubs only.
	nonHubShare int
	// prefetch lets a writing pass (stepDenseParents) prefetch the first neighbours
	// of the warp's next piece. The pass gains 8 % where the second-level cache holds
	// the bitmaps. It loses 9 % where the cache does not, because the data are
	// evicted before they are used.
	prefetch bool
	// split: the rows are split (construct.Split), on one device, which then searches large
	// frontiers bottom-up (frontierShare).
	split bool
}

// scratch returns the length of searching.Scratch for a graph with that number of rows.
func (p searchPlan) scratch(rows uint64) uint64 {
	if !p.split || p.binShift > 0 {
		return rows
	}
	return min(rows, rows/frontierShare+threads)
}

// bins returns the number of bins for the ordering of parents.
func (p searchPlan) bins(vertices uint64) uint64 { return (vertices-1)>>p.binShift + 1 }

// planSearch returns the plan that is fastest for N vertices on an H200. The plan
// depends on whether the parents (4 bytes per label) and three bitmaps (1 bit per label
// each) fit into the second-level cache of l2 bytes:
//
//   - The parents take at most half of the cache: the search time is the latency of each
//     warp, so one block runs on each multiprocessor, with twice the registers per thread.
//   - The parents fit, but take more than half: kernel bfs, with prefetch.
//   - The parents do not fit: a filter saves look-ups in the bitmap of visited vertices,
//     and searches for hubs only save time.
//   - The bitmaps take more than half of the cache: minor hubs have a bitmap of their own,
//     and the parents of large top-down levels are put in order.
func planSearch(vertices uint64, l2 int) searchPlan {
	parents, bitmaps, cache := 4*vertices, 3*vertices/8, uint64(l2)
	switch {
	case 2*parents <= cache:
		return searchPlan{kernel: "bfsFew", hubs: hubPlan{usedHubs, 0, false}}
	case parents <= cache:
		return searchPlan{kernel: "bfs", hubs: hubPlan{usedHubs, 0, false}, prefetch: true}
	case 2*bitmaps <= cache:
		return searchPlan{kernel: "bfs", hubs: hubPlan{usedHubs, 0, true}, filterBits: 1 << 17, nonHubShare: 4, prefetch: true}
	}
	return searchPlan{
		kernel: "bfsMany", hubs: hubPlan{usedHubs, maxMinors, true}, filterBits: 1 << 20,
		binShift: max(leastBinShift, bits.Len64((vertices-1)/maxBins)), nonHubShare: 2,
	}
}

// planFor returns the plan that is fastest for N vertices on that many devices, of split rows or
// others. The bitmaps of all vertices are on each of several devices, so that the plan follows that
// of one. On two H200 the kernel with one block per multiprocessor, and no spilled registers, is
// faster up to larger graphs: with it, a search of scale 24 takes 181 µs instead of 210, and one of
// scale 26 472 instead of 491, but one of scale 28 takes 1,870 instead of 1,780. Several devices do
// not put parents in order.
func planFor(vertices uint64, l2, devices int, split bool) searchPlan {
	plan := planSearch(vertices, l2)
	if devices == 1 {
		plan.split = split
		return plan
	}
	plan.binShift = 0
	if plan.kernel == "bfsMany" {
		plan.kernel = "bfsPeers"
	} else {
		plan.kernel = "bfsPeersFew"
	}
	return plan
}

// Sizes determine the memory of a search on one of several devices, or on the only one.
type Sizes struct {
	Vertices, Rows     uint64 // of the graph: N, and an upper bound on n
	OwnLabels, OwnRows uint64 // upper bounds on those of the device
	OwnArcs            uint64 // the same: each edge in both directions
	Exceptions         uint64 // the same: vertices whose first neighbour is no hub and no minor hub
	Devices            int
	Split              bool // the rows are split
	L2                 int  // bytes of the device's second-level cache
}

// Plan lists the memory of a search on a device, without the optional arrays (OptionalPlan).
func Plan(z Sizes) []engine.Allocation {
	plan := planFor(z.Vertices, z.L2, z.Devices, z.Split)
	list := packPlan(packSizes{vertices: z.OwnLabels, rows: z.OwnRows, all: z.Vertices, exceptions: z.Exceptions}, plan.hubs)
	own := searchSizes{vertices: z.Vertices, rows: z.OwnRows, minors: uint64(plan.hubs.minorHubs)}
	if list = append(list, new(searching).group(own, plan).Plan()...); z.Devices > 1 {
		list = append(list, new(shared).group(z.Rows).Plan()...)
	}
	return list
}

// OptionalPlan lists the arrays that a search uses only if there is memory for them: HubRows and
// HubArcs, with the length for a graph where all neighbours are hubs.
func OptionalPlan(z Sizes) []engine.Allocation {
	if !planSearch(z.Vertices, z.L2).hubs.hubRows {
		return nil
	}
	of := packSizes{rows: z.OwnRows, vectors: maxVectors(z.OwnRows, z.OwnArcs)}
	p := &packed{}
	return append(p.hubRowGroup(of).Plan(), p.hubArcGroup(of).Plan()...)
}

// splitAlpha returns the share of the unexplored arcs above which a search of rows with
// that prefix goes bottom-up: 1/splitAlpha. A level that goes bottom-up too early examines
// the tails of many vertices at random; one that goes top-down too long reads long tails of
// the frontier. The shorter the prefix, the more tails the first reads. The values are the
// best of sweeps on an H200, with prefixes of 14 and 23 and of 857 to 11,400 (docs/notebook.md).
func splitAlpha(prefix uint32) uint32 {
	if prefix < 256 {
		return 30
	}
	return 100
}

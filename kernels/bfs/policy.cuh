// The policy: when a search changes direction, and by which step it searches a level.
// This file decides by the size of the frontier. The host decides by the size of the
// graph and of the second-level cache (planSearch).
//
// The values are the best of sweeps over official graphs of scales 20 to 28 on an
// H200.
#pragma once
#include "neighbors.cuh"

// Bottom-up pays if the frontier has more than 1/alpha of the unexplored arcs, or
// more than 1/alphaHubs where the level may look for hubs only. (Beamer et al. 2012
// use 1/14, for a pass that costs more.) In addition, the frontier must have more
// than one arc per beta labels, which is the least cost of a dense pass.
constexpr u32 alphaHubs = 50, beta = 32;

// On several devices a top-down level costs more, because what it finds is exchanged. With
// alphaPeers instead of alpha and alphaHubs, two H200 reach 2,411 GTEPS instead of 2,227
// at scale 28. Up to the size of bfsPeersFew, alphaPeers takes the place of alphaHubs only:
// at scale 22 in that of both, a search of 181 µs took 1,100.
constexpr u32 alphaPeers = 120;

constexpr u32 fewShare = 128;   // a frontier is small if it has at most 1/fewShare of the labels
constexpr u32 filterShare = 2;  // the filter is used if the frontier sets at most 1/filterShare of its bits
constexpr u32 queueShare = 32;  // a top-down level queues parents if it has more than one arc per queueShare labels
constexpr u32 orderShare = 256; // queued parents are put in order if there are more than one per orderShare labels
constexpr u32 denseShare = 16;  // dense passes go on while the frontier has more than 1/denseShare of the number of unvisited vertices
constexpr u32 pollEvery = 256;  // levels between two reads of the host's stop flag; a read costs 2 µs
constexpr u32 sampleFrom = 16;  // a frontier of more than sampleFrom vertices per thread of one block is measured by a sample first

template <u32 ofAny = alpha, u32 ofHubs = alphaHubs> __device__ inline bool bottomUpPays(u64 arcs, u64 unexplored, bool hubsMaySuffice) {
#ifdef SPLIT_ROWS
	return arcs * tails.alpha > unexplored && arcs > g.vertices / beta;
#endif
	return arcs * (hubsMaySuffice ? ofHubs : ofAny) > unexplored && arcs > g.vertices / beta;
}

// mayLookForHubsOnly returns whether the frontier is small enough for a level that
// looks for hubs only. areFewNonHubArcs is the second condition.
__device__ inline bool mayLookForHubsOnly(u32 frontier) {
	return g.nonHubShare && frontier <= g.vertices / fewShare && (!splitRows || frontier <= g.rowCount / frontierShare);
}

__device__ inline bool areFewNonHubArcs(u64 nonHubArcs) { return nonHubArcs < g.vertices / g.nonHubShare; }

__device__ inline bool filterServes(u32 frontier) { return frontier <= g.filterBits / filterShare; }

// queuesParents returns whether a top-down level queues the parents that it finds, to
// put them in order later. count is the size of its frontier: queued parents and the
// rows of the frontier must fit into g.scratch together.
__device__ inline bool queuesParents(u64 arcs, u32 count) { return g.bins && arcs > g.vertices / queueShare && count <= g.rowCount / 2; }

__device__ inline bool orderPays(u32 frontier) { return frontier > g.vertices / orderShare; }

// mostAreUnvisited returns whether the next dense pass should again leave parents to
// a later pass.
__device__ inline bool mostAreUnvisited(u32 unvisited) { return unvisited > g.rowCount / 4 * 3; }

// densePays returns whether the frontier is large enough for another dense pass.
__device__ inline bool densePays(u32 frontier, u32 unvisited) { return u64(frontier) * denseShare > unvisited; }

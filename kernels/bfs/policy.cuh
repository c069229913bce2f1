// The policy: when a search turns from one direction to the other, and which steps it
// takes through a level. All that is decided from the size of the frontier is decided
// here; what goes by the card is decided on the host (planSearch).
//
// The shares are the best of sweeps over official graphs of scales 20 to 28 on an H200.
#pragma once
#include "search.cuh"

// Bottom-up pays once the frontier has more than one in alpha of the unexplored arcs
// (Beamer et al. 2012 take 14, for a pass that costs more), or one in alphaHubs where a
// pass that looks for hubs only may do, and more than one arc for beta labels, which is
// what a dense pass costs at least.
constexpr u32 alpha = 30, alphaHubs = 50, beta = 32;
constexpr u32 fewShare = 128;   // a frontier has few vertices if it holds at most one in fewShare
constexpr u32 filterShare = 2;  // the filter serves a frontier that sets at most one in filterShare of its bits
constexpr u32 queueShare = 32;  // parents are queued where a level has more than one arc for queueShare labels
constexpr u32 orderShare = 256; // and put in order where it found more than one vertex in orderShare
constexpr u32 denseShare = 16;  // dense passes go on while the frontier has more than one vertex for denseShare unvisited ones
constexpr u32 pollEvery = 256;  // levels between two looks at the host's flag, which costs 2 µs
constexpr u32 sampleFrom = 16;  // a frontier of more than sampleFrom vertices a thread of a block is measured by a sample first

__device__ inline bool bottomUpPays(u64 arcs, u64 unexplored, bool hubsMayDo) {
	return arcs * (hubsMayDo ? alphaHubs : alpha) > unexplored && arcs > g.vertices / beta;
}

// mayLookForHubs returns whether a bottom-up level may look for hubs only, if few arcs of
// the frontier are not of hubs (isFew).
__device__ inline bool mayLookForHubs(u32 frontier) { return g.hubsShare && frontier <= g.vertices / fewShare; }

__device__ inline bool isFew(u64 arcsOfOthers) { return arcsOfOthers < g.vertices / g.hubsShare; }

__device__ inline bool filterServes(u32 frontier) { return frontier <= g.filterBits / filterShare; }

// queuesParents returns whether a top-down level from count vertices queues the parents
// that it finds, to be put in order later: where there is room for the most it can find.
__device__ inline bool queuesParents(u64 arcs, u32 count) { return g.bins && arcs > g.vertices / queueShare && count <= g.connected / 2; }

__device__ inline bool orderPays(u32 frontier) { return frontier > g.vertices / orderShare; }

// mostAreLeft returns whether the next dense pass had better leave parents to a later one.
__device__ inline bool mostAreLeft(u32 left) { return left > g.connected / 4 * 3; }

// stillDense returns whether the frontier is large enough for bottom-up to go on.
__device__ inline bool stillDense(u32 frontier, u32 left) { return u64(frontier) * denseShare > left; }

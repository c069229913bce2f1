// The look-ups of bottom-up steps: in the bitmap of visited vertices, in the bitmap
// of hubs in shared memory, in the bitmap of minor hubs, and in the filter.
#pragma once
#include "search.cuh"

constexpr int warps = THREADS / 32;
constexpr u32 pieceTasks = 4; // largest number of tasks in a piece; half as many in a writing pass
static_assert(pieceTasks * taskLabels <= 1 << minorShift, "two labels of a piece would have the same low bits in minors");
constexpr u32 batch = 64;                        // vertices whose further neighbours a warp examines together
constexpr u32 ringCapacity = batch + taskLabels; // less than a batch that waits, and the vertices of one task
constexpr u32 walkers = 8;                       // rows that a warp walks at a time
constexpr u32 walkCapacity = walkers + batch;    // fewer than walkers that wait, and the rows of one batch
constexpr u32 hubWalkers = 32;                   // rows of hubs that a warp walks at a time
constexpr u32 hubWalkCapacity = hubWalkers + batch;
constexpr u32 blockListCapacity = 512; // entries of the list that a block collects in shared memory

// BottomUp is the block's shared memory in bottom-up steps. It is small because the
// rest is the first-level cache, and each load in flight occupies a line of it, even
// a load that is not cached. With 107 KiB per block instead of 75 KiB every random
// access of a search was slower: by a quarter at scale 24 and by half at scale 28.
struct BottomUp {
	u32 hub[hubWords];
	struct {
		union { // bitmaps of the warp's piece
			u32 hit[pieceTasks * taskWords];     // before: the first neighbour is a visited minor hub, or a visited neighbour of an exception
			u32 further[pieceTasks * taskWords]; // after, word by word: the further neighbours must be examined
		};
		u32 ring[ringCapacity]; // vertices whose further neighbours must be examined
		union {                 // and those whose rows go on after the neighbours examined then
			uint4 walk[walkCapacity]; // label, length of the rest of the row, its start (low, high)
			struct {
				u32 label[hubWalkCapacity], rest[hubWalkCapacity], start[hubWalkCapacity];
			} hubWalk;
		};
	} warp[warps];
	// The warp's counts: examined neighbours after the first ones, and words of 4
	// bytes that it moved. Only words whose number varies are counted: rows,
	// neighbours and parents.
	u32 examined[warps], moved[warps];
	uint2 list[blockListCapacity];
	u32 listed, listStart;
	u32 longRows; // long rows that the block found in this level
	u32 ticket;   // next piece of the block's part of the labels
};

// updateHubBits copies the bits of all hubs from visited to the bitmap of hubs: bit h
// is 1 if hub h is visited. The callers' loads once() and then() are in flight
// together with its own. All threads of all blocks must call it.
template <typename Once, typename Then> __device__ inline void updateHubBits(const u32 *visited, Once once, Then then) {
	u32 h = blockIdx.x * THREADS + threadIdx.x;
	u32 hub = streamIf(h < g.hubCount, g.hubs + h, none);
	once();
	u32 word = loadIf(hub != none, visited + hub / 32, 0);
	then();
	while (h < hubWords * 32) {
		word = __ballot_sync(~0u, word >> (hub & 31) & 1);
		if (threadIdx.x % 32 == 0)
			g.hubBits[h / 32] = word;
		h += gridDim.x * THREADS;
		hub = streamIf(h < g.hubCount, g.hubs + h, none);
		word = loadIf(hub != none, visited + hub / 32, 0);
	}
}

// updateMinorBits does the same for the bitmap of minor hubs. The result is valid
// after the next grid barrier.
__device__ inline void updateMinorBits(const u32 *visited) {
	constexpr int perThread = 4;
	const u32 all = gridDim.x * THREADS;
	for (u32 m = blockIdx.x * THREADS + threadIdx.x; m - threadIdx.x < g.minorCount; m += perThread * all) {
		u32 label[perThread], word[perThread];
#pragma unroll
		for (int k = 0; k < perThread; k++)
			label[k] = streamIf(m + k * all < g.minorCount, g.hubs + g.hubCount + m + k * all, none);
#pragma unroll
		for (int k = 0; k < perThread; k++)
			word[k] = loadIf(label[k] != none, visited + label[k] / 32, 0);
#pragma unroll
		for (int k = 0; k < perThread; k++) {
			word[k] = __ballot_sync(~0u, word[k] >> (label[k] & 31) & 1);
			if (threadIdx.x % 32 == 0 && m + k * all < g.minorCount)
				g.minorBits[(m + k * all) / 32] = word[k];
		}
	}
}

__device__ inline void loadHubBits() {
	BottomUp &s = shared<BottomUp>();
	__syncthreads();
	for (u32 i = threadIdx.x; i < hubWords / 4; i += THREADS)
		reinterpret_cast<uint4 *>(s.hub)[i] = __ldcg(reinterpret_cast<const uint4 *>(g.hubBits) + i);
	if (threadIdx.x < warps)
		s.examined[threadIdx.x] = s.moved[threadIdx.x] = 0;
	if (threadIdx.x == 0)
		s.listed = s.longRows = s.ticket = 0;
	__syncthreads();
}

__device__ inline u32 hubBit(u32 h) { return shared<BottomUp>().hub[h / 32] >> (h & 31) & 1; }

// lookUpVisited looks up K vertices p per lane in the bitmap visited, those whose bit
// in wanted is 1, and returns the bits of the visited ones. If filtered, it looks up
// only vertices whose bit in the filter is 1. All look-ups are in flight together.
// With a branch around each, one waited for the other, which cost a third of a
// bottom-up level.
template <bool filtered, int K> __device__ inline u32 lookUpVisited(const u32 *visited, u32 wanted, const u32 (&p)[K]) {
	u32 word[K], hits = 0;
	if (filtered) {
#pragma unroll
		for (int k = 0; k < K; k++)
			word[k] = cachedIf(wanted >> k & 1, g.filter + (p[k] & (g.filterBits - 1)) / 32, 0);
		wanted = 0;
#pragma unroll
		for (int k = 0; k < K; k++)
			wanted |= (word[k] >> (p[k] & 31) & 1) << k;
	}
#pragma unroll
	for (int k = 0; k < K; k++)
		word[k] = loadIf(wanted >> k & 1, visited + p[k] / 32, 0);
#pragma unroll
	for (int k = 0; k < K; k++)
		hits |= (word[k] >> (p[k] & 31) & 1) << k;
	return hits;
}

// addCounts adds the counts of all lanes to the warp's. All lanes of the warp must
// call it.
__device__ inline void addCounts(u32 examined, u32 moved) {
	examined = __reduce_add_sync(~0u, examined);
	moved = __reduce_add_sync(~0u, moved);
	if (threadIdx.x % 32 == 0) {
		shared<BottomUp>().examined[threadIdx.x / 32] += examined;
		shared<BottomUp>().moved[threadIdx.x / 32] += moved;
	}
}

// markFound writes the parent of v and marks v as visited after this level.
__device__ inline void markFound(u32 v, u32 parent, u32 *visitedAfter) {
	g.parents[v] = parent;
	atomicOr(visitedAfter + (v >> 5), 1u << (v & 31));
}

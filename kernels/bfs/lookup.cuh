// What bottom-up steps look vertices up in: the bitmap of visited vertices, that of
// hubs in shared memory, that of minor hubs, and the filter.
#pragma once
#include "search.cuh"

constexpr int warps = THREADS / 32;
constexpr u32 groupTasks = 4;              // tasks that a warp takes in one piece, at most; if it emits, half as many
static_assert(groupTasks * task <= 1 << minorShift, "two labels of a piece would look the same in minors");
constexpr u32 batch = 64;                  // vertices that look further together
constexpr u32 ringRoom = batch + task;     // what waits for a full batch, and what a task adds
constexpr u32 walkers = 8;                 // long rows that a warp walks at a time
constexpr u32 walkRoom = walkers + batch;  // what waits for that, and what a batch adds
constexpr u32 hubWalkers = 32;             // the same for rows of hubs
constexpr u32 hubWalkRoom = hubWalkers + batch;
constexpr u32 listRoom = 512;              // entries of the list that a block collects

// BottomUp is kept small: what shared memory does not take is the first-level
// cache, and each load under way occupies a line of it, also one that does not
// want to be cached. With 107 KiB a block in place of 75 every random access of
// a search slowed down, a quarter at scale 24 and by half at 28.
struct BottomUp {
	u32 hub[hubWords];
	struct {
		union { // bitmaps of the warp's piece
			u32 hit[groupTasks * taskWords];     // found by minors and exceptions
			u32 further[groupTasks * taskWords]; // then, word by word: what looks further
		};
		u32 ring[ringRoom]; // vertices that look further
		union { // and those of them with longer rows
			uint4 walk[walkRoom]; // label, rest of the row, its start
			struct {
				u32 label[hubWalkRoom], rest[hubWalkRoom], start[hubWalkRoom];
			} hubWalk;
		};
	} warp[warps];
	// What a warp counted: neighbours that it looked at beyond first ones, and words of 4
	// bytes that it moved, of what varies: rows, neighbours and parents.
	u32 looked[warps], moved[warps];
	uint2 list[listRoom];
	u32 listed, listStart;
	u32 longRows; // that the block found in this level
	u32 ticket;   // pieces of the block's own part handed out
};

// gatherHubs brings the bitmap of hubs up to date with visited: bit h says that
// hub h was visited. It has the caller's own loads, at once() and then(), under
// way at the same time as its own.
template <typename Once, typename Then> __device__ inline void gatherHubs(const u32 *visited, Once once, Then then) {
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

// gatherMinors brings the bitmap of minor hubs up to date with visited, after which
// all blocks meet.
__device__ inline void gatherMinors(const u32 *visited) {
	constexpr int at = 4;
	const u32 all = gridDim.x * THREADS;
	for (u32 m = blockIdx.x * THREADS + threadIdx.x; m - threadIdx.x < g.minorCount; m += at * all) {
		u32 label[at], word[at];
#pragma unroll
		for (int k = 0; k < at; k++)
			label[k] = streamIf(m + k * all < g.minorCount, g.hubs + g.hubCount + m + k * all, none);
#pragma unroll
		for (int k = 0; k < at; k++)
			word[k] = loadIf(label[k] != none, visited + label[k] / 32, 0);
#pragma unroll
		for (int k = 0; k < at; k++) {
			word[k] = __ballot_sync(~0u, word[k] >> (label[k] & 31) & 1);
			if (threadIdx.x % 32 == 0 && m + k * all < g.minorCount)
				g.minorBits[(m + k * all) / 32] = word[k];
		}
	}
}

__device__ inline void loadHubs() {
	BottomUp &s = shared<BottomUp>();
	__syncthreads();
	for (u32 i = threadIdx.x; i < hubWords / 4; i += THREADS)
		reinterpret_cast<uint4 *>(s.hub)[i] = __ldcg(reinterpret_cast<const uint4 *>(g.hubBits) + i);
	if (threadIdx.x < warps)
		s.looked[threadIdx.x] = s.moved[threadIdx.x] = 0;
	if (threadIdx.x == 0)
		s.listed = s.longRows = s.ticket = 0;
	__syncthreads();
}

__device__ inline u32 hubBit(u32 h) { return shared<BottomUp>().hub[h / 32] >> (h & 31) & 1; }

// lookUp returns the bits of the vertices p whose bits in on are set that are visited;
// those that the filter holds back, if it is used, are not looked up. All look-ups are
// under way together: a branch for each had them wait for each other, a third of a
// bottom-up level.
template <bool filtered, int K> __device__ inline u32 lookUp(const u32 *visited, u32 on, const u32 (&p)[K]) {
	u32 word[K], hits = 0;
	if (filtered) {
#pragma unroll
		for (int k = 0; k < K; k++)
			word[k] = cachedIf(on >> k & 1, g.filter + (p[k] & (g.filterBits - 1)) / 32, 0);
		on = 0;
#pragma unroll
		for (int k = 0; k < K; k++)
			on |= (word[k] >> (p[k] & 31) & 1) << k;
	}
#pragma unroll
	for (int k = 0; k < K; k++)
		word[k] = loadIf(on >> k & 1, visited + p[k] / 32, 0);
#pragma unroll
	for (int k = 0; k < K; k++)
		hits |= (word[k] >> (p[k] & 31) & 1) << k;
	return hits;
}

// tally adds what the warp counted, a part in each lane.
__device__ inline void tally(u32 looked, u32 moved) {
	looked = __reduce_add_sync(~0u, looked);
	moved = __reduce_add_sync(~0u, moved);
	if (threadIdx.x % 32 == 0) {
		shared<BottomUp>().looked[threadIdx.x / 32] += looked;
		shared<BottomUp>().moved[threadIdx.x / 32] += moved;
	}
}

// settle ends the search of v in this level.
__device__ inline void settle(u32 v, u32 parent, u32 *after) {
	g.parents[v] = parent;
	atomicOr(after + (v >> 5), 1u << (v & 31));
}

// The state of a search on the device.
#pragma once
#include "layout.cuh"

#include "../barrier.cuh"
#include "../bulk.cuh"

constexpr u32 none = ~0u;               // engine.None, reference.NoRow
constexpr u32 noHub = 0xFFFF;           // reference.NoHub; its bit is never set in a bitmap of hubs
constexpr u32 hubFlag = 1u << 31;       // reference.HubFlag
constexpr u32 leafFlag = 1u << 30;      // reference.LeafFlag
constexpr u32 groups = THREADS / groupThreads;
constexpr u32 groupWarps = groupThreads / 32;
constexpr u64 piecesMask = (1ull << queuedShift) - 1;

// The state is in constant memory, so that each use is an operand of an instruction.
__constant__ State g;

__device__ inline u64 *barrierWords() { return g.control->barrier; }
__device__ inline u32 *finishedBlocks() { return &g.control->finishedBlocks; }

// Tile is a list of lists: entry j has the pieces from at[j] on of the lists of item[j], which
// are numbered from pieces[j] on.
struct Tile {
	static constexpr u32 capacity = 2 * THREADS;
	u32 pieces[capacity], item[capacity], at[capacity];
};

// TopDown is the block's shared memory in a top-down level. A batch finds at most 8 hubs or rows
// per thread.
struct TopDown {
	static constexpr u32 batch = 8 * THREADS, foundCapacity = batch + 2 * THREADS;
	u32 pieces[THREADS + 1], vertex[THREADS], label[THREADS]; // entries of the queue
	u32 hubAt[THREADS], hubPieces[THREADS], rowAt[THREADS];   // their lists
	uint2 found[foundCapacity];                               // with labels of the parents
};

// Shared is the block's static shared memory.
struct Shared {
	BulkBarrier arrived[groups];
	u64 sum;   // of entries and pieces, packed
	u64 place; // in the queue
	u32 found; // entries of TopDown.found
	u32 listed, longRows, frontierHubs;
	u32 hit[Tile::capacity / 32]; // entries of a tile that have found a hub
};

__device__ inline Shared &fixed() {
	__shared__ Shared s;
	return s;
}

// The dynamic shared memory: in top-down levels a bitmap of hubs, in the dense pass two, hubs
// for unvisited rows and those for visited rows; then the data of a step.
extern __shared__ uint4 arena[];

__device__ inline u32 *hubBits() { return reinterpret_cast<u32 *>(arena); }
__device__ inline u8 *behindHubBits() { return reinterpret_cast<u8 *>(arena) + 2 * 4 * hubWords; }
template <typename T> __device__ inline T &shared() { return *reinterpret_cast<T *>(behindHubBits()); }

__host__ __device__ constexpr u32 larger(u32 a, u32 b) { return a > b ? a : b; }

// sharedBytes is the size of the dynamic shared memory of a block, which the host sets: at least
// leastSharedBytes, and enough for all groups. What a block does not take is the first-level
// cache, which every random access needs.
__device__ u32 sharedBytes, leastSharedBytes = 2 * 4 * hubWords + larger(sizeof(TopDown), sizeof(Tile));

__device__ inline bool bitOf(u32 word, u32 i) { return word >> (i & 31) & 1; }
__device__ inline void setBit(u32 *bitmap, u32 i) { atomicOr(bitmap + (i >> 5), 1u << (i & 31)); }

// frontier returns the bitmap of the hubs in the frontier of a level.
__device__ inline u32 *frontier(u32 level) { return g.frontiers + level % frontiers * hubWords; }

// labelOf returns the label of a hub or a row.
__device__ inline u32 labelOf(u32 vertex) { return vertex & hubFlag ? __ldg(g.hubLabels + (vertex & ~hubFlag)) : __ldg(g.rowLabels + vertex); }

__device__ inline uint4 noHubs() { return make_uint4(none, none, none, none); }

// hubIn returns number k of eight hubs.
__device__ __forceinline__ u32 hubIn(const u32 (&x)[4], int k) { return k & 1 ? x[k / 2] >> 16 : x[k / 2] & 0xFFFF; }

// inclusiveSum returns the sum over the lanes up to this one.
__device__ inline u64 inclusiveSum(u64 x) {
	const u32 lane = threadIdx.x & 31;
#pragma unroll
	for (int d = 1; d < 32; d *= 2) {
		const u64 y = __shfl_up_sync(~0u, x, d);
		if (lane >= d)
			x += y;
	}
	return x;
}

// reserve adds x over all lanes of the warp to a sum in shared memory. It returns the sum before
// the lane's x. All lanes of the warp must call it.
__device__ inline u64 reserve(u64 *sum, u64 x) {
	const u64 with = inclusiveSum(x);
	u64 before = 0;
	if ((threadIdx.x & 31) == 31 && with)
		before = atomicAdd(sum, with);
	return __shfl_sync(~0u, before, 31) + with - x;
}

// lastAtOrBefore returns the last of n rising numbers that is at most x. The first one must be.
__device__ inline u32 lastAtOrBefore(const u32 *numbers, u32 n, u32 x) {
	u32 lo = 0, hi = n;
	while (hi - lo > 1) {
		const u32 middle = (lo + hi) / 2;
		if (numbers[middle] <= x)
			lo = middle;
		else
			hi = middle;
	}
	return lo;
}

// Lists is the lists of a hub or a row: hubs first, then rows. A row begins with a piece of the
// hubs that are not in its list of further hubs.
struct Lists {
	u32 hubAt, hubPieces, rowAt, rowPieces;
};

__device__ inline Lists listsOf(u32 vertex) {
	if (vertex & hubFlag) {
		const u32 h = vertex & ~hubFlag, hubAt = __ldg(g.hubListAt + h), rowAt = __ldg(g.hubRowAt + h);
		return Lists{hubAt, __ldg(g.hubListAt + h + 1) - hubAt, rowAt, __ldg(g.hubRowAt + h + 1) - rowAt};
	}
	const u32 rowAt = __ldg(g.rowListAt + vertex);
	Lists l{0, vertex < g.singleEnd, rowAt, __ldg(g.rowListAt + vertex + 1) - rowAt};
	if (vertex < g.hubRows) {
		l.hubAt = __ldg(g.furtherAt + vertex) - 1; // piece 0 is not in the list
		l.hubPieces = __ldg(g.furtherAt + vertex + 1) - l.hubAt;
	}
	return l;
}

// hubPiece returns piece i of the hubs of a vertex.
__device__ inline uint4 hubPiece(u32 vertex, u32 hubAt, u32 i) {
	if (vertex & hubFlag)
		return __ldg(g.hubLists + (hubAt + i));
	if (i)
		return __ldg(g.further + (hubAt + i));
	uint4 x = noHubs();
	if (vertex < g.hubRows) {
		const uint2 seconds = __ldg(g.seconds + vertex);
		x = make_uint4(__ldg(g.heads + vertex) | 0xFFFF0000, seconds.x, seconds.y, none);
	} else
		x.x = __ldg(g.singleHub + (vertex - g.hubRows)) | 0xFFFF0000;
	return x;
}

__device__ inline uint4 rowPiece(u32 vertex, u32 at) { return __ldg((vertex & hubFlag ? g.hubRowList : g.rowLists) + at); }

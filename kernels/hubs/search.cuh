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

// wideParent returns a parent of 64 bits.
__device__ inline u64 wideParent(u32 parent) { return parent == none ? ~0ull : parent; }

// storeParent stores the parent of an own label, or in the arrays of a device.
__device__ inline void storeParent(u32 *parents, u64 *wideParents, u32 label, u32 parent) {
	if (wideParents)
		wideParents[label] = wideParent(parent);
	else
		parents[label] = parent;
}
__device__ inline void storeParent(u32 label, u32 parent) { storeParent(g.parents, g.wideParents, label, parent); }

__device__ inline u64 *barrierWords() { return g.control->barrier; }
__device__ inline u32 *finishedBlocks() { return &g.control->finishedBlocks; }

// Tile is a list of lists: entry j has the pieces from at[j] on of the lists of item[j], which
// are numbered from pieces[j] on.
struct Tile {
	static constexpr u32 capacity = 8 * THREADS;
	u32 pieces[capacity], item[capacity], at[capacity];
};

// TopDown is the block's shared memory in a top-down level. A batch finds at most 8 hubs or rows
// per thread.
struct TopDown {
	static constexpr u32 batch = 8 * THREADS, foundCapacity = batch + 2 * THREADS;
	u32 pieces[THREADS + 1], vertex[THREADS], label[THREADS]; // entries of the queue
	u32 skip[THREADS];                                        // the block's first piece of their lists
	u32 hubAt[THREADS], hubPieces[THREADS], rowAt[THREADS];   // their lists
	u32 rowPieces;                                            // after Level::loadAll: pieces of rows, which are before hubs
	uint2 found[foundCapacity];                               // with labels of the parents
};

// MarkTile is the block's shared memory in the last top-down level: hubs of the frontier, parts of their lists, a
// bitmap of the rows of a range, and of a small range the hubs of those with two hubs or more. Entry j has the pieces from
// at[j] on, which are numbered from pieces[j] on: of the rows of hub item[j], or of the hubs next to the hub with the label
// item[j] & ~hubFlag.
struct MarkTile {
	static constexpr u32 mostHubs = THREADS, capacity = 2 * mostHubs;
	u32 pieces[capacity], item[capacity], at[capacity];
	u32 hub[mostHubs];
	union {
		u32 marks[mostRangeRows / 32];
		struct {
			u32 marksOfSmall[notedRows / 32];
			u16 notes[mostNotes];
		};
	};
};

// Shared is the block's static shared memory.
struct Shared {
	BulkBarrier arrived[groups];
	u64 sum;   // of entries and pieces, packed
	u64 place; // in the queue
	u64 pieces; // of the entries that the block has added to the queue of the next level
	u32 counted; // of these entries, with each hub on one device only
	u32 left; // hubs, later rows, that the block has not found
	u32 found; // entries of TopDown.found
	u32 listed, longRows, frontierHubs;
	u32 sharesTaken; // of the rows outside chunks
	u32 hit[Tile::capacity / 32]; // entries of a tile that have found a hub
	u32 marks[groups * chunkWords]; // by group: bits of the rows of its chunk that are visited after the level
};

__device__ inline Shared &fixed() {
	__shared__ Shared s;
	return s;
}

// The dynamic shared memory: a bitmap of hubs, then the data of a step.
extern __shared__ uint4 arena[];

__device__ inline u32 *hubBits() { return reinterpret_cast<u32 *>(arena); }
__device__ inline u8 *behindHubBits() { return reinterpret_cast<u8 *>(arena) + 4 * hubWords; }
template <typename T> __device__ inline T &shared() { return *reinterpret_cast<T *>(behindHubBits()); }

__host__ __device__ constexpr u32 larger(u32 a, u32 b) { return a > b ? a : b; }

// sharedBytes is the size of the dynamic shared memory of a block, which the host sets: at least
// leastSharedBytes, and enough for all groups. What a block does not take is the first-level
// cache, which every random access needs.
__device__ u32 sharedBytes, leastSharedBytes = 4 * hubWords + larger(larger(sizeof(TopDown), sizeof(Tile)), sizeof(MarkTile));

__device__ inline bool bitOf(u32 word, u32 i) { return word >> (i & 31) & 1; }
__device__ inline void setBit(u32 *bitmap, u32 i) { atomicOr(bitmap + (i >> 5), 1u << (i & 31)); }

__device__ inline uint4 noHubs() { return make_uint4(none, none, none, none); }

// hubIn returns number k of eight hubs.
__device__ __forceinline__ u32 hubIn(const u32 (&x)[4], int k) { return k & 1 ? x[k / 2] >> 16 : x[k / 2] & 0xFFFF; }

// inclusiveSum returns the sum over the lanes up to this one.
template <typename Number> __device__ inline Number inclusiveSum(Number x) {
	const u32 lane = threadIdx.x & 31;
#pragma unroll
	for (int d = 1; d < 32; d *= 2) {
		const Number y = __shfl_up_sync(~0u, x, d);
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

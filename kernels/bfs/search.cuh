// The state of a search on the device, and how its blocks meet.
#pragma once
#include "../construct/layout.cuh"
#include "../ptx.cuh"
#include "layout.cuh"

constexpr u32 none = ~0u;            // engine.None
constexpr u32 moreFlag = 1u << 31;   // in the list: the vertex has further neighbours
constexpr u32 taskWords = task / 32; // of a bitmap, that a task has
constexpr u32 longRow = 4096;        // neighbours beyond which all blocks walk a row bottom-up
constexpr u32 hubRowSlots = sizeof(HubRow::slots) / sizeof(u16);

// Step is how a level is gone through; all but the first are bottom-up.
enum Step : u32 {
	stepTopDown, // from the queue to unvisited neighbours
	stepDense,   // over all labels in their order, parents of first neighbours left to stepEmit
	stepHubs,    // likewise, looking for hubs only, and from the frontier's other vertices top-down
	stepEmit,    // over all labels, writing parents and the list of unvisited vertices
	stepList,    // through the list in memory
	stepTail,    // through the list in registers
};

// Extra is what a level does in addition to its step.
enum Extra : u32 {
	extraBegin = 1,         // starts the search
	extraScatter = 2,       // writes queued parents where they belong
	extraOrder = 4,         // puts queued parents in order
	extraOrdered = 8,       // writes parents that were put in order
	extraFilter = 16,       // fills the filter
	extraQueue = 32,        // makes the queue of two bitmaps
	extraPending = 64,      // writes the parents that stepDense and stepHubs left
	extraFresh = 128,       // is the first dense pass after a top-down level
	extraMeasure = 1 << 16, // copies the rows of the frontier; added for each time
};

// Size is what a kernel is made for, a number of vertices: see bfsFew, bfs and bfsMany.
enum Size { few, middling, many };

// Constant memory, and not a pointer to it: every use is an operand then. Behind
// a pointer each was a load of its own, which made the passes three times slower.
__constant__ State g;

extern __shared__ uint4 arena[];

// shared is the block's shared memory, seen as what a step keeps there.
template <typename T> __device__ inline T &shared() { return *reinterpret_cast<T *>(arena); }

// Scratch memory of 16 bytes for each row of the graph holds one of these at a time:
// the rows of a frontier, by place in its queue; or those of half of all rows at most,
// and in the last quarter the parents of the vertices that are found from them, by place
// in the next queue; or these vertices and parents, by bin; or the list that listLevel
// leaves.
__device__ inline uint4 *frontierRows() { return g.scratch; }
__device__ inline u32 *queuedParents() { return reinterpret_cast<u32 *>(g.scratch) + 3 * u64(g.connected); }
__device__ inline uint2 *binnedParents() { return reinterpret_cast<uint2 *>(g.scratch); }
__device__ inline uint2 *leftList() { return reinterpret_cast<uint2 *>(g.scratch); }

// transpose makes a column of bits of each lane's row: bit j of lane i becomes
// bit i of lane j.
__device__ inline u32 transpose(u32 x) {
	const u32 lane = threadIdx.x & 31;
	u32 low = 0xFFFF;
#pragma unroll
	for (int d = 16; d; d /= 2) {
		const u32 y = __shfl_xor_sync(~0u, x, d);
		x = lane & d ? (x & ~low) | (y & ~low) >> d : (x & low) | (y & low) << d;
		low ^= low << d / 2;
	}
	return x;
}

__device__ inline bool bitOf(const u32 *bitmap, u32 v) { return __ldcg(bitmap + (v >> 5)) >> (v & 31) & 1; }

// rowAt returns the row of a vertex that has one from its word of the index:
// which of 32 labels have a row, and the number of rows before.
__device__ inline u32 rowAt(uint2 word, u32 v) { return word.y + __popc(word.x & ((1u << (v & 31)) - 1)); }

__device__ inline u32 rowNumber(u32 v) { return rowAt(__ldg(reinterpret_cast<const uint2 *>(g.index) + (v >> 5)), v); }

__device__ inline Row loadRow(u32 number) {
	const uint4 x = __ldg(reinterpret_cast<const uint4 *>(g.rows + number));
	return Row{u64(x.y) << 32 | x.x, x.z, x.w};
}

__device__ inline Row rowOf(u32 v) { return loadRow(rowNumber(v)); }

// Meeting is a barrier of the whole grid that adds one number of every block
// up on the way: the arrival and the number share an atomic, and the word that
// says that all have come holds the sum. That saves the separate counter's
// round trip.
struct Meeting {
	u32 round;

	// meet returns the sum of what thread 0 of every block gave; below 2^54.
	__device__ u64 meet(u64 mine) {
		__syncthreads();
		return together(mine);
	}

	// sum adds a number of every thread up over the grid, and 2^32 times another
	// one of every block. The first warp does before() once the others are done.
	template <typename Before> __device__ u64 sum(u32 mine, u32 ofBlock, Before before) {
		__shared__ u32 part[THREADS / 32];
		const u32 lane = threadIdx.x & 31;
		mine = __reduce_add_sync(~0u, mine);
		if (lane == 0)
			part[threadIdx.x / 32] = mine;
		__syncthreads();
		if (threadIdx.x < 32) {
			mine = __reduce_add_sync(~0u, lane < THREADS / 32 ? part[lane] : 0);
			before();
		}
		return together(mine + (u64(ofBlock) << 32));
	}

private:
	__device__ u64 together(u64 mine) {
		__shared__ u64 total;
		if (threadIdx.x == 0) {
			volatile u64 *word = &g.control->barrier[round & 3];
			fence();
			atomicAdd(const_cast<u64 *>(word), (1ull << 54) + mine);
			u64 seen;
			do
				seen = *word;
			while (seen >> 54 < gridDim.x);
			fence();
			// All have left the meeting before the last one.
			if (blockIdx.x == 0)
				g.control->barrier[(round + 2) & 3] = 0;
			total = seen & ((1ull << 54) - 1);
		}
		round++;
		__syncthreads();
		return total;
	}
};

// leave makes the words of the meetings ready for the next search once all have
// left.
__device__ inline void leave() {
	__syncthreads();
	if (threadIdx.x == 0) {
		fence();
		if (atomicAdd(&g.control->leavers, 1) == gridDim.x - 1) {
			for (int i = 0; i < 4; i++)
				g.control->barrier[i] = 0;
			g.control->leavers = 0;
			fence();
		}
	}
}

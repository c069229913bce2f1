// The state of a search on the device, and how its blocks meet.
#pragma once
#include "ptx.cuh"

// Threads of a block, a power of two.
constexpr int THREADS = 512;

typedef uint16_t u16;
typedef uint8_t u8;

constexpr u32 none = ~0u;           // engine.None
constexpr u32 moreFlag = 1u << 31;  // in the list: the vertex has further neighbours
constexpr u32 noSlot = 0xFFFF;      // in slots: the neighbour is no hub
constexpr u32 noNeighbor = 0xFFFE;  // in Further: the row has no such neighbour; in HubRow and hubArcs: no such hub
constexpr u32 hubWords = 2048;      // of the bitmap of hubs, whose last two bits stay clear
constexpr u32 minorShift = 11;      // of a minor hub's number in minors, beside a label's lowest bits
constexpr u32 task = 512;           // labels that a warp of a dense pass takes at a time
constexpr u32 taskWords = task / 32;
constexpr u32 longRow = 4096;       // neighbours beyond which all blocks walk a row bottom-up
constexpr u32 longRoom = 1024;      // such rows in one level
constexpr int kept = 4;             // entries of the list that a thread keeps in registers at the end
constexpr int listedOfMany = 16;    // and that there is room for in the list where there are many vertices

// Row is package kernels' Row.
struct Row {
	u64 start;
	u32 degree;
	u32 label;
};

// Further is what a search looks at once a row's first neighbour failed, in one
// sector: the second to fifth neighbours, their numbers among the hubs, and
// where the row begins and its degree, start | degree << 40. The degree is at
// most furtherDegree; a row as long as that says its own.
struct alignas(32) Further {
	u16 slots[4];
	u32 next[4];
	u64 row;
};

constexpr u32 furtherDegree = (1 << 24) - 1;

constexpr u32 hubRowSlots = 5;

// HubRow is what a search that looks for hubs only looks at once a row's first
// neighbour failed: the numbers of the second to sixth neighbours, as far as they are
// hubs, how many more are, and where their numbers begin in hubArcs, eight together.
struct alignas(16) HubRow {
	u16 slots[hubRowSlots];
	u16 more;
	u32 start;
};

// LongRow is a row that no single warp should walk.
struct LongRow {
	u64 start;
	u32 rest;
	u32 vertex;
};

enum Direction : u32 { topDown, bottomUp };

// Size is what a kernel is made for, a number of vertices: see bfsFew, bfs and bfsMany.
enum Size { few, middling, many };

// Level is package kernels' levelRecord.
struct Level {
	u32 direction;
	u32 found;
	u64 frontier;
	u64 examined;
	u64 end; // nanoseconds of the device's timer
};

// Control is what the blocks of one search share.
struct Control {
	u64 barrier[4];  // arrivals << 54 | sum, one word a meeting, used in turn
	u32 leavers;
	u32 levelCount;
	u64 begin;
	u32 queued[4];   // entries of the next queue, one word a level, used in turn
	u32 ticket[4];   // pieces of a pass that emits handed out, likewise
	u64 examined[4]; // neighbours looked at beyond those that the level implies, likewise
	u32 listed;      // entries of the list
	u32 relisted;    // of the list that listLevel leaves
	u32 longRows;
};

// Search holds the arrays of one engine. N is the number of labels, padded to
// whole tasks in everything that a dense pass walks through.
struct Search {
	u32 vertices; // N, not padded
	u32 tasks;
	u32 connected; // rows
	u32 hubCount;
	u32 minorCount; // of the vertices with the next highest degrees, the minor hubs
	u32 listRoom;
	u32 levelRoom;
	u32 filterBits; // a power of two of at least 128, or 0: there is no filter
	u32 bins;       // of 2^binShift labels, in which parents are put in order, or 0: they never are
	u32 binShift;
	u32 hubsShare; // a bottom-up level looks for hubs only if the others of a small frontier have less than one arc for so many labels, or 0: never
	u64 arcs;
	u64 perBlock; // (2^64 - 1) / blocks

	const u64 *index;
	const Row *rows;
	const u32 *neighbors;
	const u32 *hubs; // then minor ones
	const u32 *present;
	const u32 *more;     // bitmap of rows with a second neighbour
	const u32 *moreHubs; // of those whose second one is a hub
	const u32 *isHub;    // of hubs
	const HubRow *hubRows;
	const uint4 *hubArcs; // filled up with noNeighbor
	const u32 *first;
	const u16 *slots;
	const u32 *minorStart;
	const u32 *minors;
	const u32 *exceptionStart;
	const uint2 *exceptions;
	const Further *further;

	u32 *parents;
	u32 *visited[2];
	u32 *byFirst;
	u32 *queue[2];
	Row *items;
	u64 *share;
	u32 *hubBits;
	u32 *minorBits;
	u32 *filter;       // bit v % filterBits is set for every v of a small frontier, and may be for others
	u32 *binEnds;      // by bin
	u32 *orderedStart; // by task: where the ordered parents begin
	u32 *fresh;        // bitmap of labels whose parents are there
	uint2 *list;
	LongRow *longRows; // longRoom entries
	u32 *longParents;
	Control *control;
	Level *levels;
	const volatile u32 *stop;
	volatile u32 *done;
};

// Constant memory, and not a pointer to it: every use is an operand then. Behind
// a pointer each was a load of its own, which made the passes three times slower.
__constant__ Search g;

extern __shared__ uint4 arena[];

// shared is the block's shared memory, seen as what a step keeps there.
template <typename T> __device__ inline T &shared() { return *reinterpret_cast<T *>(arena); }

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
			atomicAdd((unsigned long long *)word, (1ull << 54) + mine);
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

// The state of a search on the device.
#pragma once
#include "../construct/layout.cuh"
#include "layout.cuh"

#include "../barrier.cuh"
#include "../ptx.cuh"

constexpr u32 none = ~0u;                  // engine.None
constexpr u32 furtherFlag = 1u << 31;      // in the list: the vertex has further neighbours
constexpr u32 taskWords = taskLabels / 32; // words of a bitmap per task
constexpr u32 longRowDegree = 4096;        // in bottom-up steps all blocks walk a row of more neighbours together
constexpr u32 hubRowNumbers = sizeof(HubRow::hubNumbers) / sizeof(u16);

// A kernel that includes this header defines these functions.
__device__ inline u32 firstTask();      // the device's first task; g.tasks is the end of its last one
__device__ inline u32 *queuedParents(); // parents of the next queue's vertices, if the level queues them

// Size is the number of vertices that a kernel is compiled for: bfsFew, bfs or
// bfsMany.
enum Size { few, medium, many };

// The state is in constant memory, so that each use is an operand of an instruction.
// Behind a pointer, each use was a load, and the dense passes took three times as
// long.
__constant__ State g;

extern __shared__ uint4 arena[];

// shared returns the block's dynamic shared memory as the data T of a step.
template <typename T> __device__ inline T &shared() { return *reinterpret_cast<T *>(arena); }

// g.scratch has 16 bytes per row of the graph, or with split rows on one device that
// are never put in order, 16 bytes for each of 1/frontierShare of the rows (searchPlan.scratch). It holds one of these at a time:
//   - the rows of a frontier, in the order of its queue (frontierRows), and the parents
//     that the level queues (queuedParents in search.cu);
//   - the vertices of that queue with their parents, by bin (binnedParents);
//   - the list that listLevel writes (relistedVertices).
__device__ inline uint4 *frontierRows() { return g.scratch; }
__device__ inline uint2 *binnedParents() { return reinterpret_cast<uint2 *>(g.scratch); }
__device__ inline uint2 *relistedVertices() { return reinterpret_cast<uint2 *>(g.scratch); }

// transpose transposes a matrix of 32 x 32 bits, one row per lane: bit j of lane i
// becomes bit i of lane j. All lanes of the warp must call it.
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

// rowAt returns the row number of a vertex that has a row. word is the vertex's word
// of the index: a bit per label, 1 if it has a row, and the number of rows before
// these labels.
__device__ inline u32 rowAt(uint2 word, u32 v) { return word.y + __popc(word.x & ((1u << (v & 31)) - 1)); }

__device__ inline u32 rowNumber(u32 v) { return rowAt(__ldg(reinterpret_cast<const uint2 *>(g.index) + (v >> 5)), v); }

__device__ inline Row loadRow(u32 number) {
	const uint4 x = __ldg(reinterpret_cast<const uint4 *>(g.rows + number));
	return Row{u64(x.y) << 32 | x.x, x.z, x.w};
}

__device__ inline Row rowOf(u32 v) { return loadRow(rowNumber(v)); }

__device__ inline u64 *barrierWords() { return g.control->barrier; }
__device__ inline u32 *finishedBlocks() { return &g.control->finishedBlocks; }

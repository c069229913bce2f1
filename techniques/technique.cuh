// What the techniques share: the graph as package kernels makes it, and the few
// steps that most of them take.
#pragma once
#include "../kernels/construct/layout.cuh"
#include "../kernels/counted.cuh"


constexpr u32 none = ~0u; // engine.None; also the depth of what was not reached

// rowOf returns the row of the vertex v, which has one: the index has a word
// for each 32 labels, the low half says which have a row, the high half is the
// number of rows before.
__device__ inline Row rowOf(const u64 *index, const Row *rows, u32 v) {
	const u64 word = index[v >> 5];
	return rows[(u32)(word >> 32) + __popc((u32)word & ((1u << (v & 31)) - 1))];
}

// thread returns the number of the thread in a one-dimensional grid.
__device__ inline u64 thread() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }

// claim makes u the parent of v if v has none, and returns whether it did: of
// all threads that try, one. Most neighbours are visited, and a load costs less
// than a compare-and-swap that fails. The load is one of the second-level cache,
// because the first may hold a parent from before the level.
__device__ inline bool claim(u32 *parents, u32 v, u32 u) {
	return __ldcg(parents + v) == none && atomicCAS(parents + v, none, u) == none;
}

// reserve takes n entries at the end of a queue of *count ones and returns the
// first of them.
__device__ inline u32 reserve(u32 *count, u32 n) { return atomicAdd(count, n); }

// Helpers of all techniques: access to the graph of kernels/construct, and common steps.
#pragma once
#include "../kernels/construct/layout.cuh"
#include "../kernels/counted.cuh"


constexpr u32 none = ~0u; // engine.None; also the depth of unreached vertices

// rowOf returns the entry of the vertex v, which must have a row, in an array with an entry
// for each row. The index has a word for each 32 labels: the low half is a bitmap of the
// labels with a row, the high half the number of rows before the word.
template <typename R> __device__ inline R rowOf(const u64 *index, const R *rows, u32 v) {
	const u64 word = index[v >> 5];
	return rows[(u32)(word >> 32) + __popc((u32)word & ((1u << (v & 31)) - 1))];
}

// thread returns the index of the thread in a one-dimensional grid.
__device__ inline u64 thread() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }

// claim makes u the parent of v if v has none, and returns whether it succeeded. Exactly
// one of several competing threads succeeds. It loads the parent first, because most
// neighbours are visited and a load costs less than a failing compare-and-swap. The load
// bypasses the first-level cache, which may hold a stale parent.
__device__ inline bool claim(u32 *parents, u32 v, u32 u) {
	return __ldcg(parents + v) == none && atomicCAS(parents + v, none, u) == none;
}

// reserve reserves n entries at the end of a queue of length *count and returns the
// position of the first.
__device__ inline u32 reserve(u32 *count, u32 n) { return atomicAdd(count, n); }

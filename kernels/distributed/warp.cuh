// What the threads of the kernels of both searches do together.
#pragma once
#include "../construct/construct.cuh"
#include "layout.cuh"

constexpr u32 none = ~0u; // engine.None

// append reserves a place in a list, of which length is the length, for each lane with has.
// All lanes of the warp must call it.
__device__ inline u32 append(bool has, u32 *length) {
	const u32 lane = threadIdx.x & 31, lanes = __ballot_sync(~0u, has);
	u32 at = 0;
	if (lane == 0 && lanes) at = atomicAdd(length, __popc(lanes));
	return __shfl_sync(~0u, at, 0) + __popc(lanes & construct::lanesBelow(lane));
}

// addUp adds the values of the lanes to *total. All lanes of the warp must call it.
__device__ inline void addUp(u64 value, u64 *total) {
#pragma unroll
	for (int d = 16; d; d /= 2) value += __shfl_down_sync(~0u, value, d);
	if ((threadIdx.x & 31) == 0 && value) atomicAdd(total, value);
}

// The threads of the grid in whole warps.
__device__ inline u64 firstThread() { return (u64)blockIdx.x * blockThreads + threadIdx.x; }
__device__ inline u64 allThreads() { return (u64)gridDim.x * blockThreads; }

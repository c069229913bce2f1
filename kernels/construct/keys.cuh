// Tiles of sorted keys, with one block per tile. A key is an arc: the label of the row
// above, the rank of the neighbour below.
#pragma once
#include "construct.cuh"

using construct::lanesBelow;

namespace {

// Each warp of a tile processes consecutive elements, 32 at a time, so that ballots
// number them in order and neighbouring lanes write to adjacent addresses.
constexpr int threads = 256, warps = threads / 32, rounds = 8, perWarp = rounds * 32, tile = warps * perWarp;

// sumWarps returns the exclusive prefix sum over the warps of the block, of one number
// per warp. total is the sum over all warps.
__device__ u32 sumWarps(u32 mine, u32 &total) {
	__shared__ u32 sum[warps];
	if ((threadIdx.x & 31) == 0) sum[threadIdx.x >> 5] = mine;
	__syncthreads();
	u32 before = 0;
	total = 0;
	for (int w = 0; w < warps; w++) {
		if (w == threadIdx.x >> 5) before = total;
		total += sum[w];
	}
	return before;
}

// Keys is a warp's part of a tile of sorted keys with the predecessor of each key. Keys
// beyond the last and before the first are ~0. isNew reports whether a key differs from
// its predecessor.
struct Keys {
	u64 key[rounds], before[rounds];

	__device__ void load(const u64 *keys, u64 at, u64 count) {
		const u32 lane = threadIdx.x & 31;
#pragma unroll
		for (int j = 0; j < rounds; j++) {
			const u64 i = at + j * 32 + lane;
			key[j] = i < count ? __ldcs(&keys[i]) : ~0ull;
		}
		u64 last = at > 0 && at <= count ? keys[at - 1] : ~0ull;
#pragma unroll
		for (int j = 0; j < rounds; j++) {
			before[j] = __shfl_up_sync(~0u, key[j], 1);
			if (lane == 0) before[j] = last;
			last = __shfl_sync(~0u, key[j], 31);
		}
	}
	__device__ bool isNew(int j) const { return key[j] != before[j] && key[j] != ~0ull; }
};

} // namespace

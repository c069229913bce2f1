// The barrier of all blocks of a persistent kernel. A search that includes this header
// defines THREADS, the number of threads of a block, and the two functions that find the
// words of the barrier.
#pragma once
#include "ptx.cuh"

__device__ inline u64 *barrierWords();   // four words: arrivals << 54 | sum; each barrier uses the next one
__device__ inline u32 *finishedBlocks(); // number of blocks that have called leave

// GridBarrier is a barrier of all blocks that also adds up one number per block. An
// arrival and its number share one atomic, and the word that shows that all blocks
// have arrived holds the sum. A separate counter would cost one more round trip to
// the second-level cache.
struct GridBarrier {
	u32 round;

	// wait waits for all blocks and returns the sum of mine over thread 0 of each
	// block. The sum must be below 2^54. All threads of all blocks must call it.
	__device__ u64 wait(u64 mine) {
		return wait(mine, [] {});
	}

	// Thread 0 calls after() when its block has arrived, while it waits for the others. What
	// after() writes to global memory is not visible to other blocks before the next barrier.
	template <typename After> __device__ u64 wait(u64 mine, After after) {
		__syncthreads();
		if (threadIdx.x == 0) {
			arrive(mine);
			after();
		}
		return complete();
	}

	// waitSum waits for all blocks and returns the sum of mine over all threads, plus
	// 2^32 times the sum of ofBlock over all blocks. The first warp calls after() when
	// its block has arrived, while it waits for the others. What after() writes to
	// global memory is not visible to other blocks before the next barrier. All
	// threads of all blocks must call it.
	template <typename After> __device__ u64 waitSum(u32 mine, u32 ofBlock, After after) {
		__shared__ u32 part[THREADS / 32];
		const u32 lane = threadIdx.x & 31;
		mine = __reduce_add_sync(~0u, mine);
		if (lane == 0)
			part[threadIdx.x / 32] = mine;
		__syncthreads();
		if (threadIdx.x < 32) {
			mine = __reduce_add_sync(~0u, lane < THREADS / 32 ? part[lane] : 0);
			if (lane == 0)
				arrive(mine + (u64(ofBlock) << 32));
			after();
		}
		return complete();
	}

private:
	// arrive counts the block as arrived, with its number. Thread 0 calls it.
	__device__ void arrive(u64 mine) {
		fence();
		atomicAdd(&barrierWords()[round & 3], (1ull << 54) + mine);
	}

	// complete waits until all blocks have arrived and returns the sum.
	__device__ u64 complete() {
		__shared__ u64 total;
		if (threadIdx.x == 0) {
			volatile u64 *word = &barrierWords()[round & 3];
			u64 seen;
			do
				seen = *word;
			while (seen >> 54 < gridDim.x);
			fence();
			// All blocks have left the barrier that used this word.
			if (blockIdx.x == 0)
				barrierWords()[(round + 2) & 3] = 0;
			total = seen & ((1ull << 54) - 1);
		}
		round++;
		__syncthreads();
		return total;
	}
};

// tellsWithoutRoot returns whether the kernel is launched without a root (device.Persistent.Ready). If so, it has
// set done, and nothing is left to do.
__device__ inline bool tellsWithoutRoot(u32 root, volatile u32 *done) {
	if (root != ~0u)
		return false;
	if (blockIdx.x == 0 && threadIdx.x == 0)
		*done = 1;
	return true;
}

// leave sets the words of the grid barrier to 0 for the next search, once all blocks
// have called it. All threads of a block must call it.
__device__ inline void leave() {
	__syncthreads();
	if (threadIdx.x == 0) {
		fence();
		if (atomicAdd(finishedBlocks(), 1) == gridDim.x - 1) {
			for (int i = 0; i < 4; i++)
				barrierWords()[i] = 0;
			*finishedBlocks() = 0;
			fence();
		}
	}
}

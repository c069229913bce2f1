// Counts what the counted form of split.cu reads of tails, by level. Each load counts itself,
// so the source of the kernels is the same in both forms. This header follows all headers
// that declare loads.
#pragma once

#ifdef COUNTED
#define COUNTS_TAILS

#include <cub/block/block_scan.cuh>

#include "../ptx.cuh"
#include "../counted.cuh"
#include "neighbors.cuh"

__device__ TailReads tailReads[readLevels];

// readingLevel is the level of each thread.
__device__ u32 readingLevel[1024 * THREADS];

__device__ inline u32 &levelOfThread() { return readingLevel[blockIdx.x * THREADS + threadIdx.x]; }

// levelBegins is called by every thread before its first load of a level.
__device__ inline void levelBegins(u32 level) { levelOfThread() = min(level, readLevels - 1); }

// countRead counts a load of a word, if it is one of a tail. Lanes that load together make
// one request for each line of 128 bytes.
__device__ inline void countRead(bool on, const void *from) {
	const u64 at = u64(from), first = u64(tails.tails);
	const bool ofTail = on && at >= first && at < first + 4 * tails.length;
	const u32 active = __activemask(), below = (1u << (threadIdx.x & 31)) - 1;
	const bool alone = !(active & (active - 1));
	const u32 together = alone ? active : __ballot_sync(active, ofTail);
	if (!ofTail)
		return;
	const bool ofSector = alone || !(__match_any_sync(together, at / 32) & below);
	const bool ofLine = alone || !(__match_any_sync(together, at / 128) & below);
	TailReads *reads = tailReads + levelOfThread();
	(atomicAdd)(&reads->words, 1ull); // in parentheses, they do not count as atomics of the search
	if (ofSector)
		(atomicAdd)(&reads->sectors, 1ull);
	if (ofLine)
		(atomicAdd)(&reads->lines, 1ull);
}

// The preprocessor does not expand a macro inside its own expansion.
#define streamIf(on, from, ...) (countRead(on, from), streamIf(on, from, __VA_ARGS__))
#define __ldg(...) (countRead(true, __VA_ARGS__), __ldg(__VA_ARGS__))

#endif

// Counts what the counted form of a search of split rows reads of host memory, by record of its
// levels. The kernels that include this header declare THREADS, the threads of a block.
#pragma once
#include "types.cuh"

#if defined(COUNTED) && defined(SPLIT_ROWS)

// HostReads has the layout that device.Module.HostReads reads.
struct HostReads {
	u64 loads;
	u64 sectors; // of 32 bytes, of each request
	u64 lines;   // requests, each for a line of 128 bytes
};

constexpr u32 readRecords = 1001; // engine.MaxLevels, and one for all later ones

__device__ HostReads hostReads[readRecords];

// readingRecord is the record that each thread is at.
__device__ u32 readingRecord[1024 * THREADS];

__device__ inline u32 &recordOfThread() { return readingRecord[blockIdx.x * THREADS + threadIdx.x]; }

// recordBegins is called by every thread before its first load of a level.
__device__ inline void recordBegins(u32 record) { recordOfThread() = min(record, readRecords - 1); }

// countHostRead counts a load, if on. Lanes that load together make one request for each line of 128
// bytes.
__device__ inline void countHostRead(bool on, const void *from) {
	const u32 active = __activemask(), below = (1u << (threadIdx.x & 31)) - 1;
	const bool alone = !(active & (active - 1));
	const u32 together = alone ? active : __ballot_sync(active, on);
	if (!on)
		return;
	const bool ofSector = alone || !(__match_any_sync(together, u64(from) / 32) & below);
	const bool ofLine = alone || !(__match_any_sync(together, u64(from) / 128) & below);
	HostReads *reads = hostReads + recordOfThread();
	(atomicAdd)(&reads->loads, 1ull); // in parentheses, they do not count as atomics of the search
	if (ofSector)
		(atomicAdd)(&reads->sectors, 1ull);
	if (ofLine)
		(atomicAdd)(&reads->lines, 1ull);
}

#else

__device__ inline void recordBegins(u32) {}
__device__ inline void countHostRead(bool, const void *) {}

#endif

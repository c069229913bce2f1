// Parents of a large top-down level, put in the order of labels. Written where they
// belong as they are found, each would have the memory read and write a whole sector
// of an array far longer than the second-level cache: more than half of such a
// level's time at scale 28. So they are queued with the vertices first; then they are dealt
// out to bins of labels, and each bin is ordered in shared memory, where a bitmap of
// what was found gives each vertex its place. The pass that emits reads them in that
// order, with everything else that it writes.
#pragma once
#include <cub/block/block_scan.cuh>

#include "search.cuh"

static_assert(maxBins % THREADS == 0, "each thread has the same number of bins");
constexpr u32 dealt = 12;                   // vertices that a thread deals out at a time
constexpr u32 orderedRoom = 9728;           // parents that it puts in order at a time
constexpr u32 orderedWords = orderedLabels / 32 / THREADS; // words of the bitmap that a thread counts

typedef cub::BlockScan<u32, THREADS> OrderScan;

struct Dealing {
	OrderScan::TempStorage scan;
	u32 first[maxBins]; // vertices by bin, then the place of the first one in entries
	u32 place[maxBins]; // where those of a bin go, less that
	uint2 entries[dealt * THREADS];
};

struct Ordering {
	OrderScan::TempStorage scan;
	u32 found[orderedLabels / 32]; // bitmap
	u32 before[orderedLabels / 32]; // bits in the words before
	u32 parents[orderedRoom];
};

// binStart is where the entries of a bin begin: at the number of its first row.
__device__ inline u32 binStart(u32 bin) { return __ldg(reinterpret_cast<const uint2 *>(g.index) + ((bin << g.binShift) / 32)).y; }

// deal puts the vertices of the queue and their parents into bins.
__device__ __noinline__ void deal(const u32 *queue, u32 count) {
	Dealing &s = shared<Dealing>();
	const u32 tid = threadIdx.x, *parents = queuedParents();
	__syncthreads(); // what is in shared memory may still be in use
	for (u32 base = blockIdx.x * dealt * THREADS; base < count; base += gridDim.x * dealt * THREADS) {
		u32 v[dealt], parent[dealt], at[dealt];
#pragma unroll
		for (u32 k = 0; k < dealt; k++) {
			const u32 i = base + k * THREADS + tid;
			v[k] = loadIf(i < count, queue + i, none);
			parent[k] = loadIf(i < count, parents + i, none);
		}
		for (u32 b = tid; b < maxBins; b += THREADS)
			s.first[b] = 0;
		__syncthreads();
#pragma unroll
		for (u32 k = 0; k < dealt; k++)
			if (v[k] != none)
				at[k] = atomicAdd(&s.first[v[k] >> g.binShift], 1);
		__syncthreads();
		constexpr u32 own = maxBins / THREADS;
		u32 n[own], sum = 0, before;
#pragma unroll
		for (u32 j = 0; j < own; j++)
			sum += n[j] = s.first[own * tid + j];
		OrderScan(s.scan).ExclusiveSum(sum, before);
#pragma unroll
		for (u32 j = 0; j < own; j++) {
			const u32 b = own * tid + j;
			s.first[b] = before;
			s.place[b] = addIf(n[j], g.binEnds + b * binStride, n[j], 0) - before;
			before += n[j];
		}
		__syncthreads();
#pragma unroll
		for (u32 k = 0; k < dealt; k++)
			if (v[k] != none)
				s.entries[s.first[v[k] >> g.binShift] + at[k]] = make_uint2(v[k], parent[k]);
		__syncthreads();
		const u32 total = min(dealt * THREADS, count - base);
		for (u32 i = tid; i < total; i += THREADS) {
			const uint2 x = s.entries[i];
			binnedParents()[s.place[x.x >> g.binShift] + i] = x;
		}
		__syncthreads();
	}
}

// transposed is the place of a label where those of a task stand as a warp that
// emits holds them: lane by lane, 16 each.
__device__ inline u32 transposed(u32 v) { return (v & ~(task - 1)) | (v & 31) << 4 | (v / 32 & 15); }

// order writes the parents of all bins to ordered, in the order of labels, within a
// task of transposed ones, and empties the bins. Those of a task begin at
// g.orderedStart. In g.fresh it marks who has one there.
__device__ __noinline__ void order(u32 *ordered) {
	constexpr u32 each = 12;
	Ordering &s = shared<Ordering>();
	const u32 tid = threadIdx.x;
	for (u32 bin = blockIdx.x; bin < g.bins; bin += gridDim.x) {
		const u32 begin = binStart(bin), end = __ldcg(g.binEnds + bin * binStride);
		// all calls take with the label and the parent of each entry whose label is one
		// of orderedLabels from lo on; the label is transposed, and less by lo.
		auto all = [&](u32 lo, auto take) {
			for (u32 base = begin + tid; base - tid < end; base += each * THREADS) {
				uint2 x[each];
#pragma unroll
				for (u32 k = 0; k < each; k++)
					x[k] = loadIf(base + k * THREADS < end, binnedParents() + base + k * THREADS, make_uint2(none, 0));
#pragma unroll
				for (u32 k = 0; k < each; k++)
					if (x[k].x != none && x[k].x - lo < orderedLabels)
						take(transposed(x[k].x - lo), x[k].y);
			}
		};
		u32 start = begin;
		const u32 last = min(u64(g.tasks) * task, u64(bin + 1) << g.binShift);
		for (u32 lo = bin << g.binShift; lo < last; lo += orderedLabels) {
			for (u32 i = tid; i < orderedLabels / 32; i += THREADS)
				s.found[i] = 0;
			__syncthreads();
			all(lo, [&](u32 v, u32) { atomicOr(&s.found[v / 32], 1u << (v & 31)); });
			__syncthreads();
			u32 word[orderedWords], sum = 0, before, total;
#pragma unroll
			for (u32 j = 0; j < orderedWords; j++)
				sum += __popc(word[j] = s.found[orderedWords * tid + j]);
			OrderScan(s.scan).ExclusiveSum(sum, before, total);
#pragma unroll
			for (u32 j = 0; j < orderedWords; j++) {
				const u32 i = orderedWords * tid + j, w = lo / 32 + i;
				s.before[i] = before;
				if (w < g.tasks * taskWords) {
					g.fresh[w] = word[j];
					if (w % taskWords == 0)
						g.orderedStart[w / taskWords] = start + before;
				}
				before += __popc(word[j]);
			}
			__syncthreads();
			for (u32 from = 0; from < total; from += orderedRoom) {
				all(lo, [&](u32 v, u32 parent) {
					const u32 at = s.before[v / 32] + __popc(s.found[v / 32] & ((1u << (v & 31)) - 1)) - from;
					if (at < orderedRoom)
						s.parents[at] = parent;
				});
				__syncthreads();
				for (u32 i = tid; i < min(orderedRoom, total - from); i += THREADS)
					ordered[start + from + i] = s.parents[i];
				__syncthreads();
			}
			start += total;
		}
		if (tid == 0) // for another such level, before which all blocks meet
			g.binEnds[bin * binStride] = begin;
	}
}

// scatter writes the queued parents where they belong.
__device__ inline void scatter(const u32 *queue, u32 count) {
	const u32 *parents = queuedParents();
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS)
		g.parents[__ldcg(queue + i)] = __ldcg(parents + i);
}

// The ordering of the parents of a large top-down level by label.
//
// If a thread stored each parent when it found it, the memory would read and write a
// whole sector each time, because the array of parents is far longer than the
// second-level cache. This took more than half of such a level's time at scale 28.
// Instead, the level queues the parents with the vertices. Then distributeToBins
// distributes them to bins of labels, and order orders each bin in shared memory,
// where a bitmap of the found vertices gives each parent its place. The writing pass
// reads them in that order.
#pragma once
#include <cub/block/block_scan.cuh>

#include "search.cuh"

static_assert(maxBins % THREADS == 0, "each thread has the same number of bins");
constexpr u32 binEntries = 12;                             // vertices that a thread distributes at a time
constexpr u32 orderedCapacity = 9728;                      // parents that a block orders at a time
constexpr u32 orderedWords = orderedLabels / 32 / THREADS; // words of the bitmap per thread

typedef cub::BlockScan<u32, THREADS> OrderScan;

struct Binning {
	OrderScan::TempStorage scan;
	u32 offset[maxBins]; // by bin: number of vertices, then the place of the first one in entries
	u32 place[maxBins];  // by bin: place of its vertices in binnedParents(), minus the above
	uint2 entries[binEntries * THREADS];
};

struct Ordering {
	OrderScan::TempStorage scan;
	u32 found[orderedLabels / 32];  // bitmap of the labels
	u32 before[orderedLabels / 32]; // bits in the words before
	u32 parents[orderedCapacity];
};

// binStart returns where the entries of a bin begin: at the row number of its first
// label, so that all fit.
__device__ inline u32 binStart(u32 bin) { return __ldg(reinterpret_cast<const uint2 *>(g.index) + ((bin << g.binShift) / 32)).y; }

// distributeToBins writes the vertices of the queue and their parents to their bins.
// All threads of all blocks must call it.
__device__ __noinline__ void distributeToBins(const u32 *queue, u32 count) {
	Binning &s = shared<Binning>();
	const u32 tid = threadIdx.x, *parents = queuedParents();
	__syncthreads(); // shared memory may still be in use
	for (u32 base = blockIdx.x * binEntries * THREADS; base < count; base += gridDim.x * binEntries * THREADS) {
		u32 v[binEntries], parent[binEntries], at[binEntries];
#pragma unroll
		for (u32 k = 0; k < binEntries; k++) {
			const u32 i = base + k * THREADS + tid;
			v[k] = loadIf(i < count, queue + i, none);
			parent[k] = loadIf(i < count, parents + i, none);
		}
		for (u32 b = tid; b < maxBins; b += THREADS)
			s.offset[b] = 0;
		__syncthreads();
#pragma unroll
		for (u32 k = 0; k < binEntries; k++)
			if (v[k] != none)
				at[k] = atomicAdd(&s.offset[v[k] >> g.binShift], 1);
		__syncthreads();
		constexpr u32 own = maxBins / THREADS;
		u32 n[own], sum = 0, before;
#pragma unroll
		for (u32 j = 0; j < own; j++)
			sum += n[j] = s.offset[own * tid + j];
		OrderScan(s.scan).ExclusiveSum(sum, before);
#pragma unroll
		for (u32 j = 0; j < own; j++) {
			const u32 b = own * tid + j;
			s.offset[b] = before;
			s.place[b] = addIf(n[j], g.binEnds + b * binStride, n[j], 0) - before;
			before += n[j];
		}
		__syncthreads();
#pragma unroll
		for (u32 k = 0; k < binEntries; k++)
			if (v[k] != none)
				s.entries[s.offset[v[k] >> g.binShift] + at[k]] = make_uint2(v[k], parent[k]);
		__syncthreads();
		const u32 total = min(binEntries * THREADS, count - base);
		for (u32 i = tid; i < total; i += THREADS) {
			const uint2 x = s.entries[i];
			binnedParents()[s.place[x.x >> g.binShift] + i] = x;
		}
		__syncthreads();
	}
}

// transposed returns the place of a label in the order in which a writing pass holds
// a task: lane by lane, 16 labels each.
__device__ inline u32 transposed(u32 v) { return (v & ~(taskLabels - 1)) | (v & 31) << 4 | (v / 32 & 15); }

// order writes the parents of all bins to ordered and empties the bins. Tasks are in
// the order of labels; within a task the order is that of transposed. order writes
// the start of each task to g.orderedStart, and marks the labels that have an ordered
// parent, in the same order, in g.hasOrdered. All threads of all blocks must call it.
__device__ __noinline__ void order(u32 *ordered) {
	constexpr u32 perThread = 12;
	Ordering &s = shared<Ordering>();
	const u32 tid = threadIdx.x;
	for (u32 bin = blockIdx.x; bin < g.bins; bin += gridDim.x) {
		const u32 begin = binStart(bin), end = __ldcg(g.binEnds + bin * binStride);
		// forEach calls use for each entry of the bin whose label is one of the
		// orderedLabels labels from lo on. Its arguments are transposed(label - lo)
		// and the parent.
		auto forEach = [&](u32 lo, auto use) {
			for (u32 base = begin + tid; base - tid < end; base += perThread * THREADS) {
				uint2 x[perThread];
#pragma unroll
				for (u32 k = 0; k < perThread; k++)
					x[k] = loadIf(base + k * THREADS < end, binnedParents() + base + k * THREADS, make_uint2(none, 0));
#pragma unroll
				for (u32 k = 0; k < perThread; k++)
					if (x[k].x != none && x[k].x - lo < orderedLabels)
						use(transposed(x[k].x - lo), x[k].y);
			}
		};
		u32 start = begin;
		const u32 last = min(u64(g.tasks) * taskLabels, u64(bin + 1) << g.binShift);
		for (u32 lo = bin << g.binShift; lo < last; lo += orderedLabels) {
			for (u32 i = tid; i < orderedLabels / 32; i += THREADS)
				s.found[i] = 0;
			__syncthreads();
			forEach(lo, [&](u32 v, u32) { atomicOr(&s.found[v / 32], 1u << (v & 31)); });
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
					g.hasOrdered[w] = word[j];
					if (w % taskWords == 0)
						g.orderedStart[w / taskWords] = start + before;
				}
				before += __popc(word[j]);
			}
			__syncthreads();
			for (u32 from = 0; from < total; from += orderedCapacity) {
				forEach(lo, [&](u32 v, u32 parent) {
					const u32 at = s.before[v / 32] + __popc(s.found[v / 32] & ((1u << (v & 31)) - 1)) - from;
					if (at < orderedCapacity)
						s.parents[at] = parent;
				});
				__syncthreads();
				for (u32 i = tid; i < min(orderedCapacity, total - from); i += THREADS)
					ordered[start + from + i] = s.parents[i];
				__syncthreads();
			}
			start += total;
		}
		if (tid == 0) // empties the bin; the next level that uses it comes after a grid barrier
			g.binEnds[bin * binStride] = begin;
	}
}

// scatterParents writes the queued parents to the array of parents. All threads of
// all blocks must call it.
__device__ inline void scatterParents(const u32 *queue, u32 count) {
	const u32 *parents = queuedParents();
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS)
		g.parents[__ldcg(queue + i)] = __ldcg(parents + i);
}

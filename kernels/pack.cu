// The last step of kernel 1: what the search streams, made from the rows.
#include <cstddef>

#include "search_bottomup.cuh"
#include "search_topdown.cuh"

// rankHubs enters each hub's number; all other entries are noSlot before.
extern "C" __global__ void rankHubs(const u32 *hubs, u32 count, u16 *rank) {
	const u32 h = blockIdx.x * blockDim.x + threadIdx.x;
	if (h < count)
		rank[hubs[h]] = h;
}

// packFirst fills, a label a thread and a task a block, the bitmaps present, more,
// moreHubs and isHub, the first neighbour and its number among the hubs, and each row's
// Further; it counts the task's exceptions.
extern "C" __global__ void __launch_bounds__(task) packFirst(const u64 *index, u32 words, const Row *rows, const u32 *neighbors, const u16 *rank,
                                     u32 *present, u32 *more, u32 *moreHubs, u32 *isHub, u32 *first, u16 *slots, Further *further, u32 *exceptions) {
	const u32 v = blockIdx.x * task + threadIdx.x, w = v / 32;
	const u64 word = w < words ? index[w] : 0;
	const bool here = word >> (v & 31) & 1;
	u32 label = 0, slot = noSlot;
	bool more_ = false, moreHubs_ = false;
	if (here) {
		const u32 r = u32(word >> 32) + __popc(u32(word) & ((1u << (v & 31)) - 1));
		const Row row = rows[r];
		const u32 *n = neighbors + row.start;
		label = n[0];
		more_ = row.degree > 1;
		slot = rank[label];
		Further f;
#pragma unroll
		for (int j = 0; j < 4; j++) {
			const bool on = row.degree > j + 1;
			f.next[j] = on ? n[j + 1] : 0;
			f.slots[j] = on ? rank[f.next[j]] : noNeighbor;
		}
		moreHubs_ = f.slots[0] < noNeighbor;
		f.row = row.start | u64(min(row.degree, furtherDegree)) << 40;
		further[r] = f;
	}
	first[v] = label;
	slots[v] = slot;
	const u32 m = __ballot_sync(~0u, more_), mh = __ballot_sync(~0u, moreHubs_), h = __ballot_sync(~0u, rank[v] != noSlot);
	if (threadIdx.x % 32 == 0) {
		present[w] = u32(word);
		more[w] = m;
		moreHubs[w] = mh;
		isHub[w] = h;
	}
	const u32 n = __syncthreads_count(here && slot == noSlot);
	if (threadIdx.x == 0)
		exceptions[blockIdx.x] = n;
}

// startExceptions turns the tasks' counts into where each begins, and adds the
// end; one block.
extern "C" __global__ void __launch_bounds__(1024) startExceptions(u32 *start, u32 tasks) {
	__shared__ u32 sums[32];
	const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	u32 carry = 0;
	for (u32 base = 0; base <= tasks; base += 1024) {
		const u32 i = base + threadIdx.x;
		const u32 mine = i < tasks ? start[i] : 0;
		u32 sum = mine;
		for (int d = 1; d < 32; d *= 2) {
			const u32 x = __shfl_up_sync(~0u, sum, d);
			if (lane >= d)
				sum += x;
		}
		if (lane == 31)
			sums[warp] = sum;
		__syncthreads();
		u32 before = 0, total = 0;
		for (u32 k = 0; k < 32; k++) {
			before += k < warp ? sums[k] : 0;
			total += sums[k];
		}
		if (i <= tasks)
			start[i] = carry + before + sum - mine;
		carry += total;
		__syncthreads();
	}
}

// listExceptions lists the vertices whose first neighbour is no hub, with that
// neighbour; a task a block.
extern "C" __global__ void __launch_bounds__(task) listExceptions(const u32 *present, const u32 *first, const u16 *slots, const u32 *start, uint2 *exceptions) {
	__shared__ u32 count[task / 32];
	const u32 v = blockIdx.x * task + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	const bool on = present[v / 32] >> lane & 1 && slots[v] == noSlot;
	const u32 all = __ballot_sync(~0u, on);
	if (lane == 0)
		count[warp] = __popc(all);
	__syncthreads();
	u32 at = start[blockIdx.x];
	for (u32 k = 0; k < warp; k++)
		at += count[k];
	if (on)
		exceptions[at + __popc(all & ((1u << lane) - 1))] = make_uint2(v, first[v]);
}

__device__ constexpr u64 most(u64 a, u64 b) { return a > b ? a : b; }

// searchLayout says what package kernels must agree on with the search: the
// sizes and places of what it fills in or reads, and the constants it needs.
extern "C" __global__ void searchLayout(u64 *out) {
	const u64 layout[] = {
		THREADS, most(most(sizeof(TopDown), sizeof(BottomUp)), most(sizeof(Dealing), sizeof(Ordering))), kept,
		sizeof(Control), offsetof(Control, levelCount), offsetof(Control, begin),
		task, hubWords, longRoom, binStride, maxBins, orderedLabels, sizeof(Row), sizeof(Further), sizeof(LongRow),
		sizeof(Search), offsetof(Search, arcs), offsetof(Search, perBlock), offsetof(Search, index), offsetof(Search, further),
		offsetof(Search, moreHubs), offsetof(Search, parents), offsetof(Search, items), offsetof(Search, binEnds), offsetof(Search, control), offsetof(Search, done),
		sizeof(Level), offsetof(Level, frontier), offsetof(Level, end),
	};
	for (u64 x : layout)
		*out++ = x;
}

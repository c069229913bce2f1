// The last step of kernel 1: what the search streams, made from the rows.
#include <cub/block/block_scan.cuh>

#include "search.cuh"

// rankHubs enters the numbers of hubs and minor hubs; all other entries are none before.
extern "C" __global__ void rankHubs(const u32 *hubs, u32 count, u32 *rank) {
	const u32 h = blockIdx.x * blockDim.x + threadIdx.x;
	if (h < count)
		rank[hubs[h]] = h;
}

// packFirst fills, a label a thread and a task a block, the bitmaps present, more,
// moreHubs and isHub, the first neighbour and its number among the hubs, and each row's
// Further; it counts the task's vertices whose first neighbour is a minor hub, and its
// exceptions.
extern "C" __global__ void __launch_bounds__(task) packFirst(const u64 *index, u32 words, const Row *rows, const u32 *neighbors, const u32 *rank, u32 hubs,
                                     u32 *present, u32 *more, u32 *moreHubs, u32 *isHub, u32 *first, u16 *slots, Further *further, u32 *minors, u32 *exceptions) {
	const u32 v = blockIdx.x * task + threadIdx.x, w = v / 32;
	const u64 word = w < words ? index[w] : 0;
	const bool here = word >> (v & 31) & 1;
	auto slotOf = [&](u32 number) { return number < hubs ? number : noSlot; };
	u32 label = 0, number = none;
	bool more_ = false, moreHubs_ = false;
	if (here) {
		const u32 r = u32(word >> 32) + __popc(u32(word) & ((1u << (v & 31)) - 1));
		const Row row = rows[r];
		const u32 *n = neighbors + row.start;
		label = n[0];
		more_ = row.degree > 1;
		number = rank[label];
		Further f;
#pragma unroll
		for (int j = 0; j < 4; j++) {
			const bool on = row.degree > j + 1;
			f.next[j] = on ? n[j + 1] : 0;
			f.slots[j] = on ? slotOf(rank[f.next[j]]) : noNeighbor;
		}
		moreHubs_ = f.slots[0] < noNeighbor;
		f.row = row.start | u64(min(row.degree, furtherDegree)) << 40;
		further[r] = f;
	}
	first[v] = label;
	slots[v] = slotOf(number);
	const u32 m = __ballot_sync(~0u, more_), mh = __ballot_sync(~0u, moreHubs_), h = __ballot_sync(~0u, rank[v] < hubs);
	if (threadIdx.x % 32 == 0) {
		present[w] = u32(word);
		more[w] = m;
		moreHubs[w] = mh;
		isHub[w] = h;
	}
	const u32 minor = __syncthreads_count(here && number >= hubs && number != none), n = __syncthreads_count(here && number == none);
	if (threadIdx.x == 0) {
		minors[blockIdx.x] = minor;
		exceptions[blockIdx.x] = n;
	}
}

typedef cub::BlockScan<u32, task> TaskScan;

// rowInTask returns the row of a thread's label where that has one; a task a block.
__device__ inline bool rowInTask(const u64 *index, u32 words, u32 &row) {
	const u32 v = blockIdx.x * task + threadIdx.x, w = v / 32;
	const u64 word = w < words ? index[w] : 0;
	row = u32(word >> 32) + __popc(u32(word) & ((1u << (v & 31)) - 1));
	return word >> (v & 31) & 1;
}

constexpr u32 together = sizeof(uint4) / sizeof(u16); // hub numbers of one load

// countHubs fills the HubRow of each row, whose hubs come first, but for start, and adds
// up how many uint4 a task's rows need for the hubs beyond it.
extern "C" __global__ void __launch_bounds__(task) countHubs(const u64 *index, u32 words, const Row *rows, const u32 *neighbors, const u32 *rank, u32 hubs, HubRow *hubRows, u32 *sums) {
	__shared__ TaskScan::TempStorage storage;
	u32 r, before, total, vectors = 0;
	if (rowInTask(index, words, r)) {
		const Row row = rows[r];
		const u32 *n = neighbors + row.start;
		u32 lo = 0, hi = row.degree; // neighbours before lo are hubs, from hi on none is
		while (lo < hi) {
			const u32 middle = (lo + hi) / 2;
			if (rank[n[middle]] < hubs)
				lo = middle + 1;
			else
				hi = middle;
		}
		HubRow h;
#pragma unroll
		for (u32 j = 0; j < hubRowSlots; j++)
			h.slots[j] = j + 1 < lo ? rank[n[j + 1]] : noNeighbor;
		h.more = lo > hubRowSlots + 1 ? lo - (hubRowSlots + 1) : 0;
		h.start = 0;
		hubRows[r] = h;
		vectors = (h.more + together - 1) / together;
	}
	TaskScan(storage).ExclusiveSum(vectors, before, total);
	if (threadIdx.x == 0)
		sums[blockIdx.x] = total;
}

// fillHubs fills the rows' start and hubArcs, a warp a row after the other.
extern "C" __global__ void __launch_bounds__(task) fillHubs(const u64 *index, u32 words, const Row *rows, const u32 *neighbors, const u32 *rank, HubRow *hubRows, const u32 *sums, u16 *hubArcs) {
	__shared__ TaskScan::TempStorage storage;
	const u32 lane = threadIdx.x % 32;
	u32 r, before, more = 0;
	u64 from = 0;
	const bool here = rowInTask(index, words, r);
	if (here) {
		more = hubRows[r].more;
		from = rows[r].start + hubRowSlots + 1;
	}
	TaskScan(storage).ExclusiveSum((more + together - 1) / together, before);
	const u32 start = sums[blockIdx.x] + before;
	if (here)
		hubRows[r].start = start;
	for (u32 all = __ballot_sync(~0u, more); all; all &= all - 1) {
		const int owner = __ffs(all) - 1;
		const u32 n = __shfl_sync(~0u, more, owner), filled = (n + together - 1) / together * together;
		const u32 *neighbor = neighbors + __shfl_sync(~0u, from, owner);
		u16 *arcs = hubArcs + u64(__shfl_sync(~0u, start, owner)) * together;
		for (u32 i = lane; i < filled; i += 32)
			arcs[i] = i < n ? rank[neighbor[i]] : noNeighbor;
	}
}

// startTasks turns the tasks' counts into where each begins, and adds the end; one
// block.
extern "C" __global__ void __launch_bounds__(1024) startTasks(u32 *start, u32 tasks) {
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

// placeInTask returns the place of each thread of a block that has on among those,
// count being an array for each warp.
__device__ inline u32 placeInTask(bool on, u32 (&count)[task / 32]) {
	const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, all = __ballot_sync(~0u, on);
	if (lane == 0)
		count[warp] = __popc(all);
	__syncthreads();
	u32 at = __popc(all & ((1u << lane) - 1));
	for (u32 k = 0; k < warp; k++)
		at += count[k];
	return at;
}

// listExceptions lists the vertices whose first neighbour is no hub: in minors the
// number of a minor one with the label's lowest bits, in exceptions the label and the
// neighbour where it is none of these either; a task a block.
extern "C" __global__ void __launch_bounds__(task) listExceptions(const u32 *present, const u32 *first, const u16 *slots, const u32 *rank, u32 hubs,
                                     const u32 *minorStart, u32 *minors, const u32 *start, uint2 *exceptions) {
	__shared__ u32 count[2][task / 32];
	const u32 v = blockIdx.x * task + threadIdx.x;
	const bool on = present[v / 32] >> (v & 31) & 1 && slots[v] == noSlot;
	const u32 number = on ? rank[first[v]] : none;
	const bool minor = number != none, other = on && !minor;
	const u32 atMinor = placeInTask(minor, count[0]), at = placeInTask(other, count[1]);
	if (minor)
		minors[minorStart[blockIdx.x] + atMinor] = (number - hubs) << minorShift | (v & ((1 << minorShift) - 1));
	if (other)
		exceptions[start[blockIdx.x] + at] = make_uint2(v, first[v]);
}

// The top-down step: from a queue of vertices to their unvisited neighbours,
// with the neighbour gathering of Merrill, Garland and Grimshaw (PPoPP 2012):
// long rows by the whole block (CTA), middling ones by warps, the rest through
// a block-wide scan of their lengths. Two things differ from the paper, because
// one row of these graphs can hold more arcs than a block's share, and because
// a block's share may be few rows: the arcs of the frontier are dealt out evenly
// over the blocks, a row in parts if need be, and middling rows are spread over
// the block's warps and not left to the warps that hold them.
#pragma once
#include <cstddef>

#include <cub/block/block_scan.cuh>

#include "bottomup.cuh"
#include "order.cuh"

constexpr u32 step = 4 * THREADS; // arcs that a block visits at a time
constexpr u32 blockRow = step;   // arcs from which on the block takes a row
constexpr u32 warpRow = 128;     // and a warp
constexpr u32 warpRoom = 256;    // vertices that a warp keeps before it queues them

typedef cub::BlockScan<u64, THREADS> Scan64;
typedef cub::BlockScan<u32, THREADS> Scan32;

struct TopDown {
	union {
		Scan64::TempStorage scan64;
		Scan32::TempStorage scan32;
	};
	u64 share[1024];
	u64 start[THREADS]; // of the rows gathered by scan: first arc, less those before
	u32 before[THREADS];
	u32 label[THREADS];
	uint4 row[THREADS]; // rows of the block from the front, of the warps from the back: start, length, label
	u32 large, middling; // numbers of them
	u32 local[THREADS / 32][warpRoom]; // what the warps found and have not queued yet
	u32 parents[THREADS / 32][warpRoom]; // of these, if they are queued
	u32 count[THREADS / 32], place[THREADS / 32]; // the rest of it, at the end
	u32 claimed; // vertices that the block claimed in this level
};

// A top-down step may come between two passes, of which the second adds to what warps counted.
static_assert(sizeof(TopDown) <= offsetof(BottomUp, looked), "a top-down step would overwrite looked");

// Frontier is what a step writes to; parents may be queued if orders.
template <bool orders> struct Frontier {
	u32 *visited;
	u32 *queue;
	u32 *count;
	bool queues; // whether parents are queued, too, and not written, see deal
	bool test; // whether a vertex was visited, before it is claimed
};

// moveOut moves what the warp found to the common queue.
template <bool orders> __device__ inline void moveOut(const Frontier<orders> &to, u32 &count) {
	const u32 lane = threadIdx.x & 31, *local = shared<TopDown>().local[threadIdx.x / 32], *parents = shared<TopDown>().parents[threadIdx.x / 32];
	u32 at;
	__syncwarp();
	if (lane == 0) {
		at = atomicAdd(to.count, count);
		atomicAdd(&shared<TopDown>().claimed, count);
	}
	at = __shfl_sync(~0u, at, 0);
	for (u32 i = lane; i < count; i += 32)
		to.queue[at + i] = local[i];
	if (orders && to.queues)
		for (u32 i = lane; i < count; i += 32)
			queuedParents()[at + i] = parents[i];
	count = 0;
	__syncwarp();
}

// visit claims K neighbours a lane, none where there is none, for the parents
// beside them, and keeps those that were not visited, in a part of shared memory
// that is the warp's own: a queue of the block, after every step of which its
// warps wait for each other, is no faster. All lanes of a warp call it; count is
// what the warp keeps.
template <bool orders, int K> __device__ inline void visit(const Frontier<orders> &to, u32 &count, const u32 (&w)[K], const u32 (&parent)[K]) {
	const u32 lane = threadIdx.x & 31;
	u32 word[K];
	// A test first: an atomic costs twice as much as a load, and most fail. Where
	// there are few, all that counts is to wait once and not twice.
#pragma unroll
	for (int k = 0; k < K; k++)
		word[k] = to.test ? loadIf(w[k] != none, to.visited + (w[k] >> 5), ~0u) : w[k] == none ? ~0u : 0;
#pragma unroll
	for (int k = 0; k < K; k++) {
		const u32 bit = 1u << (w[k] & 31);
		word[k] = orIf(!(word[k] & bit), to.visited + (w[k] >> 5), bit, ~0u);
	}
	u32 ballot[K], n = 0;
#pragma unroll
	for (int k = 0; k < K; k++) {
		ballot[k] = __ballot_sync(~0u, !(word[k] >> (w[k] & 31) & 1));
		n += __popc(ballot[k]);
	}
	if (!n)
		return;
	if (count + n > warpRoom)
		moveOut(to, count);
	u32 *local = shared<TopDown>().local[threadIdx.x / 32], *parents = shared<TopDown>().parents[threadIdx.x / 32];
#pragma unroll
	for (int k = 0; k < K; k++) {
		if (ballot[k] >> lane & 1) {
			const u32 at = count + __popc(ballot[k] & ((1u << lane) - 1));
			local[at] = w[k];
			*(orders && to.queues ? parents + at : g.parents + w[k]) = parent[k];
		}
		count += __popc(ballot[k]);
	}
}

// gather visits arcs start..start+length-1 of one row a thread. count is what
// the warp keeps before; what it keeps afterwards is returned.
template <bool orders> __device__ __noinline__ u32 gather(u32 *visited, u32 *queue, u32 *queued, bool queues, bool test, u32 count, u64 start, u32 length, u32 label) {
	TopDown &s = shared<TopDown>();
	const Frontier<orders> to{visited, queue, queued, queues, test};
	const u32 tid = threadIdx.x, lane = tid & 31;
	if (tid == 0)
		s.large = s.middling = 0;
	// Warps take rows only where there is one for each: otherwise most would
	// wait for the few.
	const bool warps = __syncthreads_count(warpRow <= length && length < blockRow) >= THREADS / 32;
	const uint4 mine = make_uint4(u32(start), u32(start >> 32), length, label);
	if (length >= blockRow) {
		s.row[atomicAdd(&s.large, 1)] = mine;
		length = 0;
	} else if (warps && length >= warpRow) {
		s.row[THREADS - 1 - atomicAdd(&s.middling, 1)] = mine;
		length = 0;
	}
	__syncthreads();
	const u32 large = s.large, middling = s.middling;
	for (u32 i = 0; i < large + middling; i++) {
		const bool all = i < large;
		const uint4 row = s.row[all ? i : THREADS - 1 - (i - large)];
		if (!all && (i - large) % (THREADS / 32) != tid / 32)
			continue;
		const u32 *neighbors = g.neighbors + (u64(row.y) << 32 | row.x);
		const u32 parents[4] = {row.w, row.w, row.w, row.w};
		for (u32 base = all ? tid / 32 * 128 : 0; base < row.z; base += all ? step : 128) {
			u32 w[4];
#pragma unroll
			for (int k = 0; k < 4; k++)
				w[k] = streamIf(base + 32 * k + lane < row.z, neighbors + base + 32 * k + lane, none);
			visit(to, count, w, parents);
		}
	}
	// The rest: each arc finds its row among the sums of the lengths.
	u32 before, total;
	Scan32(s.scan32).ExclusiveSum(length, before, total);
	s.before[tid] = before;
	s.start[tid] = start - before;
	s.label[tid] = label;
	__syncthreads();
	for (u32 base = tid / 32 * 128; base < total; base += step) {
		u32 w[4], parents[4];
#pragma unroll
		for (int k = 0; k < 4; k++) {
			const u32 arc = base + 32 * k + lane;
			u32 row = 0; // the last that begins at or before arc
#pragma unroll
			for (u32 d = THREADS / 2; d; d /= 2)
				row += s.before[row + d] <= arc ? d : 0;
			w[k] = streamIf(arc < total, g.neighbors + s.start[row] + arc, none);
			parents[k] = s.label[row];
		}
		visit(to, count, w, parents);
	}
	return count;
}

// clip returns the part of a row that lies in from..to-1 of the frontier's arcs,
// of which the row's begin at before.
__device__ inline u32 clip(u64 before, const Row &row, u64 from, u64 to, u64 &start) {
	const u64 lo = max(before, from), hi = min(before + row.degree, to);
	start = row.start + (lo - before);
	return lo < hi ? u32(hi - lo) : 0;
}

// scanDegrees returns the sum of one number a thread, and in before that of the
// threads before.
__device__ inline u64 scanDegrees(u64 degree, u64 &before) {
	u64 total;
	__syncthreads();
	Scan64(shared<TopDown>().scan64).ExclusiveSum(degree, before, total);
	return total;
}

// measureSmall looks up the row of one vertex a thread, none for none, in every
// block alike, and returns the number of their arcs.
__device__ inline u64 measureSmall(u32 v, Row &row, u64 &before) {
	row = Row{0, 0, none};
	if (v != none)
		row = rowOf(v);
	return scanDegrees(row.degree, before);
}

// estimate returns the number of arcs of a queue from a sample of it, one vertex
// a thread, the same in every block, and that of its vertices that are no hubs in
// others, if apart. As bottom-up is what follows nearly always, it brings the bitmap
// of hubs up to date at the same time.
template <bool apart> __device__ inline u64 estimate(const u32 *queue, u32 count, const u32 *visited, u64 &others) {
	u32 v;
	u64 before, degree, other;
	gatherHubs(
		visited, [&] { v = loadIf(true, queue + u64(threadIdx.x) * count / THREADS, 0); },
		[&] {
			degree = rowOf(v).degree;
			if (apart)
				other = __ldg(g.isHub + v / 32) >> (v & 31) & 1 ? 0 : degree;
		});
	const u64 total = scanDegrees(degree, before);
	if (apart)
		others = u64(double(scanDegrees(other, before)) * count / THREADS);
	return u64(double(total) * count / THREADS);
}

// Part says which arcs of a queue are meant: of all its vertices, or of those that are
// no hubs, or of these those to vertices that are no hubs either.
enum Part { ofAll, ofOthers, beyondHubsOfOthers };

// hubsOf returns the number of hubs with which the row of a vertex begins.
__device__ inline u32 hubsOf(u32 v, u32 row) {
	if (__ldg(g.slots + v) == noSlot)
		return 0;
	const uint4 x = __ldg(reinterpret_cast<const uint4 *>(g.hubRows + row));
	const u32 pair[3] = {x.x, x.y, x.z};
	u32 hubs = 1 + (x.z >> 16);
#pragma unroll
	for (int j = 0; j < hubRowSlots; j++)
		hubs += (pair[j / 2] >> (16 * (j & 1)) & 0xFFFF) != noNeighbor;
	return hubs;
}

// measure looks a queue's rows up, each block a slice of it, and returns the
// number of arcs of this block's slice, as many as are meant.
__device__ inline u64 measure(const u32 *queue, u32 count, Part part) {
	const u32 slice = (count + gridDim.x - 1) / gridDim.x;
	const u32 lo = min(count, slice * blockIdx.x), hi = min(count, lo + slice);
	u64 sum = 0;
	for (u32 i = lo + threadIdx.x; i < hi; i += THREADS) {
		const u32 v = __ldcg(queue + i);
		const u32 number = rowNumber(v);
		Row row = loadRow(number);
		if (part != ofAll && __ldg(g.isHub + v / 32) >> (v & 31) & 1)
			row.degree = 0;
		else if (part == beyondHubsOfOthers) {
			const u32 hubs = hubsOf(v, number);
			row.start += hubs;
			row.degree -= hubs;
		}
		frontierRows()[i] = make_uint4(u32(row.start), u32(row.start >> 32), row.degree, row.label);
		sum += row.degree;
	}
	u64 before;
	const u64 total = scanDegrees(sum, before);
	if (threadIdx.x == 0)
		g.share[blockIdx.x] = total;
	return total;
}

// shareOf is where the part of a block begins of what is dealt out evenly. A
// division of 64 bits would take longer than a load.
__device__ inline u64 shareOf(u64 total, u32 block) {
	return block == gridDim.x ? total : __umul64hi(total * block, g.perBlock);
}

__device__ inline void beginStep() {
	__syncthreads();
	if (threadIdx.x == 0)
		shared<TopDown>().claimed = 0;
	__syncthreads();
}

// endStep moves what the warps still keep to the common queue, with one
// reservation for the block.
template <bool orders> __device__ inline void endStep(const Frontier<orders> &to, u32 count) {
	TopDown &s = shared<TopDown>();
	const u32 warp = threadIdx.x / 32, lane = threadIdx.x & 31;
	if (lane == 0)
		s.count[warp] = count;
	__syncthreads();
	if (warp == 0) {
		const u32 mine = lane < THREADS / 32 ? s.count[lane] : 0;
		u32 sum = mine;
#pragma unroll
		for (int d = 1; d < 32; d *= 2) {
			const u32 x = __shfl_up_sync(~0u, sum, d);
			if (lane >= d)
				sum += x;
		}
		u32 at = 0;
		if (lane == 31 && sum) {
			at = atomicAdd(to.count, sum);
			s.claimed += sum;
		}
		at = __shfl_sync(~0u, at, 31);
		if (lane < THREADS / 32)
			s.place[lane] = at + sum - mine;
	}
	__syncthreads();
	for (u32 i = lane; i < count; i += 32)
		to.queue[s.place[warp] + i] = s.local[warp][i];
	if (orders && to.queues)
		for (u32 i = lane; i < count; i += 32)
			queuedParents()[s.place[warp] + i] = s.parents[warp][i];
	__syncthreads();
}

// expandSmall goes through the rows that measureSmall found.
template <bool orders> __device__ inline void expandSmall(const Frontier<orders> &to, const Row &row, u64 before, u64 total) {
	const u64 from = shareOf(total, blockIdx.x), end = shareOf(total, blockIdx.x + 1);
	u32 count = 0;
	beginStep();
	if (from < end) {
		u64 start;
		const u32 length = clip(before, row, from, end, start);
		count = gather<orders>(to.visited, to.queue, to.count, to.queues, to.test, count, start, length, row.label);
	}
	endStep(to, count);
}

// expand goes through the rows that measure found, after a meeting.
template <bool orders> __device__ inline void expand(const Frontier<orders> &to, u32 count, u64 total) {
	TopDown &s = shared<TopDown>();
	const u32 tid = threadIdx.x;
	const u32 slice = (count + gridDim.x - 1) / gridDim.x;
	u64 carry = 0, before;
	u32 waits = 0;
	beginStep();
	for (u32 base = 0; base < gridDim.x; base += THREADS) {
		const u64 sum = scanDegrees(base + tid < gridDim.x ? __ldcg(g.share + base + tid) : 0, before);
		if (base + tid < gridDim.x)
			s.share[base + tid] = carry + before;
		carry += sum;
	}
	__syncthreads();
	const u64 from = shareOf(total, blockIdx.x), end = shareOf(total, blockIdx.x + 1);
	u32 lo = 0, hi = gridDim.x; // the last slice that begins at or before from
	while (hi - lo > 1) {
		const u32 middle = (lo + hi) / 2;
		if (s.share[middle] <= from)
			lo = middle;
		else
			hi = middle;
	}
	before = s.share[lo];
	for (u32 first = lo * slice; before < end && first < count; first += THREADS) {
		Row row{0, 0, none};
		if (first + tid < count) {
			const uint4 x = __ldcg(frontierRows() + first + tid);
			row = Row{u64(x.y) << 32 | x.x, x.z, x.w};
		}
		u64 mine, start;
		const u64 sum = scanDegrees(row.degree, mine);
		if (before + sum > from) {
			const u32 length = clip(before + mine, row, from, end, start);
			waits = gather<orders>(to.visited, to.queue, to.count, to.queues, to.test, waits, start, length, row.label);
		}
		before += sum;
	}
	endStep(to, waits);
}

// The top-down step: from a queue of vertices to their unvisited neighbours.
//
// It uses the neighbour gathering of Merrill, Garland and Grimshaw (PPoPP 2012): long
// rows by the whole block (CTA), medium rows by warps, the rest by a block-wide scan
// of their lengths. It differs from the paper in two ways. The arcs of the frontier
// are divided evenly among the blocks, and a row may be cut, because one row of these
// graphs can hold more arcs than a block's share. Medium rows are distributed over
// the warps of the block instead of staying with the warp that holds them, because a
// block's share may be a few rows only.
#pragma once
#include <cstddef>

#include <cub/block/block_scan.cuh>

#include "bottomup.cuh"
#include "order.cuh"

constexpr u32 blockArcs = 4 * THREADS;    // arcs that a block visits at a time
constexpr u32 blockRowDegree = blockArcs; // least number of arcs of a row that the block visits together
constexpr u32 warpRowDegree = 128;        // least number of arcs of a row that a warp visits together
constexpr u32 warpQueueCapacity = 256;    // vertices that a warp collects before it appends them to the queue

typedef cub::BlockScan<u64, THREADS> Scan64;
typedef cub::BlockScan<u32, THREADS> Scan32;

struct TopDown {
	union {
		Scan64::TempStorage scan64;
		Scan32::TempStorage scan32;
	};
	u64 sliceStart[1024];
	u64 start[THREADS]; // by row of the scan: start of the row minus the arcs of the rows before
	u32 before[THREADS];
	u32 label[THREADS];
	uint4 row[THREADS];                           // rows of the block from the front, rows of the warps from the back: start (low, high), length, label
	u32 large, medium;                            // their numbers
	u32 local[THREADS / 32][warpQueueCapacity];   // by warp: found vertices that are not in the queue yet
	u32 parents[THREADS / 32][warpQueueCapacity]; // by warp: their parents, if parents are queued
	u32 count[THREADS / 32], place[THREADS / 32]; // by warp: number of these vertices at the end, and their place in the queue
	u32 claimed;                                  // vertices that the block found in this level
};

// The top-down part of stepDenseHubs comes between two uses of BottomUp, and the
// second one adds to these counts.
static_assert(sizeof(TopDown) <= offsetof(BottomUp, examined), "a top-down step would overwrite examined");

// NextFrontier is the output of a top-down step.
template <bool orders> struct NextFrontier {
	u32 *visited;
	u32 *queue;
	u32 *count;
	bool queues; // parents are queued in parallel with the vertices, not written (only if orders)
	bool test;   // the bitmap is tested before each claim
};

// flushWarpQueue appends the vertices that the warp has collected to the queue. All
// lanes of the warp must call it.
template <bool orders> __device__ inline void flushWarpQueue(const NextFrontier<orders> &to, u32 &count) {
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

// visit claims K neighbours w per lane, where w[k] may be none, for the vertices
// parent. It collects those that were not visited in the warp's part of shared
// memory, where count is the number of vertices. A queue of the block is not faster:
// its warps would wait for each other after every step. All lanes of the warp must
// call it.
template <bool orders, int K> __device__ inline void visit(const NextFrontier<orders> &to, u32 &count, const u32 (&w)[K], const u32 (&parent)[K]) {
	const u32 lane = threadIdx.x & 31;
	u32 word[K];
	// Test first: an atomic costs twice as much as a load, and most claims fail.
	// Small levels claim without a test: there, one wait instead of two is all that
	// counts.
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
	if (count + n > warpQueueCapacity)
		flushWarpQueue(to, count);
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

// gather visits arcs start to start+length-1 of one row per thread. count is the
// number of vertices that the warp has collected before; gather returns the number
// after. All threads of the block must call it.
template <bool orders> __device__ __noinline__ u32 gather(u32 *visited, u32 *queue, u32 *queued, bool queues, bool test, u32 count, u64 start, u32 length, u32 label) {
	TopDown &s = shared<TopDown>();
	const NextFrontier<orders> to{visited, queue, queued, queues, test};
	const u32 tid = threadIdx.x, lane = tid & 31;
	if (tid == 0)
		s.large = s.medium = 0;
	// Warps visit rows only if there is one for each warp. Otherwise most would wait
	// for the few.
	const bool warps = __syncthreads_count(warpRowDegree <= length && length < blockRowDegree) >= THREADS / 32;
	const uint4 mine = make_uint4(u32(start), u32(start >> 32), length, label);
	if (length >= blockRowDegree) {
		s.row[atomicAdd(&s.large, 1)] = mine;
		length = 0;
	} else if (warps && length >= warpRowDegree) {
		s.row[THREADS - 1 - atomicAdd(&s.medium, 1)] = mine;
		length = 0;
	}
	__syncthreads();
	const u32 large = s.large, medium = s.medium;
	for (u32 i = 0; i < large + medium; i++) {
		const bool all = i < large;
		const uint4 row = s.row[all ? i : THREADS - 1 - (i - large)];
		if (!all && (i - large) % (THREADS / 32) != tid / 32)
			continue;
		const u32 *neighbors = g.neighbors + (u64(row.y) << 32 | row.x);
		const u32 parents[4] = {row.w, row.w, row.w, row.w};
		for (u32 base = all ? tid / 32 * 128 : 0; base < row.z; base += all ? blockArcs : 128) {
			u32 w[4];
#pragma unroll
			for (int k = 0; k < 4; k++)
				w[k] = streamIf(base + 32 * k + lane < row.z, neighbors + base + 32 * k + lane, none);
			visit(to, count, w, parents);
		}
	}
	// The rest: each arc finds its row by a binary search in the sums of the lengths.
	u32 before, total;
	Scan32(s.scan32).ExclusiveSum(length, before, total);
	s.before[tid] = before;
	s.start[tid] = start - before;
	s.label[tid] = label;
	__syncthreads();
	for (u32 base = tid / 32 * 128; base < total; base += blockArcs) {
		u32 w[4], parents[4];
#pragma unroll
		for (int k = 0; k < 4; k++) {
			const u32 arc = base + 32 * k + lane;
			u32 row = 0; // the last row that begins at or before arc
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

// gatherRow visits the arcs of one row per thread that lie in arcs from to end-1 of the
// frontier. before is the place of the row's first arc. Otherwise it is gather.
template <bool orders> __device__ inline u32 gatherRow(const NextFrontier<orders> &to, u32 count, const Row &row, u64 before, u64 from, u64 end) {
	const u64 lo = max(before, from), hi = min(before + row.degree, end);
#ifdef SPLIT_ROWS
	const Ends ends(row.start, u32(lo - before), lo < hi ? u32(hi - lo) : 0);
	count = gather<orders>(to.visited, to.queue, to.count, to.queues, to.test, count, ends.start, ends.length, row.label);
	if (!__syncthreads_or(ends.tailLength))
		return count;
	return gather<orders>(to.visited, to.queue, to.count, to.queues, to.test, count, ends.tail, ends.tailLength, row.label);
#else
	const u64 start = row.start + (lo - before);
	return gather<orders>(to.visited, to.queue, to.count, to.queues, to.test, count, start, lo < hi ? u32(hi - lo) : 0, row.label);
#endif
}

// scanDegrees returns the sum of degree over all threads of the block, and in before
// the sum over the lower threads. All threads of the block must call it.
__device__ inline u64 scanDegrees(u64 degree, u64 &before) {
	u64 total;
	__syncthreads();
	Scan64(shared<TopDown>().scan64).ExclusiveSum(degree, before, total);
	return total;
}

// measureSmall returns the number of arcs of a frontier with at most one vertex v per
// thread; v is none in the other threads. Every block does the same. row is the row
// of the thread's vertex, and before the number of arcs of the lower threads. All
// threads of the block must call it.
__device__ inline u64 measureSmall(u32 v, Row &row, u64 &before) {
	row = Row{0, 0, none};
	if (v != none)
		row = rowOf(v);
	return scanDegrees(row.degree, before);
}

// estimateArcs estimates the number of arcs of a queue from a sample of one vertex
// per thread, the same in every block. With nonHubs, it also estimates those of the
// vertices that are not hubs. A bottom-up level nearly always follows, so it calls
// updateHubBits at the same time. All threads of all blocks must call it.
template <bool nonHubs> __device__ inline u64 estimateArcs(const u32 *queue, u32 count, const u32 *visited, u64 &nonHubArcs) {
	u32 v;
	u64 before, degree, nonHubDegree;
	updateHubBits(
		visited, [&] { v = loadIf(true, queue + u64(threadIdx.x) * count / THREADS, 0); },
		[&] {
			degree = rowOf(v).degree;
			if (nonHubs)
				nonHubDegree = __ldg(g.isHub + v / 32) >> (v & 31) & 1 ? 0 : degree;
		});
	const u64 total = scanDegrees(degree, before);
	if (nonHubs)
		nonHubArcs = u64(double(scanDegrees(nonHubDegree, before)) * count / THREADS);
	return u64(double(total) * count / THREADS);
}

// ArcSet is a set of arcs of a queue: of all its vertices; of those that are not
// hubs; or of these, the arcs to vertices that are not hubs.
enum ArcSet { arcsOfAll, arcsOfNonHubs, arcsOfNonHubsToNonHubs };

// hubsOf returns the number of hubs at the beginning of the row of v.
__device__ inline u32 hubsOf(u32 v, u32 row) {
	if (__ldg(g.firstHub + v) == noHub)
		return 0;
	const uint4 x = __ldg(reinterpret_cast<const uint4 *>(g.hubRows + row));
	const u32 pair[3] = {x.x, x.y, x.z};
	u32 hubs = 1 + (x.z >> 16);
#pragma unroll
	for (int j = 0; j < hubRowNumbers; j++)
		hubs += (pair[j / 2] >> (16 * (j & 1)) & 0xFFFF) != noNeighbor;
	return hubs;
}

// measure writes the rows of a queue to frontierRows(), one slice per block, without
// the arcs that are not in the set. It returns the number of arcs in the block's
// slice, which is also written to g.sliceArcs. All threads of all blocks must call
// it.
__device__ inline u64 measure(const u32 *queue, u32 count, ArcSet set) {
	const u32 slice = (count + gridDim.x - 1) / gridDim.x;
	const u32 lo = min(count, slice * blockIdx.x), hi = min(count, lo + slice);
	u64 sum = 0;
	for (u32 i = lo + threadIdx.x; i < hi; i += THREADS) {
		const u32 v = __ldcg(queue + i);
		const u32 number = rowNumber(v);
		Row row = loadRow(number);
		if (set != arcsOfAll && __ldg(g.isHub + v / 32) >> (v & 31) & 1)
			row.degree = 0;
		else if (set == arcsOfNonHubsToNonHubs) {
			const u32 hubs = hubsOf(v, number);
			row.start = partFrom(row.start, hubs);
			row.degree -= hubs;
		}
		frontierRows()[i] = make_uint4(u32(row.start), u32(row.start >> 32), row.degree, row.label);
		sum += row.degree;
	}
	u64 before;
	const u64 total = scanDegrees(sum, before);
	if (threadIdx.x == 0)
		g.sliceArcs[blockIdx.x] = total;
	return total;
}

// shareOf returns where the share of a block begins if total arcs are divided evenly.
// A division of 64 bits would take longer than a load.
__device__ inline u64 shareOf(u64 total, u32 block) {
	return block == gridDim.x ? total : __umul64hi(total * block, g.perBlock);
}

__device__ inline void beginExpand() {
	__syncthreads();
	if (threadIdx.x == 0)
		shared<TopDown>().claimed = 0;
	__syncthreads();
}

// endExpand appends the vertices that the warps have still collected to the queue,
// with one reservation for the block. All threads of the block must call it.
template <bool orders> __device__ inline void endExpand(const NextFrontier<orders> &to, u32 count) {
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

// expandSmall visits the block's share of the rows that measureSmall found. All
// threads of all blocks must call it.
template <bool orders> __device__ inline void expandSmall(const NextFrontier<orders> &to, const Row &row, u64 before, u64 total) {
	const u64 from = shareOf(total, blockIdx.x), end = shareOf(total, blockIdx.x + 1);
	u32 count = 0;
	beginExpand();
	if (from < end) {
		count = gatherRow(to, count, row, before, from, end);
	}
	endExpand(to, count);
}

// expand visits the block's share of the rows that measure wrote, after a grid
// barrier. All threads of all blocks must call it.
template <bool orders> __device__ inline void expand(const NextFrontier<orders> &to, u32 count, u64 total) {
	TopDown &s = shared<TopDown>();
	const u32 tid = threadIdx.x;
	const u32 slice = (count + gridDim.x - 1) / gridDim.x;
	u64 carry = 0, before;
	u32 collected = 0;
	beginExpand();
	for (u32 base = 0; base < gridDim.x; base += THREADS) {
		const u64 sum = scanDegrees(base + tid < gridDim.x ? __ldcg(g.sliceArcs + base + tid) : 0, before);
		if (base + tid < gridDim.x)
			s.sliceStart[base + tid] = carry + before;
		carry += sum;
	}
	__syncthreads();
	const u64 from = shareOf(total, blockIdx.x), end = shareOf(total, blockIdx.x + 1);
	u32 lo = 0, hi = gridDim.x; // the last slice that begins at or before from
	while (hi - lo > 1) {
		const u32 middle = (lo + hi) / 2;
		if (s.sliceStart[middle] <= from)
			lo = middle;
		else
			hi = middle;
	}
	before = s.sliceStart[lo];
	for (u32 first = lo * slice; before < end && first < count; first += THREADS) {
		Row row{0, 0, none};
		if (first + tid < count) {
			const uint4 x = __ldcg(frontierRows() + first + tid);
			row = Row{u64(x.y) << 32 | x.x, x.z, x.w};
		}
		u64 mine;
		const u64 sum = scanDegrees(row.degree, mine);
		if (before + sum > from) {
			collected = gatherRow(to, collected, row, before + mine, from, end);
		}
		before += sum;
	}
	endExpand(to, collected);
}

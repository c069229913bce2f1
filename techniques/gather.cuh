// Neighbour gathering (Merrill, Garland and Grimshaw 2012; section 7 of the
// DepGraph document): how the threads of a block, each of which brings a
// vertex of the frontier, share out the neighbours of all. Here are the pieces;
// the techniques made of them say what each is worth.
//
// All threads of a block call each function, and the block has a multiple of 32
// threads, gatherThreads at most.
#pragma once
#include "queue.cuh"

constexpr u32 gatherThreads = 256;

// Step is what a level is given.
struct Step {
	const u32 *neighbors;
	u32 *parents;
	uint8_t *visited; // a bit for each label
	u32 *next;        // the queue that is being filled
	u32 *found;       // its number of entries
};

// rowOfThread returns the row of the vertex that the thread brings, one without
// neighbours if there are more threads than vertices. The vertices of the queue
// are dealt out like cards, to one block after the other and in a block to one
// warp after the other: those with long rows stand together, because they are
// found together, and would all be one block's.
__device__ inline Row rowOfThread(const u64 *index, const Row *rows, const u32 *queue, u32 count) {
	const u32 warps = blockDim.x / 32, place = threadIdx.x % 32 * warps + threadIdx.x / 32;
	const u64 i = (u64)place * gridDim.x + blockIdx.x;
	return i < count ? rowOf(index, rows, queue[i]) : Row{0, 0, none};
}

// visit claims v for u and returns whether it did. It looks into the bitmask
// first, which is 1/32 of the parents and stays in a cache. The mask is set
// without atomics: of two threads that set bits of one byte at once, one may
// undo the other's. So a bit that is set is true, one that is not may be, and
// the parents decide.
__device__ inline bool visit(const Step &s, u32 v, u32 u) {
	examined(1);
	const uint8_t seen = __ldcg(s.visited + (v >> 3)), bit = 1 << (v & 7);
	if (seen & bit)
		return false;
	s.visited[v >> 3] = seen | bit;
	return claim(s.parents, v, u);
}

// scan returns the sum of x over the threads before this one (the exclusive
// prefix sum), and total, the sum over all.
template <typename T> __device__ T scan(T x, T &total) {
	__shared__ T sums[gatherThreads / 32];
	const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	T sum = x;
	for (u32 d = 1; d < 32; d *= 2) {
		const T before = __shfl_up_sync(~0u, sum, d);
		if (lane >= d)
			sum += before;
	}
	__syncthreads(); // before the sums of the last call are replaced
	if (lane == 31)
		sums[warp] = sum;
	__syncthreads();
	T before = sum - x;
	total = 0;
	for (u32 w = 0; w < blockDim.x / 32; w++) {
		if (w < warp)
			before += sums[w];
		total += sums[w];
	}
	return before;
}

// enqueue appends the v of each thread that found one. A prefix sum gives each
// its place, so that one atomic reserves for the whole block. Nothing before it
// is under way any more in any thread when it goes on.
__device__ inline void enqueue(const Step &s, u32 v, bool found) {
	__shared__ u32 first;
	if (!__syncthreads_or(found))
		return;
	u32 total;
	const u32 before = scan<u32>(found, total);
	if (threadIdx.x == 0)
		first = reserve(s.found, total);
	__syncthreads();
	if (found)
		s.next[first + before] = v;
}

// gatherSerial lets each thread go through its own row.
__device__ inline void gatherSerial(const Step &s, const Row &row) {
	for (u32 k = 0; __syncthreads_or(k < row.degree); k++) {
		u32 v = none;
		bool found = false;
		if (k < row.degree) {
			v = s.neighbors[row.start + k];
			found = visit(s, v, row.label);
		}
		enqueue(s, v, found);
	}
}

// gatherWarp takes the rows of least neighbours and more: the lanes of a warp
// compete for it, the winner's row is stripped by all of them, 32 neighbours at
// a time, and the others compete again. Rows taken have no neighbours left.
__device__ inline void gatherWarp(const Step &s, Row &row, u32 least) {
	const u32 lane = threadIdx.x % 32;
	u64 at = 0, end = 0; // what is left of the winner's row
	u32 parent = none;
	while (__syncthreads_or(at < end || row.degree >= least)) {
		if (at >= end) {
			const u32 competing = __ballot_sync(~0u, row.degree >= least);
			if (competing) {
				const int winner = __ffs(competing) - 1;
				at = __shfl_sync(~0u, row.start, winner);
				end = at + __shfl_sync(~0u, row.degree, winner);
				parent = __shfl_sync(~0u, row.label, winner);
				if (lane == winner)
					row.degree = 0;
			}
		}
		u32 v = none;
		bool found = false;
		if (at + lane < end) {
			v = s.neighbors[at + lane];
			found = visit(s, v, parent);
		}
		at += 32;
		enqueue(s, v, found);
	}
}

// gatherCta takes the rows of least neighbours and more: the threads of the
// block (the CTA) compete for it, and all of them strip the winner's row. Rows
// taken have no neighbours left.
__device__ inline void gatherCta(const Step &s, Row &row, u32 least) {
	__shared__ u32 winner, parent;
	__shared__ u64 start, end;
	for (;;) {
		if (threadIdx.x == 0)
			winner = none;
		if (!__syncthreads_or(row.degree >= least))
			return;
		if (row.degree >= least && atomicCAS(&winner, none, threadIdx.x) == none) {
			start = row.start;
			end = row.start + row.degree;
			parent = row.label;
			row.degree = 0;
		}
		__syncthreads();
		for (u64 at = start; at < end; at += blockDim.x) {
			u32 v = none;
			bool found = false;
			if (at + threadIdx.x < end) {
				v = s.neighbors[at + threadIdx.x];
				found = visit(s, v, parent);
			}
			enqueue(s, v, found);
		}
	}
}

// gatherScan lays the rows of all threads end to end: a prefix sum of their
// degrees says where each begins, the threads write where their neighbours
// stand into a vector in shared memory, and each then takes one neighbour out
// of it, whose ever it is. What the vector cannot hold comes in later rounds.
__device__ inline void gatherScan(const Step &s, const Row &row) {
	__shared__ u64 places[gatherThreads];
	__shared__ u32 parents[gatherThreads];
	u64 total;
	const u64 before = scan<u64>(row.degree, total);
	u32 done = 0; // neighbours of the thread's own row that were in the vector
	for (u64 round = 0; round < total; round += blockDim.x) {
		for (; done < row.degree && before + done < round + blockDim.x; done++) {
			places[before + done - round] = row.start + done;
			parents[before + done - round] = row.label;
		}
		__syncthreads();
		u32 v = none;
		bool found = false;
		if (round + threadIdx.x < total) {
			v = s.neighbors[places[threadIdx.x]];
			found = visit(s, v, parents[threadIdx.x]);
		}
		enqueue(s, v, found);
	}
}

// gatherByLength lets blocks, warps and single threads take what each is the
// right size for.
__device__ inline void gatherByLength(const Step &s, Row &row) {
	gatherCta(s, row, blockDim.x);
	gatherWarp(s, row, 32);
	gatherScan(s, row);
}

// Neighbour gathering (Merrill, Garland and Grimshaw 2012; section 7 of the DepGraph
// document): methods to distribute the neighbours of a block's frontier vertices, one
// vertex per thread, over the threads of the block. The techniques that use a method
// describe its cost.
//
// All threads of a block must call each function. The block has a multiple of 32 threads,
// at most gatherThreads.
#pragma once
#include "queue.cuh"

constexpr u32 gatherThreads = 256;

// Step has the arguments of a level.
struct Step {
	const u32 *neighbors;
	u32 *parents;
	uint8_t *visited; // bitmask with one bit per label
	u32 *next;        // the next queue
	u32 *found;       // its length
};

// rowOfThread returns the row of the thread's vertex, or an empty row for a thread beyond
// the number of vertices. The vertices of the queue are distributed round-robin over the
// blocks, and within a block round-robin over the warps. Vertices with long rows are next
// to each other in the queue, because they are found together; contiguous ranges would
// give all of them to one block.
__device__ inline Row rowOfThread(const u64 *index, const Row *rows, const u32 *queue, u32 count) {
	const u32 warps = blockDim.x / 32, place = threadIdx.x % 32 * warps + threadIdx.x / 32;
	const u64 i = (u64)place * gridDim.x + blockIdx.x;
	return i < count ? rowOf(index, rows, queue[i]) : Row{0, 0, none};
}

// visit tries to claim v for u and returns whether it succeeded. It first tests the
// bitmask, which has 1/32 of the size of parents and stays in a cache. The bits are set
// without atomics: of two threads that set bits of the same byte, one may overwrite the
// other's bit. A set bit therefore means visited; a clear bit means unknown, and the
// parents decide.
__device__ inline bool visit(const Step &s, u32 v, u32 u) {
	examined(1);
	const uint8_t seen = __ldcg(s.visited + (v >> 3)), bit = 1 << (v & 7);
	if (seen & bit)
		return false;
	s.visited[v >> 3] = seen | bit;
	return claim(s.parents, v, u);
}

// scan returns the exclusive prefix sum of x over the threads of the block. total is the
// sum over all threads.
template <typename T> __device__ T scan(T x, T &total) {
	__shared__ T sums[gatherThreads / 32];
	const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	T sum = x;
	for (u32 d = 1; d < 32; d *= 2) {
		const T before = __shfl_up_sync(~0u, sum, d);
		if (lane >= d)
			sum += before;
	}
	__syncthreads(); // all threads have read the sums of the previous call
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

// enqueue appends v to the next queue for each thread with found. A prefix sum assigns the
// positions, so one atomic per block suffices. It begins with a block barrier.
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

// gatherSerial: each thread processes its own row.
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

// gatherWarp processes the rows with at least least neighbours. The lanes of a warp
// compete for the warp, all lanes process the row of the winner, 32 neighbours at a time,
// and the other lanes compete again. The degree of a processed row is set to 0.
__device__ inline void gatherWarp(const Step &s, Row &row, u32 least) {
	const u32 lane = threadIdx.x % 32;
	u64 at = 0, end = 0; // the rest of the winner's row
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

// gatherCta processes the rows with at least least neighbours. The threads of the block
// (CTA) compete for the block, and all of them process the row of the winner. The degree
// of a processed row is set to 0.
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

// gatherScan concatenates the rows of all threads. A prefix sum of the degrees gives the
// begin of each row. The threads write the positions of their neighbours to a vector in
// shared memory, and then each thread processes one neighbour of the vector, of any row.
// Neighbours that do not fit in the vector follow in later rounds.
__device__ inline void gatherScan(const Step &s, const Row &row) {
	__shared__ u64 places[gatherThreads];
	__shared__ u32 parents[gatherThreads];
	u64 total;
	const u64 before = scan<u64>(row.degree, total);
	u32 done = 0; // number of neighbours of the thread's row already written to the vector
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

// gatherByLength processes long rows by the block, medium rows by warps, and the rest by
// gatherScan.
__device__ inline void gatherByLength(const Step &s, Row &row) {
	gatherCta(s, row, blockDim.x);
	gatherWarp(s, row, 32);
	gatherScan(s, row);
}

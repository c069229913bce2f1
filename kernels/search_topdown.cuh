// The top-down step: from a queue of vertices to their unvisited neighbours,
// with the neighbour gathering of Merrill, Garland and Grimshaw (PPoPP 2012):
// long rows by the whole block (CTA), middling ones by warps, the rest through
// a block-wide scan of their lengths. Two things differ from the paper, because
// one row of these graphs can hold more arcs than a block's share, and because
// a block's share may be few rows: the arcs of the frontier are dealt out evenly
// over the blocks, a row in parts if need be, and middling rows are spread over
// the block's warps and not left to the warps that hold them.
#pragma once
#include <cub/block/block_scan.cuh>

#include "search.cuh"

constexpr u32 step = 4 * THREADS; // arcs that a block visits at a time
constexpr u32 blockRow = step;   // arcs from which on the block takes a row
constexpr u32 warpRow = 128;     // and a warp
constexpr u32 localRoom = 4096;  // vertices that a block queues for itself

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
	u32 local[localRoom];
	u32 localCount;
	u32 localStart;
	u32 claimed; // vertices that the block claimed in this level
	u32 owner;
	u64 ownerStart, ownerEnd;
	u32 ownerLabel;
	u32 middling;
	uint4 row[THREADS]; // middling rows: start, length, label
};

// Frontier is what a step writes to.
struct Frontier {
	u32 *visited;
	u32 *queue;
	u32 *count;
};

// visit claims up to K neighbours a lane, none where there is none, for the
// parents beside them, and queues those that were not visited. All lanes of a
// warp call it, so that one of them can reserve the places for all.
template <int K> __device__ inline void visit(const Frontier &to, const u32 (&w)[K], const u32 (&parent)[K]) {
	TopDown &s = shared<TopDown>();
	const u32 lane = threadIdx.x & 31;
	u32 word[K];
	bool won[K];
	// A test first: an atomic costs twice as much as a load, and most fail.
#pragma unroll
	for (int k = 0; k < K; k++)
		word[k] = loadIf(w[k] != none, to.visited + (w[k] >> 5), ~0u);
#pragma unroll
	for (int k = 0; k < K; k++) {
		const u32 bit = 1u << (w[k] & 31);
		word[k] = orIf(!(word[k] & bit), to.visited + (w[k] >> 5), bit, ~0u);
	}
	u32 ballot[K], n = 0;
#pragma unroll
	for (int k = 0; k < K; k++) {
		won[k] = !(word[k] >> (w[k] & 31) & 1);
		ballot[k] = __ballot_sync(~0u, won[k]);
		n += __popc(ballot[k]);
	}
	if (!n)
		return;
	// What does not fit is reserved in the common queue for the whole warp: an
	// atomic for each vertex on that one counter took longer than all the rest.
	u32 at, beyond = 0;
	if (lane == 0) {
		at = atomicAdd(&s.localCount, n);
		if (at + n > localRoom)
			beyond = atomicAdd(to.count, min(n, at + n - localRoom));
	}
	at = __shfl_sync(~0u, at, 0);
	beyond = __shfl_sync(~0u, beyond, 0) - max(at, localRoom);
#pragma unroll
	for (int k = 0; k < K; k++) {
		if (won[k]) {
			g.parents[w[k]] = parent[k];
			const u32 place = at + __popc(ballot[k] & ((1u << lane) - 1));
			if (place < localRoom)
				s.local[place] = w[k];
			else
				to.queue[beyond + place] = w[k];
		}
		at += __popc(ballot[k]);
	}
}

// flush moves the block's own queue to the common one once it may overflow in
// the next step, or in any case. All threads call it.
__device__ inline void flush(const Frontier &to, bool always) {
	TopDown &s = shared<TopDown>();
	// The threads decide together: a fast warp may be queueing again already.
	if (__syncthreads_or(s.localCount > (always ? 0 : localRoom - 4 * THREADS))) {
		const u32 count = min(s.localCount, localRoom);
		if (threadIdx.x == 0)
			s.localStart = atomicAdd(to.count, count);
		__syncthreads();
		for (u32 i = threadIdx.x; i < count; i += THREADS)
			to.queue[s.localStart + i] = s.local[i];
		__syncthreads();
		if (threadIdx.x == 0) {
			s.claimed += s.localCount;
			s.localCount = 0;
		}
		__syncthreads();
	}
}

// gather visits arcs start..start+length-1 of one row a thread.
__device__ __noinline__ void gather(u32 *visited, u32 *queue, u32 *count, u64 start, u32 length, u32 label) {
	TopDown &s = shared<TopDown>();
	const Frontier to{visited, queue, count};
	const u32 tid = threadIdx.x, lane = tid & 31;
		if (tid == 0)
		s.middling = 0;
	while (__syncthreads_or(length >= blockRow)) {
		if (length >= blockRow)
			s.owner = tid;
		__syncthreads();
		if (s.owner == tid && length >= blockRow) {
			s.ownerStart = start;
			s.ownerEnd = start + length;
			s.ownerLabel = label;
			length = 0;
		}
		__syncthreads();
		const u64 end = s.ownerEnd;
		const u32 parent = s.ownerLabel;
		const u32 parents[4] = {parent, parent, parent, parent};
		for (u64 a = s.ownerStart; a < end; a += 4 * THREADS) {
			u32 w[4];
#pragma unroll
			for (int k = 0; k < 4; k++)
				w[k] = streamIf(a + k * THREADS + tid < end, g.neighbors + a + k * THREADS + tid, none);
			visit(to, w, parents);
			flush(to, false);
		}
	}
	// Warps take rows only where there is one for each: otherwise most would
	// wait for the few.
	if (__syncthreads_count(length >= warpRow) >= THREADS / 32) {
		if (length >= warpRow) {
			s.row[atomicAdd(&s.middling, 1)] = make_uint4(u32(start), u32(start >> 32), length, label);
			length = 0;
		}
		__syncthreads();
		for (u32 i = tid / 32; i < s.middling; i += THREADS / 32) {
			const uint4 row = s.row[i];
			const u32 *neighbors = g.neighbors + (u64(row.y) << 32 | row.x);
			const u32 parents[4] = {row.w, row.w, row.w, row.w};
			for (u32 a = lane; a - lane < row.z; a += 128) {
				u32 w[4];
#pragma unroll
				for (int k = 0; k < 4; k++)
					w[k] = streamIf(a + 32 * k < row.z, neighbors + a + 32 * k, none);
				visit(to, w, parents);
			}
		}
	}
	// The rest: each arc finds its row among the sums of the lengths.
	u32 before, total;
	Scan32(s.scan32).ExclusiveSum(length, before, total);
	s.before[tid] = before;
	s.start[tid] = start - before;
	s.label[tid] = label;
	for (u32 base = 0; base < total; base += step) {
		flush(to, false);
		u32 w[4], parents[4];
#pragma unroll
		for (int k = 0; k < 4; k++) {
			const u32 arc = base + k * THREADS + tid;
			u32 row = 0; // the last that begins at or before arc
#pragma unroll
			for (u32 d = THREADS / 2; d; d /= 2)
				row += s.before[row + d] <= arc ? d : 0;
			w[k] = streamIf(arc < total, g.neighbors + s.start[row] + arc, none);
			parents[k] = s.label[row];
		}
		visit(to, w, parents);
	}
	flush(to, false);
}

// clip returns the part of a row that lies in from..to-1 of the frontier's arcs,
// of which the row's begin at before.
__device__ inline u32 clip(u64 before, const Row &row, u64 from, u64 to, u64 &start) {
	const u64 lo = max(before, from), hi = min(before + row.degree, to);
	start = row.start + (lo - before);
	return lo < hi ? u32(hi - lo) : 0;
}

__device__ inline Row rowOf(u32 v) {
	const uint4 x = __ldg(reinterpret_cast<const uint4 *>(g.rows + rowNumber(v)));
	return Row{u64(x.y) << 32 | x.x, x.z, x.w};
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
// a thread, the same in every block.
__device__ inline u64 estimate(const u32 *queue, u32 count) {
	u64 before;
	const u64 total = scanDegrees(rowOf(__ldcg(queue + u64(threadIdx.x) * count / THREADS)).degree, before);
	return u64(double(total) * count / THREADS);
}

// measure looks a queue's rows up, each block a slice of it, and returns the
// number of arcs of this block's slice.
__device__ inline u64 measure(const u32 *queue, u32 count) {
	const u32 slice = (count + gridDim.x - 1) / gridDim.x;
	const u32 lo = min(count, slice * blockIdx.x), hi = min(count, lo + slice);
	u64 sum = 0;
	for (u32 i = lo + threadIdx.x; i < hi; i += THREADS) {
		const Row row = rowOf(__ldcg(queue + i));
		reinterpret_cast<uint4 *>(g.items)[i] = make_uint4(u32(row.start), u32(row.start >> 32), row.degree, row.label);
		sum += row.degree;
	}
	u64 before;
	const u64 total = scanDegrees(sum, before);
	if (threadIdx.x == 0)
		g.share[blockIdx.x] = total;
	return total;
}

__device__ inline void beginStep() {
	__syncthreads();
	if (threadIdx.x == 0)
		shared<TopDown>().localCount = shared<TopDown>().claimed = 0;
	__syncthreads();
}

// expandSmall goes through the rows that measureSmall found.
__device__ inline void expandSmall(const Frontier &to, const Row &row, u64 before, u64 total) {
	const u64 from = total * blockIdx.x / gridDim.x, end = total * (blockIdx.x + 1) / gridDim.x;
	beginStep();
	if (from < end) {
		u64 start;
		const u32 length = clip(before, row, from, end, start);
		gather(to.visited, to.queue, to.count, start, length, row.label);
	}
	flush(to, true);
}

// expand goes through the rows that measure found, after a meeting.
__device__ inline void expand(const Frontier &to, u32 count, u64 total) {
	TopDown &s = shared<TopDown>();
	const u32 tid = threadIdx.x;
	const u32 slice = (count + gridDim.x - 1) / gridDim.x;
	u64 carry = 0, before;
	beginStep();
	for (u32 base = 0; base < gridDim.x; base += THREADS) {
		const u64 sum = scanDegrees(base + tid < gridDim.x ? __ldcg(g.share + base + tid) : 0, before);
		if (base + tid < gridDim.x)
			s.share[base + tid] = carry + before;
		carry += sum;
	}
	__syncthreads();
	const u64 from = total * blockIdx.x / gridDim.x, end = total * (blockIdx.x + 1) / gridDim.x;
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
			const uint4 x = __ldcg(reinterpret_cast<const uint4 *>(g.items) + first + tid);
			row = Row{u64(x.y) << 32 | x.x, x.z, x.w};
		}
		u64 mine, start;
		const u64 sum = scanDegrees(row.degree, mine);
		if (before + sum > from) {
			const u32 length = clip(before + mine, row, from, end, start);
			gather(to.visited, to.queue, to.count, start, length, row.label);
		}
		before += sum;
	}
	flush(to, true);
}

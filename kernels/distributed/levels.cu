// The levels of the search on devices that cannot access each other's memory.
//
// A device has the rows of a range of labels, and bitmaps of all vertices. Bottom-up it finds
// parents for its own vertices; the host then exchanges the slices of the new bitmap.
// Top-down it lists the vertices that it finds with their parents; the host exchanges the
// lists, from which each device takes what it needs.
#include <cub/block/block_scan.cuh>

#include "warp.cuh"

namespace {

__device__ inline bool isIn(const u32 *bitmap, u32 v) { return __ldcg(bitmap + (v >> 5)) >> (v & 31) & 1; }

__device__ inline const Row &rowOf(const u64 *index, const Row *rows, u32 v) { return rows[construct::rowNumber(index[v >> 5], v)]; }

} // namespace

// distributed_start visits the root, which the device has the row of if own. One thread.
extern "C" __global__ void
distributed_start(u32 root, u32 own, const u64 *index, const Row *rows, u32 *visited, u32 *parents, u32 *queue, Counts *counts) {
	visited[root >> 5] |= 1u << (root & 31);
	if (!own) return;
	parents[root] = root;
	queue[0] = root;
	counts->queued = 1;
	counts->arcs = rowOf(index, rows, root).degree;
}

// distributed_expand visits the neighbours of count vertices of a queue and lists those that
// were not visited. A block takes as many vertices as it has threads, and shares their
// neighbours among the threads.
extern "C" __global__ void __launch_bounds__(blockThreads)
distributed_expand(const u32 *queue, u32 count, const u64 *index, const Row *rows, const u32 *neighbors, u32 *visited, Pair *found, Counts *counts) {
	using Scan = cub::BlockScan<u64, blockThreads>;
	__shared__ Scan::TempStorage storage;
	__shared__ u64 starts[blockThreads], before[blockThreads]; // of the rows, and the arcs of the rows before
	__shared__ u32 labels[blockThreads];
	const u32 tid = threadIdx.x, lane = tid & 31;
	for (u64 base = (u64)blockIdx.x * blockThreads; base < count; base += allThreads()) {
		Row row{0, 0, none};
		if (base + tid < count) row = rowOf(index, rows, queue[base + tid]);
		u64 sum, arcs;
		Scan(storage).ExclusiveSum(u64(row.degree), sum, arcs);
		starts[tid] = row.start, before[tid] = sum, labels[tid] = row.label;
		__syncthreads();
		for (u64 arc = tid; arc - lane < arcs; arc += blockThreads) {
			bool isNew = false;
			u32 w = none, at = 0;
			if (arc < arcs) {
				for (u32 step = blockThreads / 2; step; step /= 2) // the last row that begins at or before arc
					if (before[at + step] <= arc) at += step;
				w = neighbors[starts[at] + (arc - before[at])];
				const u32 bit = 1u << (w & 31);
				isNew = !isIn(visited, w) && !(atomicOr(visited + (w >> 5), bit) & bit);
			}
			const u32 to = append(isNew, &counts->found);
			if (isNew) found[to] = Pair{w, labels[at]};
		}
		__syncthreads();
	}
}

// distributed_take marks the vertices of a list of pairs, which may contain a vertex several
// times. Of the vertices first to end-1 it writes the parents, unless they have one, and
// makes the queue. It adds up the arcs of the queue. If the exchange failed, the list has any
// pairs: those of no vertex are left out, and the host ends the search.
extern "C" __global__ void __launch_bounds__(blockThreads)
distributed_take(const Pair *list, u64 count, u32 first, u32 end, u32 vertices, const u64 *index, const Row *rows, u32 *visited, u32 *parents, u32 *queue, Counts *counts) {
	const u32 lane = threadIdx.x & 31;
	u64 arcs = 0;
	for (u64 i = firstThread(); i - lane < count; i += allThreads()) {
		bool isNew = false;
		u32 v = none;
		if (i < count) {
			v = list[i].vertex;
			if (v < vertices) atomicOr(visited + (v >> 5), 1u << (v & 31));
			if (v >= first && v < end) isNew = atomicCAS(parents + v, none, list[i].parent) == none;
			if (isNew) arcs += rowOf(index, rows, v).degree;
		}
		const u32 to = append(isNew, &counts->queued);
		if (isNew) queue[to] = v;
	}
	addUp(arcs, &counts->arcs);
}

// distributed_bottom_up looks for a visited neighbour of each unvisited vertex in the words
// first to end-1 of the bitmap, and writes the bitmap after the level. An unvisited vertex has
// no neighbour of a level before the frontier's, so that any visited one is a parent.
extern "C" __global__ void __launch_bounds__(blockThreads)
distributed_bottom_up(u64 first, u64 end, const u64 *index, const Row *rows, const u32 *neighbors, const u32 *visited, u32 *next, u32 *parents, Counts *counts) {
	const u32 lane = threadIdx.x & 31;
	u64 arcs = 0, examined = 0;
	u32 found = 0;
	for (u64 word = first + firstThread() / 32; word < end; word += allThreads() / 32) {
		const u64 entry = index[word];
		const u32 seen = visited[word], open = (u32)entry & ~seen;
		const bool mine = open >> lane & 1;
		const Row row = mine ? rows[construct::rowNumber(entry, lane)] : Row{0, 0, none};
		u32 parent = none;
		const u32 own = min(row.degree, ownNeighbors);
		for (u32 i = 0; i < own && parent == none; i++) {
			const u32 u = neighbors[row.start + i];
			if (isIn(visited, u)) parent = u;
			examined++;
		}
		u32 rest = __ballot_sync(~0u, parent == none && row.degree > ownNeighbors);
		for (; rest; rest &= rest - 1) {
			const u32 of = __ffs(rest) - 1;
			const u32 degree = __shfl_sync(~0u, row.degree, of);
			const u64 start = __shfl_sync(~0u, row.start, of);
			for (u32 i = ownNeighbors; i < degree; i += 32) {
				const bool has = i + lane < degree;
				const u32 u = has ? neighbors[start + i + lane] : none;
				const u32 hits = __ballot_sync(~0u, has && isIn(visited, u));
				examined += has;
				if (!hits) continue;
				const u32 p = __shfl_sync(~0u, u, __ffs(hits) - 1);
				if (lane == of) parent = p;
				break;
			}
		}
		const u32 finds = __ballot_sync(~0u, parent != none);
		if (parent != none) {
			parents[32 * word + lane] = parent;
			arcs += row.degree;
			found++;
		}
		if (lane == 0) next[word] = seen | finds;
	}
	found = __reduce_add_sync(~0u, found);
	if (lane == 0 && found) atomicAdd(&counts->found, found);
	addUp(arcs, &counts->arcs);
	addUp(examined, &counts->examined);
}

// distributed_queue makes the queue of the vertices in the words first to end-1 of a bitmap
// that are not in the one before.
extern "C" __global__ void __launch_bounds__(blockThreads)
distributed_queue(u64 first, u64 end, const u32 *visited, const u32 *before, u32 *queue, Counts *counts) {
	const u32 lane = threadIdx.x & 31;
	for (u64 word = first + firstThread() / 32; word < end; word += allThreads() / 32) {
		const bool isNew = (visited[word] & ~before[word]) >> lane & 1;
		const u32 to = append(isNew, &counts->queued);
		if (isNew) queue[to] = u32(32 * word + lane);
	}
}

// privatized: each block fills a private queue (PMPP 15.6, figure 15.14).
//
// What it does: as frontier, but a vertex found goes to a queue with a counter in the
// shared memory of the block. At its end the block reserves space in the global queue for
// all its vertices with one atomic, and copies them there with coalesced stores. Vertices
// that do not fit in the block's queue go directly to the global queue.
//
// What it costs: an atomic addition in shared memory for each vertex found, one on the
// global counter for each block, and three barriers. Each vertex is written twice, once
// of these to shared memory.
//
// Bottleneck: the long rows, each traversed by one thread. The barriers make the whole
// block wait for that thread. The counter is no longer a bottleneck.
#include "queue.cuh"

// privatized_expand expands the count vertices of queue into next. found must be zero. The
// dynamic shared memory holds room vertices.
extern "C" __global__ void privatized_expand(const u64 *index, const Row *rows, const u32 *neighbors, u32 *parents,
	const u32 *queue, u32 count, u32 *next, u32 *found, u32 room) {
	extern __shared__ u32 own[];
	__shared__ u32 ownCount, first;
	if (threadIdx.x == 0)
		ownCount = 0;
	__syncthreads();

	const u64 i = thread();
	if (i < count) {
		const u32 u = queue[i];
		const Row row = rowOf(index, rows, u);
		examined(row.degree);
		for (u64 k = row.start; k < row.start + row.degree; k++) {
			const u32 v = neighbors[k];
			if (claim(parents, v, u)) {
				const u32 place = atomicAdd(&ownCount, 1);
				if (place < room)
					own[place] = v;
				else
					next[reserve(found, 1)] = v;
			}
		}
	}
	__syncthreads();

	// ownCount may exceed the capacity of the block's queue. The book resets it at each
	// overflow; the minimum here avoids stores between the atomics of other threads.
	const u32 kept = min(ownCount, room);
	if (threadIdx.x == 0)
		first = reserve(found, kept);
	__syncthreads();
	for (u32 k = threadIdx.x; k < kept; k += blockDim.x)
		next[first + k] = own[k];
}

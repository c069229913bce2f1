// privatized: each block fills a queue of its own (PMPP 15.6, figure 15.14).
//
// What it does: as frontier does, but a vertex found goes into a queue that the
// block has in shared memory, with a counter beside it. At its end the block
// reserves room in the common queue for all its vertices at once and copies
// them there, neighbouring threads to neighbouring places (coalesced). What
// does not fit into the block's queue goes straight to the common one.
//
// What it costs: an addition in shared memory for each vertex found, one on
// the common counter for each block, and three barriers. Vertices are written
// twice, once where that is cheap.
//
// Bottleneck: no longer the counter. What is left of frontier's is the long row
// that one thread walks through, and a barrier lets the whole block wait for it.
#include "queue.cuh"

// privatized_expand expands the count vertices of queue into next. found is
// zero before. The dynamic shared memory holds room vertices.
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

	// The counter has run on beyond the room. The book sets it back each time;
	// to cut it off here needs no stores among other threads' atomics.
	const u32 kept = min(ownCount, room);
	if (threadIdx.x == 0)
		first = reserve(found, kept);
	__syncthreads();
	for (u32 k = threadIdx.x; k < kept; k += blockDim.x)
		next[first + k] = own[k];
}

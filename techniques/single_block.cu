// single-block: small levels without the host (PMPP 15.7, "Reducing launch
// overhead", figure 15.16).
//
// What it does: while the frontier fits into a queue that one block has in
// shared memory, a single block goes from level to level by itself, with a
// barrier where other techniques have a launch. When a level finds more than
// there is room for, the block copies its part of the queue to the global one,
// where the rest is already, and hands over to the host, which goes on with
// launches of the plain kernel until a frontier is small again.
//
// What it costs: nothing beside the plain search, but while the block runs one
// multiprocessor of all works. It needs no reservations on global memory: the
// next queue has the same places in shared memory and beyond.
//
// Bottleneck: that multiprocessor. A frontier of few vertices with long rows is
// small by the count and large by the work.
#include "queue.cuh"

// single_block_expand expands the count vertices of queue into next, the way of
// every level that is not small. found is zero before.
extern "C" __global__ void single_block_expand(const u64 *index, const Row *rows, const u32 *neighbors, u32 *parents,
	const u32 *queue, u32 count, u32 *next, u32 *found) {
	const u64 i = thread();
	if (i < count)
		expand(index, rows, neighbors, parents, queue[i], next, found);
}

// single_block_run begins with the count vertices of queue, at most room, and
// writes the number found in each level to found: up to levels entries, the
// last of them 0 or more than room if there are less. The vertices found last
// are then in next. One block; the dynamic shared memory holds 2 room vertices.
extern "C" __global__ void single_block_run(const u64 *index, const Row *rows, const u32 *neighbors, u32 *parents,
	const u32 *queue, u32 count, u32 *next, u32 *found, u32 levels, u32 room) {
	extern __shared__ u32 queues[];
	__shared__ u32 tail;
	u32 *now = queues, *then = queues + room;
	for (u32 k = threadIdx.x; k < count; k += blockDim.x)
		now[k] = queue[k];

	for (u32 level = 0; level < levels && count > 0 && count <= room; level++) {
		if (threadIdx.x == 0)
			tail = 0;
		__syncthreads();
		for (u32 i = threadIdx.x; i < count; i += blockDim.x) {
			const u32 u = now[i];
			const Row row = rowOf(index, rows, u);
			examined(row.degree);
			for (u64 k = row.start; k < row.start + row.degree; k++) {
				const u32 v = neighbors[k];
				if (claim(parents, v, u)) {
					const u32 place = atomicAdd(&tail, 1);
					if (place < room)
						then[place] = v;
					else
						next[place] = v;
				}
			}
		}
		__syncthreads();
		count = tail;
		if (threadIdx.x == 0)
			found[level] = count;
		u32 *const before = now;
		now = then;
		then = before;
		__syncthreads(); // before tail is set again
	}
	for (u32 k = threadIdx.x; k < min(count, room); k += blockDim.x)
		next[k] = now[k];
}

// single-block: small levels without the host (PMPP 15.7, "Reducing launch
// overhead", figure 15.16).
//
// What it does: while the frontier fits in the shared memory of one block, a single block
// processes level after level, with a barrier where other techniques have a launch. When a
// level finds more vertices than fit, the block copies its part of the queue to the global
// queue, which already has the rest, and returns to the host. The host launches the normal
// kernel until a frontier is small again.
//
// What it costs: no additional work, but only one multiprocessor is busy while the block
// runs. The block needs no atomics on global memory: a vertex has the same position in
// the queue whether it is in shared or in global memory.
//
// Bottleneck: that multiprocessor. A frontier of few vertices with long rows has a small
// count but much work.
#include "queue.cuh"

// single_block_expand expands the count vertices of queue into next, for levels that are
// not small. found must be zero.
extern "C" __global__ void single_block_expand(const u64 *index, const Row *rows, const u32 *neighbors, u32 *parents,
	const u32 *queue, u32 count, u32 *next, u32 *found) {
	const u64 i = thread();
	if (i < count)
		expand(index, rows, neighbors, parents, queue[i], next, found);
}

// single_block_run starts with the count vertices of queue, at most room, and processes up
// to levels levels. It writes the number of vertices found in each level to found. It
// stops earlier after a level that found 0 or more than room vertices. The vertices found
// in the last level are then in next. One block; the dynamic shared memory holds 2 room
// vertices.
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

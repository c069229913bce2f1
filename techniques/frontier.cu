// frontier: the frontier is a queue (PMPP 15.5, figure 15.12; Luo, Wong and Hwu 2010).
//
// What it does: one thread per vertex of the queue and one launch per level. A thread
// traverses its CSR row. The thread that claims a neighbour appends it to the next queue.
// A claim is a compare-and-swap on the parent: idempotent stores, as in push, would put a
// vertex into the queue more than once. The search ends with an empty queue.
//
// What it costs: work in proportion to the examined edges, no longer to vertices times
// levels. Each examined edge needs a load, each vertex found a compare-and-swap, sometimes
// more than one, and an atomic addition to one counter.
//
// Bottleneck: the counter, to which all threads of the grid add. On graphs with hubs it is
// rather the threads that traverse a long row alone while the rest of the warp waits.
#include "queue.cuh"

// frontier_expand expands the count vertices of queue into next. found must be zero.
extern "C" __global__ void frontier_expand(const u64 *index, const Row *rows, const u32 *neighbors, u32 *parents,
	const u32 *queue, u32 count, u32 *next, u32 *found) {
	const u64 i = thread();
	if (i < count)
		expand(index, rows, neighbors, parents, queue[i], next, found);
}

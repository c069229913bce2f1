// frontier: a queue of the vertices found last (PMPP 15.5, figure 15.12; Luo,
// Wong and Hwu 2010).
//
// What it does: one thread for each vertex of the queue and one launch a level.
// A thread goes through its row of CSR, and who claims a neighbour appends it
// to the next queue. Claims are compare-and-swaps on the parents: stores that
// several may make, as in push, would put a vertex into the queue more than
// once. The search ends with an empty queue.
//
// What it costs: work in proportion to the edges that are looked at and no
// longer to vertices times levels; a load for each of them, a compare-and-swap
// for each vertex found, sometimes one more, and an addition to one counter.
//
// Bottleneck: the counter, which all threads of the grid add to; and, worse
// where there are hubs, threads that walk through a long row alone while the
// rest of their warp waits.
#include "queue.cuh"

// frontier_expand expands the count vertices of queue into next. found is zero
// before.
extern "C" __global__ void frontier_expand(const u64 *index, const Row *rows, const u32 *neighbors, u32 *parents,
	const u32 *queue, u32 count, u32 *next, u32 *found) {
	const u64 i = thread();
	if (i < count)
		expand(index, rows, neighbors, parents, queue[i], next, found);
}

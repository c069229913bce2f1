// gather-scan: a block gathers the neighbours of all its vertices together
// (DepGraph 7.1, fine-grained by scan; Merrill, Garland and Grimshaw 2012).
//
// What it does: each thread has a vertex of the queue. A prefix sum over the degrees
// concatenates the rows of the block. The threads write the positions of their neighbours
// to a vector in shared memory, and then each thread processes one position: one
// neighbour per thread, regardless of the row lengths.
//
// What it costs: one prefix sum, and one write and read in shared memory for the position
// and the parent of each arc.
//
// Bottleneck: filling the vector. A row longer than the vector fills it alone for several
// rounds, and one thread writes all of it while the others wait.
#include "gather.cuh"

// gather_scan_expand expands the count vertices of queue into next. The grid must have at
// least count threads. found must be zero.
extern "C" __global__ void __launch_bounds__(gatherThreads) gather_scan_expand(const u64 *index, const Row *rows,
	const u32 *neighbors, u32 *parents, const u32 *queue, u32 count, u32 *next, u32 *found, uint8_t *visited) {
	const Row row = rowOfThread(index, rows, queue, count);
	gatherScan(Step{neighbors, parents, visited, next, found}, row);
}

// gather-scan: a block gathers the neighbours of all its vertices together
// (DepGraph 7.1, fine-grained by scan; Merrill, Garland and Grimshaw 2012).
//
// What it does: each thread brings a vertex of the queue. A prefix sum over the
// degrees lays the block's rows end to end; the threads write the places of
// their neighbours into a vector in shared memory, and then each thread takes
// one place out of it: a neighbour a thread, whatever the rows.
//
// What it costs: the prefix sum once, and each arc's place once through shared
// memory with its parent beside it.
//
// Bottleneck: the filling. A row longer than the vector fills it alone, round
// after round, and the one thread that brought it writes it all, while the
// others wait for their turn.
#include "gather.cuh"

// gather_scan_expand expands the count vertices of queue into next.
// The grid has as many threads or more. found is zero before.
extern "C" __global__ void __launch_bounds__(gatherThreads) gather_scan_expand(const u64 *index, const Row *rows,
	const u32 *neighbors, u32 *parents, const u32 *queue, u32 count, u32 *next, u32 *found, uint8_t *visited) {
	const Row row = rowOfThread(index, rows, queue, count);
	gatherScan(Step{neighbors, parents, visited, next, found}, row);
}

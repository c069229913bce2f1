// scan-warp-cta: the gathering method depends on the row length (DepGraph 7, the hybrid;
// Merrill, Garland and Grimshaw 2012).
//
// What it does: each thread has a vertex of the queue. The block processes rows with at
// least one neighbour per thread of the block (gather-cta). Warps process the remaining
// rows with at least 32 neighbours (gather-warp). The rest is concatenated (gather-scan).
// No long row makes other threads wait, and no row is too short for its threads.
//
// What it costs: three phases instead of one, each with at least one barrier, even in
// blocks without a row for it.
//
// Bottleneck: load balance between blocks. Blocks have the same number of vertices, not
// of neighbours, so the block with the longest row runs on after the others. Barriers:
// each round of a block waits for its slowest load.
#include "gather.cuh"

// scan_warp_cta_expand expands the count vertices of queue into next. The grid must have
// at least count threads. found must be zero.
extern "C" __global__ void __launch_bounds__(gatherThreads) scan_warp_cta_expand(const u64 *index, const Row *rows,
	const u32 *neighbors, u32 *parents, const u32 *queue, u32 count, u32 *next, u32 *found, uint8_t *visited) {
	Row row = rowOfThread(index, rows, queue, count);
	gatherByLength(Step{neighbors, parents, visited, next, found}, row);
}

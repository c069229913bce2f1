// gather-cta: a thread block (CTA) gathers the neighbours of one vertex after the other
// (DepGraph 7.1, the CTA part of the hybrid; Merrill, Garland and Grimshaw 2012).
//
// What it does: as gather-warp, with the block instead of the warp. Each thread has a
// vertex of the queue, the threads compete for the block, and all of them process the
// row of the winner.
//
// What it costs: at least three barriers per vertex, and a row of any length occupies a
// multiple of the block's threads.
//
// Bottleneck: rows shorter than the block, which are nearly all. The method is intended
// for long rows only (scan-warp-cta).
#include "gather.cuh"

// gather_cta_expand expands the count vertices of queue into next. The grid must have at
// least count threads. found must be zero.
extern "C" __global__ void __launch_bounds__(gatherThreads) gather_cta_expand(const u64 *index, const Row *rows,
	const u32 *neighbors, u32 *parents, const u32 *queue, u32 count, u32 *next, u32 *found, uint8_t *visited) {
	Row row = rowOfThread(index, rows, queue, count);
	gatherCta(Step{neighbors, parents, visited, next, found}, row, 1);
}

// gather-cta: a block gathers the neighbours of one vertex after the other
// (DepGraph 7.1, the block's share of the hybrid; Merrill, Garland and Grimshaw
// 2012, who call a block a CTA).
//
// What it does: as gather-warp does, with the block in the place of the warp:
// each thread brings a vertex of the queue, the threads compete for the block,
// and all of them strip the winner's row.
//
// What it costs: three barriers and more for each vertex, and a row of any
// length takes a multiple of the block's threads.
//
// Bottleneck: rows shorter than the block, which are nearly all. It is meant
// for the long ones only (scan-warp-cta).
#include "gather.cuh"

// gather_cta_expand expands the count vertices of queue into next.
// The grid has as many threads or more. found is zero before.
extern "C" __global__ void __launch_bounds__(gatherThreads) gather_cta_expand(const u64 *index, const Row *rows,
	const u32 *neighbors, u32 *parents, const u32 *queue, u32 count, u32 *next, u32 *found, uint8_t *visited) {
	Row row = rowOfThread(index, rows, queue, count);
	gatherCta(Step{neighbors, parents, visited, next, found}, row, 1);
}

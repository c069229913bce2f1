// gather-warp: a warp gathers the neighbours of one vertex after the other
// (DepGraph 7.1, coarse-grained by warps; Merrill, Garland and Grimshaw 2012).
//
// What it does: each thread has a vertex of the queue. The lanes of a warp compete for the
// warp, and all of them process the row of the winner, until every row of the warp is
// done. The lanes compete by a warp vote; in the paper they compete by writes to shared
// memory.
//
// What it costs: a row of any length occupies a multiple of 32 lanes. The loads of a row
// are coalesced.
//
// Bottleneck: rows shorter than a warp (with one neighbour 31 lanes are idle), and warps
// whose total row length is larger than that of the others, because the block waits for
// them.
#include "gather.cuh"

// gather_warp_expand expands the count vertices of queue into next. The grid must have at
// least count threads. found must be zero.
extern "C" __global__ void __launch_bounds__(gatherThreads) gather_warp_expand(const u64 *index, const Row *rows,
	const u32 *neighbors, u32 *parents, const u32 *queue, u32 count, u32 *next, u32 *found, uint8_t *visited) {
	Row row = rowOfThread(index, rows, queue, count);
	gatherWarp(Step{neighbors, parents, visited, next, found}, row, 1);
}

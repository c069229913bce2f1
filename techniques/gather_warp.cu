// gather-warp: a warp gathers the neighbours of one vertex after the other
// (DepGraph 7.1, coarse-grained by warps; Merrill, Garland and Grimshaw 2012).
//
// What it does: each thread brings a vertex of the queue. The lanes of a warp
// compete for it; all of them strip the winner's row, and so on until every
// row of the warp is done. What competes by writing to shared memory in the
// paper is a vote here, which the hardware has had since.
//
// What it costs: a row of any length takes a multiple of 32 places. The loads
// of a row are side by side (coalesced).
//
// Bottleneck: rows shorter than a warp, with one neighbour 31 lanes do nothing;
// and warps whose rows are longer in sum than those of the others, for which
// the block waits.
#include "gather.cuh"

// gather_warp_expand expands the count vertices of queue into next.
// The grid has as many threads or more. found is zero before.
extern "C" __global__ void __launch_bounds__(gatherThreads) gather_warp_expand(const u64 *index, const Row *rows,
	const u32 *neighbors, u32 *parents, const u32 *queue, u32 count, u32 *next, u32 *found, uint8_t *visited) {
	Row row = rowOfThread(index, rows, queue, count);
	gatherWarp(Step{neighbors, parents, visited, next, found}, row, 1);
}

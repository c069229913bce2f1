// scan-warp-cta: each row is gathered by those it is long enough for (DepGraph
// 7, the hybrid; Merrill, Garland and Grimshaw 2012).
//
// What it does: each thread brings a vertex of the queue. Rows of as many
// neighbours as the block has threads and more are stripped by the block
// (gather-cta), of the rest those of 32 and more by warps (gather-warp), and
// what is left is laid end to end (gather-scan). Nobody's row makes others wait,
// and none is too short for those who gather it.
//
// What it costs: three competitions in place of one, each of a barrier at
// least, for blocks that have no row for it.
//
// Bottleneck: the shares of the blocks. Each has as many vertices, not as many
// neighbours: the block of the longest row works on after all others are done.
// And barriers: each round of a block waits for its slowest load.
#include "gather.cuh"

// scan_warp_cta_expand expands the count vertices of queue into next.
// The grid has as many threads or more. found is zero before.
extern "C" __global__ void __launch_bounds__(gatherThreads) scan_warp_cta_expand(const u64 *index, const Row *rows,
	const u32 *neighbors, u32 *parents, const u32 *queue, u32 count, u32 *next, u32 *found, uint8_t *visited) {
	Row row = rowOfThread(index, rows, queue, count);
	gatherByLength(Step{neighbors, parents, visited, next, found}, row);
}

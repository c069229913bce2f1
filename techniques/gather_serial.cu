// gather-serial: each thread gathers the neighbours of its own vertex
// (DepGraph 7.1, sequential gathering; Merrill, Garland and Grimshaw 2012).
//
// What it does: one thread a vertex of the queue, as in frontier. What is new,
// here and in the four techniques after it, is around the gathering: a bitmask
// says of most neighbours that they are visited; places in the next queue come
// of a prefix sum over the block in place of an atomic each; and a short queue
// is dealt out to as many blocks as run at once, be they mostly empty.
//
// What it costs: a round of the block for each neighbour of its longest row,
// with one barrier, or four if somebody found a vertex.
//
// Bottleneck: uneven rows. With 2, 1, 0 and 3 neighbours four threads take as
// long as with 3 each, and a hub's row keeps a whole block: longer than in
// frontier, where the threads of a block need not go in step. Neighbouring
// threads read from distant rows, so hardly any two loads fall into one sector.
#include "gather.cuh"

// gather_serial_expand expands the count vertices of queue into next.
// The grid has as many threads or more. found is zero before.
extern "C" __global__ void __launch_bounds__(gatherThreads) gather_serial_expand(const u64 *index, const Row *rows,
	const u32 *neighbors, u32 *parents, const u32 *queue, u32 count, u32 *next, u32 *found, uint8_t *visited) {
	const Row row = rowOfThread(index, rows, queue, count);
	gatherSerial(Step{neighbors, parents, visited, next, found}, row);
}

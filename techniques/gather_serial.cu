// gather-serial: each thread gathers the neighbours of its own vertex
// (DepGraph 7.1, sequential gathering; Merrill, Garland and Grimshaw 2012).
//
// What it does: one thread per vertex of the queue, as in frontier. This technique and the
// four after it add three things: a bitmask filters most visited neighbours; a prefix sum
// over the block assigns the positions in the next queue, instead of one atomic per
// vertex; and a short queue is distributed over all resident blocks, even if these are
// mostly empty.
//
// What it costs: one round of the block for each neighbour of its longest row, with one
// barrier, or four if a thread found a vertex.
//
// Bottleneck: uneven rows. Four threads with 2, 1, 0 and 3 neighbours need the same time
// as with 3 each. A hub's row occupies a whole block, for longer than in frontier, where
// the threads of a block do not run in lockstep. Neighbouring threads read from distant
// rows, so hardly any two loads share a sector.
#include "gather.cuh"

// gather_serial_expand expands the count vertices of queue into next. The grid must have
// at least count threads. found must be zero.
extern "C" __global__ void __launch_bounds__(gatherThreads) gather_serial_expand(const u64 *index, const Row *rows,
	const u32 *neighbors, u32 *parents, const u32 *queue, u32 count, u32 *next, u32 *found, uint8_t *visited) {
	const Row row = rowOfThread(index, rows, queue, count);
	gatherSerial(Step{neighbors, parents, visited, next, found}, row);
}

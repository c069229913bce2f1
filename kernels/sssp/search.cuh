// The state of a search on the device, and what all steps use.
#pragma once
#include "../construct/layout.cuh"
#include "layout.cuh"

#include "../barrier.cuh"
#include "../ptx.cuh"

constexpr u32 infinite = 0x7f800000;  // bits of +Inf: above the bits of every distance
constexpr u32 unreached = 0xbf800000; // bits of engine.Unreached: above infinite as an unsigned number

// Step is a part of a search in the records.
enum Step : u32 { stepNear, stepPush, stepPull, stepTail };

// Status is what the host reads after a search.
enum Status : u32 {
	statusDone,    // the results are complete
	statusFull,    // a list ran full: the results are not complete
	statusStopped, // the host asked to stop
};

// The state is in constant memory, so that each use is an operand of an instruction.
__constant__ State g;

__device__ inline u64 *barrierWords() { return g.control->barrier; }
__device__ inline u32 *finishedBlocks() { return &g.control->finishedBlocks; }

// Distances are bits of float numbers of 0 or more, whose order is that of unsigned
// numbers. add rounds each sum to float, as the host does; it must not be fused with
// another operation.
__device__ inline u32 add(u32 distance, float weight) {
	return __float_as_uint(__fadd_rn(__uint_as_float(distance), weight));
}

// Row is the row of a vertex.
struct WeightedRowOf {
	u64 start;
	u32 degree;
};

__device__ inline u32 rowNumber(u32 v) {
	const uint2 word = __ldg(reinterpret_cast<const uint2 *>(g.index) + (v >> 5));
	return word.y + __popc(word.x & ((1u << (v & 31)) - 1));
}

__device__ inline WeightedRowOf loadRow(u32 number) {
	const uint4 x = __ldg(g.rows + number);
	return WeightedRowOf{u64(x.y) << 32 | x.x, x.z};
}

// Log appends improvements to the log. Its entries are also the queue: those of a round
// are consecutive, and the next round pushes from them.
struct Log {
	u32 *found; // improvements of the block in this round, in shared memory

	// append appends the improvements of the lanes that are on. The lanes of a warp, or of
	// a part of it, that call together share one atomic.
	__device__ void append(bool on, u32 vertex, u32 parent, u32 distance, u32 lanes) {
		const u32 all = __ballot_sync(lanes, on);
		if (all == 0)
			return;
		const u32 lane = threadIdx.x & 31, first = __ffs(all) - 1;
		u32 at = 0;
		if (lane == first) {
			at = atomicAdd(&g.control->logLength, u32(__popc(all)));
			atomicAdd(found, u32(__popc(all)));
		}
		at = __shfl_sync(lanes, at, first) + __popc(all & ((1u << lane) - 1));
		if (on && at < g.logCapacity)
			g.log[at] = make_uint4(vertex, parent, distance, 0);
	}
};

// lower lowers the distance of a vertex and reports whether it did. Most arcs lead to
// vertices that are nearer already, so it looks before the atomic operation.
__device__ inline bool lower(bool on, u32 vertex, u32 distance) {
	const u32 now = loadIf(on, g.distances + vertex, 0);
	return distance < now && distance < atomicMin(g.distances + vertex, distance);
}

// record writes the record of a part of the search. Thread 0 of block 0 calls it.
__device__ inline void record(Step step, u32 frontier, u32 found, u64 examined) {
	Control *c = g.control;
	const u32 i = min(c->records, maxRecords - 1);
	if (c->records >= maxRecords) { // shared by all later rounds
		frontier += g.rounds[i].frontier;
		found += g.rounds[i].found;
		examined += g.rounds[i].examined;
	}
	c->records++;
	c->end = now();
	g.rounds[i] = RoundRecord{u32(step), frontier, found, 0, examined, c->end};
}

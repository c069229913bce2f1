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

	// append appends the improvements of the lanes whose win is not 0: bit k stands for the
	// improvement of to[k] to distance[k] from parent. All lanes of the warp must call it.
	template <int each> __device__ void append(u32 win, u32 parent, const u32 (&to)[each], const u32 (&distance)[each]) {
		u32 mine[each], all = 0, before = 0;
		const u32 lane = threadIdx.x & 31;
#pragma unroll
		for (int k = 0; k < each; k++) {
			mine[k] = __ballot_sync(~0u, win >> k & 1);
			all += __popc(mine[k]);
		}
		if (all == 0)
			return;
		u32 at = 0;
		if (lane == 0) {
			at = atomicAdd(&g.control->logLength, all);
			atomicAdd(found, all);
		}
		at = __shfl_sync(~0u, at, 0);
#pragma unroll
		for (int k = 0; k < each; k++) {
			const u32 place = at + before + __popc(mine[k] & ((1u << lane) - 1));
			if ((win >> k & 1) && place < g.logCapacity)
				g.log[place] = make_uint4(to[k], parent, distance[k], 0);
			before += __popc(mine[k]);
		}
	}
};

// lowerAll lowers the distances of the vertices to[k] for which bit k of on is set, and
// returns the bits of those that it has lowered. Most arcs lead to vertices that are nearer
// already, so it looks before the atomic operations. Those of one thread are in flight
// together.
template <int each> __device__ u32 lowerAll(u32 on, const u32 (&to)[each], const u32 (&distance)[each]) {
	u32 now[each], won = 0;
#pragma unroll
	for (int k = 0; k < each; k++)
		now[k] = loadIf(on >> k & 1, g.distances + to[k], 0);
#pragma unroll
	for (int k = 0; k < each; k++)
		now[k] = minIf(distance[k] < now[k], g.distances + to[k], distance[k], 0);
#pragma unroll
	for (int k = 0; k < each; k++)
		won |= u32(distance[k] < now[k]) << k;
	return won;
}

// lower is lowerAll for one vertex.
__device__ inline bool lower(bool on, u32 vertex, u32 distance) { return lowerAll<1>(on, {vertex}, {distance}); }

// record writes record number i of a part of the search. Thread 0 of block 0 calls it.
__device__ inline void record(u32 i, Step step, u32 frontier, u32 found, u64 examined) {
	if (i >= maxRecords) { // the last record is shared
		i = maxRecords - 1;
		frontier += g.rounds[i].frontier;
		found += g.rounds[i].found;
		examined += g.rounds[i].examined;
	}
	const u64 end = now();
	g.control->end = end;
	g.rounds[i] = RoundRecord{u32(step), frontier, found, 0, examined, end};
}

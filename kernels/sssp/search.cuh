// The state of a search on the device, and what all steps use. Vertices are the numbers of
// their rows, except in the results and in the tail, which have labels.
#pragma once
#include "../construct/layout.cuh"
#include "layout.cuh"

#include "../barrier.cuh"
#include "../distances.cuh"
#include "../ptx.cuh"

constexpr u32 openHub = 1u << 31; // added to the distance of a hub that may become lower
constexpr u32 noRow = ~0u;        // also the distance in an empty entry of g.best, above infinite

// Status is what the host reads after a search.
enum Status : u32 {
	statusDone,    // the results are complete
	statusFull,    // a list ran full: the results are not complete
	statusStopped, // the host asked to stop
	statusSettle,  // the second kernel goes on
};

// The state is in constant memory, so that each use is an operand of an instruction.
__constant__ State g;

__device__ inline u64 *barrierWords() { return g.control->barrier; }
__device__ inline u32 *finishedBlocks() { return &g.control->finishedBlocks; }

// Words is a range of words of a bitmap.
struct Words {
	u32 first, end;
};

// An answer of another device is the distance of a row, with finalBit if no news of it will come. News
// are a distance with newsBit.
constexpr u32 finalBit = 1u << 31, newsBit = 1u << 31;

// Distances are bits of float numbers of 0 or more, whose order is that of unsigned
// numbers. add rounds each sum to float, as the host does; it must not be fused with
// another operation.
__device__ inline u32 add(u32 distance, float weight) {
	return __float_as_uint(__fadd_rn(__uint_as_float(distance), weight));
}

// distanceOf returns the address of the distance in the entry of a row in g.best.
__device__ inline const u32 *distanceOf(u32 row) { return reinterpret_cast<const u32 *>(g.best + row) + 1; }

// sourceDistance returns the address of the distance of a row, for a hub with openHub or not.
__device__ inline const u32 *sourceDistance(u32 row) { return row < g.hubs ? g.hubBest + row : distanceOf(row); }

// thirdOf returns the entry in g.thirds of the row of a label, from the label's word of
// g.index.
__device__ inline const uint2 *thirdOf(uint2 word, u32 label) {
	return g.thirds + word.y + __popc(word.x & ((1u << (label & 31)) - 1));
}

// startOf returns the offset in g.arcs of a row from its second word in g.rows.
__device__ inline u64 startOf(const uint4 &rest) { return u64(rest.y & 0xff) << 32 | rest.x; }

// RowOf is a row of the graph.
struct RowOf {
	uint4 head; // first two arcs
	u64 start;
	u32 third; // bits of a number that is at most the weight of the third arc
	u32 degree, place;
};

// mayChange reports whether the distance of the source of a kept arc, by row, may become lower.
// targets is the word of g.targets with the source. A source with one kept arc, from the row that
// this arc leads to, changes no more by way of another row.
__device__ inline bool mayChange(u32 targets, const uint4 &arc, u32 distance, u32 bound) {
	const u32 arcs = targets >> 2 * (arc.w % 16) & 3;
	const bool isMutual = arcs == 1 && arc.w >= g.hubs && add(bound, __uint_as_float(arc.z)) < distance;
	return arcs > 0 && !isMutual;
}

// isBit returns bit i of a bitmap that the kernel writes.
__device__ inline bool isBit(const u32 *bitmap, u32 i) { return __ldcg(bitmap + (i >> 5)) >> (i & 31) & 1; }

__device__ inline void setBit(u32 *bitmap, u32 i) { atomicOr(bitmap + (i >> 5), 1u << (i & 31)); }

// Relaxed are the bits of the rows whose distances relaxAll has lowered, and of those among
// them that had none before.
struct Relaxed {
	u32 won, reached;
};

// noteTie notes, if on, that a row may have a parent at its own distance. Devices that push for
// themselves need it (peerowners.cuh).
__device__ inline void noteTie(bool on, u32 row);

// relaxAll lowers the distances of the rows to[k] for which bit k of on is set, with the
// given parent, which is at distance from, or noRow where ties do not matter. Most arcs lead to rows
// that are nearer already, so it looks before the atomic operations. Those of one thread are
// in flight together.
//
// An entry of g.best is the distance above the parent's row, and the least entry wins. Of
// two equal distances the smaller parent can win only if both threads have looked before
// either was written. So no parent has its distance from its child, and parents form no
// cycle even where weights are zero.
template <int each> __device__ Relaxed relaxAll(u32 on, const u32 (&to)[each], const u32 (&distance)[each], u32 parent, u32 from) {
	u32 now[each];
	u64 old[each];
	Relaxed r{};
#pragma unroll
	for (int k = 0; k < each; k++)
		now[k] = loadIf(on >> k & 1, distanceOf(to[k]), 0);
#pragma unroll
	for (int k = 0; k < each; k++)
		old[k] = minIf(distance[k] < now[k], g.best + to[k], u64(distance[k]) << 32 | parent, 0);
#pragma unroll
	for (int k = 0; k < each; k++)
		noteTie(distance[k] < now[k] && distance[k] == from, to[k]);
#pragma unroll
	for (int k = 0; k < each; k++) {
		r.won |= u32(distance[k] < u32(old[k] >> 32)) << k;
		r.reached |= u32(u32(old[k] >> 32) == noRow) << k;
	}
	return r;
}

// isLeast reports whether a lane that is on has the least t, and of equal ones is the first, among those with its
// vertex. All lanes of the warp must call it.
__device__ inline bool isLeast(bool on, u32 vertex, u32 t) {
	const u32 lane = threadIdx.x & 31;
	u32 others = __match_any_sync(~0u, on ? vertex : ~lane) & ~(1u << lane);
	bool least = on;
	while (__any_sync(~0u, others)) {
		const u32 other = others ? __ffs(others) - 1 : lane, its = __shfl_sync(~0u, t, other);
		least = least && (t < its || t == its && lane <= other);
		others &= others - 1;
	}
	return least;
}

// claimed returns the place of the lane among the lanes that are on, after the entries that
// *length counts, and counts them. All lanes of the warp must call it.
__device__ inline u32 claimed(u32 *length, bool on) {
	const u32 lane = threadIdx.x & 31, all = __ballot_sync(~0u, on);
	if (all == 0)
		return 0;
	const u32 first = lane == 0 ? atomicAdd(length, u32(__popc(all))) : 0;
	return __shfl_sync(~0u, first, 0) + __popc(all & ((1u << lane) - 1));
}

// enqueue appends the items of the lanes that are on to a queue. It counts them in *spilled,
// in shared memory. All lanes of the warp must call it.
__device__ inline void enqueue(u32 queue, u32 *spilled, bool on, uint2 item) {
	const u32 all = __ballot_sync(~0u, on);
	if (all == 0)
		return;
	if ((threadIdx.x & 31) == 0)
		atomicAdd(spilled, u32(__popc(all)));
	const u32 at = claimed(&g.control->queued[queue], on);
	if (on && at < g.queueCapacity)
		g.queues[queue][at] = item;
}

// Log is the list of all reached rows, as a warp writes it. A row can be in it twice if two
// threads reach it at the same time over light arcs (light.cuh). A warp
// claims a part of it at a time. Claimed places have no row until they are used.
struct Log {
	u32 at = 0, end = 0; // rest of the claimed part; the same in all lanes
	u32 found = 0;       // rows that the thread has appended

	// append appends the rows of the lanes that are on. All lanes of the warp must call it.
	__device__ void append(bool on, u32 row) {
		const u32 all = __ballot_sync(~0u, on), lane = threadIdx.x & 31, n = __popc(all);
		if (n == 0)
			return;
		const u32 room = end - at, place = __popc(all & ((1u << lane) - 1));
		u32 mine = at + place;
		at += n;
		if (n > room) {
			const u32 first = claim(lane);
			mine = place < room ? mine : first + place - room;
			at = first + n - room;
			end = first + logClaim;
		}
		if (on && mine < g.logCapacity)
			g.log[mine] = row;
		found += on;
	}

private:
	__device__ u32 claim(u32 lane) const {
		const u32 first = __shfl_sync(~0u, lane == 0 ? atomicAdd(&g.control->logLength, logClaim) : 0, 0);
		for (u32 i = lane; i < logClaim; i += 32)
			if (first + i < g.logCapacity)
				g.log[first + i] = noRow;
		__syncwarp(); // before rows are written there
		return first;
	}
};

// eachLogged calls what(rows) for the first n entries of the log, a few of each thread at a time, noRow for those without a row.
template <typename What> __device__ inline void eachLogged(u32 n, What what) {
	constexpr int each = 4;
	const u32 all = gridDim.x * THREADS;
	for (u32 base = blockIdx.x * THREADS + threadIdx.x; base < n; base += each * all) {
		u32 row[each];
#pragma unroll
		for (int k = 0; k < each; k++)
			row[k] = loadIf(base + k * all < n, g.log + base + k * all, noRow);
		what(row);
	}
}

// record writes record number i of a part of the search. Thread 0 of block 0 calls it.
__device__ inline void record(u32 i, Step step, u32 frontier, u32 found, u64 examined, u64 end) {
	if (i >= maxRecords) { // the last record is shared
		i = maxRecords - 1;
		frontier += g.rounds[i].frontier;
		found += g.rounds[i].found;
		examined += g.rounds[i].examined;
	}
	g.control->end = end;
	g.rounds[i] = RoundRecord{u32(step), frontier, found, 0, examined, end};
}

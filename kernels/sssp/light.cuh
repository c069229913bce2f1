// The light arcs: copies of all arcs below a width, of the rows with at least two of them,
// which are few rows of high degree. While the bound rises by no more than the width, only
// these arcs lead from what is found to more. They are divided into segments of one row each.
// All threads look at the rows of their segments over and over again, without a queue and
// without a barrier between rows: a step of a path takes a few accesses to the memory, where
// a round of pushes takes more and a barrier. The arcs of a segment are relaxed when the
// distance of its row has changed since the last time.
#pragma once
#include "search.cuh"

constexpr u32 segmentLanes = 4; // that relax a segment
constexpr int laneArcs = segmentArcs / segmentLanes;
constexpr u32 arcBits = 28; // of the number of an arc in a segment; the number of arcs - 1 is above

// Light is the state of the relaxations of light arcs, for one thread.
struct Light {
	u32 from, bound; // bits: the nearest rows with arcs to relax are at from
	Log &log;
	u32 relaxed = 0;

	// Sweeps between two grid barriers. Where they are long, the first ones relax the nearest rows only
	// (reachOf): that relaxes a third fewer arcs in all.
	static constexpr u32 firstSweeps = 16, firstLongSweeps = 20, rise = 16, laterSweeps = 2;
	static constexpr int each = 4; // segments whose rows a thread looks up at a time

	// sweeps sweeps the thread's segments before grid barrier number i. first says that the
	// search has not seen them yet. It returns whether a distance has changed.
	__device__ bool sweeps(u32 i, bool first) {
		const u32 all = gridDim.x * THREADS;
		// A few rows stay in registers during all sweeps. Sweeps of them are so short that an
		// improvement is seen a sweep later.
		const bool few = g.segmentCount <= each * all;
		const u32 count = i > 0 ? laterSweeps : few ? firstSweeps : firstLongSweeps;
		bool any = false;
		for (u32 j = 0; j < (few ? 1 : count); j++)
			for (u32 base = 0; base < g.segmentCount; base += each * all)
				any |= sweep(base, few ? 3 * count : 1, first && j == 0, i > 0, few || i > 0 ? bound : reachOf(j));
		return any;
	}

private:
	// reachOf returns the distance below which the first sweeps' number i relaxes rows.
	__device__ u32 reachOf(u32 i) const {
		if (i + 1 >= rise)
			return bound;
		const float nearest = __uint_as_float(from), width = __uint_as_float(bound) - nearest;
		return min(bound, __float_as_uint(nearest + width * (float(i + 1) / rise)));
	}

	// segmentOf returns the number of the thread's segment k from base on. The segments of a
	// row lie one behind the other. Some of them, side by side, are in one warp, which looks
	// up the distance of their row with one access. The next ones are in the next warp, so
	// that several warps relax them. The more segments there are, the more do the look-ups
	// count: 4 instead of 8 side by side are 2 % faster at scale 20, 8 instead of 16 at
	// scale 22, and 16 instead of 4 are 4 % faster at scale 24.
	__device__ u32 segmentOf(u32 base, int k) const {
		const u32 threads = gridDim.x * THREADS, warp = blockIdx.x * (THREADS / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
		const u32 bits = g.segmentCount <= threads ? 2 : g.segmentCount <= each * threads ? 3 : 4; // of the number side by side
		const u32 group = (u32(k) << 5 - bits) + (lane >> bits);
		return base + (group * (threads / 32) + warp << bits) + (lane & (1u << bits) - 1);
	}

	// sweep sweeps count times the thread's segments from base on, or, if asked for, until
	// those of the warp have not changed. It relaxes those whose row is nearer than reach.
	__device__ bool sweep(u32 base, u32 count, bool first, bool untilQuiet, u32 reach) {
		u32 row[each], arcs[each], seen[each];
		bool any = false;
#pragma unroll
		for (int k = 0; k < each; k++) {
			const u32 i = segmentOf(base, k);
			const bool on = i < g.segmentCount;
			const uint2 segment = cachedIf(on, g.segments + i, make_uint2(noRow, 0));
			row[k] = segment.x;
			arcs[k] = segment.y;
			seen[k] = cachedIf(on && !first, g.seen + i, on ? noRow : 0);
		}
		for (u32 i = 0; i < count; i++) {
			u32 distance[each];
			bool quiet = true;
#pragma unroll
			for (int k = 0; k < each; k++)
				distance[k] = loadIf(row[k] != noRow, distanceOf(row[k]), noRow);
#pragma unroll
			for (int k = 0; k < each; k++) {
				const bool changed = distance[k] < min(seen[k], reach);
				if (!__any_sync(~0u, changed))
					continue;
				quiet = false;
				any |= relax(changed, row[k], arcs[k], distance[k]);
				seen[k] = changed ? distance[k] : seen[k];
			}
			if (quiet && untilQuiet)
				break;
		}
#pragma unroll
		for (int k = 0; k < each; k++)
			if (row[k] != noRow)
				g.seen[segmentOf(base, k)] = seen[k];
		return any;
	}

	// relax relaxes the segments of the lanes that are on, several at a time. All lanes of the
	// warp must call it.
	__device__ bool relax(bool on, u32 row, u32 arcs, u32 distance) {
		const u32 group = (threadIdx.x & 31) / segmentLanes, part = threadIdx.x % segmentLanes;
		bool any = false;
		for (u32 all = __ballot_sync(~0u, on); all;) {
			u32 mine = all; // the group has its lowest bit
#pragma unroll
			for (u32 i = 0; i < 32 / segmentLanes - 1; i++)
				mine = i < group ? mine & mine - 1 : mine;
			const u32 from = mine ? __ffs(mine) - 1 : 0;
			const u32 parent = __shfl_sync(~0u, row, from), begin = __shfl_sync(~0u, arcs, from), least = __shfl_sync(~0u, distance, from);
			all = __shfl_sync(~0u, mine & mine - 1, 31);
			const u32 count = mine ? (begin >> arcBits) + 1 : 0;
			u32 to[laneArcs], sum[laneArcs], below = 0;
#pragma unroll
			for (int k = 0; k < laneArcs; k++) {
				const u32 i = part + k * segmentLanes;
				const uint2 arc = cachedIf(i < count, g.light + (begin & (1u << arcBits) - 1) + i, make_uint2(0, infinite));
				to[k] = arc.x;
				sum[k] = add(least, __uint_as_float(arc.y));
			}
#pragma unroll
			for (int k = 0; k < laneArcs; k++)
				below |= u32(sum[k] < bound) << k;
			relaxed += __popc(below);
			any |= lower(below, to, sum, parent, least);
		}
		return any;
	}

	// lower is relaxAll, from a parent at distance from, without waiting for the atomic operations: a
	// sweep sees what they have changed. A row can be in the log twice if two threads reach it at the
	// same time. It returns whether the thread may have changed a distance.
	__device__ bool lower(u32 on, const u32 (&to)[laneArcs], const u32 (&distance)[laneArcs], u32 parent, u32 from) {
		u32 now[laneArcs];
		bool any = false, reached = false;
#pragma unroll
		for (int k = 0; k < laneArcs; k++)
			now[k] = loadIf(on >> k & 1, distanceOf(to[k]), 0);
#pragma unroll
		for (int k = 0; k < laneArcs; k++) {
			const bool lowers = distance[k] < now[k];
			minIf(lowers, g.best + to[k], u64(distance[k]) << 32 | parent);
			noteTie(lowers && distance[k] == from, to[k]);
			any |= lowers;
			reached |= now[k] == noRow;
		}
		if (__any_sync(~0u, reached))
#pragma unroll
			for (int k = 0; k < laneArcs; k++)
				log.append(now[k] == noRow, to[k]);
		return any;
	}
};

// The light arcs: copies of all arcs below a width, of the rows with at least two of them,
// which are few rows of high degree. While the bound rises by no more than the width, only
// these arcs lead from what is found to more. All threads relax them over and over again,
// each thread its own, without a queue and without a barrier between rows: a step of a path
// takes one access to the memory, where a round of pushes takes several and a barrier.
//
// An arc is relaxed only when the distance of its row has changed since the last time.
#pragma once
#include "search.cuh"

// Light is the state of the relaxations of light arcs, for one thread.
struct Light {
	u32 bound; // bits
	u32 relaxed = 0;

	static constexpr u32 firstSweeps = 16, laterSweeps = 6; // between two grid barriers
	static constexpr int each = 4; // arcs whose rows a thread looks up at a time

	// sweeps sweeps the thread's arcs that many times. first says that the search has not
	// seen them yet. It returns whether a distance has changed.
	__device__ bool sweeps(u32 count, bool first) {
		const u32 all = gridDim.x * THREADS;
		// The rows of a few arcs stay in registers during all sweeps. Sweeps of them are so
		// short that an improvement is seen a sweep later.
		const bool few = g.lightCount <= each * all;
		count *= few ? 2 : 1;
		bool any = false;
		for (u32 i = 0; i < (few ? 1 : count); i++)
			for (u32 base = blockIdx.x * THREADS + threadIdx.x; base < g.lightCount; base += each * all)
				any |= sweep(base, all, few ? count : 1, first && i == 0);
		return any;
	}

	// reached returns the row that light arc number i leads to and its distance over the arc,
	// if that is from or above and below the bound, or else noRow.
	__device__ uint2 reached(u32 i, u32 from) const {
		if (i >= g.lightCount)
			return make_uint2(noRow, 0);
		const u32 distance = __ldcg(distanceOf(__ldg(g.lightRows + i)));
		const uint2 arc = __ldg(g.light + i);
		const u32 t = add(distance, __uint_as_float(arc.y));
		return distance < bound && t >= from && t < bound ? make_uint2(arc.x, t) : make_uint2(noRow, 0);
	}

private:
	// sweep sweeps count times the arcs base, base+all, base+2*all and so on.
	__device__ bool sweep(u32 base, u32 all, u32 count, bool first) {
		u32 row[each], seen[each];
		bool any = false;
#pragma unroll
		for (int k = 0; k < each; k++) {
			const bool on = base + k * all < g.lightCount;
			row[k] = cachedIf(on, g.lightRows + base + k * all, noRow);
			seen[k] = cachedIf(on && !first, g.seen + base + k * all, on ? noRow : 0);
		}
		for (u32 i = 0; i < count; i++) {
			u32 distance[each], changed = 0;
#pragma unroll
			for (int k = 0; k < each; k++)
				distance[k] = loadIf(row[k] != noRow, distanceOf(row[k]), noRow);
#pragma unroll
			for (int k = 0; k < each; k++)
				changed |= u32(distance[k] < min(seen[k], bound)) << k;
			if (changed == 0)
				continue;
#pragma unroll
			for (int k = 0; k < each; k++)
				if (changed >> k & 1) {
					const uint2 arc = __ldg(g.light + base + k * all);
					const u32 t = add(distance[k], __uint_as_float(arc.y));
					seen[k] = distance[k];
					relaxed++;
					any |= relaxAll<1>(t < bound, {arc.x}, {t}, row[k]);
				}
		}
#pragma unroll
		for (int k = 0; k < each; k++)
			if (row[k] != noRow)
				g.seen[base + k * all] = seen[k];
		return any;
	}
};

// Preparation of the light arcs, once for a graph.
#include "light.cuh"

// sumBefore returns the sum of n over the lanes before this one, and sets all to the sum over
// all lanes.
__device__ static u32 sumBefore(u32 n, u32 &all) {
	u32 sum = n;
	for (u32 d = 1; d < 32; d *= 2) {
		const u32 before = __shfl_up_sync(~0u, sum, d);
		if ((threadIdx.x & 31) >= d)
			sum += before;
	}
	all = __shfl_sync(~0u, sum, 31);
	return sum - n;
}

// light_arcs copies the light arcs of all rows to g.light, divides them into
// segments, and sets counts to the numbers of both. If they do not fit, their number is more
// than the capacity, and what is copied is not complete. A warp handles 32 rows.
extern "C" __global__ void __launch_bounds__(THREADS) light_arcs(u32 *counts, u32 capacity) {
	const u32 lane = threadIdx.x & 31;
	const u32 row = blockIdx.x * THREADS + threadIdx.x;
	const RowOf r = loadRow(row < g.rowCount, row);
	u32 mine = 0;
	if (row < g.rowCount && r.degree > 1 && __uint_as_float(r.head.w) < g.lightWidth) {
		u32 high = r.degree;
		for (mine = 2; mine < high;) {
			const u32 middle = mine + (high - mine) / 2;
			if (__uint_as_float(__ldg(g.arcs + r.start + middle).y) < g.lightWidth)
				mine = middle + 1;
			else
				high = middle;
		}
	}
	u32 last, lastSegment;
	const u32 sum = sumBefore(min(mine, capacity + 1), last), segment = sumBefore((mine + segmentArcs - 1) / segmentArcs, lastSegment);
	u32 first = 0, firstSegment = 0;
	if (lane == 0) {
		first = atomicAdd(counts, min(last, capacity + 1));
		firstSegment = atomicAdd(counts + 1, lastSegment);
	}
	first = __shfl_sync(~0u, first, 0);
	firstSegment = __shfl_sync(~0u, firstSegment, 0);
	if (first > capacity || last > capacity - first)
		return;
	for (u32 open = __ballot_sync(~0u, mine > 0); open; open &= open - 1) {
		const u32 j = __ffs(open) - 1, n = __shfl_sync(~0u, mine, j), at = first + __shfl_sync(~0u, sum, j);
		const u32 atSegment = firstSegment + __shfl_sync(~0u, segment, j);
		const u64 start = __shfl_sync(~0u, r.start, j);
		for (u32 i = lane; i < n; i += 32) {
			g.light[at + i] = __ldg(g.arcs + start + i);
			if (i % segmentArcs == 0)
				g.segments[atSegment + i / segmentArcs] = make_uint2(row - lane + j, at + i | min(n - i, segmentArcs) - 1 << arcBits);
		}
	}
}

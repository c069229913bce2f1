// Preparation of the light arcs, once for a graph.
#include "search.cuh"

// light_arcs copies the light arcs of all rows to g.light and g.lightRows, and sets *count
// to their number. If they do not fit, their number is more than the capacity, and what is
// copied is not complete. A warp handles 32 rows.
extern "C" __global__ void __launch_bounds__(THREADS) light_arcs(u32 *count, u32 capacity) {
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
	u32 sum = mine;
	for (u32 d = 1; d < 32; d *= 2) {
		const u32 before = __shfl_up_sync(~0u, sum, d);
		if (lane >= d)
			sum += before;
	}
	u32 first = 0;
	if (lane == 31)
		first = atomicAdd(count, min(sum, capacity + 1));
	first = __shfl_sync(~0u, first, 31);
	if (first > capacity || __shfl_sync(~0u, sum, 31) > capacity - first)
		return;
	for (u32 open = __ballot_sync(~0u, mine > 0); open; open &= open - 1) {
		const u32 j = __ffs(open) - 1, n = __shfl_sync(~0u, mine, j), at = first + __shfl_sync(~0u, sum, j) - n;
		const u64 start = __shfl_sync(~0u, r.start, j);
		for (u32 i = lane; i < n; i += 32) {
			g.light[at + i] = __ldg(g.arcs + start + i);
			g.lightRows[at + i] = row - lane + j;
		}
	}
}

// Preparation of the light arcs, once for a graph. Segments are in the order of their rows,
// so that searches take equally long in every run.
#include "arcs.cuh"
#include "light.cuh"

// LightRows are the light arcs of the 32 rows of a warp, row by lane.
struct LightRows {
	u32 row, count; // of light arcs; 0 where there are fewer than two
	u64 start;
	u32 arcsBefore, segmentsBefore; // of the rows of the lanes before
	u32 arcs, segments;             // of all lanes
};

// sumBefore returns the sum of n over the lanes before this one, and sets all to the sum over
// all lanes. Sums end at most.
__device__ static u32 sumBefore(u32 n, u32 &all, u32 most) {
	u32 sum = n;
	for (u32 d = 1; d < 32; d *= 2) {
		const u32 before = __shfl_up_sync(~0u, sum, d);
		if ((threadIdx.x & 31) >= d)
			sum = min(sum + before, most);
	}
	all = __shfl_sync(~0u, sum, 31);
	const u32 before = __shfl_up_sync(~0u, sum, 1);
	return threadIdx.x & 31 ? before : 0;
}

// lightRows returns the light arcs of the warp's rows. A row has its arcs in the order of
// their weights. Numbers of arcs end at capacity + 1.
__device__ static LightRows lightRows(u32 capacity) {
	LightRows w{blockIdx.x * THREADS + threadIdx.x};
	const RowOf r = loadRow(w.row < numbers(), w.row);
	w.start = r.start;
	if (w.row < numbers() && r.degree > 1 && __uint_as_float(r.head.w) < g.lightWidth) {
		u32 high = r.degree;
		for (w.count = 2; w.count < high;) {
			const u32 middle = w.count + (high - w.count) / 2;
			if (__uint_as_float(__ldg(Arcs{r.start}.at(middle)).y) < g.lightWidth)
				w.count = middle + 1;
			else
				high = middle;
		}
	}
	w.arcsBefore = sumBefore(min(w.count, capacity + 1), w.arcs, capacity + 1);
	w.segmentsBefore = sumBefore((w.count + segmentArcs - 1) / segmentArcs, w.segments, ~0u);
	return w;
}

// light_counts writes the numbers of light arcs and segments of the rows of each warp.
extern "C" __global__ void __launch_bounds__(THREADS) light_counts(uint2 *counts, u32 capacity) {
	const LightRows w = lightRows(capacity);
	if (threadIdx.x % 32 == 0)
		counts[w.row / 32] = make_uint2(w.arcs, w.segments);
}

// light_starts turns the counts of n warps into their starts, and writes the sums to total. One
// block of 1,024 threads.
extern "C" __global__ void __launch_bounds__(1024) light_starts(uint2 *counts, u32 n, u32 capacity, uint2 *total) {
	__shared__ uint2 sums[32];
	const u32 warp = threadIdx.x / 32, lane = threadIdx.x & 31;
	uint2 carry = make_uint2(0, 0);
	for (u32 base = 0; base < n; base += 1024) {
		const u32 i = base + threadIdx.x;
		const uint2 mine = i < n ? counts[i] : make_uint2(0, 0);
		uint2 all, before = make_uint2(sumBefore(mine.x, all.x, capacity + 1), sumBefore(mine.y, all.y, ~0u));
		if (lane == 0)
			sums[warp] = all;
		__syncthreads();
		const uint2 other = sums[lane];
		uint2 sum, ofWarps = make_uint2(sumBefore(other.x, sum.x, capacity + 1), sumBefore(other.y, sum.y, ~0u));
		ofWarps = make_uint2(__shfl_sync(~0u, ofWarps.x, warp), __shfl_sync(~0u, ofWarps.y, warp));
		if (i < n)
			counts[i] = make_uint2(min(carry.x + ofWarps.x + before.x, capacity + 1), carry.y + ofWarps.y + before.y);
		carry = make_uint2(min(carry.x + sum.x, capacity + 1), carry.y + sum.y);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		*total = carry;
}

// light_arcs copies the light arcs of all rows to g.light and divides them into segments.
// starts are those of the warps. All must fit.
extern "C" __global__ void __launch_bounds__(THREADS) light_arcs(const uint2 *starts, u32 capacity) {
	const u32 lane = threadIdx.x & 31;
	const LightRows w = lightRows(capacity);
	const uint2 first = starts[w.row / 32];
	for (u32 open = __ballot_sync(~0u, w.count > 0); open; open &= open - 1) {
		const u32 j = __ffs(open) - 1, n = __shfl_sync(~0u, w.count, j), at = first.x + __shfl_sync(~0u, w.arcsBefore, j);
		const u32 atSegment = first.y + __shfl_sync(~0u, w.segmentsBefore, j);
		const Arcs arcs{__shfl_sync(~0u, w.start, j)};
		for (u32 i = lane; i < n; i += 32) {
			g.light[at + i] = __ldg(arcs.at(i));
			if (i % segmentArcs == 0)
				g.segments[atSegment + i / segmentArcs] = make_uint2(w.row - lane + j, at + i | min(n - i, segmentArcs) - 1 << arcBits);
		}
	}
}

// degree-buckets: short, middling and long rows apart (PMPP 15.7, "Improving
// load balance"; after Merrill, Garland and Grimshaw 2012).
//
// What it does: the frontier is three queues, by the vertices' degrees, and a
// level is three launches, of those whose queue is not empty. A vertex of the
// small bucket is expanded by a thread, one of the middle by a warp, one of the
// large by a block, so that nobody walks alone through a row much longer than
// its neighbours' rows. Who claims a vertex looks up its degree and appends it
// to the bucket it belongs to.
//
// What it costs: a row to look up for each vertex found, which is needed again
// when that is expanded; three counters in place of one, added to vertex by
// vertex; up to three launches a level.
//
// Bottleneck: within a bucket rows still differ by a factor (of 32 in the small
// one), and one block has the longest row of all to itself.
#include "technique.cuh"

// Buckets is a frontier that is being filled: three queues, and the number of
// entries of each. Vertices of warpDegree neighbours and more go to the second,
// of blockDegree and more to the third.
struct Buckets {
	u32 *small, *middle, *large;
	u32 *sizes;
	u32 warpDegree, blockDegree;
};

__device__ static void append(const Buckets &to, u32 v, u32 degree) {
	if (degree < to.warpDegree)
		to.small[reserve(to.sizes, 1)] = v;
	else if (degree < to.blockDegree)
		to.middle[reserve(to.sizes + 1, 1)] = v;
	else
		to.large[reserve(to.sizes + 2, 1)] = v;
}

// expand goes through a row with several threads, of which this one takes each
// step'th neighbour from first on.
__device__ static void expand(const u64 *index, const Row *rows, const u32 *neighbors, u32 *parents, u32 u, u32 first,
	u32 step, const Buckets &to) {
	const Row row = rowOf(index, rows, u);
	for (u64 k = row.start + first; k < row.start + row.degree; k += step) {
		const u32 v = neighbors[k];
		examined(1);
		if (claim(parents, v, u))
			append(to, v, rowOf(index, rows, v).degree);
	}
}

// degree_buckets_start puts the root into its bucket. sizes are zero before.
// One thread.
extern "C" __global__ void degree_buckets_start(const u64 *index, const Row *rows, u32 *parents, u32 root, u32 *small,
	u32 *middle, u32 *large, u32 *sizes, u32 warpDegree, u32 blockDegree) {
	parents[root] = root;
	append(Buckets{small, middle, large, sizes, warpDegree, blockDegree}, root, rowOf(index, rows, root).degree);
}

// The kernels below expand the count vertices of queue, one of the buckets.
// sizes are zero before the first of a level.

extern "C" __global__ void degree_buckets_thread(const u64 *index, const Row *rows, const u32 *neighbors, u32 *parents,
	const u32 *queue, u32 count, u32 *small, u32 *middle, u32 *large, u32 *sizes, u32 warpDegree, u32 blockDegree) {
	const u64 i = thread();
	if (i < count)
		expand(index, rows, neighbors, parents, queue[i], 0, 1, Buckets{small, middle, large, sizes, warpDegree, blockDegree});
}

extern "C" __global__ void degree_buckets_warp(const u64 *index, const Row *rows, const u32 *neighbors, u32 *parents,
	const u32 *queue, u32 count, u32 *small, u32 *middle, u32 *large, u32 *sizes, u32 warpDegree, u32 blockDegree) {
	const u64 i = thread() / 32;
	if (i < count)
		expand(index, rows, neighbors, parents, queue[i], threadIdx.x % 32, 32, Buckets{small, middle, large, sizes, warpDegree, blockDegree});
}

// The grid has count blocks.
extern "C" __global__ void degree_buckets_block(const u64 *index, const Row *rows, const u32 *neighbors, u32 *parents,
	const u32 *queue, u32 count, u32 *small, u32 *middle, u32 *large, u32 *sizes, u32 warpDegree, u32 blockDegree) {
	if (blockIdx.x < count)
		expand(index, rows, neighbors, parents, queue[blockIdx.x], threadIdx.x, blockDim.x, Buckets{small, middle, large, sizes, warpDegree, blockDegree});
}

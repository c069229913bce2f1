// degree-buckets: separate queues for short, medium and long rows (PMPP 15.7,
// "Improving load balance"; after Merrill, Garland and Grimshaw 2012).
//
// What it does: the frontier is three queues by vertex degree. A level has one launch
// for each non-empty queue. A thread expands a vertex of the small bucket, a warp one of
// the medium bucket, a block one of the large bucket, so that no thread processes a row
// much longer than those of its neighbours. The thread that claims a vertex looks up its
// degree and appends it to its bucket.
//
// What it costs: a row look-up for each vertex found, which is repeated when the vertex
// is expanded; three counters instead of one, with one atomic per vertex; up to three
// launches per level.
//
// Bottleneck: within a bucket row lengths still differ (by a factor of 32 in the small
// one), and a single block processes the longest row.
#include "technique.cuh"

// Buckets is the frontier that a level fills: three queues and their lengths. Vertices of
// at least warpDegree neighbours go to the second queue, of at least blockDegree to the
// third.
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

// expand expands a vertex with step threads. This thread processes the neighbours first,
// first+step, first+2*step and so on.
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

// degree_buckets_start puts the root into its bucket. sizes must be zero. One thread.
extern "C" __global__ void degree_buckets_start(const u64 *index, const Row *rows, u32 *parents, u32 root, u32 *small,
	u32 *middle, u32 *large, u32 *sizes, u32 warpDegree, u32 blockDegree) {
	parents[root] = root;
	append(Buckets{small, middle, large, sizes, warpDegree, blockDegree}, root, rowOf(index, rows, root).degree);
}

// The kernels below expand the count vertices of queue, one of the buckets. sizes must be
// zero before the first of them in a level.

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

// The grid must have at least count blocks.
extern "C" __global__ void degree_buckets_block(const u64 *index, const Row *rows, const u32 *neighbors, u32 *parents,
	const u32 *queue, u32 count, u32 *small, u32 *middle, u32 *large, u32 *sizes, u32 warpDegree, u32 blockDegree) {
	if (blockIdx.x < count)
		expand(index, rows, neighbors, parents, queue[blockIdx.x], threadIdx.x, blockDim.x, Buckets{small, middle, large, sizes, warpDegree, blockDegree});
}

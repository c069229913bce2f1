// The steps of construction over vertices: degrees (with duplicates), the index of
// rows, and the ranks of the vertices by degree.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "../tuples.cuh"
#include "construct.cuh"

// construct_count adds to degree[v] the number of tuple endpoints at v, without self
// loops, for the labels first..first+labels-1. The counters of one range of labels stay
// in the second-level cache, where atomics are more than twice as fast. In the first
// range it also counts self loops and finds the first tuple with a label out of range.
extern "C" __global__ void __launch_bounds__(256)
construct_count(const Tuple *tuples, u64 count, u64 vertices, u32 first, u32 labels, u32 *degree, Facts *facts) {
	constexpr int each = 4;
	u32 loops = 0;
	const u64 at = (u64)blockIdx.x * (256 * each) + threadIdx.x;
	uint2 e[each];
#pragma unroll
	for (int j = 0; j < each; j++) e[j] = at + j * 256 < count ? loadTupleOnce(tuples, at + j * 256) : make_uint2(0, 0);
#pragma unroll
	for (int j = 0; j < each; j++) {
		if (max(e[j].x, e[j].y) >= vertices) {
			if (at + j * 256 < count) atomicMin(&facts->outside, at + j * 256);
		} else if (e[j].x != e[j].y) {
			if (e[j].x - first < labels) atomicAdd(&degree[e[j].x], 1);
			if (e[j].y - first < labels) atomicAdd(&degree[e[j].y], 1);
		} else if (at + j * 256 < count) {
			loops++;
		}
	}
	if (first > 0) return;
	using Reduce = cub::BlockReduce<u32, 256>;
	__shared__ Reduce::TempStorage storage;
	loops = Reduce(storage).Sum(loops);
	if (threadIdx.x == 0 && loops > 0) atomicAdd(&facts->loops, (u64)loops);
}

// construct_tally counts the rows and the arcs of every tile of labels, one block per
// tile, and finds the largest degree.
extern "C" __global__ void __launch_bounds__(tileLabels)
construct_tally(const u32 *degree, u64 vertices, u64 *rows, u64 *arcs, Facts *facts) {
	const u64 v = (u64)blockIdx.x * tileLabels + threadIdx.x;
	const u32 d = v < vertices ? degree[v] : 0;
	using Sum = cub::BlockReduce<u64, tileLabels>;
	using Max = cub::BlockReduce<u32, tileLabels>;
	__shared__ union {
		Sum::TempStorage sum;
		Max::TempStorage max;
	} storage;
	const u64 sum = Sum(storage.sum).Sum((u64)d);
	const int present = __syncthreads_count(d > 0);
	const u32 largest = Max(storage.max).Reduce(d, cub::Max());
	if (threadIdx.x == 0) {
		rows[blockIdx.x] = present;
		arcs[blockIdx.x] = sum;
		atomicMax(&facts->maxTuples, largest);
	}
}

// construct_scan computes the exclusive prefix sums of count values in place, and the
// total in values[count]. One block: there is only one value per tile.
extern "C" __global__ void __launch_bounds__(1024) construct_scan(u64 *values, u64 count) {
	constexpr int each = 4;
	using Scan = cub::BlockScan<u64, 1024, cub::BLOCK_SCAN_WARP_SCANS>;
	__shared__ Scan::TempStorage storage;
	u64 before = 0;
	for (u64 tile = 0; tile < count; tile += 1024 * each) {
		const u64 at = tile + threadIdx.x * each;
		u64 x[each], total;
#pragma unroll
		for (int k = 0; k < each; k++) x[k] = at + k < count ? values[at + k] : 0;
		Scan(storage).ExclusiveSum(x, x, total);
#pragma unroll
		for (int k = 0; k < each; k++)
			if (at + k < count) values[at + k] = before + x[k];
		before += total;
		__syncthreads();
	}
	if (threadIdx.x == 0) values[count] = before;
}

namespace {

// Tiles are the tiles of labels of a range, and the number of rows before it.
struct Tiles {
	u64 first, end, rowsBefore;
};

// Form is which words of the index and which keys a kernel writes: all; the words of a range
// and all keys; or those of a range only.
enum Form { whole, inRange, ofRange };

// indexTile is the work of a block of the kernels below.
template <Form form>
__device__ __forceinline__ void
indexTile(const u32 *degree, u64 vertices, const u64 *rowsBefore, u32 most, u64 *index, u64 *keys, Tiles range) {
	const u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	const u64 tile = form == ofRange ? range.first + blockIdx.x : blockIdx.x;
	const u64 v = tile * tileLabels + threadIdx.x;
	const u32 d = v < vertices ? degree[v] : 0;
	const u32 present = __ballot_sync(~0u, d > 0);
	__shared__ u32 sum[32];
	if (lane == 0) sum[warp] = __popc(present);
	__syncthreads();
	if (warp == 0) {
		using Scan = cub::WarpScan<u32>;
		__shared__ Scan::TempStorage storage;
		u32 x = sum[lane];
		Scan(storage).ExclusiveSum(x, x);
		sum[lane] = x;
	}
	__syncthreads();
	const u64 first = rowsBefore[tile] + sum[warp] - (form == ofRange ? range.rowsBefore : 0);
	if constexpr (form == inRange) {
		if (lane == 0 && blockIdx.x >= range.first && blockIdx.x < range.end)
			index[v >> 5] = (first - range.rowsBefore) << 32 | present;
	} else {
		if (lane == 0) index[v >> 5] = first << 32 | present;
	}
	if (d > 0) keys[first + __popc(present & construct::lanesBelow(lane))] = (u64)(most - d) << 32 | v;
}

} // namespace

// construct_index writes the words of the index, one block per tile of labels, and for
// each row a key that sorts by falling degree: most - degree in the high half, the
// label in the low half. rowsBefore has the number of rows before each tile.
extern "C" __global__ void __launch_bounds__(tileLabels)
construct_index(const u32 *degree, u64 vertices, const u64 *rowsBefore, u32 most, u64 *index, u64 *keys) {
	indexTile<whole>(degree, vertices, rowsBefore, most, index, keys, {});
}

// construct_index_range is construct_index that writes only the words of the tiles
// firstTile..endTile-1, and counts the rows from those of the first tile on. index points
// to where the word of label 0 would be.
extern "C" __global__ void __launch_bounds__(tileLabels)
construct_index_range(const u32 *degree, u64 vertices, const u64 *rowsBefore, u32 most, u64 *index, u64 *keys, u64 firstTile,
                      u64 endTile, u64 rowsBeforeRange) {
	indexTile<inRange>(degree, vertices, rowsBefore, most, index, keys, {firstTile, endTile, rowsBeforeRange});
}

// construct_index_part is construct_index_range that also writes only the keys of the rows of
// these tiles. One block per tile from firstTile on.
extern "C" __global__ void __launch_bounds__(tileLabels)
construct_index_part(const u32 *degree, u64 vertices, const u64 *rowsBefore, u32 most, u64 *index, u64 *keys, u64 firstTile, u64 rowsBeforePart) {
	indexTile<ofRange>(degree, vertices, rowsBefore, most, index, keys, {firstTile, 0, rowsBeforePart});
}

// construct_sum adds up the elements first..first+count-1 of up to 16 arrays, which may be
// on other devices. sum may be one of the arrays.
extern "C" __global__ void __launch_bounds__(256)
construct_sum(u32 *sum, u64 first, u64 count, u32 arrays, const u32 *a0, const u32 *a1, const u32 *a2, const u32 *a3,
              const u32 *a4, const u32 *a5, const u32 *a6, const u32 *a7, const u32 *a8, const u32 *a9, const u32 *a10,
              const u32 *a11, const u32 *a12, const u32 *a13, const u32 *a14, const u32 *a15) {
	const u32 *const from[] = {a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15};
	const u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= count) return;
	u32 x = 0;
#pragma unroll
	for (int k = 0; k < 16; k++)
		if (k < arrays) x += from[k][first + i];
	sum[first + i] = x;
}

// construct_rank reads the sorted keys of the rows: order[i] is the label of the row
// with the i-th largest degree, rank[label] is i, and the first hubCount labels are the
// hubs. But the first columns * depth ranks, at most all, are dealt out in turn, so that the
// largest degrees are depth ranks apart.
extern "C" __global__ void __launch_bounds__(256)
construct_rank(const u64 *keys, u64 rows, u32 *order, u32 *rank, u32 *hubs, u64 hubCount, u32 columns, u32 depth) {
	const u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= rows) return;
	const u32 label = (u32)keys[i], at = i < columns * depth ? i % columns * depth + i / columns : i;
	order[at] = label;
	rank[label] = at;
	if (i < hubCount) hubs[i] = label;
}

// construct_has returns for each of count vertices whether it has a row.
extern "C" __global__ void __launch_bounds__(256) construct_has(const u64 *index, const u32 *vertices, u64 count, bool *answers) {
	const u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count) answers[i] = index[vertices[i] >> 5] >> (vertices[i] & 31) & 1;
}

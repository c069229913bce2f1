// From tuples with weights to rows in the order of the weights. An arc is the key (label
// of the row, bits of the weight) and the value (label of the neighbour). The sorted arcs
// are the rows. Repeated edges keep their own arcs.
#include <cub/block/block_reduce.cuh>

#include "../distances.cuh"
#include "../tuples.cuh"
#include "arcrows.cuh"

using construct::lanesBelow;

namespace {

constexpr int threads = 256, warps = threads / 32, rounds = 8, perWarp = rounds * 32, tile = warps * perWarp;

} // namespace

// construct_weighted_arcs appends the arcs of the rows with the labels
// first..first+labels-1 to keys and values. A key has the bits of the weight in its low
// weightBits and the label minus first above; the value is the neighbour. cursor counts
// the arcs. Their order is undefined.
extern "C" __global__ void __launch_bounds__(threads)
construct_weighted_arcs(const Tuple *tuples, const u32 *weights, u64 count, u32 first, u32 labels, int weightBits,
                        u64 *keys, u32 *values, u64 *cursor) {
	const u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	const u64 at = (u64)blockIdx.x * tile + warp * perWarp + lane;
	uint2 e[rounds];
	u32 mine = 0;
#pragma unroll
	for (int j = 0; j < rounds; j++) e[j] = at + j * 32 < count ? loadTupleOnce(tuples, at + j * 32) : make_uint2(0, 0);
#pragma unroll
	for (int j = 0; j < rounds; j++) {
		mine += __popc(__ballot_sync(~0u, e[j].x != e[j].y && e[j].x - first < labels));
		mine += __popc(__ballot_sync(~0u, e[j].x != e[j].y && e[j].y - first < labels));
	}
	__shared__ u32 sums[warps];
	__shared__ u64 base;
	if (lane == 0) sums[warp] = mine;
	__syncthreads();
	u32 before = 0, total = 0;
#pragma unroll
	for (int w = 0; w < warps; w++) {
		if (w == warp) before = total;
		total += sums[w];
	}
	if (threadIdx.x == 0 && total > 0) base = atomicAdd(cursor, (u64)total);
	__syncthreads();
	u64 place = base + before;
#pragma unroll
	for (int j = 0; j < rounds; j++) {
		const bool arc = e[j].x != e[j].y;
		const bool wanted[2] = {arc && e[j].x - first < labels, arc && e[j].y - first < labels};
		const u32 weight = wanted[0] || wanted[1] ? __ldcs(&weights[at + j * 32]) : 0;
#pragma unroll
		for (int way = 0; way < 2; way++) {
			const u32 all = __ballot_sync(~0u, wanted[way]);
			if (wanted[way]) {
				const u64 p = place + __popc(all & lanesBelow(lane));
				keys[p] = (u64)((way ? e[j].y : e[j].x) - first) << weightBits | weight;
				values[p] = way ? e[j].x : e[j].y;
			}
			place += __popc(all);
		}
	}
}

// construct_weighted_rows is writeRows of arcs that lead to the number of a row, which is the rank of its
// vertex; the rows themselves follow one another in the order of their labels.
extern "C" __global__ void __launch_bounds__(threads)
construct_weighted_rows(const u64 *keys, const u32 *values, u64 count, u64 base, u32 first, int weightBits,
                        const u64 *__restrict__ index, const u32 *__restrict__ rank, u64 *starts, uint2 *arcs) {
	construct::writeRows((u64)blockIdx.x * threads + threadIdx.x, keys, values, count, base, first, weightBits, index, starts, arcs, [=](u32 value) { return rank[value]; });
}

// construct_heads writes the rows of a device from their starts among its arcs, a thread for each
// label from first on, and finds the largest degree. index points to where the word of label 0 would
// be. count is the number of rows, total is the end of the last one among starts. In arcs the rows
// begin at fronts. The start of a row has the number of its device above ownerShift.
extern "C" __global__ void __launch_bounds__(threads)
construct_heads(const u64 *index, const u32 *rank, u64 first, u64 end, const u64 *starts, u64 count, u64 total, const u64 *fronts,
                const uint2 *__restrict__ arcs, const u32 *__restrict__ labels, u32 device, WeightedRow *rows, uint4 *heads,
                uint2 *headLabels, uint2 *thirds, u32 *order, Facts *facts) {
	const u64 v = first + (u64)blockIdx.x * threads + threadIdx.x;
	const u64 word = v < end ? index[v >> 5] : 0;
	const u32 lane = v & 31;
	u32 degree = 0;
	if (word >> lane & 1) {
		const u64 r = construct::rowNumber(word, v), start = starts[r], front = fronts[r];
		degree = (r + 1 < count ? starts[r + 1] : total) - start;
		const uint2 one = arcs[front], two = degree > 1 ? arcs[front + 1] : make_uint2(one.x, infinite);
		const u32 third = degree > 2 ? arcs[front + 2].y : infinite, row = rank[v];
		const u64 place = front | u64(device) << ownerShift;
		heads[r] = make_uint4(one.x, one.y, two.x, two.y);
		thirds[r] = make_uint2(third, row);
		headLabels[r] = make_uint2(labels[one.x], labels[two.x]);
		order[r] = v;
		uint4 *record = reinterpret_cast<uint4 *>(rows + row);
		record[0] = heads[r];
		record[1] = make_uint4((u32)place, (u32)(place >> 32) | third >> 7 << 8, degree, r);
	}
	using Reduce = cub::BlockReduce<u32, threads>;
	__shared__ Reduce::TempStorage storage;
	degree = Reduce(storage).Reduce(degree, cub::Max());
	if (threadIdx.x == 0) atomicMax(&facts->maxDegree, degree);
}

// construct_check_weights finds the first of count weights that is negative, not a number
// or infinite. first is the number of the tuple of weight 0. A weight of -0 counts as
// negative.
extern "C" __global__ void __launch_bounds__(threads) construct_check_weights(const u32 *weights, u64 count, u64 first, Facts *facts) {
	const u64 i = (u64)blockIdx.x * threads + threadIdx.x;
	if (i < count && weights[i] >= infinite) atomicMin(&facts->outside, first + i);
}

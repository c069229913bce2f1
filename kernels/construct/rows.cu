// From tuples to rows. An arc is the key (label of the row, rank of the neighbour). The
// sorted keys are the rows in their final order, with duplicates next to each other.
#include <cub/block/block_reduce.cuh>

#include "../tuples.cuh"
#include "keys.cuh"

// construct_arcs appends to keys the arcs of the rows with the labels
// first..first+labels-1. A key has the rank of the neighbour in its low rankBits and
// the label minus first above. cursor counts the keys. Their order is undefined.
extern "C" __global__ void __launch_bounds__(threads)
construct_arcs(const Tuple *tuples, u64 count, const u32 *__restrict__ rank, u32 first, u32 labels, int rankBits, u64 *keys, u64 *cursor) {
	const u32 lane = threadIdx.x & 31;
	const u64 at = (u64)blockIdx.x * tile + (threadIdx.x >> 5) * perWarp + lane;
	uint2 e[rounds];
	u32 mine = 0;
#pragma unroll
	for (int j = 0; j < rounds; j++) e[j] = at + j * 32 < count ? loadTupleOnce(tuples, at + j * 32) : make_uint2(0, 0);
#pragma unroll
	for (int j = 0; j < rounds; j++) {
		mine += __popc(__ballot_sync(~0u, e[j].x != e[j].y && e[j].x - first < labels));
		mine += __popc(__ballot_sync(~0u, e[j].x != e[j].y && e[j].y - first < labels));
	}
	u32 total;
	const u32 before = sumWarps(mine, total);
	__shared__ u64 base;
	if (threadIdx.x == 0 && total > 0) base = atomicAdd(cursor, (u64)total);
	__syncthreads();
	u64 place = base + before;
	u32 neighbor[rounds][2];
#pragma unroll
	for (int j = 0; j < rounds; j++) {
		const bool arc = e[j].x != e[j].y;
		if (arc && e[j].x - first < labels) neighbor[j][0] = rank[e[j].y];
		if (arc && e[j].y - first < labels) neighbor[j][1] = rank[e[j].x];
	}
#pragma unroll
	for (int j = 0; j < rounds; j++) {
#pragma unroll
		for (int way = 0; way < 2; way++) {
			const u32 row = (way ? e[j].y : e[j].x) - first;
			const bool wanted = e[j].x != e[j].y && row < labels;
			const u32 all = __ballot_sync(~0u, wanted);
			if (wanted) keys[place + __popc(all & lanesBelow(lane))] = (u64)row << rankBits | neighbor[j][way];
			place += __popc(all);
		}
	}
}

// construct_distinct counts the distinct keys of each tile of sorted keys.
extern "C" __global__ void __launch_bounds__(threads) construct_distinct(const u64 *keys, u64 count, u64 *distinct) {
	Keys k;
	k.load(keys, (u64)blockIdx.x * tile + (threadIdx.x >> 5) * perWarp, count);
	int mine = 0;
#pragma unroll
	for (int j = 0; j < rounds; j++) mine += k.isNew(j);
	using Reduce = cub::BlockReduce<int, threads>;
	__shared__ Reduce::TempStorage storage;
	mine = Reduce(storage).Sum(mine);
	if (threadIdx.x == 0) distinct[blockIdx.x] = mine;
}

// construct_rows writes the labels of the distinct neighbours, or their ranks if order is null,
// and the start and label of each row. before has the number of distinct keys before each tile. base is the
// offset of the first neighbour.
extern "C" __global__ void __launch_bounds__(threads)
construct_rows(const u64 *keys, u64 count, const u64 *before, u64 base, u32 first, int rankBits,
               const u32 *__restrict__ order, const u64 *__restrict__ index, Row *rows, u32 *neighbors) {
	const u32 lane = threadIdx.x & 31;
	Keys k;
	k.load(keys, (u64)blockIdx.x * tile + (threadIdx.x >> 5) * perWarp, count);
	u32 mine = 0, total, label[rounds];
#pragma unroll
	for (int j = 0; j < rounds; j++) {
		mine += __popc(__ballot_sync(~0u, k.isNew(j)));
		if (k.isNew(j)) {
			const u32 rank = k.key[j] & ((1ull << rankBits) - 1);
			label[j] = order ? order[rank] : rank;
		}
	}
	u64 place = base + before[blockIdx.x] + sumWarps(mine, total);
#pragma unroll
	for (int j = 0; j < rounds; j++) {
		const u32 all = __ballot_sync(~0u, k.isNew(j));
		if (k.isNew(j)) {
			const u64 p = place + __popc(all & lanesBelow(lane));
			neighbors[p] = label[j];
			const u64 row = k.key[j] >> rankBits;
			if (k.before[j] == ~0ull || row != k.before[j] >> rankBits) {
				const u32 v = first + (u32)row;
				Row &r = rows[construct::rowNumber(index[v >> 5], v)];
				r.start = p;
				r.label = v;
			}
		}
		place += __popc(all);
	}
}

// construct_degrees computes the degrees of all rows from their starts, and the largest
// degree. arcs is the end of the last row.
extern "C" __global__ void __launch_bounds__(threads) construct_degrees(Row *rows, u64 count, u64 arcs, Facts *facts) {
	const u64 r = (u64)blockIdx.x * threads + threadIdx.x;
	u32 degree = 0;
	if (r < count) {
		degree = (r + 1 < count ? rows[r + 1].start : arcs) - rows[r].start;
		rows[r].degree = degree;
	}
	using Reduce = cub::BlockReduce<u32, threads>;
	__shared__ Reduce::TempStorage storage;
	degree = Reduce(storage).Reduce(degree, cub::Max());
	if (threadIdx.x == 0) atomicMax(&facts->maxDegree, degree);
}

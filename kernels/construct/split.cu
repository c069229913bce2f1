// Rows that are split: the first prefix neighbours of each row are in the device's
// memory, the others, its tail, in host memory. A tail begins at a sector of sectorArcs
// neighbours, so that a read of one takes no more sectors than it must.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "keys.cuh"
#include "split.cuh"

namespace {

// degreeOf returns the degree of row i of a group of rows that start at starts among
// arcs distinct arcs.
__device__ inline u32 degreeOf(const u64 *starts, u64 rows, u64 arcs, u64 i) { return (i + 1 < rows ? starts[i + 1] : arcs) - starts[i]; }

} // namespace

// construct_split_need adds up what rows of these degrees (0: no row) take if they are
// split: words of device memory in need[0], sectors of host memory in need[1]. Duplicates
// count as neighbours, so this is an upper bound.
extern "C" __global__ void __launch_bounds__(tileLabels)
construct_split_need(const u32 *degree, u64 vertices, u32 prefix, u64 *need) {
	using Reduce = cub::BlockReduce<u64, tileLabels>;
	__shared__ Reduce::TempStorage storage;
	u64 words = 0, sectors = 0;
	for (u64 v = (u64)blockIdx.x * tileLabels + threadIdx.x; v < vertices; v += (u64)gridDim.x * tileLabels) {
		words += wordsOf(degree[v], prefix);
		sectors += sectorsOf(degree[v], prefix);
	}
	words = Reduce(storage).Sum(words);
	__syncthreads();
	sectors = Reduce(storage).Sum(sectors);
	if (threadIdx.x == 0) {
		atomicAdd(&need[0], words);
		atomicAdd(&need[1], sectors);
	}
}

// construct_starts writes the label of each row of a group of rows, and to starts, from
// the first row of the group on, where the row starts among the distinct keys. before
// has the number of distinct keys before each tile.
extern "C" __global__ void __launch_bounds__(threads)
construct_starts(const u64 *keys, u64 count, const u64 *before, u32 first, int rankBits, const u64 *__restrict__ index, u64 firstRow,
                 Row *rows, u64 *starts) {
	const u32 lane = threadIdx.x & 31;
	Keys k;
	k.load(keys, (u64)blockIdx.x * tile + (threadIdx.x >> 5) * perWarp, count);
	u32 mine = 0, total;
#pragma unroll
	for (int j = 0; j < rounds; j++) mine += __popc(__ballot_sync(~0u, k.isNew(j)));
	u64 place = before[blockIdx.x] + sumWarps(mine, total);
#pragma unroll
	for (int j = 0; j < rounds; j++) {
		const u32 all = __ballot_sync(~0u, k.isNew(j));
		const u64 row = k.key[j] >> rankBits;
		if (k.isNew(j) && (k.before[j] == ~0ull || row != k.before[j] >> rankBits)) {
			const u32 v = first + (u32)row;
			const u64 r = construct::rowNumber(index[v >> 5], v);
			rows[r].label = v;
			starts[r - firstRow] = place + __popc(all & lanesBelow(lane));
		}
		place += __popc(all);
	}
}

// construct_split_sizes writes what each tile of tileLabels rows of a group takes: words
// of device memory and sectors of host memory.
extern "C" __global__ void __launch_bounds__(tileLabels)
construct_split_sizes(const u64 *starts, u64 count, u64 arcs, u32 prefix, u64 *words, u64 *sectors) {
	using Reduce = cub::BlockReduce<u64, tileLabels>;
	__shared__ Reduce::TempStorage storage;
	const u64 i = (u64)blockIdx.x * tileLabels + threadIdx.x;
	const u32 degree = i < count ? degreeOf(starts, count, arcs, i) : 0;
	const u64 w = Reduce(storage).Sum(wordsOf(degree, prefix));
	__syncthreads();
	const u64 l = Reduce(storage).Sum(sectorsOf(degree, prefix));
	if (threadIdx.x == 0) words[blockIdx.x] = w, sectors[blockIdx.x] = l;
}

// construct_split_place writes the starts and degrees of the rows of a group, and where
// their tails begin. words and sectors are what the tiles before take, firstWord and
// firstSector what the groups before take.
extern "C" __global__ void __launch_bounds__(tileLabels)
construct_split_place(const u64 *starts, u64 count, u64 arcs, u32 prefix, const u64 *words, const u64 *sectors, u64 firstWord, u64 firstSector,
                      Row *rows, u32 *neighbors, Facts *facts) {
	using Scan = cub::BlockScan<u64, tileLabels>;
	__shared__ Scan::TempStorage storage;
	const u64 i = (u64)blockIdx.x * tileLabels + threadIdx.x;
	const u32 degree = i < count ? degreeOf(starts, count, arcs, i) : 0;
	u64 word, sector;
	Scan(storage).ExclusiveSum(wordsOf(degree, prefix), word);
	__syncthreads();
	Scan(storage).ExclusiveSum(sectorsOf(degree, prefix), sector);
	const u32 largest = __reduce_max_sync(~0u, degree);
	if (threadIdx.x % 32 == 0) atomicMax(&facts->maxDegree, largest);
	if (i >= count) return;
	word += firstWord + words[blockIdx.x];
	rows[i].start = word;
	rows[i].degree = degree;
	if (degree > prefix) neighbors[word + prefix] = firstSector + sectors[blockIdx.x] + sector;
}

// construct_split_rows writes the labels of the distinct neighbours of the rows of a
// group, to the device's memory or to tails in the host's.
extern "C" __global__ void __launch_bounds__(threads)
construct_split_rows(const u64 *keys, u64 count, const u64 *before, u32 first, int rankBits, const u32 *__restrict__ order,
                     const u64 *__restrict__ index, u64 firstRow, const u64 *__restrict__ starts, const Row *__restrict__ rows, u32 prefix,
                     u32 *neighbors, u32 *tails) {
	const u32 lane = threadIdx.x & 31;
	Keys k;
	k.load(keys, (u64)blockIdx.x * tile + (threadIdx.x >> 5) * perWarp, count);
	u32 mine = 0, total;
#pragma unroll
	for (int j = 0; j < rounds; j++) mine += __popc(__ballot_sync(~0u, k.isNew(j)));
	u64 place = before[blockIdx.x] + sumWarps(mine, total);
#pragma unroll
	for (int j = 0; j < rounds; j++) {
		const u32 all = __ballot_sync(~0u, k.isNew(j));
		if (k.isNew(j)) {
			const u32 v = first + (u32)(k.key[j] >> rankBits), label = order[k.key[j] & ((1ull << rankBits) - 1)];
			const u64 r = construct::rowNumber(index[v >> 5], v);
			const u64 at = place + __popc(all & lanesBelow(lane)) - starts[r - firstRow], start = rows[r].start;
			*(at < prefix ? neighbors + start + at : tails + u64(neighbors[start + prefix]) * sectorArcs + (at - prefix)) = label;
		}
		place += __popc(all);
	}
}

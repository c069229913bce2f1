// Rows in the order of the weights that are split: the first prefix arcs of each row, the
// lightest ones, are in the device's memory, the others, its tail, in host memory. No arc is
// dropped, so the degrees tell where the rows begin before the arcs are sorted.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "construct.cuh"
#include "split.cuh"

// construct_weighted_sizes writes what the rows of each tile of labels take: words of device
// memory and sectors of host memory.
extern "C" __global__ void __launch_bounds__(tileLabels)
construct_weighted_sizes(const u32 *degree, u64 vertices, u32 prefix, u64 *words, u64 *sectors) {
	using Reduce = cub::BlockReduce<u64, tileLabels>;
	__shared__ Reduce::TempStorage storage;
	const u64 v = (u64)blockIdx.x * tileLabels + threadIdx.x;
	const u32 d = v < vertices ? degree[v] : 0;
	const u64 w = Reduce(storage).Sum(wordsOf(d, prefix));
	__syncthreads();
	const u64 s = Reduce(storage).Sum(sectorsOf(d, prefix));
	if (threadIdx.x == 0) words[blockIdx.x] = w, sectors[blockIdx.x] = s;
}

// construct_weighted_place writes where each row begins, in the order of the labels: to
// starts among all arcs, to fronts in arcs, and behind the prefix of a row with a tail the
// offset of the tail in the array of tails. rowsBefore, arcsBefore, wordsBefore and
// sectorsBefore are what the tiles before take.
extern "C" __global__ void __launch_bounds__(tileLabels)
construct_weighted_place(const u32 *degree, u64 vertices, u32 prefix, const u64 *rowsBefore, const u64 *arcsBefore, const u64 *wordsBefore,
                         const u64 *sectorsBefore, u64 *starts, u64 *fronts, uint2 *arcs) {
	using Scan = cub::BlockScan<u64, tileLabels>;
	__shared__ Scan::TempStorage storage;
	const u64 v = (u64)blockIdx.x * tileLabels + threadIdx.x;
	const u32 d = v < vertices ? degree[v] : 0;
	u64 row, arc, word, sector;
	Scan(storage).ExclusiveSum(u64(d > 0), row);
	__syncthreads();
	Scan(storage).ExclusiveSum(u64(d), arc);
	__syncthreads();
	Scan(storage).ExclusiveSum(wordsOf(d, prefix), word);
	__syncthreads();
	Scan(storage).ExclusiveSum(sectorsOf(d, prefix), sector);
	if (d == 0) return;
	row += rowsBefore[blockIdx.x];
	word += wordsBefore[blockIdx.x];
	starts[row] = arcsBefore[blockIdx.x] + arc;
	fronts[row] = word;
	if (d > prefix) reinterpret_cast<u64 *>(arcs)[word + prefix] = (sectorsBefore[blockIdx.x] + sector) * sectorArcs;
}

// construct_weighted_split_rows is construct_weighted_rows for split rows, whose starts are
// known. It writes the arcs to the device's memory, or to tails in the host's.
extern "C" __global__ void __launch_bounds__(256)
construct_weighted_split_rows(const u64 *keys, const u32 *values, u64 count, u64 base, u32 first, int weightBits,
                              const u64 *__restrict__ index, const u32 *__restrict__ rank, const u64 *__restrict__ starts,
                              const u64 *__restrict__ fronts, u32 prefix, uint2 *arcs, uint2 *tails) {
	const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
	if (i >= count) return;
	const u64 key = __ldcs(&keys[i]);
	const u32 v = first + (u32)(key >> weightBits);
	const u64 row = construct::rowNumber(index[v >> 5], v);
	const u64 at = base + i - starts[row], front = fronts[row];
	*(at < prefix ? arcs + front + at : tails + (reinterpret_cast<const u64 *>(arcs)[front + prefix] + at - prefix)) =
	    make_uint2(rank[__ldcs(&values[i])], (u32)(key & ((1ull << weightBits) - 1)));
}

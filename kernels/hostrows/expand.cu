// The kernels of the searches of graphs whose neighbours are in host memory. Graph.Prefix
// is 0: in the device's memory a row has one word, the sector at which its neighbours begin.
//
// A level begins with the bitmap of the vertices in the frontier. Prefix sums over it give
// the list of their rows and, from the degrees, the offsets of their neighbours, as if these
// were packed (Sabet, Zhao and Gupta 2020). Then warps examine the neighbours of a row
// each, in lines of 128 bytes (Min et al. 2020), wherever they are.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "../construct/construct.cuh"
#include "../counted.cuh"
#include "layout.cuh"

constexpr u32 none = ~0u; // engine.None

// hostrows_start makes the root its own parent and the first frontier. One thread.
extern "C" __global__ void hostrows_start(u32 *parents, u32 *active, u32 root) {
	parents[root] = root;
	active[root >> 5] = 1u << (root & 31);
}

// hostrows_count counts for each block of listThreads words of the bitmap the rows, their
// neighbours, and the sectors of these. sums has an array of a word per block for each.
extern "C" __global__ void __launch_bounds__(listThreads)
hostrows_count(const u32 *active, u64 words, const u64 *__restrict__ index, const Row *__restrict__ rows, u64 *sums) {
	using Reduce = cub::BlockReduce<u64, listThreads>;
	__shared__ Reduce::TempStorage storage;
	const u64 i = (u64)blockIdx.x * listThreads + threadIdx.x;
	const u32 bits = i < words ? active[i] : 0;
	u64 arcs = 0, sectors = 0;
	for (u32 rest = bits; rest; rest &= rest - 1) {
		const u32 degree = rows[construct::rowNumber(index[i], __ffs(rest) - 1)].degree;
		arcs += degree;
		sectors += (degree + sectorArcs - 1) / sectorArcs;
	}
	const u64 count = Reduce(storage).Sum(__popc(bits));
	__syncthreads();
	arcs = Reduce(storage).Sum(arcs);
	__syncthreads();
	sectors = Reduce(storage).Sum(sectors);
	if (threadIdx.x == 0) {
		sums[blockIdx.x] = count;
		sums[gridDim.x + blockIdx.x] = arcs;
		sums[2 * gridDim.x + blockIdx.x] = sectors;
	}
}

// hostrows_scan replaces each of the arrays of count words, one per block of threads, by
// its prefix sums, and writes its sum to totals.
extern "C" __global__ void __launch_bounds__(scanThreads) hostrows_scan(u64 *sums, u64 count, u64 *totals) {
	using Scan = cub::BlockScan<u64, scanThreads>;
	__shared__ Scan::TempStorage storage;
	sums += blockIdx.x * count;
	u64 before = 0;
	for (u64 first = 0; first < count; first += scanThreads) {
		const u64 i = first + threadIdx.x;
		u64 sum, total;
		Scan(storage).ExclusiveSum(i < count ? sums[i] : 0, sum, total);
		if (i < count) sums[i] = before + sum;
		before += total;
		__syncthreads();
	}
	if (threadIdx.x == 0) totals[blockIdx.x] = before;
}

// hostrows_list writes the list of the rows and clears the bitmap.
extern "C" __global__ void __launch_bounds__(listThreads)
hostrows_list(u32 *active, u64 words, const u64 *__restrict__ index, const Row *__restrict__ rows, const u32 *__restrict__ firstSectors,
              const u64 *__restrict__ sums, const u64 *__restrict__ totals, Active *list) {
	using Scan = cub::BlockScan<u64, listThreads>;
	__shared__ Scan::TempStorage storage;
	const u64 i = (u64)blockIdx.x * listThreads + threadIdx.x;
	const u32 bits = i < words ? active[i] : 0;
	u64 arcs = 0, place, offset;
	for (u32 rest = bits; rest; rest &= rest - 1) arcs += rows[construct::rowNumber(index[i], __ffs(rest) - 1)].degree;
	Scan(storage).ExclusiveSum(u64(__popc(bits)), place);
	__syncthreads();
	Scan(storage).ExclusiveSum(arcs, offset);
	place += sums[blockIdx.x];
	offset += sums[gridDim.x + blockIdx.x];
	for (u32 rest = bits; rest; rest &= rest - 1) {
		const Row row = rows[construct::rowNumber(index[i], __ffs(rest) - 1)];
		list[place++] = {offset, row.label, firstSectors[row.start]};
		offset += row.degree;
	}
	if (bits) active[i] = 0;
	if (i == 0) list[totals[0]] = {totals[1], none, none};
}

// hostrows_spans finds the rows of the list that have neighbours in each partition of
// partArcs neighbours of host memory.
extern "C" __global__ void hostrows_spans(const Active *list, u64 count, u64 partArcs, Span *spans) {
	const u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= count) return;
	const u64 begin = u64(list[i].sector) * sectorArcs, end = begin + (list[i + 1].offset - list[i].offset);
	for (u64 p = begin / partArcs; p * partArcs < end; p++) {
		atomicMin(&spans[p].first, (u32)i);
		atomicMin(&spans[p].notLast, ~(u32)i);
	}
}

// hostrows_expand claims the neighbours of count rows of the list, from row first on, a
// warp each, as far as they are at the positions lo to hi - 1. The position of a
// neighbour is that in the tails of the graph, or, if they are packed, that among the
// neighbours of the list. neighbors begins with that at lo, a multiple of lineArcs, and is
// aligned to a line, so that a warp reads whole lines.
extern "C" __global__ void hostrows_expand(const Active *list, u64 first, u64 count, u32 packed, u64 lo, u64 hi, const u32 *neighbors,
                                           u32 *parents, u32 *active) {
	const u64 warp = ((u64)blockIdx.x * blockDim.x + threadIdx.x) / 32;
	const u32 lane = threadIdx.x & 31;
	if (warp >= count) return;
	const Active row = list[first + warp];
	const u64 begin = packed ? row.offset : u64(row.sector) * sectorArcs;
	const u64 end = begin + (list[first + warp + 1].offset - row.offset);
	const u64 from = begin > lo ? begin : lo, to = end < hi ? end : hi;
	if (from >= to) return;
	if (lane == 0) examined(to - from);
	for (u64 at = from / lineArcs * lineArcs + lane; at < to; at += lineArcs) {
		if (at < from) continue;
		const u32 v = neighbors[at - lo];
		// Most neighbours are visited, and a load costs less than a failing
		// compare-and-swap. It bypasses the first-level cache.
		if (__ldcg(parents + v) == none && atomicCAS(parents + v, none, row.label) == none) atomicOr(&active[v >> 5], 1u << (v & 31));
	}
}

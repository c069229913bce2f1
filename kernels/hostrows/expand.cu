// The kernels of the searches of graphs whose neighbours are in host memory. Graph.Prefix
// is 0: in the device's memory a row has one word, the sector at which its neighbours begin.
//
// A level begins with the bitmaps of the vertices in the frontier and of those that are not
// visited. It is top-down from the first or bottom-up from the second (direction optimisation;
// Beamer, Asanovic and Patterson 2012). Prefix sums over the bitmap give the list of their rows
// and, from the degrees, the offsets of their sectors, as if these were packed (Sabet, Zhao and
// Gupta 2020). Then each warp examines an equal number of sectors of the list, of one row or of
// many, in lines of 128 bytes (Min et al. 2020), wherever they are.
//
// The first neighbours of a row are those with most arcs, so that one of them often is in a
// large frontier. A bottom-up level therefore has two lists: of the first sector of each row,
// and of the rests of the rows for which that was not enough.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "../construct/construct.cuh"
#include "../counted.cuh"
#include "layout.cuh"

constexpr u32 none = ~0u; // engine.None

// hostrows_start makes the root its own parent and the first frontier, and all vertices that
// have a row unvisited. The bitmaps have that many words.
extern "C" __global__ void hostrows_start(const u64 *__restrict__ index, u64 words, u32 root, u32 *parents, u32 *active, u32 *unvisited) {
	const u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= words) return;
	const bool mine = i == root >> 5;
	active[i] = mine ? 1u << (root & 31) : 0;
	unvisited[i] = (u32)index[i];
	if (mine) parents[root] = root;
}

namespace {

__device__ inline u32 sectorsOf(u32 degree) { return (degree + sectorArcs - 1) / sectorArcs; }

// linesOf returns the number of lines in which the neighbours from begin to end - 1 lie.
__device__ inline u32 linesOf(u64 begin, u64 end) { return begin < end ? (end - 1) / lineArcs - begin / lineArcs + 1 : 0; }

} // namespace

namespace {

// Part is what a list has of each row.
enum Part { whole, head, rest };

// arcsOf returns the number of neighbours in the part of a row.
__device__ inline u32 arcsOf(Part part, u32 degree) {
	const u32 first = min(degree, sectorArcs);
	return part == whole ? degree : part == head ? first : degree - first;
}

// Pair is a number of rows, and of the sectors of their part.
struct Pair {
	u64 rows, sectors;
};

// pairOf returns that of the rows in a word of a bitmap. word is that of the index.
__device__ inline Pair pairOf(Part part, u32 bits, u64 word, const Row *__restrict__ rows) {
	Pair p{};
	for (; bits; bits &= bits - 1) {
		const u32 arcs = arcsOf(part, rows[construct::rowNumber(word, __ffs(bits) - 1)].degree);
		p.rows += arcs > 0;
		p.sectors += sectorsOf(arcs);
	}
	return p;
}

} // namespace

// hostrows_count counts for each block of listThreads words of a bitmap the rows and their
// sectors. sums has an array of a word per block for each. The rows are those of the frontier,
// whose vertices are then visited, or with rests the rests of those that the level has not
// found.
extern "C" __global__ void __launch_bounds__(listThreads)
hostrows_count(u32 rests, const u32 *active, u32 *unvisited, u64 words, const u64 *__restrict__ index, const Row *__restrict__ rows, u64 *sums) {
	using Reduce = cub::BlockReduce<u64, listThreads>;
	__shared__ Reduce::TempStorage storage;
	const u64 i = (u64)blockIdx.x * listThreads + threadIdx.x;
	Pair sum{};
	if (i < words) {
		const u32 found = active[i], bits = rests ? unvisited[i] & ~found : found;
		if (bits) sum = pairOf(rests ? rest : whole, bits, index[i], rows);
		if (found && !rests) unvisited[i] &= ~found;
	}
	sum.rows = Reduce(storage).Sum(sum.rows);
	__syncthreads();
	sum.sectors = Reduce(storage).Sum(sum.sectors);
	if (threadIdx.x == 0) {
		sums[blockIdx.x] = sum.rows;
		sums[gridDim.x + blockIdx.x] = sum.sectors;
	}
}

// hostrows_scan replaces each of the two arrays of count words, one per block of threads, by
// its prefix sums. Those of the rows of the frontier it adds to visited.
extern "C" __global__ void __launch_bounds__(scanThreads) hostrows_scan(u32 rests, u64 *sums, u64 count, u64 *visited, Totals *totals) {
	using Scan = cub::BlockScan<u64, scanThreads>;
	__shared__ Scan::TempStorage storage;
	sums += blockIdx.x * count;
	const bool adds = !rests && blockIdx.x == 0;
	u64 before = 0;
	for (u64 first = 0; first < count; first += scanThreads) {
		const u64 i = first + threadIdx.x;
		u64 sum, total;
		Scan(storage).ExclusiveSum(i < count ? sums[i] : 0, sum, total);
		if (i < count) sums[i] = before + sum;
		if (i < count && adds) visited[i] += before + sum;
		before += total;
		__syncthreads();
	}
	if (threadIdx.x > 0) return;
	totals->listed[blockIdx.x] = before;
	if (!rests) {
		totals->frontier[blockIdx.x] = before;
		totals->visited[blockIdx.x] += before;
	}
	(blockIdx.x ? totals->arcs : totals->lines) = 0;
}

// hostrows_list writes a list of rows and where their neighbours are: the rests that
// hostrows_count has counted, or else what the rule of the level chooses. The heads of the
// unvisited rows are as many as these, and their numbers before a block follow from those of all
// rows and of the visited ones. It then clears the frontier's bitmap.
extern "C" __global__ void __launch_bounds__(listThreads)
hostrows_list(u32 rests, u32 *active, const u32 *unvisited, u64 words, const u64 *__restrict__ index, const Row *__restrict__ rows,
              const u32 *__restrict__ firstSectors, u64 allRows, u64 allSectors, u64 headRatio, u64 rowRatio, const u64 *__restrict__ sums,
              const u64 *__restrict__ visited, Totals *totals, Active *list, Place *places) {
	using Scan = cub::BlockScan<u64, listThreads>;
	using Reduce = cub::BlockReduce<u64, listThreads>;
	__shared__ union {
		Scan::TempStorage scan;
		Reduce::TempStorage reduce;
	} storage;
	const u64 unvisitedRows = allRows - totals->visited[0], sectors = totals->frontier[1];
	const bool pull = unvisitedRows < headRatio * sectors && allSectors - totals->visited[1] < rowRatio * sectors;
	const Part part = rests ? rest : pull ? head : whole;
	const u64 i = (u64)blockIdx.x * listThreads + threadIdx.x;
	u32 found = 0, bits = 0;
	if (i < words) {
		found = active[i];
		bits = part == whole ? found : part == head ? unvisited[i] : unvisited[i] & ~found;
	}
	const u64 word = bits ? index[i] : 0;
	Pair at = pairOf(part, bits, word, rows);
	Scan(storage.scan).ExclusiveSum(at.rows, at.rows);
	__syncthreads();
	Scan(storage.scan).ExclusiveSum(at.sectors, at.sectors);
	if (part == head) {
		at.rows += (index[(u64)blockIdx.x * listThreads] >> 32) - visited[blockIdx.x];
		at.sectors = at.rows;
	} else {
		at.rows += sums[blockIdx.x];
		at.sectors += sums[gridDim.x + blockIdx.x];
	}
	u64 arcs = 0, lines = 0;
	for (; bits; bits &= bits - 1) {
		const Row row = rows[construct::rowNumber(word, __ffs(bits) - 1)];
		const u32 mine = arcsOf(part, row.degree), sector = firstSectors[row.start] + (part == rest);
		if (mine == 0) continue;
		const u64 first = u64(sector) * sectorArcs;
		list[at.rows] = {row.label, mine};
		places[at.rows++] = {u32(at.sectors), sector};
		at.sectors += sectorsOf(mine);
		arcs += mine;
		lines += linesOf(first, first + mine);
	}
	if (found && part != rest) active[i] = 0;
	if (i == 0) {
		totals->pull = part != whole;
		if (part == head) totals->listed[0] = totals->listed[1] = unvisitedRows;
		places[totals->listed[0]] = {u32(totals->listed[1]), none};
	}
	__syncthreads();
	arcs = Reduce(storage.reduce).Sum(arcs);
	__syncthreads();
	lines = Reduce(storage.reduce).Sum(lines);
	if (threadIdx.x == 0 && arcs) {
		atomicAdd(&totals->arcs, arcs);
		atomicAdd(&totals->lines, lines);
	}
}

// hostrows_spans finds the rows of the list that have neighbours in each partition of
// partSectors sectors of host memory.
extern "C" __global__ void hostrows_spans(const Place *places, u64 count, u64 partSectors, Span *spans) {
	const u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= count) return;
	const u64 begin = places[i].sector, end = begin + (places[i + 1].offset - places[i].offset);
	for (u64 p = begin / partSectors; p * partSectors < end; p++) {
		atomicMin(&spans[p].first, (u32)i);
		atomicMin(&spans[p].notLast, ~(u32)i);
	}
}

namespace {

// rowAt returns the row that has a sector of the list, one of the rows first to end - 1.
// All lanes of the warp must call it.
__device__ inline u64 rowAt(const Place *places, u64 first, u64 end, u64 sector) {
	const u32 lane = threadIdx.x & 31;
	while (end - first > 1) {
		const u64 stride = (end - first + 31) / 32, at = first + lane * stride;
		const u32 notBehind = __popc(__ballot_sync(~0u, at < end && places[at].offset <= sector));
		first += (notBehind - 1) * stride;
		end = min(end, first + stride);
	}
	return first;
}

// cut returns where a row, the neighbours from begin to end - 1, is cut at a sector of the
// list, of which the row begins with that at offset. Lines stay whole: the cut is at the
// end of the line.
__device__ inline u64 cut(u64 begin, u64 end, u64 offset, u64 sector) {
	if (sector <= offset) return begin;
	return min(end, (begin + (sector - offset) * sectorArcs + lineArcs - 1) / lineArcs * lineArcs);
}

// claim makes label the parent of K vertices that have none. v[k] is none where a lane has
// no vertex.
template <int K> __device__ inline void claim(const u32 (&v)[K], const u32 (&label)[K], u32 *parents, u32 *active) {
	u32 parent[K];
	// Most neighbours are visited, and a load costs less than a failing compare-and-swap.
	// It bypasses the first-level cache.
#pragma unroll
	for (int k = 0; k < K; k++) parent[k] = v[k] != none ? __ldcg(parents + v[k]) : 0;
#pragma unroll
	for (int k = 0; k < K; k++)
		if (parent[k] == none && atomicCAS(parents + v[k], none, label[k]) == none) atomicOr(&active[v[k] >> 5], 1u << (v[k] & 31));
}

// pulled turns what a pull has loaded into claims: of K lines, in each of which v has
// neighbours of one unvisited vertex, label. The first neighbour that is visited gets it as
// its child. Only the last level can have visited that neighbour.
template <int K> __device__ inline void pulled(u32 (&v)[K], u32 (&label)[K], const u32 *__restrict__ unvisited) {
	u32 word[K];
#pragma unroll
	for (int k = 0; k < K; k++) word[k] = v[k] != none ? unvisited[v[k] >> 5] : ~0u;
#pragma unroll
	for (int k = 0; k < K; k++) {
		const u32 hits = __ballot_sync(~0u, !(word[k] >> (v[k] & 31) & 1)), neighbor = v[k];
		v[k] = int(threadIdx.x & 31) == __ffs(hits) - 1 ? label[k] : none;
		label[k] = neighbor;
	}
}

// Batch is up to 32 rows of the list, one in each lane, as far as a warp examines them. The
// warp numbers their lines. A line is an index of the neighbours divided by lineArcs.
struct Batch {
	u32 label;
	u32 before;     // lines of the rows of lower lanes
	u32 shift;      // first line of the row, minus before
	u32 begin, end; // of the row's neighbours, if those of all lines were numbered
	u32 lines;      // of all rows

	// The lane has the neighbours from to end - 1 of a vertex, or none.
	__device__ inline Batch(u32 vertex, u64 from, u64 to) {
		const u32 lane = threadIdx.x & 31, mine = linesOf(from, to);
		before = mine;
#pragma unroll
		for (int d = 1; d < 32; d *= 2) {
			const u32 x = __shfl_up_sync(~0u, before, d);
			if (lane >= d) before += x;
		}
		lines = __shfl_sync(~0u, before, 31);
		before -= mine;
		label = vertex;
		const u32 first = from / lineArcs;
		shift = first - before;
		begin = before * lineArcs + from % lineArcs;
		end = begin + (mine ? u32(to - from) : 0);
	}

	// load returns the lane's neighbour in a line, or none, and in parent its row's vertex.
	__device__ inline u32 load(const u32 *neighbors, u32 line, u32 &parent) const {
		const u32 owner = __popc(__ballot_sync(~0u, before <= line)) - 1, i = line * lineArcs + (threadIdx.x & 31);
		const u32 from = __shfl_sync(~0u, begin, owner), to = __shfl_sync(~0u, end, owner);
		const u32 at = __shfl_sync(~0u, shift, owner) + line;
		parent = __shfl_sync(~0u, label, owner);
		return from <= i && i < to ? neighbors[u64(at) * lineArcs + i % lineArcs] : none;
	}
};

} // namespace

// hostrows_expand examines the neighbours of count rows of the list, from row first on, as
// far as they are at the positions lo to hi - 1, in sectors. It claims those of the frontier,
// or, with the bitmap of unvisited vertices, these for neighbours in the frontier. The position of a sector is that in
// the tails of the graph or, if they are packed, that in the list. neighbors begins with
// the sector at lo, a multiple of a line's, and is aligned to a line.
//
// Each warp examines pieceSectors sectors of the list, so that a row of any length is
// spread over as many warps as it takes. It has several lines on the way at a time.
extern "C" __global__ void hostrows_expand(const Active *list, const Place *places, u64 first, u64 count, u32 packed, u64 lo, u64 hi,
                                           const u32 *neighbors, const u32 *unvisited, u32 *parents, u32 *active) {
	constexpr int atATime = 4;
	const u64 warp = ((u64)blockIdx.x * blockDim.x + threadIdx.x) / 32, rowsEnd = first + count;
	const u32 lane = threadIdx.x & 31;
	u64 begin = lo, end = hi; // in the list
	if (!packed) {
		const Place row = places[first], last = places[rowsEnd - 1];
		begin = row.offset + (lo > row.sector ? lo - row.sector : 0);
		end = min(u64(places[rowsEnd].offset), last.offset + (hi - last.sector));
	}
	begin += warp * pieceSectors;
	if (begin >= end) return;
	end = min(end, begin + pieceSectors);
	neighbors -= lo * sectorArcs;
	for (u64 base = rowAt(places, first, rowsEnd, begin); base < rowsEnd && places[base].offset < end; base += 32) {
		const u64 i = base + lane;
		Active row{none, 0};
		u64 from = 0, to = 0;
		if (i < rowsEnd) {
			const Place at = places[i];
			row = list[i];
			const u64 start = u64(packed ? at.offset : at.sector) * sectorArcs;
			from = cut(start, start + row.degree, at.offset, begin);
			to = cut(start, start + row.degree, at.offset, end);
			if (from < to) examined(to - from);
		}
		const Batch batch(row.label, from, to);
		for (u32 line = 0; line < batch.lines; line += atATime) {
			u32 v[atATime], label[atATime];
#pragma unroll
			for (int k = 0; k < atATime; k++) v[k] = batch.load(neighbors, line + k, label[k]);
			if (unvisited) pulled(v, label, unvisited);
			claim(v, label, parents, active);
		}
	}
}

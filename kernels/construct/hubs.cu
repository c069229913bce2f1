// From rows by label, whose neighbours are ranks by falling degree, to the form of package hubs,
// whose package reference has the meaning of each array. One device has the rows of a range of
// labels. The first ranks are hubs.
//
// A code is at first what a vertex is as far as its own row tells: a hub, a vertex with one
// neighbour (leafFlag alone), or another vertex (0). Later it is the vertex that lists name. Codes
// are looked up by rank, since most are those of low ranks, which stay in the cache, and hubs need none.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "../wraps.cuh"
#include "construct.cuh"

namespace {

constexpr u32 hubFlag = 1u << 31, leafFlag = 1u << 30, none = ~0u;
constexpr u32 noHub = 0xffff, hubsEach = 8, rowsEach = 4, headHubs = 5, rowAlign = 32, firstAlign = 8;
constexpr int tileRows = 1024, firstThreads = 256;

// Classes of rows, as package reference numbers them. leafOrHub has no row.
enum Class { several, single, other, onlyLeaves, leafOrHub, classes = leafOrHub };

// Keys of rows: the low bits are the label; for class several only its place in the chunk. While the keys of all classes are
// in the order of the labels, the class is above them, and rows of leafOrHub have noKey.
constexpr int labelBits = 31, placeBits = 12, hubBits = 16, classShift = 62;
constexpr u64 noKey = ~0ull;
static_assert(2 * labelBits <= classShift && leafOrHub == 4, "two labels and a class fit");

__device__ inline bool isHub(u32 code) { return code >> 30 == 2; }
__device__ inline bool isLeaf(u32 code) { return code & leafFlag; }

// Names are what kernels need to know of neighbours: their codes and labels by rank.
struct Names {
	const u32 *code, *labels; // code is null where neighbours are codes already
	u32 hubs;

	__device__ u32 operator[](u32 rank) const { return rank < hubs ? hubFlag | rank : __ldg(&code[rank]); }
};

// firstRow returns the rank of the first neighbour of a row that is no leaf, none without one.
__device__ u32 firstRow(const Row &r, const u32 *neighbors, const Names &names) {
	for (u32 i = 0; i < r.degree; i++) {
		const u32 v = neighbors[r.start + i];
		if (!isLeaf(names[v])) return v;
	}
	return none;
}

// classOf returns the class of a row that is no hub. first becomes its first neighbour that is no
// leaf: the number of a hub, the label of another vertex, or none.
__device__ Class classOf(const Row &r, const u32 *neighbors, const Names &names, u32 &first) {
	first = none;
	const u32 v = neighbors[r.start], c = names[v];
	if (r.degree == 1) return !isLeaf(c) || names.labels[v] < r.label ? leafOrHub : onlyLeaves; // of a pair, the larger label is the leaf
	if (isHub(c)) {
		first = v;
		return neighbors[r.start + 1] < names.hubs ? several : single;
	}
	first = firstRow(r, neighbors, names);
	if (first == none) return onlyLeaves;
	first = names.labels[first];
	return other;
}

// inBlock returns how many of the block's threads before this one have the flag, and in total how
// many have it.
template <int threads>
__device__ u32 inBlock(bool flag, u32 &total) {
	using Scan = cub::BlockScan<u32, threads, cub::BLOCK_SCAN_WARP_SCANS>;
	__shared__ typename Scan::TempStorage storage;
	u32 before;
	__syncthreads();
	Scan(storage).ExclusiveSum((u32)flag, before, total);
	return before;
}

// Lists is where the rows of the graph and their neighbours are.
struct Lists {
	const u64 *index; // of the labels, based on label 0
	const Row *rows;
	u32 *neighbors; // ranks, and codes once the lists are counted
};

__device__ Row rowOf(const Lists &l, u32 label) { return l.rows[construct::rowNumber(l.index[label >> 5], label)]; }

// ChunkRows is the rows by label of the chunks of a device, whose first label is firstLabel.
struct ChunkRows {
	const u64 *index; // as in Lists
	const Row *rows;
	u64 count;
	u32 labels, firstLabel; // labels is those of a chunk
	u64 chunks;

	__device__ u32 label(u64 chunk) const { return firstLabel + (u32)chunk * labels; }

	// begin returns the number of the first row of a chunk, and of the number of chunks the end.
	__device__ u64 begin(u64 chunk) const {
		return chunk < chunks ? construct::rowNumber(index[label(chunk) >> 5], label(chunk)) : count;
	}
};

// Source is where a device's rows by label are, and the end of the labels.
struct Source {
	Lists lists;
	u64 end;
};

// listsOf returns where the row of a label is.
__device__ Lists listsOf(const Source *sources, u32 label) {
	while (label >= sources->end) sources++;
	return sources->lists;
}

// Counts are the numbers of hubs and rows among neighbours.
struct Counts {
	u32 hubs, rows;
};

// Places is the places of all lists of one kind: the first ones on the device, the others, from
// place `end` on, in host memory.
template <typename T>
struct Places {
	T *onDevice, *onHost;
	u64 end;

	// Pieces from deviceEnd on are in host memory, each of that many places.
	__device__ Places(T *onDevice, T *onHost, u32 deviceEnd, u32 each) : onDevice(onDevice), onHost(onHost), end((u64)deviceEnd * each) {}

	__device__ T &operator[](u64 i) const { return i < end ? onDevice[i] : onHost[i - end]; }
};

// Ranges are those of reference.Ranges: of the rows with two hubs or more, first to firstSingle-1, rangeRows each, and of
// those with one hub rangeSingle each. at has for each what is counted of it, or the place of its next row in a list. There is none
// without at.
struct Ranges {
	u32 *at, first, rangeRows, firstSingle, rangeSingle;

	__device__ u32 next(u32 row) const {
		const bool single = row >= firstSingle;
		return atomicAdd(&at[(row - (single ? firstSingle : first)) / (single ? rangeSingle : rangeRows)], 1u);
	}
};

// Out is where the lists of a row or hub go: from places hubsAt and rowsAt on. head takes the first
// hubs that are not in the list of hubs, at most headHubs of them; skip is their number.
struct Out {
	Places<u16> hubs;
	Places<u32> rows;
	u64 hubsAt, rowsAt;
	u16 *head;
	u32 skip;
	Ranges ranges; // of a hub's rows
};

// Team is the threads that read a list together: the aligned group of that many lanes, a power of two.
struct Team {
	u32 size, lane, first, mask;

	__device__ explicit Team(u32 size)
	    : size(size), lane(threadIdx.x & (size - 1)), first(threadIdx.x & 31 & ~(size - 1)), mask(~0u >> (32 - size) << first) {}

	__device__ u32 ballot(bool flag) const { return (__ballot_sync(mask, flag) & mask) >> first; }
};

// countNeighbors counts the neighbours from..to-1 of a row that are hubs, and those that are rows
// first..end-1. It replaces their ranks, if they are ranks, by their codes.
__device__ Counts countNeighbors(Team team, const Row &r, u32 *neighbors, const Names &names, u32 first, u32 end, u64 from, u64 to, Ranges ranges = {}) {
	constexpr int each = 4; // loads in flight
	Counts n = {};
	for (u64 i = from + team.lane; i < to; i += team.size * each) {
		u32 c[each];
#pragma unroll
		for (int k = 0; k < each; k++) c[k] = i + team.size * k < to ? neighbors[r.start + i + team.size * k] : none;
#pragma unroll
		for (int k = 0; k < each; k++) c[k] = c[k] == none || !names.code ? c[k] : names[c[k]];
#pragma unroll
		for (int k = 0; k < each; k++) {
			if (c[k] == none) continue;
			if (names.code) neighbors[r.start + i + team.size * k] = c[k];
			n.hubs += isHub(c[k]);
			const bool row = c[k] < leafFlag && c[k] >= first && c[k] < end;
			n.rows += row;
			if (row && ranges.at) ranges.next(c[k]);
		}
	}
	return {__reduce_add_sync(team.mask, n.hubs), __reduce_add_sync(team.mask, n.rows)};
}

// writeNeighbors writes those that countNeighbors counts to where they belong. at is what the
// neighbours before have. It returns what these and the ones before have.
__device__ Counts writeNeighbors(Team team, const Row &r, const u32 *codes, u32 first, u32 end, u64 from, u64 to, Counts at, const Out &out) {
	const u32 below = (1u << team.lane) - 1;
	for (u64 i = from; i < to; i += team.size) {
		const u32 c = i + team.lane < to ? __ldcs(&codes[r.start + i + team.lane]) : leafFlag;
		const bool hub = isHub(c), row = c < leafFlag && c >= first && c < end;
		const u32 hubs = team.ballot(hub), rows = team.ballot(row), h = at.hubs + __popc(hubs & below);
		if (hub && h >= out.skip) out.hubs[out.hubsAt + h - out.skip] = (u16)c;
		if (hub && h < out.skip && h > 0) out.head[h - 1] = (u16)c;
		if (row) out.rows[out.rowsAt + (out.ranges.at ? out.ranges.next(c) : at.rows + __popc(rows & below))] = c;
		at.hubs += __popc(hubs);
		at.rows += __popc(rows);
	}
	return at;
}

// pad fills the unused places of the last pieces of lists of that many hubs and rows.
__device__ void pad(u32 lane, Counts n, const Out &out) {
	const u32 hubs = n.hubs - min(n.hubs, out.skip);
	if (hubs + lane < (hubs + hubsEach - 1) / hubsEach * hubsEach) out.hubs[out.hubsAt + hubs + lane] = noHub;
	if (n.rows + lane < (n.rows + rowsEach - 1) / rowsEach * rowsEach) out.rows[out.rowsAt + n.rows + lane] = none;
}

__device__ inline u32 pieces(u32 n, u32 each) { return (n + each - 1) / each; }

constexpr int hubThreads = 256, hubWarps = hubThreads / 32;
constexpr int mostRanges = 34 * 132, rangesEach = (mostRanges + hubThreads - 1) / hubThreads; // reference.MostRanges

} // namespace

// construct_hub_numbers gives the labels of the hubs among `labels` labels from firstLabel on their codes,
// and adds the hubs of each chunk to inChunk.
extern "C" __global__ void __launch_bounds__(256)
construct_hub_numbers(const u32 *hubs, u32 count, u32 chunkLabels, u32 firstLabel, u32 labels, u32 *code, u64 *inChunk) {
	const u32 h = blockIdx.x * 256 + threadIdx.x;
	if (h >= count || hubs[h] - firstLabel >= labels) return;
	code[hubs[h]] = hubFlag | h;
	atomicAdd(&inChunk[(hubs[h] - firstLabel) / chunkLabels], 1ull);
}

// construct_hub_codes gives the other labels with a row their first codes. All codes of other
// labels are none.
extern "C" __global__ void __launch_bounds__(256) construct_hub_codes(const Row *rows, u64 count, u32 *code) {
	const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
	if (i >= count) return;
	const Row r = rows[i];
	if (!isHub(code[r.label])) code[r.label] = r.degree == 1 ? leafFlag : 0;
}

// construct_hub_spread copies codes of labels to where they are by rank. own and rank begin with the same label.
extern "C" __global__ void __launch_bounds__(256) construct_hub_spread(const u32 *own, u64 labels, const u32 *rank, u32 *code) {
	const u64 v = (u64)blockIdx.x * 256 + threadIdx.x;
	if (v < labels && own[v] != none) code[rank[v]] = own[v];
}

// construct_hub_classes writes a key for each row, and counts the rows of each class by tile of rows, and those of class
// several by chunk, whose first label is firstLabel. own are the codes by label. A block is a tile; counts has tiles + 1 elements for each
// class.
extern "C" __global__ void __launch_bounds__(tileRows)
construct_hub_classes(const Row *rows, u64 count, const u32 *neighbors, const u32 *own, const u32 *code, const u32 *labels, u32 hubs,
                      u32 chunkLabels, u32 firstLabel, u64 tiles, u64 *counts, u64 *inChunk, u64 *keys) {
	const u64 i = (u64)blockIdx.x * tileRows + threadIdx.x;
	u32 first = 0;
	const Row r = i < count ? rows[i] : Row{};
	const Class c = i < count && !isHub(own[r.label]) ? classOf(r, neighbors, {code, labels, hubs}, first) : leafOrHub;
	const u32 label = r.label - firstLabel;
	if (c == several) atomicAdd(&inChunk[label / chunkLabels], 1ull);
	u64 key = (u64)(c == onlyLeaves ? 0 : first) << labelBits | r.label;
	if (c == several) key = (u64)(label / chunkLabels) << (hubBits + placeBits) | first << placeBits | label % chunkLabels;
	if (i < count) keys[i] = c == leafOrHub ? noKey : (u64)c << classShift | key;
#pragma unroll
	for (int k = 0; k < classes; k++) {
		const int n = __syncthreads_count(c == k);
		if (threadIdx.x == 0) counts[k * (tiles + 1) + blockIdx.x] = n;
	}
}

// construct_hub_keys copies the keys, the classes one after the other. before has the numbers of rows of a class before
// each tile, and in total.
extern "C" __global__ void __launch_bounds__(tileRows)
construct_hub_keys(const u64 *keys, u64 count, u64 tiles, const u64 *before, u64 *sorted) {
	const u64 i = (u64)blockIdx.x * tileRows + threadIdx.x, key = i < count ? keys[i] : noKey;
	const u32 c = key == noKey ? (u32)leafOrHub : (u32)(key >> classShift);
	u64 base = 0;
#pragma unroll
	for (u32 k = 0; k < classes; k++) {
		const u64 *tile = before + k * (tiles + 1);
		u32 total;
		const u32 at = inBlock<tileRows>(c == k, total);
		if (c == k) sorted[base + tile[blockIdx.x] + at] = key & ((1ull << classShift) - 1);
		base += tile[tiles];
	}
}

// construct_hub_chunks rounds the numbers of rows of class several of the chunks up to whole words
// of bitmaps. listed has the numbers of hubs and gets those of all others, rounded up.
extern "C" __global__ void __launch_bounds__(256)
construct_hub_chunks(const u64 *index, const Row *rows, u64 count, u32 chunkLabels, u32 firstLabel, u64 chunks, const u64 *several, u64 *rounded,
                     u64 *listed) {
	const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
	if (i >= chunks) return;
	const ChunkRows of = {index, rows, count, chunkLabels, firstLabel, chunks};
	const u64 others = of.begin(i + 1) - of.begin(i) - several[i] - listed[i];
	rounded[i] = (several[i] + rowAlign - 1) / rowAlign * rowAlign;
	listed[i] = (others + firstAlign - 1) / firstAlign * firstAlign;
}

// construct_hub_starts narrows the first rows of the chunks, and the end, counted from firstNumber on.
extern "C" __global__ void __launch_bounds__(256) construct_hub_starts(const u64 *starts, u64 count, u32 firstNumber, u32 *narrow) {
	const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
	if (i < count) narrow[i] = firstNumber + (u32)starts[i];
}

// construct_hub_unused gives the heads their contents of unused rows.
extern "C" __global__ void __launch_bounds__(256) construct_hub_unused(u32 *heads, u64 count) {
	const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
	if (i < count) heads[i] = noHub;
}

// construct_hub_several numbers the rows of class several: key i is row i of the chunks'
// used rows. used and starts have the numbers of used and of all rows before each chunk.
extern "C" __global__ void __launch_bounds__(256)
construct_hub_several(const u64 *keys, u64 count, u32 chunkLabels, u32 firstLabel, const u64 *used, const u64 *starts, u32 firstNumber, u32 *code,
                      u32 *labels, u32 *heads) {
	const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
	if (i >= count) return;
	const u64 key = keys[i];
	const u32 chunk = (u32)(key >> (hubBits + placeBits)), place = key & ((1u << placeBits) - 1), label = firstLabel + chunk * chunkLabels + place;
	const u32 row = (u32)(starts[chunk] + i - used[chunk]);
	labels[row] = label;
	heads[row] = place << 16 | (u32)(key >> placeBits & 0xffff);
	code[label] = firstNumber + row;
}

// construct_hub_others numbers the rows of another class, from row on. hubs, of the same rows, is null or gets
// their only hubs.
extern "C" __global__ void __launch_bounds__(256)
construct_hub_others(const u64 *keys, u64 count, u32 row, u32 firstNumber, u32 *code, u32 *labels, u16 *hubs) {
	const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
	if (i >= count) return;
	const u32 label = keys[i] & ((1u << labelBits) - 1);
	labels[row + i] = label;
	code[label] = firstNumber + row + i;
	if (hubs) hubs[i] = (u16)(keys[i] >> labelBits);
}

// construct_hub_firsts lists the first neighbours of the leaves and of the rows of other classes than
// several, whose codes are below severalEnd, a block for each chunk: with the labels' places, from
// at[chunk] on. It writes the codes of leaves by label. bounds has for each of parts parts the number of
// its first row of class onlyLeaves, and the end of its rows.
extern "C" __global__ void __launch_bounds__(firstThreads)
construct_hub_firsts(const u64 *index, const Row *rows, u64 count, u32 chunkLabels, u32 firstLabel, u64 chunks, const u32 *neighbors, u32 *own,
                     const u32 *code, const u32 *labels, u32 hubs, u32 severalEnd, const uint2 *bounds, u32 parts, const u32 *at, u16 *places,
                     u32 *firsts) {
	const ChunkRows of = {index, rows, count, chunkLabels, firstLabel, chunks};
	const Names names = {code, labels, hubs};
	const u64 end = of.begin(blockIdx.x + 1);
	u32 to = at[blockIdx.x];
	for (u64 base = of.begin(blockIdx.x); base < end; base += firstThreads) {
		const u64 i = base + threadIdx.x;
		const Row r = i < end ? rows[i] : Row{};
		const u32 c = i < end ? own[r.label] : hubFlag;
		const bool listed = isLeaf(c) || !isHub(c) && c >= severalEnd;
		u32 total;
		const u32 place = to + inBlock<firstThreads>(listed, total);
		to += total;
		if (!listed) continue;
		u32 f;
		if (isLeaf(c)) {
			f = neighbors[r.start];
			const u32 center = names[f];
			own[r.label] = leafFlag | center;
			u32 p = 0;
			while (p + 1 < parts && center >= bounds[p].y) p++;
			if (!isHub(center) && center >= bounds[p].x) f = none;
		} else {
			f = firstRow(r, neighbors, names);
		}
		places[place] = (u16)(r.label - of.label(blockIdx.x));
		firsts[place] = f == none ? none : labels[f];
	}
	if (const u32 unused = to + threadIdx.x; unused < at[blockIdx.x + 1]) {
		places[unused] = 0;
		firsts[unused] = none;
	}
}

// construct_hub_leaves counts the leaves of each row of the last classes, whose labels are
// given, or, if leaves is not null, writes their labels from at[i] on.
extern "C" __global__ void __launch_bounds__(256)
construct_hub_leaves(const u64 *index, const Row *rows, u32 *neighbors, const u32 *code, const u32 *labels, u32 hubs, const u32 *rowLabels,
                     u64 count, u32 *at, u32 *leaves) {
	const u64 i = ((u64)blockIdx.x * 256 + threadIdx.x) >> 5;
	const u32 lane = threadIdx.x & 31;
	if (i >= count) return;
	u32 n = 0;
	if (rowLabels[i] != none) {
		const Row r = rowOf({index, rows, neighbors}, rowLabels[i]);
		const Names names = {code, labels, hubs};
		for (u64 j = 0; j < r.degree; j += 32) {
			const u32 v = j + lane < r.degree ? neighbors[r.start + j + lane] : none;
			const bool leaf = v != none && isLeaf(names[v]);
			const u32 all = __ballot_sync(~0u, leaf);
			if (leaf && leaves) leaves[at[i] + n + __popc(all & construct::lanesBelow(lane))] = labels[v];
			n += __popc(all);
		}
	}
	if (lane == 0 && !leaves) at[i] = n;
}

// construct_hub_count counts the pieces of the lists of each row, so many lanes a row: of rows, and
// of class several those of further hubs. count is the number of rows. It replaces the ranks of
// neighbours by codes.
extern "C" __global__ void __launch_bounds__(256)
construct_hub_count(const u64 *index, const Row *rows, u32 *neighbors, const u32 *code, u32 hubs, u64 severalRows, u64 count, const u32 *rowLabels,
                    u32 *furtherAt, u32 *rowListAt, u32 lanes) {
	const u64 i = ((u64)blockIdx.x * 256 + threadIdx.x) / lanes;
	if (i >= count) return;
	const Team team(lanes);
	Counts n = {};
	if (rowLabels[i] != none) {
		const Row r = rowOf({index, rows, neighbors}, rowLabels[i]);
		n = countNeighbors(team, r, neighbors, {code, nullptr, hubs}, 0, leafFlag, 0, r.degree);
	}
	if (team.lane > 0) return;
	rowListAt[i] = pieces(n.rows, rowsEach);
	if (i < severalRows) furtherAt[i] = pieces(n.hubs - min(n.hubs, headHubs), hubsEach);
}

// construct_hub_prefixes counts the first pieces of the lists of rows, at most prefix of each row.
extern "C" __global__ void __launch_bounds__(256) construct_hub_prefixes(const u32 *rowListAt, u64 count, u32 prefix, u32 *prefixAt) {
	const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
	if (i < count) prefixAt[i] = min(prefix, rowListAt[i + 1] - rowListAt[i]);
}

// construct_hub_fill writes the lists of each row, so many lanes a row. others is the number of rows
// with hubs. The first pieces of the rows of row i, at most prefix, are those from prefixAt[i] on of
// prefixes. Both arrays have low bits (wholeNumber).
extern "C" __global__ void __launch_bounds__(256)
construct_hub_fill(const u64 *index, const Row *rows, u32 *neighbors, u64 severalRows, u64 others, u64 count, const u32 *labels,
                   const u32 *furtherAt, const u32 *rowListAt, u16 *seconds, u16 *further, u16 *furtherOnHost, u32 furtherEnd,
                   const u32 *prefixAt, u32 prefix, u32 *prefixes, u32 *tails, u32 *firstRows, u32 lanes, u32 prefixWrap,
                   u32 tailWrap) {
	const u64 i = ((u64)blockIdx.x * 256 + threadIdx.x) / lanes;
	if (i >= count) return;
	const Team team(lanes);
	const bool used = labels[i] != none, single = i >= severalRows && i < others;
	Counts n = {};
	if (used) {
		const Row r = rowOf({index, rows, neighbors}, labels[i]);
		const u64 inPrefixes = wholeNumber(prefixAt[i], (u32)i, prefixWrap), inTails = wholeNumber(rowListAt[i] - prefixAt[i], (u32)i, tailWrap);
		const Places<u32> rows = {prefixes + rowsEach * inPrefixes, tails + rowsEach * inTails, prefix, rowsEach};
		Out out = {{further, furtherOnHost, furtherEnd, hubsEach}, rows, 0, 0, nullptr, single ? 1u : 0u, {}};
		if (i < severalRows) out.hubsAt = (u64)hubsEach * furtherAt[i], out.head = seconds + 4 * i, out.skip = headHubs;
		n = writeNeighbors(team, r, neighbors, 0, leafFlag, 0, r.degree, {}, out);
		pad(team.lane, n, out);
		__syncwarp(team.mask);
		if (i >= others && team.lane == 0) firstRows[i - others] = n.rows > 0 ? out.rows[out.rowsAt] : none;
	}
	// Hubs two to five are places 0 to 3.
	if (i < severalRows && team.lane < headHubs - 1 && team.lane + 1 >= max(n.hubs, 1u)) seconds[4 * i + team.lane] = noHub;
	if (!used && i >= others && team.lane == 0) firstRows[i - others] = none;
}

namespace {

// Share is the part of a hub's list that a warp of a block has.
struct Share {
	u64 from, to;

	__device__ explicit Share(const Row &r) {
		const u64 each = ((u64)(r.degree + hubWarps - 1) / hubWarps + 31) / 32 * 32;
		from = min((u64)r.degree, (threadIdx.x >> 5) * each);
		to = min((u64)r.degree, from + each);
	}
};

// beforeInBlock returns the sum of n over the warps before this one, and in all the sum over all.
__device__ Counts beforeInBlock(Counts n, Counts &all) {
	__shared__ Counts sums[hubWarps];
	const u32 warp = threadIdx.x >> 5;
	if ((threadIdx.x & 31) == 0) sums[warp] = n;
	__syncthreads();
	Counts mine = {};
	all = {};
	for (int w = 0; w < hubWarps; w++) {
		if (w == warp) mine = all;
		all.hubs += sums[w].hubs;
		all.rows += sums[w].rows;
	}
	return mine;
}

// startRanges turns the block's numbers of rows by range into the starts of the ranges and the end, and
// writes them.
__device__ void startRanges(const u32 *rows, u32 ranges, u32 *starts) {
	using Scan = cub::BlockScan<u32, hubThreads, cub::BLOCK_SCAN_WARP_SCANS>;
	__shared__ Scan::TempStorage storage;
	u32 n[rangesEach], total;
	for (int k = 0; k < rangesEach; k++) n[k] = threadIdx.x * rangesEach + k < ranges ? rows[threadIdx.x * rangesEach + k] : 0;
	Scan(storage).ExclusiveSum(n, n, total);
	for (int k = 0; k < rangesEach; k++)
		if (threadIdx.x * rangesEach + k < ranges) starts[threadIdx.x * rangesEach + k] = n[k];
	if (threadIdx.x == 0) starts[ranges] = total;
}

} // namespace

// construct_hub_list_count counts the pieces of the lists of each hub whose label is
// firstLabel..endLabel-1, one block a hub: of hubs, and of the device's rows, which are
// first..end-1. at gets for each warp the hubs that the warps before have, rangeAt the rows of the list
// before each of the ranges (Ranges), and the end. If code is not null, it replaces the ranks of
// neighbours by codes.
extern "C" __global__ void __launch_bounds__(hubThreads)
construct_hub_list_count(const Source *sources, const u32 *code, u32 hubs, const u32 *labels, u32 firstLabel, u32 endLabel, u32 first, u32 end,
                         u32 ranges, u32 rangeRows, u32 firstSingle, u32 rangeSingle, u32 *hubsAt, u32 *rowsAt, u32 *at, u32 *rangeAt) {
	__shared__ u32 ofRange[mostRanges];
	const u32 h = blockIdx.x, label = labels[h];
	if (label < firstLabel || label >= endLabel) return;
	for (u32 r = threadIdx.x; r < ranges; r += hubThreads) ofRange[r] = 0;
	__syncthreads();
	const Lists lists = listsOf(sources, label);
	const Row r = rowOf(lists, label);
	const Share share(r);
	Counts all;
	const Counts mine = beforeInBlock(
	    countNeighbors(Team(32), r, lists.neighbors, {code, nullptr, hubs}, first, end, share.from, share.to, {ofRange, first, rangeRows, firstSingle, rangeSingle}), all);
	if ((threadIdx.x & 31) == 0) at[h * hubWarps + (threadIdx.x >> 5)] = mine.hubs;
	startRanges(ofRange, ranges, rangeAt + (u64)h * (ranges + 1));
	if (threadIdx.x > 0) return;
	hubsAt[h] = pieces(all.hubs, hubsEach);
	rowsAt[h] = pieces(all.rows, rowsEach);
}

// construct_hub_list_fill writes the lists of each hub. The rows of a range are in no order.
extern "C" __global__ void __launch_bounds__(hubThreads)
construct_hub_list_fill(const Source *sources, const u32 *labels, u32 first, u32 end, u32 ranges, u32 rangeRows, u32 firstSingle,
                        u32 rangeSingle, const u32 *hubsAt, const u32 *rowsAt, const u32 *at, const u32 *rangeAt, u16 *hubs, u16 *hubsOnHost, u32 hubsEnd, u32 *hubRows,
                        u32 *hubRowsOnHost, u32 hubRowsEnd) {
	__shared__ u32 next[mostRanges];
	const u32 h = blockIdx.x, *starts = rangeAt + (u64)h * (ranges + 1);
	for (u32 r = threadIdx.x; r < ranges; r += hubThreads) next[r] = starts[r];
	__syncthreads();
	const Lists lists = listsOf(sources, labels[h]);
	const Row r = rowOf(lists, labels[h]);
	const Share share(r);
	const Out out = {{hubs, hubsOnHost, hubsEnd, hubsEach}, {hubRows, hubRowsOnHost, hubRowsEnd, rowsEach}, (u64)hubsEach * hubsAt[h], (u64)rowsEach * rowsAt[h],
	                 nullptr, 0, {next, first, rangeRows, firstSingle, rangeSingle}};
	Counts n = writeNeighbors(Team(32), r, lists.neighbors, first, end, share.from, share.to, {at[h * hubWarps + (threadIdx.x >> 5)], 0}, out);
	n.rows = starts[ranges];
	if (threadIdx.x / 32 == hubWarps - 1) pad(threadIdx.x & 31, n, out);
}

// construct_hub_tally adds up the elements of each tile of an array.
extern "C" __global__ void __launch_bounds__(tileRows) construct_hub_tally(const u32 *values, u64 count, u64 *sums) {
	const u64 i = (u64)blockIdx.x * tileRows + threadIdx.x;
	using Reduce = cub::BlockReduce<u64, tileRows>;
	__shared__ Reduce::TempStorage storage;
	const u64 sum = Reduce(storage).Sum(i < count ? (u64)values[i] : 0ull);
	if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// construct_hub_scan replaces the elements of an array by their exclusive prefix sums and
// appends the total. before has the sum before each tile.
extern "C" __global__ void __launch_bounds__(tileRows) construct_hub_scan(u32 *values, u64 count, const u64 *before) {
	const u64 i = (u64)blockIdx.x * tileRows + threadIdx.x;
	using Scan = cub::BlockScan<u32, tileRows, cub::BLOCK_SCAN_WARP_SCANS>;
	__shared__ Scan::TempStorage storage;
	u32 x = i < count ? values[i] : 0;
	Scan(storage).ExclusiveSum(x, x);
	if (i <= count) values[i] = (u32)before[blockIdx.x] + x;
}

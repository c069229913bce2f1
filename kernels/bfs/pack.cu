// Packing, the last step of kernel 1: it makes the arrays that the search reads from
// the rows.
#include <cub/block/block_scan.cuh>

#include "search.cuh"

// rankHubs writes the numbers of hubs and minor hubs to numbers, which must be filled
// with none.
extern "C" __global__ void rankHubs(const u32 *hubs, u32 count, u32 *numbers) {
	const u32 h = blockIdx.x * blockDim.x + threadIdx.x;
	if (h < count)
		numbers[hubs[h]] = h;
}

// packFirst fills the bitmaps hasRow, hasFurther, secondIsHub and isHub, the first
// neighbours and their hub numbers, and the Further of each row. It counts the
// vertices of each task whose first neighbour is a minor hub (minors), and the
// exceptions. One thread per label, one block per task. The arrays but numbers begin at
// label firstLabel.
extern "C" __global__ void __launch_bounds__(taskLabels) packFirst(u32 firstLabel, const u64 *index, u32 words, const Row *rows, const u32 *neighbors, const u32 *numbers, u32 hubs,
                                     u32 *hasRow, u32 *hasFurther, u32 *secondIsHub, u32 *isHub, u32 *first, u16 *firstHub, Further *further, u32 *minors, u32 *exceptions) {
	const u32 v = blockIdx.x * taskLabels + threadIdx.x, w = v / 32;
	const u64 word = w < words ? index[w] : 0;
	const bool present = word >> (v & 31) & 1;
	auto hubNumber = [&](u32 number) { return number < hubs ? number : noHub; };
	u32 label = 0, number = none;
	bool hasMore = false, secondHub = false;
	if (present) {
		const u32 r = u32(word >> 32) + __popc(u32(word) & ((1u << (v & 31)) - 1));
		const Row row = rows[r];
		const u32 *n = neighbors + row.start;
		label = n[0];
		hasMore = row.degree > 1;
		number = numbers[label];
		Further f;
#pragma unroll
		for (int j = 0; j < 4; j++) {
			const bool exists = row.degree > j + 1;
			f.next[j] = exists ? n[j + 1] : 0;
			f.hubNumbers[j] = exists ? hubNumber(numbers[f.next[j]]) : noNeighbor;
		}
		secondHub = f.hubNumbers[0] < noNeighbor;
		f.row = row.start | u64(min(row.degree, maxFurtherDegree)) << 40;
		further[r] = f;
	}
	first[v] = label;
	firstHub[v] = hubNumber(number);
	const u32 m = __ballot_sync(~0u, hasMore), secondHubs = __ballot_sync(~0u, secondHub), h = __ballot_sync(~0u, numbers[firstLabel + v] < hubs);
	if (threadIdx.x % 32 == 0) {
		hasRow[w] = u32(word);
		hasFurther[w] = m;
		secondIsHub[w] = secondHubs;
		isHub[w] = h;
	}
	const u32 minor = __syncthreads_count(present && number >= hubs && number != none), n = __syncthreads_count(present && number == none);
	if (threadIdx.x == 0) {
		minors[blockIdx.x] = minor;
		exceptions[blockIdx.x] = n;
	}
}

typedef cub::BlockScan<u32, taskLabels> TaskScan;

// rowInTask returns whether the thread's label has a row, and its number in row. One
// thread per label, one block per task.
__device__ inline bool rowInTask(const u64 *index, u32 words, u32 &row) {
	const u32 v = blockIdx.x * taskLabels + threadIdx.x, w = v / 32;
	const u64 word = w < words ? index[w] : 0;
	row = u32(word >> 32) + __popc(u32(word) & ((1u << (v & 31)) - 1));
	return word >> (v & 31) & 1;
}

// Lists is the adjacency lists of rows, which may be split.
struct Lists {
	const u32 *neighbors, *tails;
	u32 prefix;

	// at returns neighbour i of the row that begins at start.
	__device__ inline u32 at(u64 start, u32 i) const {
		const u32 *n = neighbors + start;
		return i < prefix ? n[i] : tails[u64(n[prefix]) * sectorArcs + (i - prefix)];
	}
};

constexpr u32 hubsPerVector = sizeof(uint4) / sizeof(u16); // hub numbers in one load

// countHubs fills the HubRow of each row except start. Hubs come first in a row. It
// writes to sums the number of uint4 that each task's rows need for the hubs after
// those in HubRow. One thread per label, one block per task.
extern "C" __global__ void __launch_bounds__(taskLabels) countHubs(const u64 *index, u32 words, const Row *rows, const u32 *neighbors, const u32 *tails, u32 prefix, const u32 *numbers, u32 hubs, HubRow *hubRows, u32 *sums) {
	__shared__ TaskScan::TempStorage storage;
	u32 r, before, total, vectors = 0;
	if (rowInTask(index, words, r)) {
		const Row row = rows[r];
		const Lists lists{neighbors, tails, prefix};
		u32 lo = 0, hi = row.degree; // neighbours before lo are hubs, those from hi on are not
		while (lo < hi) {
			const u32 middle = (lo + hi) / 2;
			if (numbers[lists.at(row.start, middle)] < hubs)
				lo = middle + 1;
			else
				hi = middle;
		}
		HubRow h;
#pragma unroll
		for (u32 j = 0; j < hubRowNumbers; j++)
			h.hubNumbers[j] = j + 1 < lo ? numbers[lists.at(row.start, j + 1)] : noNeighbor;
		h.more = lo > hubRowNumbers + 1 ? lo - (hubRowNumbers + 1) : 0;
		h.start = 0;
		hubRows[r] = h;
		vectors = (h.more + hubsPerVector - 1) / hubsPerVector;
	}
	TaskScan(storage).ExclusiveSum(vectors, before, total);
	if (threadIdx.x == 0)
		sums[blockIdx.x] = total;
}

// fillHubs fills HubRow.start and hubArcs. One thread per label, one block per task;
// a warp handles one row after the other.
extern "C" __global__ void __launch_bounds__(taskLabels) fillHubs(const u64 *index, u32 words, const Row *rows, const u32 *neighbors, const u32 *tails, u32 prefix, const u32 *numbers, HubRow *hubRows, const u32 *sums, u16 *hubArcs) {
	__shared__ TaskScan::TempStorage storage;
	const u32 lane = threadIdx.x % 32;
	const Lists lists{neighbors, tails, prefix};
	u32 r, before, more = 0;
	u64 from = 0;
	const bool present = rowInTask(index, words, r);
	if (present) {
		more = hubRows[r].more;
		from = rows[r].start;
	}
	TaskScan(storage).ExclusiveSum((more + hubsPerVector - 1) / hubsPerVector, before);
	const u32 start = sums[blockIdx.x] + before;
	if (present)
		hubRows[r].start = start;
	for (u32 all = __ballot_sync(~0u, more); all; all &= all - 1) {
		const int owner = __ffs(all) - 1;
		const u32 n = __shfl_sync(~0u, more, owner), filled = (n + hubsPerVector - 1) / hubsPerVector * hubsPerVector;
		const u64 row = __shfl_sync(~0u, from, owner);
		u16 *arcs = hubArcs + u64(__shfl_sync(~0u, start, owner)) * hubsPerVector;
		for (u32 i = lane; i < filled; i += 32)
			arcs[i] = i < n ? numbers[lists.at(row, hubRowNumbers + 1 + i)] : noNeighbor;
	}
}

// startTasks turns the counts of the tasks into their starts, and appends the end.
// One block.
extern "C" __global__ void __launch_bounds__(1024) startTasks(u32 *start, u32 tasks) {
	__shared__ u32 sums[32];
	const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	u32 carry = 0;
	for (u32 base = 0; base <= tasks; base += 1024) {
		const u32 i = base + threadIdx.x;
		const u32 mine = i < tasks ? start[i] : 0;
		u32 sum = mine;
		for (int d = 1; d < 32; d *= 2) {
			const u32 x = __shfl_up_sync(~0u, sum, d);
			if (lane >= d)
				sum += x;
		}
		if (lane == 31)
			sums[warp] = sum;
		__syncthreads();
		u32 before = 0, total = 0;
		for (u32 k = 0; k < 32; k++) {
			before += k < warp ? sums[k] : 0;
			total += sums[k];
		}
		if (i <= tasks)
			start[i] = carry + before + sum - mine;
		carry += total;
		__syncthreads();
	}
}

// placeInTask returns the number of chosen threads before this one in its block.
// count is shared memory, one word per warp. All threads of the block must call it.
__device__ inline u32 placeInTask(bool chosen, u32 (&count)[taskLabels / 32]) {
	const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, all = __ballot_sync(~0u, chosen);
	if (lane == 0)
		count[warp] = __popc(all);
	__syncthreads();
	u32 at = __popc(all & ((1u << lane) - 1));
	for (u32 k = 0; k < warp; k++)
		at += count[k];
	return at;
}

// listExceptions fills minors and exceptions. An entry of minors is the number of the
// minor hub with the low bits of the label. An entry of exceptions is the label and
// its first neighbour. One thread per label, one block per task. The arrays but numbers
// begin at label firstLabel.
extern "C" __global__ void __launch_bounds__(taskLabels) listExceptions(u32 firstLabel, const u32 *hasRow, const u32 *first, const u16 *firstHub, const u32 *numbers, u32 hubs,
                                     const u32 *minorStart, u32 *minors, const u32 *start, uint2 *exceptions) {
	__shared__ u32 count[2][taskLabels / 32];
	const u32 v = blockIdx.x * taskLabels + threadIdx.x;
	const bool noHubFirst = hasRow[v / 32] >> (v & 31) & 1 && firstHub[v] == noHub;
	const u32 number = noHubFirst ? numbers[first[v]] : none;
	const bool minor = number != none, other = noHubFirst && !minor;
	const u32 atMinor = placeInTask(minor, count[0]), at = placeInTask(other, count[1]);
	if (minor)
		minors[minorStart[blockIdx.x] + atMinor] = (number - hubs) << minorShift | (firstLabel + v & ((1 << minorShift) - 1));
	if (other)
		exceptions[start[blockIdx.x] + at] = make_uint2(firstLabel + v, first[v]);
}

// A stable radix sort of 64-bit keys with digits of eight bits, after "Onesweep"
// (Adinets and Merrill 2022, arXiv:2206.01784). A pass reads and writes every key once:
// each block gets the digit counts of the preceding blocks by decoupled look-back while
// they run.
#include <cub/agent/agent_radix_sort_histogram.cuh>
#include <cub/block/block_scan.cuh>

#include "construct.cuh"

namespace {

constexpr int digitBits = 8, digits = 1 << digitBits;

using HistogramPolicy = cub::AgentRadixSortHistogramPolicy<128, 16, 1, u64, digitBits>;
using Histogram = cub::AgentRadixSortHistogram<HistogramPolicy, false, u64, u64>;

// The shape of a block: with 12 keys per thread, three blocks of 384 threads fit on a
// multiprocessor at 56 registers per thread. sort.go has the same constants.
constexpr int threads = 384, each = 12, warps = threads / 32, tile = threads * each;
static_assert(Histogram::BLOCK_THREADS == 128 && threads == 384 && tile == 4608, "as in construct_sort.go");

// The look-back entry of a tile and a digit: the tile's count of keys with a flag
// ofTile, or the count of the tile and all tiles before it with a flag withAllBefore. 0
// means neither is known yet.
constexpr u32 ofTile = 1u << 30, withAllBefore = 1u << 31, value = ofTile - 1;

__device__ inline u32 digitOf(u64 key, int first, u32 mask) {
	const u32 low = first >= 32 ? (u32)(key >> 32) : (u32)key;
	const u32 high = first >= 32 ? 0 : (u32)(key >> 32);
	return __funnelshift_r(low, high, first & 31) & mask;
}

// peersOf returns the mask of the lanes with the same digit. Eight ballots are faster
// than __match_any_sync.
__device__ inline u32 peersOf(u32 digit) {
	u32 peers = ~0u;
#pragma unroll
	for (int b = 0; b < digitBits; b++) {
		const bool bit = digit & 1u << b;
		const u32 with = __ballot_sync(~0u, bit);
		peers &= bit ? with : ~with;
	}
	return peers;
}

} // namespace

// construct_histogram adds the digit counts of the keys to bins: 256 bins for each
// digit between bit first and bit end.
extern "C" __global__ void __launch_bounds__(Histogram::BLOCK_THREADS)
construct_histogram(const u64 *keys, u64 count, int first, int end, u64 *bins) {
	__shared__ Histogram::TempStorage storage;
	Histogram(storage, bins, keys, count, first, end).Process();
}

// construct_bins computes the exclusive prefix sums of each group of 256 bins, one
// block per group.
extern "C" __global__ void __launch_bounds__(digits) construct_bins(u64 *bins) {
	using Scan = cub::BlockScan<u64, digits>;
	__shared__ Scan::TempStorage storage;
	u64 x = bins[blockIdx.x * digits + threadIdx.x];
	Scan(storage).ExclusiveSum(x, x);
	bins[blockIdx.x * digits + threadIdx.x] = x;
}

namespace {

// sortPass sorts count keys, fewer than 2^30, by the digit of width bits at bit first.
// hasValues: a value of 32 bits moves with each key. lookback (256 words per tile) and
// ticket must be zero. place has the output position of the first key of each digit;
// next receives these positions for the next launch.
template <bool hasValues>
__device__ __forceinline__ void sortPass(const u64 *__restrict__ from, u64 *__restrict__ to, const u32 *__restrict__ fromValues, u32 *__restrict__ toValues,
                         int count, int first, int width, const u64 *place, u64 *next, volatile u32 *lookback, u32 *ticket) {
	__shared__ union {
		u32 count[warps][digits]; // digit counts, then positions of a warp's keys in the tile
		u64 key[tile];            // keys sorted by digit
		u32 value[tile];          // their values
	} s;
	__shared__ u64 target[digits]; // output position of a digit's keys minus their position in the tile
	__shared__ u32 sums[digits / 32], number;

	const u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, mask = (1u << width) - 1;
	// Blocks take tiles in the order in which they start. A tile therefore only waits
	// for tiles whose blocks already run.
	if (threadIdx.x == 0) number = atomicAdd(ticket, 1);
	for (int i = threadIdx.x; i < warps * digits; i += threads) (&s.count[0][0])[i] = 0;
	__syncthreads();
	const int me = number, at = me * tile, here = min(tile, count - at);

	// Each warp ranks its keys, 32 at a time. rank[j] has the digit in its high half,
	// and in its low half the number of earlier keys of the warp with the same digit.
	u64 key[each];
	u32 rank[each];
	const int start = warp * 32 * each + lane;
#pragma unroll
	for (int j = 0; j < each; j++) key[j] = start + 32 * j < here ? __ldcs(&from[at + start + 32 * j]) : ~0ull;
#pragma unroll
	for (int j = 0; j < each; j++) {
		const u32 d = digitOf(key[j], first, mask);
		const u32 peers = peersOf(d), before = __popc(peers & construct::lanesBelow(lane));
		const u32 earlier = s.count[warp][d];
		__syncwarp();
		if (before == 0) s.count[warp][d] = earlier + __popc(peers);
		__syncwarp();
		rank[j] = d << 16 | (earlier + before);
	}
	__syncthreads();

	// One thread per digit: publish the count, then turn counts into positions.
	const u32 d = threadIdx.x;
	u32 mine = 0, base = 0;
	if (d < digits) {
#pragma unroll
		for (int w = 0; w < warps; w++) mine += s.count[w][d];
		lookback[me * digits + d] = mine | (me == 0 ? u32(withAllBefore) : u32(ofTile));
		u32 x = mine;
#pragma unroll
		for (int o = 1; o < 32; o *= 2) {
			const u32 y = __shfl_up_sync(~0u, x, o);
			if (lane >= o) x += y;
		}
		if (lane == 31) sums[warp] = x;
		base = x - mine;
	}
	__syncthreads();
	if (d < digits) {
		for (int w = 0; w < warp; w++) base += sums[w];
		u32 sum = base;
#pragma unroll
		for (int w = 0; w < warps; w++) {
			const u32 c = s.count[w][d];
			s.count[w][d] = sum;
			sum += c;
		}
	}
	__syncthreads();
#pragma unroll
	for (int j = 0; j < each; j++) rank[j] = (rank[j] & 0xffff) + s.count[warp][rank[j] >> 16];
	__syncthreads();
#pragma unroll
	for (int j = 0; j < each; j++) s.key[rank[j]] = key[j];

	if (d < digits) {
		u32 before = 0;
		for (int t = me - 1; t >= 0;) {
			const u32 shown = lookback[t * digits + d];
			if (shown == 0) continue;
			before += shown & value;
			if (shown & withAllBefore) break;
			t--;
		}
		if (me > 0) lookback[me * digits + d] = before + mine | withAllBefore;
		target[d] = place[d] + before - base;
		if (at + tile >= count) next[d] = place[d] + before + mine;
	}
	__syncthreads();
	[[maybe_unused]] u32 digit[each]; // of the keys that the thread writes
#pragma unroll
	for (int j = 0; j < each; j++) {
		const int i = threadIdx.x + j * threads;
		if constexpr (hasValues) digit[j] = digitOf(s.key[i], first, mask);
		if (i < here) to[target[digitOf(s.key[i], first, mask)] + i] = s.key[i];
	}
	if constexpr (hasValues) {
		u32 own[each];
#pragma unroll
		for (int j = 0; j < each; j++) own[j] = start + 32 * j < here ? __ldcs(&fromValues[at + start + 32 * j]) : 0;
		__syncthreads(); // all keys are written
#pragma unroll
		for (int j = 0; j < each; j++) s.value[rank[j]] = own[j];
		__syncthreads();
#pragma unroll
		for (int j = 0; j < each; j++) {
			const int i = threadIdx.x + j * threads;
			if (i < here) toValues[target[digit[j]] + i] = s.value[i];
		}
	}
}

} // namespace

extern "C" __global__ void __launch_bounds__(threads, 3)
construct_pass(const u64 *__restrict__ from, u64 *__restrict__ to, int count, int first, int width,
               const u64 *place, u64 *next, volatile u32 *lookback, u32 *ticket) {
	sortPass<false>(from, to, nullptr, nullptr, count, first, width, place, next, lookback, ticket);
}

extern "C" __global__ void __launch_bounds__(threads, 2)
construct_pass_values(const u64 *__restrict__ from, u64 *__restrict__ to, int count, int first, int width,
                      const u64 *place, u64 *next, volatile u32 *lookback, u32 *ticket, const u32 *fromValues, u32 *toValues) {
	sortPass<true>(from, to, fromValues, toValues, count, first, width, place, next, lookback, ticket);
}

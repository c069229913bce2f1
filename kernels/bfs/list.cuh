// The bottom-up steps once few vertices are unvisited: through a list of them, in memory
// as long as it is long, then in registers.
#pragma once
#include "bottomup.cuh"

constexpr u32 rowWords = (sizeof(uint2) + sizeof(Row)) / sizeof(u32); // a row, with the word of the index

__device__ inline void swap(u32 *&a, u32 *&b) {
	u32 *t = a;
	a = b;
	b = t;
}

// visitedAmong looks at n neighbours from start on, with the whole warp, until probe
// holds one, and returns that one, or none. It adds to looked how many it looked at.
__device__ inline u32 visitedAmong(const u32 *probe, u64 start, u32 n, u32 &looked) {
	const u32 lane = threadIdx.x & 31;
	u32 parent = none, i = lane;
	for (; i - lane < n && !__any_sync(~0u, parent != none); i += 32)
		if (i < n) {
			const u32 p = __ldg(g.neighbors + start + i);
			if (bitOf(probe, p))
				parent = p;
		}
	looked += min(i - lane, n);
	const u32 got = __ballot_sync(~0u, parent != none);
	return __shfl_sync(~0u, parent, got ? __ffs(got) - 1 : 0);
}

// listLevel goes through one level with a list of unvisited vertices that threads cannot
// keep: what is found in the bitmap probe is marked in the other one, as by tail, and the
// rest listed again in left. A pass over all labels instead took 490 for 150 to 250 µs
// at scale 28. It returns what the thread found.
__device__ __noinline__ u32 listLevel(u32 listed, const u32 *probe, u32 *mark, uint2 *left) {
	constexpr int at = 4;
	const u32 all = gridDim.x * THREADS, lane = threadIdx.x & 31;
	u32 found = 0, rows = 0, looked = 0; // the latter two of the warp
	for (u32 base = blockIdx.x * THREADS + threadIdx.x; base - threadIdx.x < listed; base += at * all) {
		uint2 x[at];
		u32 word[at];
#pragma unroll
		for (int k = 0; k < at; k++)
			x[k] = loadIf(base + k * all < listed, g.list + base + k * all, make_uint2(none, 0));
#pragma unroll
		for (int k = 0; k < at; k++)
			word[k] = loadIf(x[k].x != none, probe + ((x[k].y & ~moreFlag) >> 5), 0);
#pragma unroll
		for (int k = 0; k < at; k++) {
			u32 parent = word[k] >> (x[k].y & 31) & 1 ? x[k].y & ~moreFlag : none;
			for (u32 ballot = __ballot_sync(~0u, parent == none && x[k].y & moreFlag); ballot; ballot &= ballot - 1) {
				const int owner = __ffs(ballot) - 1;
				const Row row = rowOf(__shfl_sync(~0u, x[k].x, owner));
				const u32 p = visitedAmong(probe, row.start + 1, row.degree - 1, looked);
				if (lane == owner)
					parent = p;
				rows++;
			}
			if (parent != none) {
				settle(x[k].x, parent, mark);
				found++;
			}
			const bool stays = x[k].x != none && parent == none;
			const u32 staying = __ballot_sync(~0u, stays);
			if (staying) {
				u32 place;
				if (lane == 0)
					place = atomicAdd(&g.control->relisted, __popc(staying));
				place = __shfl_sync(~0u, place, 0) + __popc(staying & ((1u << lane) - 1));
				if (stays)
					left[place] = x[k];
			}
		}
	}
	if (lane == 0) {
		shared<BottomUp>().looked[threadIdx.x / 32] += looked;
		shared<BottomUp>().moved[threadIdx.x / 32] += looked + rows * rowWords;
	}
	return found;
}

// tail goes through the levels that are left once few vertices are unvisited:
// each thread keeps its part of the list in registers, looks up the neighbours in
// one bitmap and marks what it finds in the other, so that one meeting a level is
// enough. The bitmap marked lacks what the level before found, which does not
// matter: every vertex still open has looked for that, so it can touch only what
// is found in the level before it is found itself. The last level is the one that
// finds only vertices with one neighbour, through which there is no way on. It
// returns whether the host stopped it.
__device__ __noinline__ bool tail(Run run, const uint2 *list, u32 listed, u32 *probe, u32 *mark) {
	const u32 thread = blockIdx.x * THREADS + threadIdx.x, all = gridDim.x * THREADS, lane = threadIdx.x & 31;
	u64 from[kept];
	u32 rest[kept];
	u32 v[kept], first[kept], open = 0, more = 0;
#pragma unroll
	for (int k = 0; k < kept; k++) {
		const u32 i = thread + k * all;
		const uint2 x = i < listed ? __ldcg(list + i) : make_uint2(none, 0);
		v[k] = x.x;
		first[k] = x.y & ~moreFlag;
		more |= (x.y >> 31) << k;
		open |= (i < listed) << k;
		rest[k] = 0;
		if (x.y & moreFlag) {
			const Row row = rowOf(x.x);
			from[k] = row.start + 1;
			rest[k] = row.degree - 1;
		}
	}
	u32 rows = 0; // of the warp, that the level looked up
#pragma unroll
	for (int k = 0; k < kept; k++)
		rows += __popc(__ballot_sync(~0u, more >> k & 1));
	bool ways = run.frontier; // the frontier may lead further
	while (ways && run.left) {
		u32 word[kept], hits = 0, looked = 0;
#pragma unroll
		for (int k = 0; k < kept; k++)
			word[k] = loadIf(open >> k & 1, probe + (first[k] >> 5), 0);
#pragma unroll
		for (int k = 0; k < kept; k++)
			if (word[k] >> (first[k] & 31) & 1) {
				hits |= 1 << k;
				__stcs(g.parents + v[k], first[k]);
			}
		// Few have more neighbours: the warp goes through one row at a time.
#pragma unroll
		for (int k = 0; k < kept; k++)
			for (u32 ballot = __ballot_sync(~0u, (open & ~hits & more) >> k & 1); ballot; ballot &= ballot - 1) {
				const int owner = __ffs(ballot) - 1;
				const u64 start = __shfl_sync(~0u, from[k], owner);
				const u32 n = __shfl_sync(~0u, rest[k], owner), parent = visitedAmong(probe, start, n, looked);
				if (parent != none && lane == owner) {
					hits |= 1 << k;
					g.parents[v[k]] = parent;
				}
			}
		if (lane == 0) {
			shared<BottomUp>().looked[threadIdx.x / 32] += looked;
			shared<BottomUp>().moved[threadIdx.x / 32] += rows * rowWords;
		}
		rows = 0;
#pragma unroll
		for (int k = 0; k < kept; k++)
			if (hits >> k & 1)
				atomicOr(mark + (v[k] >> 5), 1u << (v[k] & 31));
		open &= ~hits;
		constexpr u32 stop = 1 << 12; // above the number of blocks
		const u64 sum = run.add(__popc(hits), (__syncthreads_or(hits & more) ? 1 : 0) + run.stopAsked() * stop);
		run.ended(stepTail, u32(sum), run.left);
		const u32 flags = sum >> 32;
		if (flags >= stop)
			return true;
		ways = flags;
		swap(probe, mark);
	}
	return false;
}

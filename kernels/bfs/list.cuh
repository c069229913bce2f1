// The bottom-up steps for few unvisited vertices: they read a list of these vertices,
// in memory while it is long (listLevel), then in registers (tail).
#pragma once
#include "bottomup.cuh"

constexpr u32 rowWords = (sizeof(uint2) + sizeof(Row)) / sizeof(u32); // a row, and the word of the index that is read to find it

__device__ inline void swap(u32 *&a, u32 *&b) {
	u32 *t = a;
	a = b;
	b = t;
}

// visitedNeighbor examines n neighbours from start on with the whole warp, until one
// is in the bitmap probe. It returns a neighbour that is, else none, and adds the
// number of examined neighbours to examined. All lanes of the warp must call it with
// the same arguments.
__device__ inline u32 visitedNeighbor(const u32 *probe, u64 start, u32 n, u32 &examined) {
	const u32 lane = threadIdx.x & 31;
	const Part part(start, n);
	u32 parent = none, i = lane;
	for (; i - lane < n && !__any_sync(~0u, parent != none); i += 32)
		if (i < n) {
			const u32 p = __ldg(part.at(i));
			if (bitOf(probe, p))
				parent = p;
		}
	examined += min(i - lane, n);
	const u32 got = __ballot_sync(~0u, parent != none);
	return __shfl_sync(~0u, parent, got ? __ffs(got) - 1 : 0);
}

// listLevel searches one level by the list of unvisited vertices in memory. It marks
// the vertices that have a neighbour in the bitmap probe in the bitmap mark, which,
// as in tail, lacks the vertices of the level before. It appends the others to
// relisted. A dense pass instead took 490 µs, and this takes 150 to 250 µs (scale
// 28). It returns the number of vertices that the thread found. All threads of all
// blocks must call it.
__device__ __noinline__ u32 listLevel(u32 listed, const u32 *probe, u32 *mark, uint2 *relisted) {
	constexpr int perThread = 4;
	const u32 all = gridDim.x * THREADS, lane = threadIdx.x & 31;
	u32 found = 0, rows = 0, examined = 0; // rows, examined: by warp
	for (u32 base = blockIdx.x * THREADS + threadIdx.x; base - threadIdx.x < listed; base += perThread * all) {
		uint2 x[perThread];
		u32 word[perThread];
#pragma unroll
		for (int k = 0; k < perThread; k++)
			x[k] = loadIf(base + k * all < listed, g.list + base + k * all, make_uint2(none, 0));
#pragma unroll
		for (int k = 0; k < perThread; k++)
			word[k] = loadIf(x[k].x != none, probe + ((x[k].y & ~furtherFlag) >> 5), 0);
#pragma unroll
		for (int k = 0; k < perThread; k++) {
			u32 parent = word[k] >> (x[k].y & 31) & 1 ? x[k].y & ~furtherFlag : none;
			for (u32 ballot = __ballot_sync(~0u, parent == none && x[k].y & furtherFlag); ballot; ballot &= ballot - 1) {
				const int owner = __ffs(ballot) - 1;
				const Row row = rowOf(__shfl_sync(~0u, x[k].x, owner));
				const u32 p = visitedNeighbor(probe, partFrom(row.start, 1), row.degree - 1, examined);
				if (lane == owner)
					parent = p;
				rows++;
			}
			if (parent != none) {
				markFound(x[k].x, parent, mark);
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
					relisted[place] = x[k];
			}
		}
	}
	if (lane == 0) {
		shared<BottomUp>().examined[threadIdx.x / 32] += examined;
		shared<BottomUp>().moved[threadIdx.x / 32] += examined + rows * rowWords;
	}
	return found;
}

// tail searches the last levels, with the list of unvisited vertices in registers. It
// looks neighbours up in one bitmap, probe, and marks the found vertices in the
// other, mark, so that one grid barrier per level is enough. The two swap roles after
// each level.
//
// The bitmap probe therefore lacks the vertices that were found two levels before.
// This is correct: one level later, no vertex that stayed unvisited had one of them
// as a neighbour.
//
// The last level is the one that finds only vertices with one neighbour, because no
// path goes on from them. tail returns whether the host stopped the search. All
// threads of all blocks must call it.
template <typename Levels> __device__ __noinline__ bool tail(Levels progress, const uint2 *list, u32 listed, u32 *probe, u32 *mark) {
	const u32 thread = blockIdx.x * THREADS + threadIdx.x, all = gridDim.x * THREADS, lane = threadIdx.x & 31;
	u64 from[tailEntries];
	u32 rest[tailEntries];
	u32 v[tailEntries], first[tailEntries], open = 0, hasFurther = 0;
#pragma unroll
	for (int k = 0; k < tailEntries; k++) {
		const u32 i = thread + k * all;
		const uint2 x = i < listed ? __ldcg(list + i) : make_uint2(none, 0);
		v[k] = x.x;
		first[k] = x.y & ~furtherFlag;
		hasFurther |= (x.y >> 31) << k;
		open |= (i < listed) << k;
		rest[k] = 0;
		if (x.y & furtherFlag) {
			const Row row = rowOf(x.x);
			from[k] = partFrom(row.start, 1);
			rest[k] = row.degree - 1;
		}
	}
	u32 rows = 0; // rows that the warp reads for the level
#pragma unroll
	for (int k = 0; k < tailEntries; k++)
		rows += __popc(__ballot_sync(~0u, hasFurther >> k & 1));
	bool mayGoOn = progress.frontier; // a vertex of the frontier may have unvisited neighbours
	while (mayGoOn && progress.unvisited) {
		u32 word[tailEntries], hits = 0, examined = 0;
#pragma unroll
		for (int k = 0; k < tailEntries; k++)
			word[k] = loadIf(open >> k & 1, probe + (first[k] >> 5), 0);
#pragma unroll
		for (int k = 0; k < tailEntries; k++)
			if (word[k] >> (first[k] & 31) & 1) {
				hits |= 1 << k;
				__stcs(g.parents + v[k], first[k]);
			}
		// Few vertices get here: the warp examines one row at a time.
#pragma unroll
		for (int k = 0; k < tailEntries; k++)
			for (u32 ballot = __ballot_sync(~0u, (open & ~hits & hasFurther) >> k & 1); ballot; ballot &= ballot - 1) {
				const int owner = __ffs(ballot) - 1;
				const u64 start = __shfl_sync(~0u, from[k], owner);
				const u32 n = __shfl_sync(~0u, rest[k], owner), parent = visitedNeighbor(probe, start, n, examined);
				if (parent != none && lane == owner) {
					hits |= 1 << k;
					g.parents[v[k]] = parent;
				}
			}
		if (lane == 0) {
			shared<BottomUp>().examined[threadIdx.x / 32] += examined;
			shared<BottomUp>().moved[threadIdx.x / 32] += rows * rowWords;
		}
		rows = 0;
#pragma unroll
		for (int k = 0; k < tailEntries; k++)
			if (hits >> k & 1)
				progress.markTail(mark, v[k]);
		open &= ~hits;
		constexpr u32 stop = 1 << 16; // above the number of blocks
		const u64 sum = progress.waitTail(__popc(hits), (__syncthreads_or(hits & hasFurther) ? 1 : 0) + progress.stopRequested() * stop);
		progress.endLevel(stepTail, u32(sum), progress.unvisited);
		const u32 flags = sum >> 32;
		if (flags >= stop)
			return true;
		mayGoOn = flags;
		swap(probe, mark);
	}
	return false;
}

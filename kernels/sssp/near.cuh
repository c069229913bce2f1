// The beginning of a search: the root is expanded by all blocks, then the nearest vertices
// by block 0, each with all its arcs, while their number is at most g.nearArcs.
#pragma once
#include "search.cuh"

struct NearShared {
	u32 vertex[nearCapacity];
	u32 distance[nearCapacity]; // used: expanded, or longer than the vertex's distance
	u64 nearest;                // distance << 32 | number
	u32 count;
	static constexpr u32 used = ~0u;
};

// expandRoot relaxes the arcs of the root. All threads of all blocks must call it.
__device__ inline void expandRoot(u32 root, WeightedRowOf row, Log log) {
	const u32 all = gridDim.x * THREADS, lanes = row.degree + 31 & ~31u;
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < lanes; i += all) {
		const bool on = i < row.degree;
		const uint2 arc = on ? __ldg(g.arcs + row.start + i) : make_uint2(0, 0);
		log.append<1>(lower(on, arc.x, arc.y), root, {arc.x}, {arc.y});
	}
}

// nearest returns the number of the nearest vertex that is not used, or nearCapacity. All
// threads of the block must call it.
__device__ inline u32 nearest(NearShared &s) {
	__syncthreads();
	if (threadIdx.x == 0)
		s.nearest = ~0ull;
	__syncthreads();
	u64 mine = ~0ull;
	for (u32 i = threadIdx.x; i < s.count; i += THREADS)
		if (s.distance[i] != NearShared::used)
			mine = min(mine, u64(s.distance[i]) << 32 | i);
	for (int d = 16; d; d /= 2)
		mine = min(mine, u64(__shfl_xor_sync(~0u, mine, d)));
	if ((threadIdx.x & 31) == 0 && mine != ~0ull)
		atomicMin(&s.nearest, mine);
	__syncthreads();
	return s.nearest == ~0ull ? nearCapacity : u32(s.nearest);
}

// expandNear expands the nearest vertices. The first reached entries of the log are the
// neighbours of the root, which has expanded arcs; expandNear adds its own. It returns the
// bits of the least distance that is not expanded, infinite if there is none. Only block 0
// calls it.
__device__ inline u32 expandNear(NearShared &s, u32 reached, u32 &expanded, u32 &vertices) {
	for (u32 i = threadIdx.x; i < reached; i += THREADS) {
		const uint4 x = __ldcg(g.log + i);
		s.vertex[i] = x.x;
		s.distance[i] = x.z;
	}
	if (threadIdx.x == 0)
		s.count = reached;
	for (;;) {
		const u32 i = nearest(s);
		if (i == nearCapacity)
			return infinite;
		const u32 v = s.vertex[i], distance = s.distance[i];
		const WeightedRowOf row = loadRow(rowNumber(v));
		const bool current = __ldcg(g.distances + v) == distance;
		if (current && (expanded + row.degree > g.nearArcs || s.count + row.degree > nearCapacity))
			return distance;
		__syncthreads();
		if (threadIdx.x == 0)
			s.distance[i] = NearShared::used;
		if (!current)
			continue;
		expanded += row.degree;
		vertices++;
		for (u32 j = threadIdx.x; j < row.degree; j += THREADS) {
			const uint2 arc = __ldg(g.arcs + row.start + j);
			const u32 t = add(distance, __uint_as_float(arc.y));
			if (lower(t < infinite, arc.x, t)) { // an infinite sum reaches no vertex
				const u32 at = atomicAdd(&s.count, 1u);
				s.vertex[at] = arc.x;
				s.distance[at] = t;
				if (at < g.logCapacity)
					g.log[at] = make_uint4(arc.x, v, t, 0);
			}
		}
	}
}

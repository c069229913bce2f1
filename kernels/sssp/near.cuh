// The beginning of a search: the root and the nearest vertices are expanded by block 0, each
// with all its arcs, while their number is at most g.nearArcs. A root with more arcs is
// expanded by all blocks.
#pragma once
#include "arcs.cuh"

struct NearShared {
	u32 row[nearCapacity];      // used: reached for the first time
	u32 distance[nearCapacity]; // used: expanded, or longer than the row's distance
	u64 nearest;                // distance << 32 | number
	u32 count;
	static constexpr u32 used = 1u << 31;
};

// expandRoot relaxes the arcs of the root and appends the root and the rows that they lead
// to to queue 0. All threads of all blocks must call it.
__device__ inline void expandRoot(u32 root, const RowOf &row, Log &log, u32 *spilled) {
	const u32 all = gridDim.x * THREADS, lanes = row.degree + 31 & ~31u;
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < lanes; i += all) {
		const bool on = i < row.degree;
		const uint2 arc = on ? __ldg(Arcs{row.start}.at(i)) : make_uint2(0, 0);
		const Relaxed r = relaxAll<1>(on, {arc.x}, {arc.y}, root, 0);
		enqueue(0, spilled, r.won, arc);
		log.append(r.reached, arc.x);
	}
	if (blockIdx.x == 0 && threadIdx.x < 32) {
		enqueue(0, spilled, threadIdx.x == 0, make_uint2(root, 0));
		log.append(threadIdx.x == 0, root);
	}
}

// nearest returns the number of the nearest row that is not used, or nearCapacity. All
// threads of the block must call it.
__device__ inline u32 nearest(NearShared &s) {
	__syncthreads();
	if (threadIdx.x == 0)
		s.nearest = ~0ull;
	__syncthreads();
	u64 mine = ~0ull;
	for (u32 i = threadIdx.x; i < s.count; i += THREADS)
		if (s.distance[i] < NearShared::used)
			mine = min(mine, u64(s.distance[i]) << 32 | i);
	for (int d = 16; d; d /= 2)
		mine = min(mine, u64(__shfl_xor_sync(~0u, mine, d)));
	if ((threadIdx.x & 31) == 0 && mine != ~0ull)
		atomicMin(&s.nearest, mine);
	__syncthreads();
	return s.nearest == ~0ull ? nearCapacity : u32(s.nearest);
}

// expandNear expands the root and the nearest rows and appends all reached rows to queue 0.
// It adds the expanded arcs and rows. It returns the bits of the least distance that is not
// expanded, infinite if there is none. Only block 0 calls it.
__device__ inline u32 expandNear(NearShared &s, u32 root, Log &log, u32 *spilled, u32 &arcs, u32 &rows) {
	if (threadIdx.x == 0) {
		s.row[0] = root | NearShared::used;
		s.distance[0] = 0;
		s.count = 1;
	}
	u32 least = infinite;
	for (;;) {
		const u32 i = nearest(s);
		if (i == nearCapacity)
			break;
		const u32 from = s.row[i] & ~NearShared::used, distance = s.distance[i];
		const RowOf row = loadRow(true, from);
		const bool current = __ldcg(distanceOf(from)) == distance;
		if (current && (arcs + row.degree > g.nearArcs || s.count + row.degree > nearCapacity)) {
			least = distance;
			break;
		}
		__syncthreads();
		if (threadIdx.x == 0)
			s.distance[i] |= NearShared::used;
		if (!current)
			continue;
		arcs += row.degree;
		rows++;
		for (u32 j = threadIdx.x; j < row.degree; j += THREADS) {
			const uint2 arc = __ldg(Arcs{row.start}.at(j));
			const u32 t = add(distance, __uint_as_float(arc.y));
			const Relaxed r = relaxAll<1>(t < infinite, {arc.x}, {t}, from, distance); // an infinite sum reaches no vertex
			if (r.won) {
				const u32 at = atomicAdd(&s.count, 1u);
				s.row[at] = arc.x | (r.reached ? NearShared::used : 0);
				s.distance[at] = t;
			}
		}
	}
	__syncthreads();
	for (u32 i = threadIdx.x; i < (s.count + 31 & ~31u); i += THREADS) {
		const bool on = i < s.count;
		const u32 row = on ? s.row[i] : 0;
		enqueue(0, spilled, on, on ? make_uint2(row & ~NearShared::used, s.distance[i] & ~NearShared::used) : uint2{});
		log.append(row & NearShared::used, row & ~NearShared::used);
	}
	return least;
}

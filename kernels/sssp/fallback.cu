// A search without lists, for graphs on which the lists of the default search run full: all
// arcs of the changed vertices are relaxed in rounds, from bitmaps. Parents are found at the
// end, from the distances. It is slow, but nothing in it can run full.
#include "search.cuh"

// fallback_begin clears the results and marks the root as changed. words is the number of
// words of a bitmap.
extern "C" __global__ void __launch_bounds__(THREADS) fallback_begin(u32 root, u32 words) {
	for (u64 i = u64(blockIdx.x) * THREADS + threadIdx.x; i < u64(words) * 32; i += u64(gridDim.x) * THREADS) {
		if (i < g.vertices) {
			g.distances[i] = i == root ? 0 : unreached;
			g.parents[i] = i == root ? root : ~0u;
		}
		if (i % 32 == 0) {
			g.marks[0][i / 32] = root / 32 == i / 32 ? 1u << (root & 31) : 0;
			g.marks[1][i / 32] = 0;
		}
	}
}

// fallback_relax relaxes the arcs of the vertices marked in bitmap from and marks the
// vertices whose distance changes in bitmap to. It empties from, and sets any if it marks
// one. A warp handles a word.
extern "C" __global__ void __launch_bounds__(THREADS) fallback_relax(u32 words, u32 from, u32 to, u32 *any) {
	const u32 lane = threadIdx.x & 31, all = gridDim.x * (THREADS / 32);
	for (u32 w = blockIdx.x * (THREADS / 32) + threadIdx.x / 32; w < words; w += all) {
		u32 changed = __ldcg(g.marks[from] + w);
		__syncwarp(); // all lanes have read
		if (lane == 0 && changed)
			g.marks[from][w] = 0;
		for (; changed; changed &= changed - 1) {
			const u32 v = w * 32 + __ffs(changed) - 1;
			const WeightedRowOf row = loadRow(rowNumber(v));
			const u32 distance = __ldcg(g.distances + v);
			for (u32 i = lane; i < row.degree; i += 32) {
				const uint2 arc = __ldg(g.arcs + row.start + i);
				const u32 t = add(distance, __uint_as_float(arc.y));
				if (t < infinite && lower(true, arc.x, t)) {
					atomicOr(g.marks[to] + (arc.x >> 5), 1u << (arc.x & 31));
					*any = 1;
				}
			}
		}
	}
}

// fallback_parents sets the parents of reached vertices without one. A parent is a vertex
// whose distance and arc make the distance exactly: one that is nearer, or one at the same
// distance that has a parent already. So parents never form a cycle. It sets any if it sets
// a parent. A warp handles a word.
extern "C" __global__ void __launch_bounds__(THREADS) fallback_parents(u32 words, u32 *any) {
	const u32 lane = threadIdx.x & 31, all = gridDim.x * (THREADS / 32);
	for (u32 w = blockIdx.x * (THREADS / 32) + threadIdx.x / 32; w < words; w += all) {
		const u32 label = w * 32 + lane;
		const bool mine = label < g.vertices && __ldcg(g.parents + label) == ~0u && __ldcg(g.distances + label) < infinite;
		for (u32 open = __ballot_sync(~0u, mine); open; open &= open - 1) {
			const u32 v = w * 32 + __ffs(open) - 1;
			const WeightedRowOf row = loadRow(rowNumber(v));
			const u32 distance = __ldcg(g.distances + v);
			for (u32 base = 0; base < row.degree; base += 32) {
				bool fits = false;
				uint2 arc = make_uint2(0, 0);
				if (base + lane < row.degree) {
					arc = __ldg(g.arcs + row.start + base + lane);
					const u32 d = __ldcg(g.distances + arc.x);
					fits = d < infinite && add(d, __uint_as_float(arc.y)) == distance &&
					       (d < distance || d == distance && __ldcg(g.parents + arc.x) != ~0u);
				}
				const u32 fitting = __ballot_sync(~0u, fits);
				if (fitting == 0)
					continue;
				if (lane == __ffs(fitting) - 1) {
					g.parents[v] = arc.x;
					*any = 1;
				}
				break;
			}
		}
	}
}

// A round of the search without lists.
#pragma once
#include "arcs.cuh"

// relaxChanged relaxes the arcs of the rows marked in bitmap from of that many words, and
// marks the rows whose distance changes in bitmap to. It empties from. It returns whether the
// thread has marked a row. A warp handles a word.
__device__ inline bool relaxChanged(u32 words, u32 from, u32 to) {
	const u32 lane = threadIdx.x & 31, all = gridDim.x * (THREADS / 32);
	bool any = false;
	for (u32 w = blockIdx.x * (THREADS / 32) + threadIdx.x / 32; w < words; w += all) {
		u32 changed = __ldcg(g.marks[from] + w);
		__syncwarp(); // all lanes have read
		if (lane == 0 && changed)
			g.marks[from][w] = 0;
		for (; changed; changed &= changed - 1) {
			const u32 v = w * 32 + __ffs(changed) - 1;
			const RowOf row = loadRow(true, v);
			const u32 distance = __ldcg(distanceOf(v));
			for (u32 i = lane; i < row.degree; i += 32) {
				const uint2 arc = __ldg(Arcs{row.start}.at(i));
				const u32 t = add(distance, __uint_as_float(arc.y));
				if (relaxAll<1>(t < infinite, {arc.x}, {t}, v, noRow).won) {
					setBit(g.marks[to], arc.x);
					any = true;
				}
			}
		}
	}
	return any;
}

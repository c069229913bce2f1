// A search without lists, for graphs on which the lists of the default search run full: all
// arcs of the changed rows are relaxed in rounds, from bitmaps. It is slow, but nothing in it
// can run full.
#include "arcs.cuh"

// fallback_begin marks the row of the root as changed, in bitmaps of that many words.
// g.best must be empty. One thread per word.
extern "C" __global__ void __launch_bounds__(THREADS) fallback_begin(u32 label, u32 words) {
	const u32 i = blockIdx.x * THREADS + threadIdx.x;
	if (i >= words)
		return;
	const uint2 word = g.index[label >> 5];
	const u32 root = thirdOf(word, label)->y;
	g.marks[0][i] = root / 32 == i ? 1u << (root & 31) : 0;
	g.marks[1][i] = 0;
	if (root / 32 == i)
		g.best[root] = root;
}

// fallback_relax relaxes the arcs of the rows marked in bitmap from and marks the rows whose
// distance changes in bitmap to. It empties from, and sets any if it marks one. A warp
// handles a word.
extern "C" __global__ void __launch_bounds__(THREADS) fallback_relax(u32 words, u32 from, u32 to, u32 *any) {
	const u32 lane = threadIdx.x & 31, all = gridDim.x * (THREADS / 32);
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
				if (relaxAll<1>(t < infinite, {arc.x}, {t}, v).won) {
					setBit(g.marks[to], arc.x);
					*any = 1;
				}
			}
		}
	}
}

// fallback_results writes the results of all labels. One thread per label.
extern "C" __global__ void __launch_bounds__(THREADS) fallback_results() {
	const u32 label = blockIdx.x * THREADS + threadIdx.x;
	if (label >= g.vertices)
		return;
	const uint2 word = g.index[label >> 5];
	u64 best = ~0ull;
	if (word.x >> (label & 31) & 1)
		best = g.best[thirdOf(word, label)->y];
	g.distances[label] = best == ~0ull ? unreached : u32(best >> 32);
	g.parents[label] = best == ~0ull ? ~0u : g.labels[u32(best)];
}

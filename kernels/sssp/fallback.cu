// A search without lists, for graphs on which the lists of the default search run full: all
// arcs of the changed rows are relaxed in rounds, from bitmaps. It is slow, but nothing in it
// can run full.
#include "fallback.cuh"

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

// fallback_relax is relaxChanged. It sets any if it marks a row.
extern "C" __global__ void __launch_bounds__(THREADS) fallback_relax(u32 words, u32 from, u32 to, u32 *any) {
	if (relaxChanged(words, from, to))
		*any = 1;
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

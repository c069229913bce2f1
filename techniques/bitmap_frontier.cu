// bitmap-frontier: a boolean array for the frontier, vertex-centric and
// top-down (psmarter, notes on PMPP chapter 15, "boolean frontier array"; Harish
// and Narayanan 2007).
//
// What it does: as push, but the frontier is a boolean array, so a thread reads one
// byte instead of the depth to see whether its vertex is in the frontier. It clears the
// byte, and sets the bytes of the vertices that it marks in the array of the next
// level. The two arrays are swapped after each level. All stores are idempotent.
//
// What it costs: n bytes read per level, where push reads n depths of four bytes. In
// exchange one more store per marked vertex, and two more bytes of memory per vertex.
//
// Bottleneck: as in push, a thread for every vertex in every level, and warps that wait
// for their longest row.
#include "technique.cuh"

// bitmap_frontier_expand marks the vertices of depth level. changed must be zero and
// next all false.
extern "C" __global__ void bitmap_frontier_expand(const Row *rows, u32 count, const u32 *neighbors, u32 *parents,
	u32 *depths, u32 level, bool *frontier, bool *next, u32 *changed) {
	const u64 i = thread();
	if (i >= count)
		return;
	const Row row = rows[i];
	if (!frontier[row.label])
		return;
	frontier[row.label] = false;
	examined(row.degree);
	for (u64 k = row.start; k < row.start + row.degree; k++) {
		const u32 v = neighbors[k];
		if (depths[v] == none) {
			depths[v] = level;
			parents[v] = row.label;
			next[v] = true;
			*changed = 1;
		}
	}
}

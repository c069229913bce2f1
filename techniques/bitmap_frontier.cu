// bitmap-frontier: a boolean array for the frontier, vertex-centric and
// top-down (psmarter, notes on PMPP chapter 15, "boolean frontier array"; Harish
// and Narayanan 2007).
//
// What it does: as push, but a thread learns from a byte of its own whether its
// vertex was reached last, and not from the depth. It clears the byte and sets
// those of the vertices that it marks in the array of the next level; the two
// arrays change places after each level. All stores are idempotent.
//
// What it costs: n bytes read a level, where push reads n depths of four bytes;
// in exchange a store more for each vertex marked, and two bytes of memory a
// vertex.
//
// Bottleneck: that of push: a thread for every vertex in every level, and warps
// that wait for their longest row.
#include "technique.cuh"

// bitmap_frontier_expand does the level that gives its vertices the depth
// level. changed is zero before, next is false everywhere.
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

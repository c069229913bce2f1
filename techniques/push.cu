// push: vertex-centric, top-down (PMPP 15.3, figure 15.6; Harish and Narayanan
// 2007).
//
// What it does: one thread a vertex and one launch a level. The threads of
// vertices of the level before go through their outgoing edges, a row of CSR,
// and mark all neighbours that have no depth yet. Several threads may mark the
// same one: all write the same depth, each a parent that is as good as the
// other, so nothing needs an atomic (the stores are idempotent). A flag says
// that something was marked; without it the search is over.
//
// What it costs: every level asks every vertex for its depth, n loads for each
// level, whatever the frontier; beyond that each edge is looked at once.
//
// Bottleneck: the threads of a warp wait for the longest row among theirs, so
// on a graph with hubs a few threads go on alone; on one of many levels the
// threads that find nothing to do are nearly all.
#include "technique.cuh"

// push_expand does the level that gives its vertices the depth level. changed
// is zero before.
extern "C" __global__ void push_expand(const Row *rows, u32 count, const u32 *neighbors, u32 *parents, u32 *depths,
	u32 level, u32 *changed) {
	const u64 i = thread();
	if (i >= count)
		return;
	const Row row = rows[i];
	if (depths[row.label] != level - 1)
		return;
	examined(row.degree);
	for (u64 k = row.start; k < row.start + row.degree; k++) {
		const u32 v = neighbors[k];
		if (depths[v] == none) {
			depths[v] = level;
			parents[v] = row.label;
			*changed = 1;
		}
	}
}

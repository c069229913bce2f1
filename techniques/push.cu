// push: vertex-centric, top-down (PMPP 15.3, figure 15.6; Harish and Narayanan
// 2007).
//
// What it does: one thread per vertex and one launch per level. The threads of vertices
// of the previous level traverse their outgoing edges, a row of CSR, and mark all
// neighbours without a depth. Several threads may mark the same vertex. They write the
// same depth and each a valid parent, so the stores need no atomics (they are
// idempotent). A flag records that a vertex was marked; the search ends when it stays 0.
//
// What it costs: every level reads the depth of every vertex: n loads per level,
// regardless of the frontier. In addition each edge is examined once.
//
// Bottleneck: the threads of a warp wait for the longest of their rows, so on a graph with
// hubs a few threads run alone. On a graph with many levels nearly all threads find
// nothing to do.
#include "technique.cuh"

// push_expand marks the vertices of depth level. changed must be zero.
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

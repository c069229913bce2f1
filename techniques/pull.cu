// pull: vertex-centric, bottom-up (PMPP 15.3, figure 15.8).
//
// What it does: one thread per vertex and one launch per level. The thread of a vertex
// without a depth examines its incoming edges until it finds a neighbour of the previous
// level, where it stops. The incoming edges are a column of CSC, which in an undirected
// graph equals the row of CSR. Each thread writes only to its own vertex.
//
// What it costs: every level reads the depth of every vertex, and examines the edges of
// all vertices without a depth, mostly in vain while the frontier is small.
//
// Bottleneck: the first levels, in which all vertices examine all their edges and find
// nothing, and unreachable vertices, which do so in every level. In the large levels most
// threads stop after a few edges, so the threads of a warp wait for each other far less
// than in push.
#include "technique.cuh"

// pull_expand marks the vertices of depth level. changed must be zero.
extern "C" __global__ void pull_expand(const Row *rows, u32 count, const u32 *neighbors, u32 *parents, u32 *depths,
	u32 level, u32 *changed) {
	const u64 i = thread();
	if (i >= count)
		return;
	const Row row = rows[i];
	if (depths[row.label] != none)
		return;
	u32 looked = 0;
	while (looked < row.degree) {
		const u32 u = neighbors[row.start + looked++];
		if (depths[u] == level - 1) {
			depths[row.label] = level;
			parents[row.label] = u;
			*changed = 1;
			break;
		}
	}
	examined(looked);
}

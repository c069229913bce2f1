// pull: vertex-centric, bottom-up (PMPP 15.3, figure 15.8).
//
// What it does: one thread a vertex and one launch a level. The threads of
// vertices that have no depth yet go through their incoming edges, a column of
// CSC, which is the same array as the row of CSR in an undirected graph, until
// they meet a neighbour of the level before: one is enough, so they stop there.
// Each writes only to its own vertex.
//
// What it costs: every level asks every vertex for its depth, and goes through
// the edges of all that have none, most of them in vain while the frontier is
// small.
//
// Bottleneck: the first levels, where all vertices look through all their edges
// and find nothing, and the vertices out of reach, which do so in every level.
// In the large levels most threads stop after a few edges, so those of a warp
// wait for each other far less than in push.
#include "technique.cuh"

// pull_expand does the level that gives its vertices the depth level. changed
// is zero before.
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

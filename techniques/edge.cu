// edge: edge-centric (PMPP 15.4, figure 15.10).
//
// What it does: one thread per arc (each edge in both directions) and one launch per
// level. A thread whose source is in the previous level marks its destination, if that
// has no depth yet, with idempotent stores as in push. The thread finds both endpoints
// by the number of the arc: the COO format, which is the destinations of CSR plus an
// array of sources.
//
// What it costs: every level reads every arc, regardless of the frontier, and the sources
// need the same amount of memory as the destinations. But all threads do equal work, and
// their number occupies the device even on small graphs.
//
// Bottleneck: memory bandwidth. Each level reads all sources and the depth of each
// source; successive arcs of a row read the same depth.
#include "technique.cuh"

// edge_sources writes the source of each entry of neighbors. The source of unused entries
// between rows is none.
extern "C" __global__ void edge_sources(const Row *rows, u32 count, u64 arcs, u32 *sources) {
	const u64 k = thread();
	if (k >= arcs)
		return;
	// Binary search for the last row that starts at k or before.
	u32 low = 0, high = count;
	while (high - low > 1) {
		const u32 middle = low + (high - low) / 2;
		if (rows[middle].start <= k)
			low = middle;
		else
			high = middle;
	}
	const Row row = rows[low];
	sources[k] = k - row.start < row.degree ? row.label : none;
}

// edge_expand marks the vertices of depth level. changed must be zero.
extern "C" __global__ void edge_expand(const u32 *sources, const u32 *destinations, u64 arcs, u32 *parents, u32 *depths,
	u32 level, u32 *changed) {
	const u64 k = thread();
	if (k >= arcs)
		return;
	const u32 u = sources[k];
	if (u == none)
		return;
	examined(1);
	if (depths[u] != level - 1)
		return;
	const u32 v = destinations[k];
	if (depths[v] == none) {
		depths[v] = level;
		parents[v] = u;
		*changed = 1;
	}
}

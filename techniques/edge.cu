// edge: edge-centric (PMPP 15.4, figure 15.10).
//
// What it does: one thread an edge, in each of its two directions, and one
// launch a level. A thread whose source is of the level before marks its
// destination if that has no depth yet, with idempotent stores as in push. It
// must find both ends by the number of the edge: that is COO, the destinations
// of CSR and beside them an array of sources.
//
// What it costs: every level asks every edge, whatever the frontier, and the
// sources take as much memory again as the destinations. But each thread has
// the same to do, and there are as many as there are edges, which keeps a device
// busy on small graphs too.
//
// Bottleneck: memory bandwidth. Each level reads all sources, and a depth for
// each: those of one row from the same place, one after the other.
#include "technique.cuh"

// edge_sources writes the source of each entry of the neighbours. Where rows
// are followed by entries that belong to none, the source is none.
extern "C" __global__ void edge_sources(const Row *rows, u32 count, u64 arcs, u32 *sources) {
	const u64 k = thread();
	if (k >= arcs)
		return;
	// The last row that starts at k or before.
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

// edge_expand does the level that gives its vertices the depth level. changed
// is zero before.
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

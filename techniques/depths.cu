// What the techniques that mark depths share: the begin of a search, and what
// is counted of it after its end.
#include "technique.cuh"

// depths_start marks the root. depths are all none before. One thread.
extern "C" __global__ void depths_start(u32 *parents, u32 *depths, u32 root) {
	parents[root] = root;
	depths[root] = 0;
}

// depths_count adds the vertices of each depth below levels up in found, which is
// zero before.
extern "C" __global__ void depths_count(const Row *rows, u32 count, const u32 *depths, u64 *found, u32 levels) {
	const u64 i = thread();
	if (i >= count)
		return;
	const u32 depth = depths[rows[i].label];
	if (depth < levels)
		atomicAdd(&found[depth], 1ull);
}

// Kernels of the techniques that mark depths: the start of a search, and the level sizes
// after its end.
#include "technique.cuh"

// depths_start marks the root. depths must be all none. One thread.
extern "C" __global__ void depths_start(u32 *parents, u32 *depths, u32 root) {
	parents[root] = root;
	depths[root] = 0;
}

// depths_count counts the vertices of each depth below levels in found, which must be
// zero.
extern "C" __global__ void depths_count(const Row *rows, u32 count, const u32 *depths, u64 *found, u32 levels) {
	const u64 i = thread();
	if (i >= count)
		return;
	const u32 depth = depths[rows[i].label];
	if (depth < levels)
		atomicAdd(&found[depth], 1ull);
}

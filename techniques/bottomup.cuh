// Helpers of the direction-optimizing techniques: the frontier as a bitmap, and the search
// for a parent in it.
#pragma once
#include "technique.cuh"

// mark sets the bit of v, atomically because 32 vertices share a word.
__device__ inline void mark(u32 *bitmap, u32 v) { atomicOr(bitmap + (v >> 5), 1u << (v & 31)); }

// findParent returns the first neighbour in the frontier, or none. It does not examine the
// rest of the row (early exit).
__device__ inline u32 findParent(const u32 *neighbors, const Row &row, const u32 *frontier) {
	u32 parent = none;
	u64 k = row.start;
	for (const u64 end = row.start + row.degree; parent == none && k < end; k++) {
		const u32 v = neighbors[k];
		if (frontier[v >> 5] >> (v & 31) & 1)
			parent = v;
	}
	examined(k - row.start);
	return parent;
}

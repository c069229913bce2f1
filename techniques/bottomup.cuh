// What the techniques share that change direction: the frontier as a bitmap,
// and the look for a parent in it.
#pragma once
#include "technique.cuh"

// mark sets the bit of v. Vertices of 32 threads share a word.
__device__ inline void mark(u32 *bitmap, u32 v) { atomicOr(bitmap + (v >> 5), 1u << (v & 31)); }

// findParent returns the first neighbour that is in the frontier, none if there
// is none: whom it stops at, the rest of the row is never looked at (early
// break).
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

// Helpers of the techniques whose frontier is a queue: an array of vertices with its
// length. Each vertex is claimed once, so a queue never has more entries than the graph
// has rows.
#pragma once
#include "technique.cuh"

// queue_start starts a search: the root becomes its own parent and the first frontier. One
// thread.
extern "C" __global__ void queue_start(u32 *parents, u32 *queue, u32 root) {
	parents[root] = root;
	queue[0] = root;
}

// expand claims the neighbours of u without a parent and appends them to next. found is
// the length of next.
__device__ inline void expand(const u64 *index, const Row *rows, const u32 *neighbors, u32 *parents, u32 u, u32 *next, u32 *found) {
	const Row row = rowOf(index, rows, u);
	examined(row.degree);
	for (u64 k = row.start; k < row.start + row.degree; k++) {
		const u32 v = neighbors[k];
		if (claim(parents, v, u))
			next[reserve(found, 1)] = v;
	}
}

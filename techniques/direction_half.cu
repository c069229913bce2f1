// direction-half: push or pull by the length of the queue (DepGraph 5.3; after Beamer,
// Asanović and Patterson 2012).
//
// What it does: while the queue has less than half of the vertices, a level is pushed as
// in frontier. Otherwise it is pulled: every vertex without a parent searches its
// neighbours for one in the queue, and stops at the first. For a fast membership test
// the queue is converted to a bitmap. Both kinds of level fill the next queue. Vertices
// without edges do not count.
//
// What it costs: a pulled level reads the parent of every vertex, and clears and fills
// the bitmap. It examines few neighbours if most of them are in the queue. It needs no
// compare-and-swap, because only the vertex's own thread writes its parent.
//
// Bottleneck: the switching rule. The queue reaches half of the vertices only after the
// largest level has been pushed, arc by arc. Only a small remainder is left to pull.
#include "bottomup.cuh"
#include "queue.cuh"

// direction_half_push expands the count vertices of queue into next. found must be zero.
extern "C" __global__ void direction_half_push(const u64 *index, const Row *rows, const u32 *neighbors, u32 *parents,
	const u32 *queue, u32 count, u32 *next, u32 *found) {
	const u64 i = thread();
	if (i < count)
		expand(index, rows, neighbors, parents, queue[i], next, found);
}

// direction_half_mark builds the bitmap of the count vertices of queue. The bitmap must
// be zero.
extern "C" __global__ void direction_half_mark(const u32 *queue, u32 count, u32 *frontier) {
	const u64 i = thread();
	if (i < count)
		mark(frontier, queue[i]);
}

// direction_half_pull searches a parent in frontier for each vertex without one, and
// appends the vertices that find one to next. found must be zero.
extern "C" __global__ void direction_half_pull(const Row *rows, u32 count, const u32 *neighbors, u32 *parents,
	const u32 *frontier, u32 *next, u32 *found) {
	const u64 i = thread();
	if (i >= count)
		return;
	const Row row = rows[i];
	if (parents[row.label] != none)
		return;
	const u32 parent = findParent(neighbors, row, frontier);
	if (parent != none) {
		parents[row.label] = parent;
		next[reserve(found, 1)] = row.label;
	}
}

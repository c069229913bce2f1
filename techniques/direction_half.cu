// direction-half: push or pull, by the length of the queue (DepGraph 5.3; after
// Beamer, Asanović and Patterson 2012).
//
// What it does: while the queue holds less than half of the vertices, a level
// is pushed as in frontier; else it is pulled: every vertex without a parent
// looks through its own neighbours for one that is in the queue, and stops at
// the first. To ask that quickly the queue is turned into a bitmap. Both kinds
// of level fill the next queue. Vertices without an edge are not in the graph
// and not in the half.
//
// What it costs: a pulled level asks every vertex for its parent, and clears and
// fills the bitmap. It looks at few neighbours where most of them are in the
// queue, and claims without compare-and-swap, since only a vertex's own thread
// writes its parent.
//
// Bottleneck: the rule. A queue of half the vertices is found when the largest
// level has been pushed, arc by arc; what is left to pull after it is the small
// remainder.
#include "bottomup.cuh"
#include "queue.cuh"

// direction_half_push expands the count vertices of queue into next. found is
// zero before.
extern "C" __global__ void direction_half_push(const u64 *index, const Row *rows, const u32 *neighbors, u32 *parents,
	const u32 *queue, u32 count, u32 *next, u32 *found) {
	const u64 i = thread();
	if (i < count)
		expand(index, rows, neighbors, parents, queue[i], next, found);
}

// direction_half_mark makes the bitmap of the count vertices of queue. It is
// zero before.
extern "C" __global__ void direction_half_mark(const u32 *queue, u32 count, u32 *frontier) {
	const u64 i = thread();
	if (i < count)
		mark(frontier, queue[i]);
}

// direction_half_pull lets the vertices of all rows look for a parent in
// frontier and appends those that find one to next. found is zero before.
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

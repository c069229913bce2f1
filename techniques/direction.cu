// direction: direction-optimizing, push or pull by the number of edges to examine
// (Beamer, Asanović and Patterson 2012; DepGraph 5).
//
// What it does: a growing frontier is pushed (as in scan-warp-cta) until it has more
// than 1/14 of the unexplored arcs. Then levels are pulled: each vertex without a parent
// searches its row for the first neighbour in the frontier, which is a bitmap instead of
// a queue. When the frontier shrinks and has at most 1/24 of the vertices, it becomes a
// queue again and is pushed.
//
// What it costs: the sum of the arcs of each frontier, which needs one more row look-up
// for each vertex that a push finds. A pulled level reads all rows and two bitmaps. The
// direction changes once or twice per search, with one launch each to convert the
// frontier.
//
// Bottleneck: the pulled levels, which take most of the time. One thread per vertex
// searches its row. Nearly all threads find a parent at once, but their warps wait for
// the few that search long rows in vain.
#include "gather.cuh"
#include "bottomup.cuh"

// Tally has the layout of directionTally in direction.go: the size of a frontier.
struct Tally {
	u64 arcs;
	u32 found;     // vertices of the frontier
	u32 collected; // vertices already copied to the queue
};

// addArcs adds the degrees of the threads of a block to tally->arcs.
__device__ static void addArcs(Tally *tally, u32 degree) {
	u64 total;
	scan<u64>(degree, total);
	if (threadIdx.x == 0 && total > 0)
		atomicAdd(&tally->arcs, (unsigned long long)total);
}

// direction_start starts a search. tally must be zero. One thread.
extern "C" __global__ void direction_start(const u64 *index, const Row *rows, u32 *parents, u32 *queue, u32 root, Tally *tally) {
	parents[root] = root;
	queue[0] = root;
	tally->arcs = rowOf(index, rows, root).degree;
	tally->found = 1;
}

// direction_push expands the count vertices of queue into next. The grid must have at
// least count threads. tally must be zero.
extern "C" __global__ void __launch_bounds__(gatherThreads) direction_push(const u64 *index, const Row *rows,
	const u32 *neighbors, u32 *parents, uint8_t *visited, const u32 *queue, u32 count, u32 *next, Tally *tally) {
	Row row = rowOfThread(index, rows, queue, count);
	gatherByLength(Step{neighbors, parents, visited, next, &tally->found}, row);
}

// direction_measure adds the arcs of the vertices that direction_push found to tally.
extern "C" __global__ void __launch_bounds__(gatherThreads) direction_measure(const u64 *index, const Row *rows,
	const u32 *queue, Tally *tally) {
	const u32 count = tally->found;
	// A grid-stride loop, because the host does not know count yet.
	for (u64 first = (u64)blockIdx.x * blockDim.x; first < count; first += (u64)gridDim.x * blockDim.x) {
		const u64 i = first + threadIdx.x;
		addArcs(tally, i < count ? rowOf(index, rows, queue[i]).degree : 0);
	}
}

// direction_mark builds the bitmap of the count vertices of queue. The bitmap must be
// zero.
extern "C" __global__ void direction_mark(const u32 *queue, u32 count, u32 *frontier) {
	const u64 i = thread();
	if (i < count)
		mark(frontier, queue[i]);
}

// direction_pull searches a parent in frontier for each vertex without one, and marks the
// vertices that find one in next. next and tally must be zero.
extern "C" __global__ void __launch_bounds__(gatherThreads) direction_pull(const Row *rows, u32 count,
	const u32 *neighbors, u32 *parents, const u32 *frontier, u32 *next, Tally *tally) {
	const u64 i = thread();
	bool found = false;
	u32 degree = 0;
	if (i < count) {
		const Row row = rows[i];
		if (parents[row.label] == none) {
			const u32 parent = findParent(neighbors, row, frontier);
			if (parent != none) {
				parents[row.label] = parent;
				mark(next, row.label);
				found = true;
				degree = row.degree;
			}
		}
	}
	const u32 vertices = __syncthreads_count(found);
	if (threadIdx.x == 0 && vertices > 0)
		atomicAdd(&tally->found, vertices);
	addArcs(tally, degree);
}

// direction_collect builds the queue of the vertices of a bitmap of the given number of
// words. tally->collected must be zero.
extern "C" __global__ void __launch_bounds__(gatherThreads) direction_collect(const u32 *frontier, u32 words, u32 *queue, Tally *tally) {
	__shared__ u32 first;
	const u64 i = thread();
	u32 word = i < words ? frontier[i] : 0, total;
	u32 place = scan<u32>(__popc(word), total);
	if (threadIdx.x == 0)
		first = reserve(&tally->collected, total);
	__syncthreads();
	for (; word != 0; word &= word - 1)
		queue[first + place++] = 32 * i + __ffs(word) - 1;
}

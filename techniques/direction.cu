// direction: push or pull, by the edges that each would look at (Beamer,
// Asanović and Patterson 2012; DepGraph 5).
//
// What it does: a growing frontier is pushed (as in scan-warp-cta) until it has
// more than 1/14 of the arcs that are not explored yet. From there on vertices
// without a parent look for one in the frontier, each until it finds the first,
// and the frontier is a bitmap in place of a queue. When it shrinks and is
// smaller than 1/24 of the vertices, it becomes a queue again and is pushed.
//
// What it costs: the arcs of each frontier must be added up, one row more to
// look up for each vertex found by a push; a pulled level goes over all rows
// and two bitmaps. It turns once or twice a search, with a launch each.
//
// Bottleneck: the pulled levels, which are most of the time. One thread a vertex
// goes through its row alone: nearly all find a parent at once, and their warps
// wait for the few that search long rows in vain.
#include "gather.cuh"
#include "bottomup.cuh"

// Tally is package techniques' directionTally: what is known of a frontier.
struct Tally {
	u64 arcs;
	u32 found;     // its vertices
	u32 collected; // those that are in the queue
};

// addArcs adds the degrees that the threads of a block bring.
__device__ static void addArcs(Tally *tally, u32 degree) {
	u64 total;
	scan<u64>(degree, total);
	if (threadIdx.x == 0 && total > 0)
		atomicAdd(&tally->arcs, (unsigned long long)total);
}

// direction_start begins a search; tally is zero before. One thread.
extern "C" __global__ void direction_start(const u64 *index, const Row *rows, u32 *parents, u32 *queue, u32 root, Tally *tally) {
	parents[root] = root;
	queue[0] = root;
	tally->arcs = rowOf(index, rows, root).degree;
	tally->found = 1;
}

// direction_push expands the count vertices of queue into next. The grid has as
// many threads or more. tally is zero before.
extern "C" __global__ void __launch_bounds__(gatherThreads) direction_push(const u64 *index, const Row *rows,
	const u32 *neighbors, u32 *parents, uint8_t *visited, const u32 *queue, u32 count, u32 *next, Tally *tally) {
	Row row = rowOfThread(index, rows, queue, count);
	gatherByLength(Step{neighbors, parents, visited, next, &tally->found}, row);
}

// direction_measure adds up the arcs of the vertices that direction_push has
// found.
extern "C" __global__ void __launch_bounds__(gatherThreads) direction_measure(const u64 *index, const Row *rows,
	const u32 *queue, Tally *tally) {
	const u32 count = tally->found;
	// The host does not know the number yet: blocks go on until it is reached.
	for (u64 first = (u64)blockIdx.x * blockDim.x; first < count; first += (u64)gridDim.x * blockDim.x) {
		const u64 i = first + threadIdx.x;
		addArcs(tally, i < count ? rowOf(index, rows, queue[i]).degree : 0);
	}
}

// direction_mark makes the bitmap of the count vertices of queue. It is zero
// before.
extern "C" __global__ void direction_mark(const u32 *queue, u32 count, u32 *frontier) {
	const u64 i = thread();
	if (i < count)
		mark(frontier, queue[i]);
}

// direction_pull lets the vertices of all rows look for a parent in frontier
// and marks those that find one in next. next and tally are zero before.
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

// direction_collect makes the queue of the vertices of a bitmap of that many
// words. tally->collected is zero before.
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

// The default search: one persistent kernel per search, direction-optimizing (Beamer,
// Asanović, Patterson, SC 2012), steered on the device.
//
// All vertices are original labels, so that no parent has to be translated. Rows
// exist only for vertices with a neighbour; a label finds its row by counting bits
// (g.index). The arrays that dense passes read are indexed by label and include
// isolated vertices, because whole sectors of parents can then be written.
#include "../ptx.cuh"
#include "../counted.cuh"
#include "list.cuh"
#include "topdown.cuh"

__device__ inline u32 firstTask() { return 0; }

// A frontier whose level queues parents has at most half of all rows. The parents are in
// the last quarter of the memory.
__device__ inline u32 *queuedParents() { return reinterpret_cast<u32 *>(g.scratch) + 3 * u64(g.rowCount); }

// prepare resets the state of the previous search: it empties the filter and the
// bins, and fills words lo to hi-1 of the bitmap of visited vertices, where all
// labels without a row count as visited. All threads of all blocks must call it.
__device__ inline void prepare(u32 lo, u32 hi) {
	const u32 tid = threadIdx.x;
#pragma unroll 4
	for (u32 w = lo + 4 * tid; w < hi; w += 4 * THREADS) {
		const uint4 x = __ldg(reinterpret_cast<const uint4 *>(g.hasRow + w));
		*reinterpret_cast<uint4 *>(g.visited[0] + w) = make_uint4(~x.x, ~x.y, ~x.z, ~x.w);
	}
	for (u32 i = blockIdx.x * THREADS + tid; i < g.filterBits / 128; i += gridDim.x * THREADS)
		reinterpret_cast<uint4 *>(g.filter)[i] = uint4{};
	for (u32 b = blockIdx.x * THREADS + tid; b < g.bins; b += gridDim.x * THREADS)
		g.binEnds[b * binStride] = binStart(b);
}

// visitRoot begins a search. It calls prepare and marks root as visited, and root's
// neighbours if there is at most one per thread. Every block reads root's row and
// marks the neighbours in its own part of the bitmap, so that the first level needs
// neither a queue nor a grid barrier. It returns the length of the row, and in v the
// thread's neighbour or none. If the row is too long, the length is 0 and v is none.
// All threads of all blocks must call it.
__device__ inline u32 visitRoot(u32 root, u32 &v) {
	const u32 tid = threadIdx.x;
	const u64 began = now();
	const uint2 index = streamIf(true, reinterpret_cast<const uint2 *>(g.index) + (root >> 5), uint2{}); // in flight while prepare runs
	const u32 words = g.tasks * taskWords, part = (words / 4 + gridDim.x - 1) / gridDim.x * 4;
	const u32 lo = min(words, part * blockIdx.x), hi = min(words, lo + part);
	prepare(lo, hi);
	const Row row = loadRow(rowAt(index, root));
	const bool all = row.degree <= THREADS;
	v = all && tid < row.degree ? __ldg(Part(row.start, row.degree).at(tid)) : none;
	__syncthreads();
	if (tid == 0 && root / 32 >= lo && root / 32 < hi) {
		atomicOr(g.visited[0] + root / 32, 1u << (root & 31));
		g.parents[root] = root;
		g.queue[0][0] = root;
		Control *c = g.control;
		for (int i = 0; i < 4; i++)
			c->queueLength[i] = 0, c->ticket[i] = 0;
		c->listed = c->relisted = 0;
		c->longRows = 0;
		c->levelCount = 0;
		c->impliedBeyond = 0;
		g.levels[0].examined = g.levels[0].moved = g.levels[1].examined = g.levels[1].moved = 0;
		c->begin = began;
	}
	if (v != none && v / 32 >= lo && v / 32 < hi) {
		atomicOr(g.visited[0] + v / 32, 1u << (v & 31));
		g.parents[v] = root;
	}
	return all ? row.degree : 0;
}

// fillFilter sets the bits of the frontier in the filter, which must be empty.
__device__ inline void fillFilter(const u32 *queue, u32 count) {
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) {
		const u32 v = __ldcg(queue + i);
		atomicOr(g.filter + (v & (g.filterBits - 1)) / 32, 1u << (v & 31));
	}
}

// measureNonHubs measures a queue's vertices that are not hubs: it returns their
// number of arcs in the block's slice, and writes their rows for expandNonHubs. With
// toNonHubs it leaves out the arcs to hubs. This function and the next are not
// inlined, to save registers of the caller.
__device__ __noinline__ u64 measureNonHubs(const u32 *queue, u32 count, bool toNonHubs) { return measure(queue, count, toNonHubs ? arcsOfNonHubsToNonHubs : arcsOfNonHubs); }

// expandNonHubs searches top-down from these rows and returns the number of vertices
// that the block found. It also writes them to queue, which nothing reads.
template <bool orders> __device__ __noinline__ u32 expandNonHubs(u32 *visited, u32 *queue, u32 *queued, u32 count, u64 arcs) {
	const NextFrontier<orders> to{visited, queue, queued, false, true};
	expand(to, count, arcs);
	return shared<TopDown>().claimed;
}

// allHubsVisited returns whether all hubs are visited. It contains a grid barrier.
// All threads of all blocks must call it.
__device__ bool allHubsVisited(GridBarrier &barrier, const u32 *visited) {
	u32 unvisitedHubs = 0;
	for (u32 h = blockIdx.x * THREADS + threadIdx.x; h < g.hubCount; h += gridDim.x * THREADS)
		unvisitedHubs += !bitOf(visited, __ldg(g.hubs + h));
	return !u32(barrier.waitSum(unvisitedHubs, 0, [] {}));
}

// Search is the state of one search. It is the same in every thread, except for row
// and before. The number of vertices (size) decides whether levels may look for hubs
// only, whether parents may be put in order, and how parents are written.
template <Size size> struct Search {
	static constexpr bool orders = size == many, hubs = size != few;

	Progress progress;
	u64 unexplored;   // arcs of unvisited vertices, an estimate
	u64 arcs, before; // arcs of the frontier; those of the vertices of lower threads
	Row row;          // row of the thread's vertex, if the frontier is small
	u64 nonHubArcs;   // arcs of the frontier's vertices that are not hubs, estimated by a sample if the frontier is large, else 0

	// These share one register. In registers of their own they were spilled, and
	// loaded from the second-level cache after each grid barrier, whose fence empties
	// the first-level cache.
	u32 side : 1;            // g.visited[side] is the bitmap of visited vertices
	u32 turn : 1;            // g.queue[turn] is the queue of the frontier
	bool inQueue : 1;        // the frontier is in the queue; root's neighbours are not
	bool parentsQueued : 1;  // the parents of the frontier are queued, not written
	bool measured : 1;       // arcs, row and before are those of the frontier
	bool hubBitsCurrent : 1; // the bitmap of hubs agrees with the bitmap of visited vertices
	bool filterEmpty : 1;    // the filter is empty; it is filled at most once per search
	bool stopped : 1;        // the host stopped the search

	__device__ __forceinline__ u32 *visited() const { return g.visited[side]; }
	__device__ __forceinline__ u32 *visitedAfter() const { return g.visited[side ^ 1]; } // written by a bottom-up level
	__device__ __forceinline__ u32 *queue() const { return g.queue[turn]; }
	__device__ __forceinline__ u32 *otherQueue() const { return g.queue[turn ^ 1]; }
	__device__ __forceinline__ u32 *nextQueueLength() const { return &g.control->queueLength[(progress.level + 1) & 3]; }
	__device__ __forceinline__ bool done() const { return !progress.frontier || !progress.unvisited || stopped; }

	__device__ __forceinline__ void begin(u32 root) {
		progress = Progress{{0}, 0, 1, g.rowCount - 1};
		Progress::beginFirstLevel();
		unexplored = g.arcs, before = 0, arcs = 0, nonHubArcs = 0;
		side = turn = 0;
		stopped = hubBitsCurrent = parentsQueued = measured = false;
		filterEmpty = inQueue = true;
		row = Row{0, 0, none};
		u32 v;
		const u32 rootDegree = visitRoot(root, v);
		if (rootDegree) {
			arcs = measureSmall(v, row, before);
			measured = true;
			inQueue = false;
		}
		progress.barrier.wait(0);
		if (rootDegree) {
			unexplored -= rootDegree;
			progress.endLevel(stepTopDown, rootDegree, rootDegree);
		}
	}

	// writeQueuedParents writes the queued parents to the array of parents.
	__device__ __forceinline__ void writeQueuedParents() {
		scatterParents(queue(), progress.frontier);
		parentsQueued = false;
		Progress::addExtra(extraScatter);
	}

	// topDown searches levels top-down while the frontier is small. It returns
	// whether the search goes on bottom-up.
	__device__ __forceinline__ bool topDown() {
		while (!done()) {
			const u32 count = progress.frontier;
			if (turnsBottomUp(count))
				return true;
			expandLevel(count);
		}
		return false;
	}

	// turnsBottomUp measures the frontier and returns whether the next level is
	// bottom-up. It measures a large frontier by a sample first, and brings the
	// bitmap of hubs up to date at the same time.
	__device__ __forceinline__ bool turnsBottomUp(u32 count) {
		hubBitsCurrent = count > sampleFrom * THREADS;
		nonHubArcs = 0;
		const bool hubsMaySuffice = hubs && !parentsQueued && inQueue && mayLookForHubsOnly(count);
		if (hubBitsCurrent) {
			const u64 all = estimateArcs<hubs>(queue(), count, visited(), nonHubArcs);
			if (bottomUpPays(all, unexplored, hubsMaySuffice && areFewNonHubArcs(nonHubArcs)))
				return true;
		}
		if (splitRows && !orders && count > max(g.rowCount / frontierShare, THREADS)) // g.scratch has no place for the rows
			return true;
		if (orders && parentsQueued) {
			writeQueuedParents();
			progress.barrier.wait(0); // measure overwrites the queued parents
		}
		if (count > THREADS) {
			arcs = progress.barrier.wait(measure(queue(), count, arcsOfAll));
			Progress::addMeasure();
		} else if (!measured)
			arcs = measureSmall(threadIdx.x < count ? __ldcg(queue() + threadIdx.x) : none, row, before);
		measured = false;
		return bottomUpPays(arcs, unexplored, hubsMaySuffice && !hubBitsCurrent);
	}

	// expandLevel searches one level top-down, from the rows that were measured.
	__device__ __forceinline__ void expandLevel(u32 count) {
		unexplored -= min(arcs, unexplored);
		parentsQueued = orders && queuesParents(arcs, count);
		turn ^= 1;
		inQueue = true;
		const NextFrontier<orders> to{visited(), queue(), nextQueueLength(), parentsQueued, arcs > gridDim.x * blockArcs};
		if (count <= THREADS)
			expandSmall(to, row, before, arcs);
		else
			expand(to, count, arcs);
		const u64 sum = progress.barrier.wait(shared<TopDown>().claimed + (u64(progress.stopRequested()) << 32));
		stopped = sum >> 32;
		progress.endLevel(stepTopDown, u32(sum), arcs);
	}

	// bottomUp searches levels bottom-up, to the end of the search on graphs of small
	// diameter. It returns whether the search goes on top-down.
	__device__ __forceinline__ bool bottomUp() {
		const u32 *ordered = nullptr; // parents in the order of labels, to be written
		denseLevels(ordered);
		bool longRows; // the last dense pass had long rows, whose vertices are missing in the list
		const u32 listed = denseParentLevels(ordered, longRows);
		if (done() || (!longRows && listLevels(listed)))
			return false;
		makeQueue();
		return true;
	}

	// hubsSuffice returns whether the next level may look for hubs only. This needs a
	// small frontier whose vertices that are not hubs have few arcs. The level
	// examines hubs bottom-up, in rows up to the first neighbour that is not a hub,
	// and then follows the other vertices of the frontier top-down. Once all hubs are
	// visited, it follows only their arcs to vertices that are not hubs. toNonHubs is
	// the number of these arcs.
	__device__ __forceinline__ bool hubsSuffice(u32 &toNonHubs) {
		// a frontier with queued parents is too large
		if (!hubs || parentsQueued || !inQueue || !mayLookForHubsOnly(progress.frontier) || !areFewNonHubArcs(nonHubArcs))
			return false;
		const u64 arcsToNonHubs = progress.barrier.wait(measureNonHubs(queue(), progress.frontier, true));
		Progress::addMeasure();
		toNonHubs = u32(arcsToNonHubs);
		return areFewNonHubArcs(arcsToNonHubs);
	}

	// followNonHubs is the top-down part of a level that looks for hubs only.
	// followed is the number of arcs to follow: at the call those to vertices that
	// are not hubs, on return those that were followed. It returns the number of
	// vertices found by all blocks.
	__device__ __forceinline__ u32 followNonHubs(u32 count, u64 &followed) {
		if (!allHubsVisited(progress.barrier, visitedAfter())) {
			followed = progress.barrier.wait(measureNonHubs(queue(), count, false));
			Progress::addMeasure();
		}
		const u32 found = u32(progress.barrier.wait(expandNonHubs<orders>(visitedAfter(), otherQueue(), nextQueueLength(), count, followed)));
		progress.addMoved(2 * found); // a queue entry and a parent each
		return found;
	}

	// denseLevels searches one level or more by marking passes, which leave parents
	// to denseParentLevels. It puts queued parents in order, or writes them.
	__device__ __forceinline__ void denseLevels(const u32 *&ordered) {
		u32 toNonHubs = 0; // arcs to follow if the level looks for hubs only
		bool hubsOnly = hubsSuffice(toNonHubs);
		bool filtered = !hubsOnly && filterEmpty && inQueue && filterServes(progress.frontier);
		if (filtered) {
			fillFilter(queue(), progress.frontier);
			filterEmpty = false;
			Progress::addExtra(extraFilter);
		}
		u32 *toOrder = nullptr;
		if (orders && parentsQueued && orderPays(progress.frontier)) {
			toOrder = otherQueue();
			distributeToBins(queue(), progress.frontier);
			parentsQueued = false;
			Progress::addExtra(extraOrder);
		} else if (orders && parentsQueued)
			writeQueuedParents();
		ordered = toOrder;
		Progress::addExtra(extraFirstDense);
		bool initial = true; // no marking pass has left parents yet
		do {
			if (!hubBitsCurrent)
				updateHubBits(visited(), [] {}, [] {});
			hubBitsCurrent = false;
			if (!hubsOnly)
				updateMinorBits(visited());
			progress.barrier.wait(0);
			if (orders && toOrder)
				order(toOrder);
			toOrder = nullptr;
			const u64 implied = progress.unvisited;
			u32 found;
			if (hubs && hubsOnly)
				found = markingPass<hubs ? markHubs : markAny, size>(visited(), visitedAfter(), initial);
			else if (hubs && filtered)
				found = markingPass<hubs ? markFiltered : markAny, size>(visited(), visitedAfter(), initial);
			else
				found = markingPass<markAny, size>(visited(), visitedAfter(), initial);
			filtered = initial = false;
			bool longRows;
			found = progress.waitFound(found, longRows);
			if (longRows)
				found += walkLongRows(progress, visited(), visitedAfter());
			if (hubs && hubsOnly) {
				u64 followed = toNonHubs;
				found += followNonHubs(progress.frontier, followed);
				progress.endLevel(stepDenseHubs, found, implied + followed, followed);
				hubsOnly = false;
			} else
				progress.endLevel(stepDense, found, implied);
			side ^= 1;
		} while (mostAreUnvisited(progress.unvisited) && densePays(progress.frontier, progress.unvisited));
	}

	// denseParentLevels searches one level or more by writing passes. It ends when
	// the list of unvisited vertices holds all of them, when the frontier is small,
	// or when the pass had rows too long for a warp (longRows). It returns the number
	// of entries of the list.
	__device__ __forceinline__ u32 denseParentLevels(const u32 *ordered, bool &longRows) {
		Progress::addExtra(extraDeferred | (ordered ? extraOrdered : 0));
		bool writesDeferred = true;
		while (true) {
			const u32 implied = progress.unvisited;
			u32 found = writingPass<size>(&g.control->ticket[progress.level & 3], visited(), visitedAfter(), writesDeferred, ordered);
			writesDeferred = false;
			ordered = nullptr;
			found = progress.waitFound(found, longRows);
			if (longRows)
				found += walkLongRows(progress, visited(), visitedAfter());
			progress.endLevel(stepDenseParents, found, implied);
			side ^= 1;
			const u32 listed = __ldcg(&g.control->listed);
			if (longRows || listed <= g.listCapacity || !densePays(progress.frontier, progress.unvisited))
				return listed;
			progress.barrier.wait(0); // all blocks have read listed
			if (blockIdx.x == 0 && threadIdx.x == 0)
				g.control->listed = 0;
			progress.barrier.wait(0);
		}
	}

	// listLevels searches the last levels from the list of unvisited vertices. If the
	// list does not fit into registers, it first searches one level by listLevel. It
	// returns whether the search is over. If it is not, the list was incomplete or
	// still too long, and the search goes on top-down.
	__device__ __forceinline__ bool listLevels(u32 listed) {
		const u32 tailCapacity = tailEntries * gridDim.x * THREADS;
		const uint2 *list = g.list;
		if (size == many && listed > tailCapacity && listed <= g.listCapacity && densePays(progress.frontier, progress.unvisited)) {
			const u32 implied = progress.unvisited;
			bool longRows;
			const u32 found = progress.waitFound(listLevel(listed, visited(), visitedAfter(), relistedVertices()), longRows);
			progress.endLevel(stepList, found, implied);
			side ^= 1;
			list = relistedVertices();
			listed = __ldcg(&g.control->relisted);
			if (done())
				return true;
		}
		if (listed > tailCapacity)
			return false;
		stopped = tail(progress, list, listed, visited(), visitedAfter());
		return true;
	}

	// makeQueue returns to top-down: it makes the queue from the vertices that the
	// last level found.
	__device__ __forceinline__ void makeQueue() {
		unexplored = u64(double(g.arcs) * progress.unvisited / g.rowCount);
		const u32 words = g.tasks * taskWords;
		progress.barrier.wait(0);
		if (blockIdx.x == 0 && threadIdx.x == 0)
			g.control->listed = g.control->relisted = 0;
		for (u32 w = blockIdx.x * THREADS + threadIdx.x; w < words; w += gridDim.x * THREADS) {
			const u32 seen = __ldcg(visited() + w), seenBefore = __ldcg(visitedAfter() + w);
			u32 found = seen & ~seenBefore;
			if (size == many && seenBefore & ~seen) // listLevel marked only its own finds here
				visited()[w] = seen | seenBefore;
			const u32 n = __popc(found);
			if (n) {
				u32 at = atomicAdd(&g.control->queueLength[progress.level & 3], n);
				for (; found; found &= found - 1)
					queue()[at++] = w * 32 + __ffs(found) - 1;
			}
		}
		Progress::addExtra(extraQueue);
		inQueue = true;
		progress.barrier.wait(0);
	}

	// end writes parents that are still queued, and tells the host that the search
	// has ended.
	__device__ __forceinline__ void end() {
		if (orders && parentsQueued && !stopped) {
			scatterParents(queue(), progress.frontier);
			progress.barrier.wait(0);
		}
		// All parents were written before the last grid barrier, so the host need not
		// wait until the kernel has left the device, which takes 2 µs more.
		if (blockIdx.x == 0 && threadIdx.x == 0)
			*g.done = 1;
		leave();
	}
};

template <Size size> __device__ __forceinline__ void search(u32 root) {
	if (tellsWithoutRoot(root, g.done))
		return;
	Search<size> s;
	s.begin(root);
	while (s.topDown() && s.bottomUp()) {
	}
	s.end();
}

__host__ __device__ constexpr u32 larger(u32 a, u32 b) { return a > b ? a : b; }

// sharedBytes is the size of the dynamic shared memory of a block.
__device__ u32 sharedBytes = larger(larger(sizeof(TopDown), sizeof(BottomUp)), larger(sizeof(Binning), sizeof(Ordering)));

#ifndef FEW

// bfs is the kernel for more vertices than bfsFew, with two blocks per
// multiprocessor. With three blocks, or six of 256 threads, more loads are in flight
// but registers are spilled, and it is a quarter slower.
extern "C" __global__ void __launch_bounds__(THREADS, 2) bfs(u32 root) { search<medium>(root); }

// bfsMany is the kernel for most vertices: it puts the parents of large top-down
// levels in order. A search takes 3,379 µs instead of 3,609 at scale 28, but 714 µs
// instead of 711 at scale 26.
extern "C" __global__ void __launch_bounds__(THREADS, 2) bfsMany(u32 root) { search<many>(root); }

#endif
#if defined FEW || defined SPLIT_ROWS

// bfsFew is the kernel for few vertices, with one block per multiprocessor and twice
// the registers per thread. Each warp has little work there, so its latency
// determines the time: 351 GTEPS instead of 292 at scale 20 and 754 instead of 671 at
// scale 22, but 1,017 instead of 1,056 at scale 24.
extern "C" __global__ void __launch_bounds__(THREADS, 1) bfsFew(u32 root) { search<few>(root); }

#endif

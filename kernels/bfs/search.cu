// The default search: one persistent kernel a search, direction-optimizing
// (Beamer, Asanović, Patterson, SC 2012), steered on the device.
//
// Everything is in original labels, so that no parent is translated: a label
// finds its row by counting bits (Index), rows exist for vertices with a
// neighbour only. The arrays that dense passes stream are indexed by label,
// isolated ones included, because whole sectors of parents can then be written.
#include "../ptx.cuh"
#include "../counted.cuh"
#include "list.cuh"
#include "topdown.cuh"

// prepare makes the state of a search ready: it empties the filter and the bins, and
// marks all labels without a row as visited.
__device__ inline void prepare(u32 lo, u32 hi) {
	const u32 tid = threadIdx.x;
#pragma unroll 4
	for (u32 w = lo + 4 * tid; w < hi; w += 4 * THREADS) {
		const uint4 x = __ldg(reinterpret_cast<const uint4 *>(g.present + w));
		*reinterpret_cast<uint4 *>(g.visited[0] + w) = make_uint4(~x.x, ~x.y, ~x.z, ~x.w);
	}
	for (u32 i = blockIdx.x * THREADS + tid; i < g.filterBits / 128; i += gridDim.x * THREADS)
		reinterpret_cast<uint4 *>(g.filter)[i] = uint4{};
	for (u32 b = blockIdx.x * THREADS + tid; b < g.bins; b += gridDim.x * THREADS)
		g.binEnds[b * binStride] = binStart(b);
}

// visitRoot begins a search: besides prepare, it marks root and, where its row is short
// enough, root's neighbours as visited. Every block reads that row for itself and marks
// what lies in its own part of the bitmap, so that the first level needs no queue and no
// meeting. It returns the row's length, and in v this thread's neighbour or none; the
// length is 0 if the row is too long.
__device__ inline u32 visitRoot(u32 root, u32 &v) {
	const u32 tid = threadIdx.x;
	const u64 began = now();
	const uint2 index = streamIf(true, reinterpret_cast<const uint2 *>(g.index) + (root >> 5), uint2{}); // on its way while the bitmap is made
	const u32 words = g.tasks * taskWords, part = (words / 4 + gridDim.x - 1) / gridDim.x * 4;
	const u32 lo = min(words, part * blockIdx.x), hi = min(words, lo + part);
	prepare(lo, hi);
	const Row row = loadRow(rowAt(index, root));
	const bool all = row.degree <= THREADS;
	v = all && tid < row.degree ? __ldg(g.neighbors + row.start + tid) : none;
	__syncthreads();
	if (tid == 0 && root / 32 >= lo && root / 32 < hi) {
		atomicOr(g.visited[0] + root / 32, 1u << (root & 31));
		g.parents[root] = root;
		g.queue[0][0] = root;
		Control *c = g.control;
		for (int i = 0; i < 4; i++)
			c->queued[i] = 0, c->ticket[i] = 0;
		c->listed = c->relisted = 0;
		c->longRows = 0;
		c->levelCount = 0;
		c->impliedBeyond = 0;
		g.levels[0].looked = g.levels[0].moved = g.levels[1].looked = g.levels[1].moved = 0;
		c->begin = began;
	}
	if (v != none && v / 32 >= lo && v / 32 < hi) {
		atomicOr(g.visited[0] + v / 32, 1u << (v & 31));
		g.parents[v] = root;
	}
	return all ? row.degree : 0;
}

// fillFilter enters the frontier in the filter, which was empty.
__device__ inline void fillFilter(const u32 *queue, u32 count) {
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) {
		const u32 v = __ldcg(queue + i);
		atomicOr(g.filter + (v & (g.filterBits - 1)) / 32, 1u << (v & 31));
	}
}

// measureOthers returns the arcs of a queue's vertices that are no hubs, of the block's
// slice, without those to hubs if beyondHubs, and leaves their rows for followOthers.
// Both are functions of their own for the sake of the registers of their caller.
__device__ __noinline__ u64 measureOthers(const u32 *queue, u32 count, bool beyondHubs) { return measure(queue, count, beyondHubs ? beyondHubsOfOthers : ofOthers); }

// followOthers goes through these rows and returns what the block found; it writes
// them to queue, which nothing reads.
template <bool orders> __device__ __noinline__ u32 followOthers(u32 *visited, u32 *queue, u32 *queued, u32 count, u64 arcs) {
	const Frontier<orders> to{visited, queue, queued, false, true};
	expand(to, count, arcs);
	return shared<TopDown>().claimed;
}

// allVisited returns whether all hubs are visited, after a meeting.
__device__ bool allVisited(Meeting &meeting, const u32 *visited) {
	u32 left = 0;
	for (u32 h = blockIdx.x * THREADS + threadIdx.x; h < g.hubCount; h += gridDim.x * THREADS)
		left += !bitOf(visited, __ldg(g.hubs + h));
	return !u32(meeting.sum(left, 0, [] {}));
}

// Search is the state of one search, the same in every thread but for row and before. How
// many vertices there are decides whether hubs may be looked for alone, whether parents
// may be put in order, and how they are written.
template <Size size> struct Search {
	static constexpr bool orders = size == many, hubs = size != few;

	Run run;
	u64 unexplored;   // arcs of unvisited vertices, about
	u64 arcs, before; // of the frontier; of the threads before this one
	Row row;          // of this thread's vertex of a small frontier
	u64 othersArcs;   // arcs of a large frontier's vertices that are no hubs, from a sample, or 0

	// In one register: each of its own was spilled, and fetched from the second-level cache
	// after each meeting, whose fence empties the first-level one.
	u32 side : 1;           // g.visited[side] is the bitmap of visited vertices
	u32 turn : 1;           // the frontier is in g.queue[turn]
	bool inQueue : 1;       // as it is but for root's neighbours
	bool parentsQueued : 1; // and the parents of its vertices are with it, not written
	bool measured : 1;      // arcs, row and before are those of the frontier
	bool hubsGathered : 1;  // the bitmap of hubs is up to date
	bool filterEmpty : 1;   // so that the frontier may be entered, once in a search
	bool stopped : 1;       // by the host

	__device__ __forceinline__ u32 *here() const { return g.visited[side]; }
	__device__ __forceinline__ u32 *after() const { return g.visited[side ^ 1]; } // after a bottom-up level
	__device__ __forceinline__ u32 *queue() const { return g.queue[turn]; }
	__device__ __forceinline__ u32 *otherQueue() const { return g.queue[turn ^ 1]; }
	__device__ __forceinline__ u32 *nextQueued() const { return &g.control->queued[(run.level + 1) & 3]; }
	__device__ __forceinline__ bool done() const { return !run.frontier || !run.left || stopped; }

	__device__ __forceinline__ void begin(u32 root) {
		run = Run{{0}, 0, 1, g.connected - 1};
		Run::begin();
		unexplored = g.arcs, before = 0, arcs = 0, othersArcs = 0;
		side = turn = 0;
		stopped = hubsGathered = parentsQueued = measured = false;
		filterEmpty = inQueue = true;
		row = Row{0, 0, none};
		u32 v;
		const u32 rootDegree = visitRoot(root, v);
		if (rootDegree) {
			arcs = measureSmall(v, row, before);
			measured = true;
			inQueue = false;
		}
		run.meeting.meet(0);
		if (rootDegree) {
			unexplored -= rootDegree;
			run.ended(stepTopDown, rootDegree, rootDegree);
		}
	}

	// writeQueuedParents writes the parents that are queued where they belong.
	__device__ __forceinline__ void writeQueuedParents() {
		scatter(queue(), run.frontier);
		parentsQueued = false;
		Run::did(extraScatter);
	}

	// topDown goes through levels top-down while the frontier is small. It returns whether
	// the search goes on bottom-up.
	__device__ __forceinline__ bool topDown() {
		while (!done()) {
			const u32 count = run.frontier;
			if (turnsBottomUp(count))
				return true;
			expandLevel(count);
		}
		return false;
	}

	// turnsBottomUp measures the frontier and decides the direction. A large frontier is
	// measured by a sample first, which brings the bitmap of hubs up to date on its way.
	__device__ __forceinline__ bool turnsBottomUp(u32 count) {
		hubsGathered = count > sampleFrom * THREADS;
		othersArcs = 0;
		const bool hubsMayDo = hubs && !parentsQueued && inQueue && mayLookForHubs(count);
		if (hubsGathered) {
			const u64 all = estimate<hubs>(queue(), count, here(), othersArcs);
			if (bottomUpPays(all, unexplored, hubsMayDo && isFew(othersArcs)))
				return true;
		}
		if (orders && parentsQueued) {
			writeQueuedParents();
			run.meeting.meet(0); // measure writes over them
		}
		if (count > THREADS) {
			arcs = run.meeting.meet(measure(queue(), count, ofAll));
			Run::measured();
		} else if (!measured)
			arcs = measureSmall(threadIdx.x < count ? __ldcg(queue() + threadIdx.x) : none, row, before);
		measured = false;
		return bottomUpPays(arcs, unexplored, hubsMayDo && !hubsGathered);
	}

	// expandLevel goes through one level top-down, by the rows that were measured.
	__device__ __forceinline__ void expandLevel(u32 count) {
		unexplored -= min(arcs, unexplored);
		parentsQueued = orders && queuesParents(arcs, count);
		turn ^= 1;
		inQueue = true;
		const Frontier<orders> to{here(), queue(), nextQueued(), parentsQueued, arcs > gridDim.x * step};
		if (count <= THREADS)
			expandSmall(to, row, before, arcs);
		else
			expand(to, count, arcs);
		const u64 sum = run.meeting.meet(shared<TopDown>().claimed + (u64(run.stopAsked()) << 32));
		stopped = sum >> 32;
		run.ended(stepTopDown, u32(sum), arcs);
	}

	// bottomUp goes through levels bottom-up, on graphs of small diameter to the end. It
	// returns whether the search goes on top-down.
	__device__ __forceinline__ bool bottomUp() {
		const u32 *ordered = nullptr; // queued parents in the order of labels
		denseLevels(ordered);
		bool rows; // long rows were left out of the list
		const u32 listed = emitLevels(ordered, rows);
		if (done() || (!rows && listLevels(listed)))
			return false;
		makeQueue();
		return true;
	}

	// hubsDo returns whether the next level may look for hubs only: where few arcs of a small
	// frontier are not of hubs, they are followed top-down after a pass that looks for hubs,
	// at rows as far as they begin with them. Once all hubs are visited, only arcs beyond
	// the hubs of their own rows are, which are counted in followed.
	__device__ __forceinline__ bool hubsDo(u32 &followed) {
		// A level that queues parents finds too many for that.
		if (!hubs || parentsQueued || !inQueue || !mayLookForHubs(run.frontier) || !isFew(othersArcs))
			return false;
		const u64 beyond = run.meeting.meet(measureOthers(queue(), run.frontier, true));
		Run::measured();
		followed = u32(beyond);
		return isFew(beyond);
	}

	// followLevel is the part of a level that looks for hubs only which goes from the
	// frontier's other vertices to their neighbours. It returns what was found.
	__device__ __forceinline__ u32 followLevel(u32 count, u64 &followed) {
		if (!allVisited(run.meeting, after())) {
			followed = run.meeting.meet(measureOthers(queue(), count, false));
			Run::measured();
		}
		return u32(run.meeting.meet(followOthers<orders>(after(), otherQueue(), nextQueued(), count, followed)));
	}

	// denseLevels goes through one level or more in dense passes that leave parents to
	// emitLevels. Queued parents are put in order, or written, on the way.
	__device__ __forceinline__ void denseLevels(const u32 *&ordered) {
		u32 beyond = 0; // arcs to follow beyond the hubs, if few
		bool hubsOnly = hubsDo(beyond);
		bool filtered = !hubsOnly && filterEmpty && inQueue && filterServes(run.frontier);
		if (filtered) {
			fillFilter(queue(), run.frontier);
			filterEmpty = false;
			Run::did(extraFilter);
		}
		u32 *toOrder = nullptr;
		if (orders && parentsQueued && orderPays(run.frontier)) {
			toOrder = otherQueue();
			deal(queue(), run.frontier);
			parentsQueued = false;
			Run::did(extraOrder);
		} else if (orders && parentsQueued)
			writeQueuedParents();
		ordered = toOrder;
		Run::did(extraFresh);
		bool fresh = true; // no dense pass has left parents yet
		do {
			if (!hubsGathered)
				gatherHubs(here(), [] {}, [] {});
			hubsGathered = false;
			if (!hubsOnly)
				gatherMinors(here());
			run.meeting.meet(0);
			if (orders && toOrder)
				order(toOrder);
			toOrder = nullptr;
			const u64 implied = run.left;
			u32 found;
			if (hubs && hubsOnly)
				found = firstNeighbors<hubs ? byHubs : byNeighbors, size>(here(), after(), fresh);
			else if (hubs && filtered)
				found = firstNeighbors<hubs ? byNeighborsFiltered : byNeighbors, size>(here(), after(), fresh);
			else
				found = firstNeighbors<byNeighbors, size>(here(), after(), fresh);
			filtered = fresh = false;
			bool rows;
			found = run.meet(found, rows);
			if (rows)
				found += walkLong(run, here(), after());
			if (hubs && hubsOnly) {
				u64 followed = beyond;
				found += followLevel(run.frontier, followed);
				run.ended(stepHubs, found, implied + followed, followed);
				hubsOnly = false;
			} else
				run.ended(stepDense, found, implied);
			side ^= 1;
		} while (mostAreLeft(run.left) && stillDense(run.frontier, run.left));
	}

	// emitLevels goes through one level or more in dense passes that write parents, until
	// the list of unvisited vertices has room for all, whose number it returns; or until
	// the frontier is small, or a row was too long for a warp (rows).
	__device__ __forceinline__ u32 emitLevels(const u32 *ordered, bool &rows) {
		Run::did(extraPending | (ordered ? extraOrdered : 0));
		bool pending = true;
		while (true) {
			const u32 implied = run.left;
			u32 found = emit<size>(&g.control->ticket[run.level & 3], here(), after(), pending, ordered);
			pending = false;
			ordered = nullptr;
			found = run.meet(found, rows);
			if (rows)
				found += walkLong(run, here(), after());
			run.ended(stepEmit, found, implied);
			side ^= 1;
			const u32 listed = __ldcg(&g.control->listed);
			if (rows || listed <= g.listRoom || !stillDense(run.frontier, run.left))
				return listed;
			run.meeting.meet(0); // all have read it
			if (blockIdx.x == 0 && threadIdx.x == 0)
				g.control->listed = 0;
			run.meeting.meet(0);
		}
	}

	// listLevels goes through the rest of the search by the list, as far as it has room for
	// all unvisited vertices and threads can keep it. It returns whether the search is over.
	__device__ __forceinline__ bool listLevels(u32 listed) {
		const u32 keptByAll = kept * gridDim.x * THREADS;
		const uint2 *list = g.list;
		if (size == many && listed > keptByAll && listed <= g.listRoom && stillDense(run.frontier, run.left)) {
			const u32 implied = run.left;
			bool rows;
			const u32 found = run.meet(listLevel(listed, here(), after(), leftList()), rows);
			run.ended(stepList, found, implied);
			side ^= 1;
			list = leftList();
			listed = __ldcg(&g.control->relisted);
			if (done())
				return true;
		}
		if (listed > keptByAll)
			return false;
		stopped = tail(run, list, listed, here(), after());
		return true;
	}

	// makeQueue goes back to top-down with what the last level found.
	__device__ __forceinline__ void makeQueue() {
		unexplored = u64(double(g.arcs) * run.left / g.connected);
		const u32 words = g.tasks * taskWords;
		run.meeting.meet(0);
		if (blockIdx.x == 0 && threadIdx.x == 0)
			g.control->listed = g.control->relisted = 0;
		for (u32 w = blockIdx.x * THREADS + threadIdx.x; w < words; w += gridDim.x * THREADS) {
			const u32 seen = __ldcg(here() + w), seenBefore = __ldcg(after() + w);
			u32 found = seen & ~seenBefore;
			if (size == many && seenBefore & ~seen) // listLevel marked only what it found
				here()[w] = seen | seenBefore;
			const u32 n = __popc(found);
			if (n) {
				u32 at = atomicAdd(&g.control->queued[run.level & 3], n);
				for (; found; found &= found - 1)
					queue()[at++] = w * 32 + __ffs(found) - 1;
			}
		}
		Run::did(extraQueue);
		inQueue = true;
		run.meeting.meet(0);
	}

	// end writes what is left to write, and tells the host.
	__device__ __forceinline__ void end() {
		if (orders && parentsQueued && !stopped) {
			scatter(queue(), run.frontier);
			run.meeting.meet(0);
		}
		// The last meeting came after every parent was written, so the host need not
		// wait until the kernel has left the device, which takes 2 µs more.
		if (blockIdx.x == 0 && threadIdx.x == 0)
			*g.done = 1;
		leave();
	}
};

template <Size size> __device__ __forceinline__ void search(u32 root) {
	Search<size> s;
	s.begin(root);
	while (s.topDown() && s.bottomUp()) {
	}
	s.end();
}

__host__ __device__ constexpr u32 most(u32 a, u32 b) { return a > b ? a : b; }

// sharedBytes is the dynamic shared memory of a block.
__device__ u32 sharedBytes = most(most(sizeof(TopDown), sizeof(BottomUp)), most(sizeof(Dealing), sizeof(Ordering)));

// The search for more vertices than bfsFew is for: two blocks an SM. With three, or six of 256
// threads, more loads are in flight but registers spill, and it is a quarter
// slower.
extern "C" __global__ void __launch_bounds__(THREADS, 2) bfs(u32 root) { search<middling>(root); }

// The search for so many vertices that the parents of large top-down levels are put
// in order: 3,379 for 3,609 µs a search at scale 28, but 714 for 711 at 26.
extern "C" __global__ void __launch_bounds__(THREADS, 2) bfsMany(u32 root) { search<many>(root); }

// The search for few vertices: one block an SM, whose threads have twice the
// registers. Where there is little to do for each warp, what counts is how soon
// one is done: 351 for 292 GTEPS at scale 20 and 754 for 671 at 22, but 1,017 for
// 1,056 at 24.
extern "C" __global__ void __launch_bounds__(THREADS, 1) bfsFew(u32 root) { search<few>(root); }

// The default search on several devices of one host: search.cu, with the vertices
// divided among the devices and peer memory between the levels.
//
// A device has the rows of a range of labels. It searches these bottom-up, and top-down
// from those in the frontier. The bitmap of visited vertices is the same on all devices
// at the start of each level. Random access to the memory of another device is 10 to 25
// times slower than to the own, so that devices read from each other only whole slices
// of the bitmap and lists of found vertices, in order.
#include "../ptx.cuh"
#include "../counted.cuh"
#include "list.cuh"
#include "topdown.cuh"

// m is the kernel's description of the devices, in constant memory like g.
__constant__ Peers m;

#include "../peerbarrier.cuh"

__device__ inline u32 firstTask() { return m.firstTask; }
__device__ inline u32 *queuedParents() { return m.peers[m.own].foundParents; }

// isOwn returns whether the device has the rows of the label v.
__device__ inline bool isOwn(u32 v) { return v / taskLabels - m.firstTask < g.tasks - m.firstTask; }

// isFirst returns whether this is thread 0 of the device.
__device__ inline bool isFirst() { return blockIdx.x == 0 && threadIdx.x == 0; }

// prepare empties the filter and resets words lo to hi-1 of the bitmap of visited
// vertices, where all labels without a row count as visited. All threads of all blocks
// must call it.
__device__ inline void prepare(u32 lo, u32 hi) {
#pragma unroll 4
	for (u32 w = lo + 4 * threadIdx.x; w < hi; w += 4 * THREADS) {
		const uint4 x = __ldg(reinterpret_cast<const uint4 *>(g.hasRow + w));
		*reinterpret_cast<uint4 *>(g.visited[0] + w) = make_uint4(~x.x, ~x.y, ~x.z, ~x.w);
	}
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < g.filterBits / 128; i += gridDim.x * THREADS)
		reinterpret_cast<uint4 *>(g.filter)[i] = uint4{};
}

// fillFilters sets the bits of the device's part of the frontier in the filters of all
// devices, which were empty.
__device__ inline void fillFilters(const u32 *queue, u32 count) {
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) {
		const u32 v = __ldcg(queue + i);
		for (u32 p = 0; p < m.count; p++)
			atomicOr(m.peers[p].filter + (v & (g.filterBits - 1)) / 32, 1u << (v & 31));
	}
}

// isAtHand returns whether every device can read all of a row of its owner: a tail is in host
// memory that only the owner reads.
__device__ inline bool isAtHand(const Row &row) {
#ifdef SPLIT_ROWS
	if (row.degree > tails.prefix)
		return false;
#endif
	return row.degree <= THREADS;
}

// visitRoot is visitRoot of search.cu. Every block of every device reads the row of root
// from its owner.
__device__ inline u32 visitRoot(u32 root, u32 &v) {
	const u32 tid = threadIdx.x;
	const u64 began = now();
	u32 owner = 0;
	while (root / taskLabels >= m.peers[owner].endTask)
		owner++;
	const Peer &peer = m.peers[owner];
	const uint2 index = streamIf(true, reinterpret_cast<const uint2 *>(peer.index) + (root >> 5), uint2{}); // in flight while prepare runs
	const u32 words = m.allTasks * taskWords, part = (words / 4 + gridDim.x - 1) / gridDim.x * 4;
	const u32 lo = min(words, part * blockIdx.x), hi = min(words, lo + part);
	prepare(lo, hi);
	const uint4 x = __ldg(reinterpret_cast<const uint4 *>(peer.rows + rowAt(index, root)));
	const Row row{u64(x.y) << 32 | x.x, x.z, x.w};
	const bool all = isAtHand(row);
	v = all && tid < row.degree ? __ldg(peer.neighbors + row.start + tid) : none;
	__syncthreads();
	if (tid == 0 && root / 32 >= lo && root / 32 < hi) {
		atomicOr(g.visited[0] + root / 32, 1u << (root & 31));
		g.parents[root] = root;
		if (isOwn(root)) // another device may have no rows, and no queue
			g.queue[0][0] = root;
		Control *c = g.control;
		for (int i = 0; i < 4; i++)
			c->queueLength[i] = 0, c->ticket[i] = 0, m.control->foundLength[i] = 0;
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

__device__ __noinline__ u64 measureNonHubs(const u32 *queue, u32 count, bool toNonHubs) { return measure(queue, count, toNonHubs ? arcsOfNonHubsToNonHubs : arcsOfNonHubs); }

// expandOwn searches top-down from the rows that measure wrote. It lists the vertices
// that the device found with their parents, and returns the number that the block found.
__device__ __noinline__ u32 expandOwn(u32 *visited, u32 *listed, u32 count, u64 arcs, bool test) {
	const NextFrontier<true> to{visited, m.peers[m.own].found, listed, true, test};
	expand(to, count, arcs);
	return shared<TopDown>().claimed;
}

// takeFound marks the vertices that the devices found top-down in the bitmap of visited
// vertices. It appends those of this device to queue, of which length is the length, and
// writes their parents. It returns in taken the number that the block appended, and in
// arcs the number of their arcs if measures. All threads of all blocks must call it, after
// a barrier at which each device has added up the vertices that it listed.
__device__ __noinline__ void takeFound(u32 *visited, u32 *queue, u32 *length, bool measures, u32 &taken, u64 &arcs) {
	constexpr int perThread = 4;
	__shared__ u32 takenByBlock;
	__shared__ u64 arcsOfBlock;
	const u32 all = gridDim.x * THREADS, lane = threadIdx.x & 31;
	if (threadIdx.x == 0)
		takenByBlock = 0, arcsOfBlock = 0;
	__syncthreads();
	u32 sum = 0, count = 0;
	u64 degrees = 0;
	for (u32 p = 0; p < m.count; p++)
		count += u32(PeerBarrier::ofPeer(p));
	for (u32 base = blockIdx.x * THREADS + threadIdx.x; base - lane < count; base += perThread * all) {
		u32 peer[perThread], place[perThread], w[perThread], word[perThread], parent[perThread], ballot[perThread], n = 0, at = 0;
#pragma unroll
		for (int k = 0; k < perThread; k++) { // the lists of all devices, one after the other
			peer[k] = 0, place[k] = base + k * all;
			for (; peer[k] + 1 < m.count && place[k] >= u32(PeerBarrier::ofPeer(peer[k])); peer[k]++)
				place[k] -= u32(PeerBarrier::ofPeer(peer[k]));
			w[k] = loadIf(base + k * all < count, m.peers[peer[k]].found + place[k], none);
		}
		// The device has marked what it found itself.
#pragma unroll
		for (int k = 0; k < perThread; k++)
			word[k] = orIf(w[k] != none && peer[k] != m.own, visited + (w[k] >> 5), 1u << (w[k] & 31), 0);
#pragma unroll
		for (int k = 0; k < perThread; k++)
			parent[k] = loadIf(w[k] != none && isOwn(w[k]), m.peers[peer[k]].foundParents + place[k], none);
#pragma unroll
		for (int k = 0; k < perThread; k++) {
			ballot[k] = __ballot_sync(~0u, w[k] != none && isOwn(w[k]) && !(word[k] >> (w[k] & 31) & 1));
			n += __popc(ballot[k]);
		}
		if (!n)
			continue;
		if (lane == 0)
			at = atomicAdd(length, n);
		at = __shfl_sync(~0u, at, 0);
		sum += n;
#pragma unroll
		for (int k = 0; k < perThread; k++) {
			if (ballot[k] >> lane & 1) {
				queue[at + __popc(ballot[k] & ((1u << lane) - 1))] = w[k];
				g.parents[w[k]] = parent[k];
				if (measures)
					degrees += rowOf(w[k]).degree;
			}
			at += __popc(ballot[k]);
		}
	}
	if (lane == 0 && sum)
		atomicAdd(&takenByBlock, sum);
	if (degrees)
		atomicAdd(&arcsOfBlock, degrees);
	__syncthreads();
	taken = takenByBlock;
	arcs = arcsOfBlock;
}

// sendTasks copies tasks begin to end-1 of a bitmap of visited vertices to the other
// devices. Thread number thread of that many threads calls it.
__device__ inline void sendTasks(u32 side, u32 begin, u32 end, u32 thread, u32 all) {
	constexpr int perThread = 4;
	const u32 from = begin * (taskWords / 4), to = end * (taskWords / 4);
	const uint4 *slice = reinterpret_cast<const uint4 *>(g.visited[side]);
	for (u32 base = from + thread; base < to; base += perThread * all) {
		uint4 x[perThread];
#pragma unroll
		for (int k = 0; k < perThread; k++)
			x[k] = loadIf(base + k * all < to, slice + base + k * all, uint4{});
		for (u32 p = 0; p < m.count; p++)
			if (p != m.own)
#pragma unroll
				for (int k = 0; k < perThread; k++)
					if (base + k * all < to)
						reinterpret_cast<uint4 *>(m.peers[p].visited[side])[base + k * all] = x[k];
	}
}

// sendSlice copies the device's slice of a bitmap. All threads of all blocks must call
// it, after a grid barrier.
__device__ __noinline__ void sendSlice(u32 side) { sendTasks(side, m.firstTask, g.tasks, blockIdx.x * THREADS + threadIdx.x, gridDim.x * THREADS); }

// sendPart copies the block's part of the slice, which no other block changes in a pass
// where each block has its own part of the labels. All threads of the block must call it.
__device__ __noinline__ void sendPart(u32 side) {
	const u32 tasks = g.tasks - m.firstTask, part = (tasks + gridDim.x - 1) / gridDim.x;
	const u32 begin = m.firstTask + min(tasks, part * blockIdx.x);
	__syncthreads(); // all warps have ended the pass
	sendTasks(side, begin, min(g.tasks, begin + part), threadIdx.x, THREADS);
}

// LevelBarrier is the barrier of all devices at the end of a dense pass. It also adds up
// the entries of the lists of unvisited vertices.
struct LevelBarrier {
	PeerBarrier &all;

	template <typename After> __device__ u64 waitSum(u32 found, u32 longRows, After after) { return all.waitSums<true>(found, longRows, shared<BottomUp>().listed, after); }
};

// PeerProgress is the current level on all devices.
struct PeerProgress : Progress {
	PeerBarrier all;
	u32 own; // vertices of the frontier in the device's queue

	__device__ u64 waitTail(u32 found, u32 ofBlock) { return waitCounted(all, found, ofBlock); }

	// markTail marks a vertex on all devices.
	__device__ static void markTail(u32 *bitmap, u32 v) {
		const u32 side = bitmap == g.visited[1];
		for (u32 p = 0; p < m.count; p++)
			atomicOr(m.peers[p].visited[side] + (v >> 5), 1u << (v & 31));
	}

	// endLevel is Progress.endLevel. implied and followed are those of all devices, which
	// the first device records.
	__device__ void endLevel(Step step, u32 found, u64 implied, u64 followed = 0) {
		if (isFirst())
			m.control->foundLength[(level + 3) & 3] = 0;
		Progress::endLevel(step, found, m.own ? 0 : implied, m.own ? 0 : followed);
	}
};

// PeerSearch is the state of one search: Search of search.cu for several devices. What
// decides the way of the search is the same on all of them.
template <Size size> struct PeerSearch {
	PeerProgress progress;
	u64 unexplored;   // arcs of unvisited vertices of all devices, an estimate
	u64 allArcs;      // arcs of the frontier of all devices, if measured
	u64 arcs, before; // arcs of the device's part of the frontier; those of the vertices of lower threads
	Row row;          // row of the thread's vertex, if the device's part is small
	u64 nonHubArcs;   // as in Search, of all devices

	u32 side : 1;
	bool inQueue : 1;
	bool rowsKnown : 1; // arcs, row and before are those of the frontier
	bool measured : 1;  // allArcs is that of the frontier
	bool hubBitsCurrent : 1;
	bool filterEmpty : 1;
	bool stopped : 1;

	__device__ __forceinline__ u32 *visited() const { return g.visited[side]; }
	__device__ __forceinline__ u32 *visitedAfter() const { return g.visited[side ^ 1]; }
	__device__ __forceinline__ u32 *queue() const { return g.queue[0]; }
	__device__ __forceinline__ u32 *foundLength() const { return &m.control->foundLength[(progress.level + 1) & 3]; }
	__device__ __forceinline__ bool done() const { return !progress.frontier || !progress.unvisited || stopped; }

	__device__ __forceinline__ void begin(u32 root) {
		progress.barrier = GridBarrier{0};
		progress.level = 0, progress.frontier = 1, progress.unvisited = g.rowCount - 1;
		progress.all.round = __ldcg(&m.control->round);
		progress.own = isOwn(root);
		Progress::beginFirstLevel();
		unexplored = g.arcs, before = 0, arcs = 0, allArcs = 0, nonHubArcs = 0;
		side = 0;
		stopped = hubBitsCurrent = measured = rowsKnown = false;
		inQueue = filterEmpty = true;
		row = Row{0, 0, none};
		u32 v;
		const u32 rootDegree = visitRoot(root, v);
		if (!rootDegree) {
			progress.all.wait(0);
			return;
		}
		arcs = measureSmall(v != none && isOwn(v) ? v : none, row, before);
		allArcs = progress.all.wait(isFirst() ? arcs : 0);
		rowsKnown = measured = true;
		inQueue = false;
		unexplored -= rootDegree;
		progress.endLevel(stepTopDown, rootDegree, rootDegree);
	}

	__device__ __forceinline__ bool topDown() {
		while (!done()) {
			if (turnsBottomUp())
				return true;
			expandLevel();
		}
		return false;
	}

	// turnsBottomUp measures the frontier and returns whether the next level is bottom-up.
	__device__ __forceinline__ bool turnsBottomUp() {
		const u32 count = progress.frontier, own = progress.own;
		hubBitsCurrent = count > largeFrontier();
		nonHubArcs = 0;
		const bool hubsMaySuffice = inQueue && mayLookForHubsOnly(count);
		if (hubBitsCurrent) {
			u64 sampled = 0, nonHubs = 0;
			if (own)
				sampled = estimateArcs<true>(queue(), own, visited(), nonHubs);
			else
				updateHubBits(visited(), [] {}, [] {});
			allArcs = progress.all.waitTwo(isFirst() ? sampled : 0, isFirst() ? nonHubs : 0, nonHubArcs);
			measured = true;
			if (pays(hubsMaySuffice && areFewNonHubArcs(nonHubArcs)))
				return true;
		}
		if (!rowsKnown)
			findRows(own);
		if (!measured)
			allArcs = progress.all.wait(isFirst() ? arcs : 0);
		measured = rowsKnown = false;
		return pays(hubsMaySuffice && !hubBitsCurrent);
	}

	__device__ __forceinline__ bool pays(bool hubsMaySuffice) const {
		return bottomUpPays<size == few ? alpha : alphaPeers, alphaPeers>(allArcs, unexplored, hubsMaySuffice);
	}

	// findRows finds the rows of the device's part of the frontier.
	__device__ __forceinline__ void findRows(u32 own) {
		if (own > THREADS) {
			arcs = progress.barrier.wait(measure(queue(), own, arcsOfAll));
			Progress::addMeasure();
		} else
			arcs = measureSmall(threadIdx.x < own ? __ldcg(queue() + threadIdx.x) : none, row, before);
	}

	// largeFrontier is the largest frontier whose arcs are measured exactly at once.
	__device__ __forceinline__ u32 largeFrontier() const { return sampleFrom * THREADS * m.count; }

	// expandLevel searches one level top-down, from the rows that were measured.
	__device__ __forceinline__ void expandLevel() {
		unexplored -= min(allArcs, unexplored);
		inQueue = true;
		const bool test = arcs > gridDim.x * blockArcs;
		u32 claimed;
		if (progress.own <= THREADS) {
			const NextFrontier<true> to{visited(), m.peers[m.own].found, foundLength(), true, test};
			expandSmall(to, row, before, arcs);
			claimed = shared<TopDown>().claimed;
		} else
			claimed = expandOwn(visited(), foundLength(), progress.own, arcs, test);
		const u64 examined = allArcs;
		const u32 found = exchangeFound(visited(), claimed);
		progress.endLevel(stepTopDown, found, examined);
	}

	// exchangeFound ends a top-down step, in which the block has listed that many
	// vertices: it marks the vertices in the bitmap of all devices and makes their queues.
	// It returns the number of vertices that all devices found.
	__device__ __forceinline__ u32 exchangeFound(u32 *bitmap, u32 claimed) {
		const u64 listed = progress.all.wait(claimed + (u64(progress.stopRequested()) << 32));
		stopped = listed >> 32;
		measured = u32(listed) <= largeFrontier();
		u32 taken;
		u64 degrees;
		takeFound(bitmap, queue(), &g.control->queueLength[(progress.level + 1) & 3], measured, taken, degrees);
		const u32 found = u32(progress.all.waitTwo(taken, degrees, allArcs));
		progress.own = u32(PeerBarrier::ofPeer(m.own));
		return found;
	}

	__device__ __forceinline__ bool bottomUp() {
		denseLevels();
		bool listIsComplete;
		const u32 listed = denseParentLevels(listIsComplete);
		if (done())
			return false;
		if (listIsComplete) {
			stopped = tail<PeerProgress &>(progress, g.list, listed, visited(), visitedAfter());
			return false;
		}
		makeQueue();
		return true;
	}

	__device__ __forceinline__ bool hubsSuffice(u64 &toNonHubs, u64 &allToNonHubs) {
		if (!inQueue || !mayLookForHubsOnly(progress.frontier) || !areFewNonHubArcs(nonHubArcs))
			return false;
		toNonHubs = progress.barrier.wait(measureNonHubs(queue(), progress.own, true));
		Progress::addMeasure();
		allToNonHubs = progress.all.wait(isFirst() ? toNonHubs : 0);
		return areFewNonHubArcs(allToNonHubs);
	}

	// followNonHubs is the top-down part of a level that looks for hubs only. followed
	// is the number of the device's arcs to follow, and allFollowed that of all devices.
	__device__ __forceinline__ u32 followNonHubs(u64 followed, u64 &allFollowed) {
		if (!allHubsVisited()) {
			followed = progress.barrier.wait(measureNonHubs(queue(), progress.own, false));
			Progress::addMeasure();
			allFollowed = progress.all.wait(isFirst() ? followed : 0);
		}
		const u32 found = exchangeFound(visitedAfter(), expandOwn(visitedAfter(), foundLength(), progress.own, followed, true));
		measured = false;
		progress.addMoved(m.own ? 0 : 2 * found);
		return found;
	}

	__device__ __forceinline__ bool allHubsVisited() {
		u32 unvisitedHubs = 0;
		for (u32 h = blockIdx.x * THREADS + threadIdx.x; h < g.hubCount; h += gridDim.x * THREADS)
			unvisitedHubs += !bitOf(visitedAfter(), __ldg(g.hubs + h));
		return !u32(progress.barrier.waitSum(unvisitedHubs, 0, [] {}));
	}

	// finishPass ends a dense pass, in which each block had its own part of the labels or
	// not: it sends the slice of the bitmap, and walks long rows. It returns the number of
	// vertices that all devices found. longRows says that a device had long rows, and
	// overfull that a list of unvisited vertices is too long.
	__device__ __forceinline__ u32 finishPass(u32 found, bool ownPart, bool &longRows, bool &overfull) {
		if (ownPart)
			sendPart(side ^ 1);
		else {
			progress.barrier.wait(0);
			sendSlice(side ^ 1);
		}
		__syncthreads(); // other warps of the block may still count long rows
		LevelBarrier barrier{progress.all};
		u64 sum = progress.waitCounted(barrier, found, shared<BottomUp>().longRows);
		overfull = false;
		for (u32 p = 0; p < m.count; p++)
			overfull |= PeerBarrier::secondOfPeer(p) > m.peers[p].listCapacity;
		longRows = sum >> 32;
		found = u32(sum);
		if (longRows) {
			const u32 more = walkLongRows(progress, visited(), visitedAfter());
			sendSlice(side ^ 1);
			found += u32(progress.all.wait(isFirst() ? more : 0));
		}
		return found;
	}

	__device__ __forceinline__ void denseLevels() {
		u64 toNonHubs = 0, allToNonHubs = 0;
		bool hubsOnly = hubsSuffice(toNonHubs, allToNonHubs), initial = true, longRows, overfull;
		bool filtered = !hubsOnly && filterEmpty && inQueue && filterServes(progress.frontier);
		if (filtered) {
			fillFilters(queue(), progress.own);
			filterEmpty = false;
			Progress::addExtra(extraFilter);
		}
		Progress::addExtra(extraFirstDense);
		do {
			if (!hubBitsCurrent)
				updateHubBits(visited(), [] {}, [] {});
			hubBitsCurrent = false;
			if (!hubsOnly)
				updateMinorBits(visited());
			if (filtered)
				progress.all.wait(0);
			else
				progress.barrier.wait(0);
			const u64 implied = progress.unvisited;
			u32 found;
			if (hubsOnly)
				found = markingPass<markHubs, size>(visited(), visitedAfter(), initial);
			else if (filtered)
				found = markingPass<markFiltered, size>(visited(), visitedAfter(), initial);
			else
				found = markingPass<markAny, size>(visited(), visitedAfter(), initial);
			filtered = initial = false;
			found = finishPass(found, true, longRows, overfull);
			if (hubsOnly) {
				u64 followed = allToNonHubs;
				found += followNonHubs(toNonHubs, followed);
				progress.endLevel(stepDenseHubs, found, implied + followed, followed);
				hubsOnly = false;
			} else
				progress.endLevel(stepDense, found, implied);
			side ^= 1;
		} while (mostAreUnvisited(progress.unvisited) && densePays(progress.frontier, progress.unvisited));
	}

	// denseParentLevels is that of search.cu. It returns the number of entries of the
	// device's list, and whether all devices have complete lists.
	__device__ __forceinline__ u32 denseParentLevels(bool &listIsComplete) {
		Progress::addExtra(extraDeferred);
		bool writesDeferred = true, longRows, overfull;
		while (true) {
			const u32 implied = progress.unvisited;
			u32 found = writingPass<size>(&g.control->ticket[progress.level & 3], visited(), visitedAfter(), writesDeferred, nullptr);
			writesDeferred = false;
			found = finishPass(found, size == few, longRows, overfull);
			progress.endLevel(stepDenseParents, found, implied);
			side ^= 1;
			listIsComplete = !longRows && !overfull;
			if (listIsComplete || longRows || !densePays(progress.frontier, progress.unvisited))
				return __ldcg(&g.control->listed);
			progress.barrier.wait(0); // all blocks have read listed
			if (isFirst())
				g.control->listed = 0;
			progress.barrier.wait(0);
		}
	}

	// makeQueue returns to top-down, with the device's part of what the last level found.
	__device__ __forceinline__ void makeQueue() {
		unexplored = u64(double(g.arcs) * progress.unvisited / g.rowCount);
		u32 *length = &g.control->queueLength[progress.level & 3];
		progress.barrier.wait(0);
		if (isFirst())
			g.control->listed = 0;
		for (u32 w = m.firstTask * taskWords + blockIdx.x * THREADS + threadIdx.x; w < g.tasks * taskWords; w += gridDim.x * THREADS) {
			u32 found = __ldcg(visited() + w) & ~__ldcg(visitedAfter() + w);
			const u32 n = __popc(found);
			if (n) {
				u32 at = atomicAdd(length, n);
				for (; found; found &= found - 1)
					queue()[at++] = w * 32 + __ffs(found) - 1;
			}
		}
		Progress::addExtra(extraQueue);
		inQueue = true;
		measured = rowsKnown = false;
		progress.barrier.wait(0);
		progress.own = __ldcg(length);
	}

	__device__ __forceinline__ void end() {
		if (isFirst()) {
			m.control->round = progress.all.round;
			*g.done = 1;
		}
		leave();
	}
};

__host__ __device__ constexpr u32 larger(u32 a, u32 b) { return a > b ? a : b; }

// sharedBytes is the size of the dynamic shared memory of a block.
__device__ u32 sharedBytes = larger(sizeof(TopDown), sizeof(BottomUp));

template <Size size> __device__ __forceinline__ void search(u32 root) {
	if (tellsWithoutRoot(root, g.done))
		return;
	PeerSearch<size> s;
	s.begin(root);
	while (s.topDown() && s.bottomUp()) {
	}
	s.end();
}

// bfsPeers and bfsPeersFew differ like bfs and bfsFew.
extern "C" __global__ void __launch_bounds__(THREADS, 2) bfsPeers(u32 root) { search<medium>(root); }
extern "C" __global__ void __launch_bounds__(THREADS, 1) bfsPeersFew(u32 root) { search<few>(root); }

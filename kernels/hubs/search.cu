// The search: one persistent kernel per search, steered on the device.
//
//  1. Top-down levels (topdown.cuh, the last one last.cuh) while the frontier is small. Hubs and rows have bitmaps of
//     their own. Leaves are in no list: their parents come with the dense pass.
//  2. The dense level: the dense pass (dense.cuh), long rows, then rows of the frontier are
//     followed, or looked for if there are many (rows.cuh).
//  3. All hubs are visited now, so all rows with a hub are found by the next level at the latest,
//     and have their parents. Rows without hubs look for visited rows; the few that find none are
//     searched level by level (late.cuh). What is left then is not reached.
//
// If hubs are left after 2, which Kronecker graphs hardly have, they and the rows whose first
// neighbour is no visited hub look for visited neighbours level by level (rest.cuh). If many levels follow, the search goes on
// top-down (Search.goOn). If the frontier ends before 2, the root is in a small
// component, and the parents are stored one by one (Search.storeAll).
//
// peers.cu is the same search on several devices (owners.cuh). All expand the first vertices, each to all hubs and to own
// rows, because to tell each other what one has found takes longer: a hub that is the root, or a row and what it
// finds. After each further top-down level, they take what others have found for them: hubs, which all devices
// follow, and own rows. The dense pass needs nothing of other devices.
#include "last.cuh"
#include "late.cuh"
#include "rest.cuh"

// Search is the state of one search, the same in all threads.
struct Search {
	Meeting barrier;
	u32 root;
	u32 level;   // of the frontier
	u32 begin;   // of the frontier in the queue
	u32 records; // that were written
	u32 turn;    // exchanges so far
	Frontier next;
	bool ofAll;  // all devices have the frontier
	bool toAll;  // all devices will take what the next level finds
	bool stopped;
	bool loaded; // the frontier is in the tile of every block
	bool filtered; // the words of other devices' rows in g.before are a filter for offers

	__device__ static u32 thread() { return blockIdx.x * THREADS + threadIdx.x; }
	__device__ static u32 allThreads() { return gridDim.x * THREADS; }

	// wait waits for all blocks of all devices and returns the sum of found over all threads,
	// waitOwn for those of this device.
	__device__ u32 wait(u32 found) { return u32(barrier.sum(found)); }
	__device__ void waitOwn() { barrier.own.wait(0); }

	// waitAndPoll waits for all blocks. At some levels it learns whether the host wants the search
	// to stop.
	__device__ void waitAndPoll() {
		constexpr u32 pollEvery = 16;
		const u32 stop = thread() == 0 && level % pollEvery == pollEvery - 1 && *g.stop;
		stopped = wait(stop);
	}

	// record writes the record of a step that has ended.
	__device__ void record(Step step, u32 frontierSize, u32 found, u64 pieces, bool foundByDevice = false) {
		if (blockIdx.x == 0 && threadIdx.x == THREADS - 32) {
			LevelRecord &r = g.levels[min(records, g.recordLimit)];
			r.step = step;
			r.frontier = frontierSize;
			r.found = found;
			r.ofDevice = foundByDevice;
			r.pieces = pieces;
			g.control->end = r.end = now();
			g.control->records = records + 1;
		}
		records++;
		recordBegins(records);
	}

	// clearNext prepares the words and the bitmap that level l+2 uses.
	__device__ static void clearNext(u32 l) {
		if (thread() == 0)
			g.control->queued[l + 2 & 3] = g.control->estimated[l + 2 & 3] = 0;
		for (u32 i = thread(); i < hubWords; i += allThreads())
			foundHubs(l + 2)[i] = frontier(l + 2)[i] = 0;
	}

	__device__ void prepare() {
		const u64 began = now();
		Shared &s = fixed();
		if (threadIdx.x == 0) {
			s.found = s.listed = s.longRows = s.frontierHubs = s.sharesTaken = s.counted = s.left = 0;
			s.sum = s.pieces = 0;
			for (u32 i = 0; i < groups; i++)
				beginBulk(&s.arrived[i]);
		}
		for (u32 i = g.firstRow / 128 + thread(); i < g.rows / 128; i += allThreads())
			reinterpret_cast<uint4 *>(g.before)[i] = uint4{};
		for (u32 i = thread(); i < (g.rows - g.singleEnd + 127) / 128; i += allThreads())
			reinterpret_cast<uint4 *>(g.late[1])[i] = uint4{};
		for (u32 i = thread(); i < hubWords; i += allThreads())
			g.hubsBefore[i] = g.leftHubs[i] = g.frontiers[i] = g.frontiers[hubWords + i] = g.frontiers[2 * hubWords + i] = 0;
		if (thread() == 0) {
			Control *c = g.control;
			for (int i = 0; i < 4; i++)
				c->queued[i] = c->estimated[i] = 0;
			c->left = c->records = 0;
			c->begin = began;
		}
		prepareExchange();
	}

	// mark marks a hub or a row as visited, and as part of the frontier of a level.
	__device__ static void mark(u32 vertex, u32 l, u32 parent) {
		if (vertex & hubFlag) {
			const u32 h = vertex & ~hubFlag;
			setBit(g.hubsBefore, h);
			setBit(reachesRows ? frontier(l) : foundHubs(l), h);
			g.hubParents[h] = parent;
		} else
			setBit(g.before, vertex);
	}

	// visitRoot makes level 0. A leaf's only neighbour is all that it finds.
	__device__ void visitRoot(u32 r) {
		root = r, level = 0, begin = 0, records = 0, turn = 0, stopped = filtered = loaded = ofAll = toAll = false;
		recordBegins(0);
		const u32 vertex = vertexOf(r), start = vertex & ~leafFlag;
		const bool isHub = start & hubFlag, isOwn = isHub || isOwnRow(start);
		const Lists lists = isOwn || reachesRows ? listsOf(start, reachesRows) : Lists{};
		const u32 places = start == vertex ? 8 * lists.hubPieces + 4 * lists.rowPieces : 1;
		if (!several && places <= THREADS && (start != vertex || areOnDevice(vertex, lists))) {
			u32 neighbor = none;
			if (threadIdx.x < places)
				neighbor = start == vertex ? Level::neighborOf(vertex, lists, threadIdx.x) : start;
			visitNeighbors(start == vertex ? vertex : none, neighbor);
			return;
		}
		ofAll = reachesRows && (isHub || 4 * lists.rowPieces <= mostToAll);
		prepare();
		waitOwn();
		const Level l{0, queues, turn, false, ofAll, ofAll && (start != vertex || !isHub)};
		toAll = ofAll && start != vertex && !isHub;
		if (thread() == 0 && isOwn)
			mark(start, start != vertex, r);
		if (start == vertex) {
			if (isOwn || ofAll)
				l.expandRoot(vertex, r, lists);
		} else if (thread() == 0 && (ofAll || isOwn && !(several && isHub))) // else all devices take all finds
			l.push(start, r);
		l.flush(0);
		const bool ofDevice = endLevel(l, 0);
		record(stepTopDown, 1, next.count(), 0, ofDevice);
	}

	// visitNeighbors makes level 0 of a root with few neighbours, of which each thread has one, or none: each block finds all,
	// and marks those in the parts of the bitmaps that it has cleared. So the level takes one barrier and waits for no atomic operation, and
	// the next one finds its frontier in shared memory. vertex is the root, if it is a hub or a row.
	__device__ void visitNeighbors(u32 vertex, u32 neighbor) {
		prepare();
		next = Frontier::of(Level::loadAll(neighbor, root));
		if (neighbor != none && clears(neighbor))
			mark(neighbor, 1, root);
		if (threadIdx.x == 0 && vertex != none && clears(vertex))
			mark(vertex, 0, root);
		waitOwn();
		loaded = true;
		level = 1;
		record(stepTopDown, 1, next.count(), 0);
	}

	// clears returns whether this block has cleared the word of a hub or a row in the bitmaps, in prepare.
	__device__ static bool clears(u32 vertex) {
		const u32 by = vertex & hubFlag ? (vertex & ~hubFlag) / 32 : (vertex - g.firstRow) / 128;
		return by % allThreads() / THREADS == blockIdx.x;
	}

	// endLevel ends a top-down level, the entries of whose frontier end at queueEnd. It returns whether next.count() is what
	// this device has found, each hub on one device only, not what all have.
	__device__ bool endLevel(const Level &l, u32 queueEnd) {
		bool ofDevice = false;
		if (reachesRows && l.ofAll)
			next = takeOfAll(barrier, l, ofDevice);
		else {
			waitAndPoll();
			next = takeFinds(barrier, l, queueEnd);
			turn++;
		}
		ofAll = l.toAll;
		level++;
		return ofDevice;
	}

	// topDown expands the frontier level by level. It returns whether the dense pass follows; with
	// marked, the last level was one of last.cuh. Otherwise the frontier is empty.
	__device__ bool topDown(bool &marked) {
		marked = false;
		while (!stopped) {
			if (next.pieces() > g.densePieces)
				return true;
			if (!next.count())
				return false;
			marked = next.pieces() > g.lastPieces;
			expandLevel(marked ? last : queues);
			if (marked)
				return true;
		}
		return false;
	}

	// expandLevel expands one level.
	__device__ void expandLevel(Expansion expansion) {
		const u64 pieces = next.ownPieces();
		const u32 count = next.ownCount(), frontierSize = next.count();
		clearNext(level);
		const bool filter = !ofAll && mustFilter(pieces);
		if (filter && !filtered) {
			clearOthers();
			waitOwn();
			filtered = true;
		}
		const Level l{level, expansion, turn, filter, reachesRows && ofAll, reachesRows && toAll && expansion == queues};
		toAll = false;
		if (expansion == last)
			LastLevel{l}.expand(begin, count, loaded);
		else
			l.expand(begin, count, pieces, loaded);
		loaded = false;
		begin += count;
		const bool ofDevice = endLevel(l, begin);
		record(stepTopDown, frontierSize, next.count(), pieces, ofDevice);
	}

	// storeQueued stores the parents of the rows among the first entries of the queue.
	__device__ static void storeQueued(u32 entries) {
		for (u32 i = thread(); i < entries; i += allThreads()) {
			const uint4 x = __ldcg(g.queue + i);
			if (x.w != none)
				storeParent(x.w, x.z);
		}
	}

	// denseAfterMarks makes the dense pass after a level of last.cuh, in a function of its own, which leaves the
	// other pass its registers.
	__device__ __noinline__ static u32 denseAfterMarks(bool look) { return Dense<true>{look}.run(); }

	// queuedEnd is the end of what the levels before the dense one have found, in the queue.
	__device__ u32 queuedEnd() const { return begin + next.ownCount(); }

	// denseLevel makes the dense level. It returns whether all hubs are visited.
	__device__ bool denseLevel(bool marked) {
		ofAll = toAll = loaded = false; // also of a frontier that the pass takes
		copyBits(level, marked);
		const u32 frontierHubs = fixed().frontierHubs;
		const bool look = frontierHubs >= g.lookHubs;
		filtered = false;
		u32 found = marked ? denseAfterMarks(look) : Dense<false>{look}.run();
		found += examineLongRows(look);
		const u64 sums = barrier.sum(found, fixed().left);
		record(stepDense, frontierHubs, u32(sums), 0);
		u32 hubsLeft = sums >> 32;
		if (several && hubsLeft)
			hubsLeft = hubsByRows(barrier);
		if (several && !look) {
			takeBitmap(g.visited, true);
			waitOwn();
		}
		found = look ? examineOthers<false>() + examineLists<true>(turn) : examineLists<false>(turn);
		if (hubsLeft) {
			storeQueued(queuedEnd());
			storeHubs([](u32 h) { return !bitOf(__ldcg(leftHubs() + (h >> 5)), h); });
		}
		found = wait(found);
		if (several && !look)
			found += wait(takeFollowed(turn++));
		record(look ? stepLook : stepFollow, frontierHubs, found, 0);
		level++;
		return !hubsLeft;
	}

	// storeHubs stores the parents of the own hubs for which `when` is true, and of the root, to which the dense pass may have
	// given another one.
	template <typename When> __device__ void storeHubs(When when) const {
		for (u32 i = thread(); i < ownHubs(); i += allThreads()) {
			const u32 h = ownHub(i);
			if (when(h))
				storeParent(__ldg(g.hubLabels + h), __ldcg(g.hubParents + h));
		}
		if (thread() == 0 && isOwnLabel(root))
			storeParent(root, root);
	}

	// lastLevels finds what is left when all hubs are visited. It also stores the parents of hubs and of what levels before the
	// dense one have found: at the end of that level, a block would wait for these stores, behind those of its rows.
	__device__ void lastLevels() {
		storeQueued(queuedEnd());
		storeHubs([](u32) { return true; });
		if (several) {
			takeBitmap(g.visited, true);
			if (threadIdx.x == 0)
				fixed().left = 0; // of hubs
			waitOwn();
		}
		u32 found = examineOthers<true>();
		if (several)
			__syncthreads(); // the block's rows that are left are counted
		const u64 sums = barrier.sum(found, several ? min(fixed().left, mostAlone + 1) : 0);
		found = u32(sums);
		record(stepFirst, 0, found, 0);
		level++;
		if (reachesRows && knowsLate()) {
			if (blockIdx.x == 0)
				lateTogether(*this, found);
			return;
		}
		const u32 left = __ldcg(&g.control->left);
		if (!several && left <= min(g.aloneRows, THREADS)) {
			if (blockIdx.x == 0)
				lateAlone(*this, left, found);
			return;
		}
		for (u32 late = 0; !stopped; late++, level++) {
			const u32 frontierSize = found;
			found = wait(lateLevel(late, left));
			record(stepLate, frontierSize, found, 0);
			if (!found)
				break;
			if (late == g.lateLevels) {
				frontierOfLate(late, left);
				goOn();
				return;
			}
		}
		clearLeft(left);
		waitOwn();
	}

	// lateAlone makes the late levels of at most one row for each thread of the block, which keeps it. It is a
	// function of its own, which leaves the other levels their registers.
	__device__ __noinline__ static void lateAlone(Search s, u32 left, u32 found) {
		LateRow row(threadIdx.x < left, threadIdx.x);
		const LateLabels labels(row.row != none, row.row);
		for (u32 late = 0; left && !s.stopped; late++, s.level++) {
			const u32 frontierSize = found, parent = row.parentIn(late);
			if (parent != none)
				row.find(late, labels.row, parent);
			found = __syncthreads_count(parent != none);
			s.record(stepLate, frontierSize, found, 0);
			if (!found)
				break;
			if ((late & 63) == 63)
				s.stopped = __syncthreads_or(threadIdx.x == 0 && *g.stop);
		}
		if (row.row != none)
			labels.clear();
		__syncthreads();
	}

	// lateTogether makes the late levels of the rows of all devices, on each of them, without exchanges. A row is found in
	// a level after the first if a neighbour was found late: in an earlier level, it would have found this row, too.
	__device__ __noinline__ static void lateTogether(Search s, u32 found) {
		LateTile &t = shared<LateTile>();
		const u32 entries = lateCount();
		for (u32 i = threadIdx.x; i < LateTile::places; i += THREADS)
			t.found[i] = none;
		for (u32 i = threadIdx.x; i < entries; i += THREADS)
			t.row[i] = LateRow(lateEntry(i)).row;
		for (u32 late = 0; found || late == 0; late++, s.level++) {
			const u32 frontierSize = found;
			if (__syncthreads_or((late & 63) == 63 && threadIdx.x == 0 && *g.stop))
				return; // no other device waits for this one
			if (threadIdx.x == 0)
				t.count = 0;
			for (u32 i = threadIdx.x; i < entries; i += THREADS) {
				if (t.row[i] == none)
					continue;
				const LateRow row(lateEntry(i));
				t.parent[i] = late == 0 ? row.parentIn(0) : row.firstOf([&](const u32 (&x)[4], bool (&is)[4]) {
					for (int k = 0; k < 4; k++)
						is[k] = x[k] != none && t.has(x[k]);
				});
			}
			__syncthreads();
			for (u32 i = threadIdx.x; i < entries; i += THREADS) {
				const u32 row = t.row[i];
				if (row == none || t.parent[i] == none)
					continue;
				t.add(row);
				t.row[i] = none;
				atomicAdd(&t.count, 1);
				if (isOwnRow(row))
					storeParent(__ldg(g.rowLabels + row), labelOfRow(t.parent[i]));
			}
			__syncthreads();
			found = t.count;
			s.record(stepLate, frontierSize, found, 0);
		}
		for (u32 i = threadIdx.x; i < entries; i += THREADS)
			if (t.row[i] != none && isOwnRow(t.row[i]))
				clearRow(t.row[i]);
		__syncthreads();
	}

	// restLevels finds what is left when hubs are not visited.
	__device__ void restLevels() {
		listRest();
		u32 count = 0;
		for (u32 rest = 0, found = 0; ; rest++) {
			waitAndPoll(); // until the list and the bitmaps are complete
			if (stopped)
				return;
			if (several) {
				takeBefore();
				waitOwn();
			}
			count = __ldcg(&g.control->left);
			const u32 frontierSize = found;
			found = wait(lookForVisited(count));
			record(stepLate, frontierSize, found, 0);
			level++;
			takeLeft();
			if (rest && !found) // the first level also has finds outside the list
				break;
			if (rest >= g.lateLevels) {
				frontierOfRest();
				goOn();
				return;
			}
			for (u32 w = g.firstRow / 32 + thread(); w < g.rows / 32; w += allThreads())
				g.before[w] = __ldcg(g.visited + w);
		}
		waitOwn();
		if (anyLeft())
			clearUnreached();
		else
			clearRest(count);
		waitOwn();
	}

	// frontierOfRest makes the queue of what the level before found.
	__device__ void frontierOfRest() {
		const Level l{level - 1, queues, turn, false};
		emptyQueue();
		for (u32 base = g.firstRow / 32 + blockIdx.x * THREADS; base < g.rows / 32; base += allThreads()) {
			const u32 w = base + threadIdx.x;
			u32 bits = 0;
			if (w < g.rows / 32) {
				const u32 visited = __ldcg(g.visited + w);
				bits = visited & ~__ldcg(g.before + w);
				g.before[w] = visited;
			}
			l.enqueue(bits, w * 32, 0, noParent);
		}
		for (u32 base = blockIdx.x * THREADS; base < hubWords; base += allThreads()) {
			const u32 w = base + threadIdx.x;
			u32 bits = 0;
			if (w < hubWords) {
				const u32 there = g.hubs <= w * 32 ? 0 : g.hubs - w * 32 >= 32 ? ~0u : (1u << g.hubs - w * 32) - 1;
				const u32 visited = there & ~__ldcg(leftHubs() + w);
				bits = visited & ~__ldcg(g.hubsBefore + w);
				g.hubsBefore[w] = visited;
			}
			l.enqueue(bits, hubFlag | w * 32, 0, noParent);
		}
		l.flush(0);
		next = joinQueues(barrier, l);
	}

	// frontierOfLate makes the queue of what a late level found. The list of that many rows has
	// all vertices that are not visited.
	__device__ void frontierOfLate(u32 late, u32 left) {
		const Level l{level - 1, queues, turn, false};
		emptyQueue();
		for (u32 w = g.firstRow / 32 + thread(); w < g.rows / 32; w += allThreads())
			g.before[w] = ~0u;
		for (u32 w = thread(); w < hubWords; w += allThreads())
			g.hubsBefore[w] = ~0u;
		const u32 words = (g.rows - g.singleEnd) / 32;
		for (u32 base = blockIdx.x * THREADS; base < words; base += allThreads()) {
			const u32 w = base + threadIdx.x;
			l.enqueue(w < words ? __ldcg(g.late[~late & 1] + w) : 0, g.singleEnd + w * 32, 0, noParent);
		}
		l.flush(0);
		next = joinQueues(barrier, l);
		for (u32 i = thread(); i < left; i += allThreads()) {
			const u32 row = __ldcg(g.leftRows + i);
			if (row != none)
				atomicAnd(g.before + (row >> 5), ~(1u << (row & 31)));
		}
		waitOwn();
	}

	__device__ void emptyQueue() {
		if (thread() == 0)
			for (int i = 0; i < 4; i++)
				g.control->queued[i] = 0;
		emptyFinds();
		begin = 0;
		waitOwn();
	}

	// goOn searches top-down to the end, after the dense level, and writes parents.
	__device__ void goOn() {
		while (!stopped && next.count())
			expandLevel(direct);
		clearUnreached();
		waitOwn();
	}

	__device__ static bool isVisited(u32 vertex) {
		return bitOf(__ldcg(vertex & hubFlag ? g.hubsBefore + ((vertex & ~hubFlag) >> 5) : beforeAt(vertex)), vertex);
	}

	// clearUnreached resets the parents of what is not reached: the dense pass has written them.
	__device__ __noinline__ static void clearUnreached() {
		for (u32 w = g.firstRow / 32 + thread(); w < g.rows / 32; w += allThreads())
			for (u32 rest = ~__ldcg(g.before + w); rest; rest &= rest - 1) {
				const u32 label = __ldg(g.rowLabels + w * 32 + __ffs(rest) - 1);
				if (label != none)
					storeParent(label, none);
			}
		for (u32 i = thread(); i < ownHubs(); i += allThreads())
			if (!isVisited(hubFlag | ownHub(i)))
				storeParent(__ldg(g.hubLabels + ownHub(i)), none);
		for (u32 v = g.firstLabel + thread(); v < g.labels; v += allThreads()) {
			const u32 vertex = __ldg(g.vertices + v);
			if (vertex != none && vertex & leafFlag && !isVisited(vertex & ~leafFlag))
				storeParent(v, none);
		}
	}

	// storeAll stores the parents of a search without a dense level.
	__device__ void storeAll() {
		storeQueued(begin);
		u32 anyHub = 0;
		for (u32 w = threadIdx.x; w < hubWords; w += THREADS)
			anyHub |= __ldcg(g.hubsBefore + w);
		storeHubs([](u32 h) { return isVisited(hubFlag | h); });
		if (__syncthreads_or(anyHub))
			storeLeaves();
		else
			storeLeavesOfQueued();
		waitOwn();
	}

	// storeLeaves stores the parents of the leaves of all visited hubs and rows.
	__device__ void storeLeaves() const {
		for (u32 v = g.firstLabel + thread(); v < g.labels; v += allThreads()) {
			const u32 vertex = __ldg(g.vertices + v);
			if (vertex != none && vertex & leafFlag && v != root && isVisited(vertex & ~leafFlag))
				storeParent(v, labelOf(vertex & ~leafFlag));
		}
	}

	// storeLeavesOfQueued does this if all that was found, and the root, are rows without hubs.
	__device__ void storeLeavesOfQueued() const {
		for (u32 i = thread(); i <= begin; i += allThreads()) {
			const u32 row = i < begin ? __ldcg(g.queue + i).x : vertexOf(root);
			if (row & leafFlag || !isOwnRow(row))
				continue;
			for (u32 at = __ldg(g.leavesAt + (row - g.singleEnd)), end = __ldg(g.leavesAt + (row - g.singleEnd) + 1); at < end; at++)
				if (const u32 leaf = __ldg(g.leaves + at); leaf != root)
					storeParentAt(leaf, __ldg(g.rowLabels + row));
		}
	}

	// restOf is restLevels in a function of its own, which leaves the other levels their registers. It
	// returns the state of the barriers.
	__device__ __noinline__ static Meeting restOf(Search s) {
		s.restLevels();
		return s.barrier;
	}

	__device__ void run(u32 r) {
		visitRoot(r);
		bool marked;
		if (!topDown(marked))
			storeAll();
		else if (denseLevel(marked))
			lastLevels();
		else
			barrier = restOf(*this);
		barrier.end();
		// The device has written all parents, some of them of other devices, before its last barrier, so the host need
		// not wait until the kernel has left it. In the last levels, the first block is alone.
		if (thread() == 0) {
			fenceSystem();
			*g.done = 1;
		}
		leave();
	}
};

extern "C" __global__ void __launch_bounds__(THREADS, 1) bfsHubs(u32 root) {
	if (tellsWithoutRoot(root, g.done))
		return;
	Search s;
	s.run(root);
}

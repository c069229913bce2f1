// The search: one persistent kernel per search, steered on the device.
//
//  1. Top-down levels (topdown.cuh) while the frontier is small. Hubs and rows have bitmaps of
//     their own. Leaves are in no list: their parents come with the dense pass.
//  2. The dense level: the dense pass (dense.cuh), long rows, then rows of the frontier are
//     followed, or looked for if there are many (rows.cuh).
//  3. All hubs are visited now, so all rows with a hub are found by the next level at the latest,
//     and have their parents. Rows without hubs look for visited rows; the few that find none are
//     searched level by level (late.cuh). What is left then is not reached.
//
// If hubs are left after 2, which Kronecker graphs hardly have, or many late levels follow, the
// search goes on top-down (Search.goOn). If the frontier ends before 2, the root is in a small
// component, and the parents are stored one by one (Search.storeAll).
#include "late.cuh"
#include "topdown.cuh"

// Search is the state of one search, the same in all threads.
struct Search {
	GridBarrier barrier;
	u32 root;
	u32 level;   // of the frontier
	u32 begin;   // of the frontier in the queue
	u32 records; // that were written
	bool stopped;

	__device__ static u32 thread() { return blockIdx.x * THREADS + threadIdx.x; }
	__device__ static u32 allThreads() { return gridDim.x * THREADS; }

	// wait waits for all blocks and returns the sum of found over all threads.
	__device__ u32 wait(u32 found) { return u32(barrier.waitSum(found, 0, [] {})); }

	// waitAndPoll waits for all blocks. At some levels it learns whether the host wants the search
	// to stop.
	__device__ void waitAndPoll() {
		constexpr u32 pollEvery = 16;
		const u32 stop = thread() == 0 && level % pollEvery == pollEvery - 1 && *g.stop;
		stopped = wait(stop);
	}

	// record writes the record of a step that has ended.
	__device__ void record(Step step, u32 frontierSize, u32 found, u64 pieces) {
		if (blockIdx.x == 0 && threadIdx.x == THREADS - 32) {
			LevelRecord &r = g.levels[min(records, g.recordLimit)];
			r.step = step;
			r.frontier = frontierSize;
			r.found = found;
			r.pieces = pieces;
			g.control->end = r.end = now();
			g.control->records = records + 1;
		}
		records++;
	}

	__device__ u64 queuedOf(u32 l) const { return __ldcg(g.control->queued + (l & 3)); }

	// clearNext prepares the words and the bitmap that level l+2 uses.
	__device__ static void clearNext(u32 l) {
		if (thread() == 0)
			g.control->queued[l + 2 & 3] = 0;
		for (u32 i = thread(); i < hubWords; i += allThreads())
			frontier(l + 2)[i] = 0;
	}

	__device__ void prepare() {
		const u64 began = now();
		Shared &s = fixed();
		if (threadIdx.x == 0) {
			s.found = s.listed = s.longRows = s.frontierHubs = 0;
			s.sum = 0;
			for (u32 i = 0; i < groups; i++)
				beginBulk(&s.arrived[i]);
		}
		for (u32 i = thread(); i < g.rows / 128; i += allThreads())
			reinterpret_cast<uint4 *>(g.before)[i] = uint4{};
		for (u32 i = thread(); i < (g.rows - g.singleEnd + 127) / 128; i += allThreads())
			reinterpret_cast<uint4 *>(g.late[1])[i] = uint4{};
		for (u32 i = thread(); i < hubWords; i += allThreads())
			g.hubsBefore[i] = g.leftHubs[i] = g.frontiers[i] = g.frontiers[hubWords + i] = g.frontiers[2 * hubWords + i] = 0;
		if (thread() == 0) {
			Control *c = g.control;
			for (int i = 0; i < 4; i++)
				c->queued[i] = 0;
			c->left = c->hubsLeft = c->records = 0;
			c->begin = began;
		}
	}

	// mark marks a hub or a row as visited, and as part of the frontier of a level.
	__device__ static void mark(u32 vertex, u32 l, u32 parent) {
		if (vertex & hubFlag) {
			const u32 h = vertex & ~hubFlag;
			setBit(g.hubsBefore, h);
			setBit(frontier(l), h);
			g.hubParents[h] = parent;
		} else
			setBit(g.before, vertex);
	}

	// visitRoot makes level 0. A leaf's only neighbour is all that it finds.
	__device__ void visitRoot(u32 r) {
		barrier.round = 0;
		root = r, level = 0, begin = 0, records = 0, stopped = false;
		const u32 vertex = __ldg(g.vertices + r);
		prepare();
		wait(0);
		const Level l{0, queues};
		if (vertex & leafFlag) {
			if (thread() == 0) {
				mark(vertex & ~leafFlag, 1, r);
				l.push(vertex & ~leafFlag, r);
			}
			l.flush(0);
		} else {
			if (thread() == 0)
				mark(vertex, 0, r);
			l.expandRoot(vertex);
		}
		wait(0);
		level = 1;
		record(stepTopDown, 1, u32(queuedOf(1) >> queuedShift), 0);
	}

	// topDown expands the frontier level by level. It returns whether the dense pass follows; with
	// marked, the last level only marked its finds. Otherwise the frontier is empty.
	__device__ bool topDown(bool &marked) {
		marked = false;
		while (!stopped) {
			const u64 packed = queuedOf(level);
			const u32 count = packed >> queuedShift;
			const u64 pieces = packed & piecesMask;
			if (!count)
				return false;
			if (pieces > g.densePieces)
				return true;
			marked = pieces > g.lastPieces;
			expandLevel(marked ? last : queues, count, pieces);
			if (marked)
				return true;
		}
		return false;
	}

	// expandLevel expands one level.
	__device__ void expandLevel(Expansion expansion, u32 count, u64 pieces) {
		clearNext(level);
		Level{level, expansion}.expand(begin, count, pieces);
		waitAndPoll();
		begin += count;
		level++;
		record(stepTopDown, count, u32(queuedOf(level) >> queuedShift), pieces);
	}

	// storeQueued stores the parents of the rows among the first entries of the queue.
	__device__ static void storeQueued(u32 entries) {
		for (u32 i = thread(); i < entries; i += allThreads()) {
			const uint4 x = __ldcg(g.queue + i);
			if (x.w != none)
				g.parents[x.w] = x.z;
		}
	}

	// denseLevel makes the dense level. It returns whether all hubs are visited.
	__device__ bool denseLevel(bool marked) {
		const u32 queuedEnd = begin + u32(queuedOf(level) >> queuedShift);
		copyBits(level, marked);
		const u32 frontierHubs = fixed().frontierHubs;
		const bool look = frontierHubs >= g.lookHubs;
		Dense dense{look};
		u32 found = dense.run();
		found += examineLongRows(look);
		record(stepDense, frontierHubs, wait(found), 0);
		found = 0;
		if (look)
			found = examineOthers<false>() + examineLists<true>();
		else
			found = examineLists<false>();
		storeQueued(queuedEnd);
		for (u32 h = thread(); h < g.hubs; h += allThreads())
			if (!bitOf(__ldcg(g.leftHubs + (h >> 5)), h))
				g.parents[__ldg(g.hubLabels + h)] = __ldcg(g.hubParents + h);
		if (thread() == 0)
			g.parents[root] = root;
		record(look ? stepLook : stepFollow, frontierHubs, wait(found), 0);
		level++;
		return !__ldcg(&g.control->hubsLeft);
	}

	// lastLevels finds what is left when all hubs are visited.
	__device__ void lastLevels() {
		u32 found = wait(examineOthers<true>());
		record(stepFirst, 0, found, 0);
		level++;
		const u32 left = __ldcg(&g.control->left);
		const bool alone = left <= g.aloneRows;
		if (alone && blockIdx.x)
			return;
		const u32 from = alone ? threadIdx.x : thread(), step = alone ? THREADS : allThreads();
		for (u32 late = 0; left && !stopped; late++, level++) {
			const u32 frontierSize = found;
			found = lateLevel(late, left, from, step);
			if (alone) {
				stopped = __syncthreads_or(threadIdx.x == 0 && (late & 63) == 63 && *g.stop);
				found = sumOfBlock(found);
			} else
				found = wait(found);
			record(stepLate, frontierSize, found, 0);
			if (!found)
				break;
			if (!alone && late == g.lateLevels) {
				frontierOfLate(late, left);
				goOn();
				return;
			}
		}
		clearLeft(left, from, step);
		if (alone)
			__syncthreads();
		else
			wait(0);
	}

	// sumOfBlock returns the sum over all threads of the block.
	__device__ static u32 sumOfBlock(u32 x) {
		u32 &sum = fixed().listed; // its list is done with
		__syncthreads();
		if (threadIdx.x == 0)
			sum = 0;
		__syncthreads();
		x = __reduce_add_sync(~0u, x);
		if ((threadIdx.x & 31) == 0 && x)
			atomicAdd(&sum, x);
		__syncthreads();
		return sum;
	}

	// enqueue appends the hubs or rows of a word's set bits to the queue. All threads of the block
	// must call it.
	__device__ static void enqueue(const Level &l, u32 bits, u32 vertex) {
		for (u32 byte = 0; byte < 4; byte++) {
			for (u32 rest = bits & 0xFFu << 8 * byte; rest; rest &= rest - 1)
				l.push(vertex + __ffs(rest) - 1, none);
			l.flushIfFull(0);
		}
	}

	// frontierOfDense makes the queue of what the dense level found.
	__device__ void frontierOfDense() {
		const Level l{level - 1, queues};
		emptyQueue();
		for (u32 base = blockIdx.x * THREADS; base < g.rows / 32; base += allThreads()) {
			const u32 w = base + threadIdx.x;
			u32 bits = 0;
			if (w < g.rows / 32) {
				const u32 visited = __ldcg(g.visited + w);
				bits = visited & ~__ldcg(g.before + w);
				g.before[w] = visited;
			}
			enqueue(l, bits, w * 32);
		}
		for (u32 base = blockIdx.x * THREADS; base < hubWords; base += allThreads()) {
			const u32 w = base + threadIdx.x;
			u32 bits = 0;
			if (w < hubWords) {
				const u32 there = g.hubs <= w * 32 ? 0 : g.hubs - w * 32 >= 32 ? ~0u : (1u << g.hubs - w * 32) - 1;
				const u32 visited = there & ~__ldcg(g.leftHubs + w);
				bits = visited & ~(__ldcg(g.hubsBefore + w) | __ldcg(frontier(level - 1) + w));
				g.hubsBefore[w] = visited;
			}
			enqueue(l, bits, hubFlag | w * 32);
		}
		l.flush(0);
		wait(0);
	}

	// frontierOfLate makes the queue of what a late level found. The list of that many rows has
	// all vertices that are not visited.
	__device__ void frontierOfLate(u32 late, u32 left) {
		const Level l{level - 1, queues};
		emptyQueue();
		for (u32 w = thread(); w < g.rows / 32; w += allThreads())
			g.before[w] = ~0u;
		for (u32 w = thread(); w < hubWords; w += allThreads())
			g.hubsBefore[w] = ~0u;
		const u32 words = (g.rows - g.singleEnd) / 32;
		for (u32 base = blockIdx.x * THREADS; base < words; base += allThreads()) {
			const u32 w = base + threadIdx.x;
			enqueue(l, w < words ? __ldcg(g.late[~late & 1] + w) : 0, g.singleEnd + w * 32);
		}
		l.flush(0);
		wait(0);
		for (u32 i = thread(); i < left; i += allThreads()) {
			const u32 row = __ldcg(g.leftRows + i);
			if (row != none)
				atomicAnd(g.before + (row >> 5), ~(1u << (row & 31)));
		}
		wait(0);
	}

	__device__ void emptyQueue() {
		if (thread() == 0)
			for (int i = 0; i < 4; i++)
				g.control->queued[i] = 0;
		begin = 0;
		wait(0);
	}

	// goOn searches top-down to the end, after a dense level, and writes parents.
	__device__ void goOn() {
		while (!stopped) {
			const u64 packed = queuedOf(level);
			if (!(packed >> queuedShift))
				break;
			expandLevel(direct, packed >> queuedShift, packed & piecesMask);
		}
		clearUnreached();
		wait(0);
	}

	__device__ static bool isVisited(u32 vertex) {
		return vertex & hubFlag ? bitOf(__ldcg(g.hubsBefore + ((vertex & ~hubFlag) >> 5)), vertex) : bitOf(__ldcg(g.before + (vertex >> 5)), vertex);
	}

	// clearUnreached resets the parents of what is not reached: the dense pass has written them.
	__device__ static void clearUnreached() {
		for (u32 w = thread(); w < g.rows / 32; w += allThreads())
			for (u32 rest = ~__ldcg(g.before + w); rest; rest &= rest - 1) {
				const u32 label = __ldg(g.rowLabels + w * 32 + __ffs(rest) - 1);
				if (label != none)
					g.parents[label] = none;
			}
		for (u32 h = thread(); h < g.hubs; h += allThreads())
			if (!isVisited(hubFlag | h))
				g.parents[__ldg(g.hubLabels + h)] = none;
		for (u32 v = thread(); v < g.labels; v += allThreads()) {
			const u32 vertex = __ldg(g.vertices + v);
			if (vertex != none && vertex & leafFlag && !isVisited(vertex & ~leafFlag))
				g.parents[v] = none;
		}
	}

	// storeAll stores the parents of a search without a dense level.
	__device__ void storeAll() {
		storeQueued(begin);
		u32 anyHub = 0;
		for (u32 w = threadIdx.x; w < hubWords; w += THREADS)
			anyHub |= __ldcg(g.hubsBefore + w);
		for (u32 h = thread(); h < g.hubs; h += allThreads())
			if (isVisited(hubFlag | h))
				g.parents[__ldg(g.hubLabels + h)] = __ldcg(g.hubParents + h);
		if (thread() == 0)
			g.parents[root] = root;
		if (__syncthreads_or(anyHub))
			storeLeaves();
		else
			storeLeavesOfQueued();
		wait(0);
	}

	// storeLeaves stores the parents of the leaves of all visited hubs and rows.
	__device__ void storeLeaves() const {
		for (u32 v = thread(); v < g.labels; v += allThreads()) {
			const u32 vertex = __ldg(g.vertices + v);
			if (vertex != none && vertex & leafFlag && v != root && isVisited(vertex & ~leafFlag))
				g.parents[v] = labelOf(vertex & ~leafFlag);
		}
	}

	// storeLeavesOfQueued does this if all that was found, and the root, are rows without hubs.
	__device__ void storeLeavesOfQueued() const {
		for (u32 i = thread(); i <= begin; i += allThreads()) {
			const u32 row = i < begin ? __ldcg(g.queue + i).x : __ldg(g.vertices + root);
			if (row & leafFlag)
				continue;
			for (u32 at = __ldg(g.leavesAt + (row - g.singleEnd)), end = __ldg(g.leavesAt + (row - g.singleEnd) + 1); at < end; at++)
				if (const u32 leaf = __ldg(g.leaves + at); leaf != root)
					g.parents[leaf] = __ldg(g.rowLabels + row);
		}
	}

	__device__ void run(u32 r) {
		visitRoot(r);
		bool marked;
		if (!topDown(marked))
			storeAll();
		else if (denseLevel(marked))
			lastLevels();
		else {
			frontierOfDense();
			goOn();
		}
		// All parents were written before the last barrier, so the host need not wait until the
		// kernel has left the device. In the last levels, the first block is alone.
		if (thread() == 0) {
			fenceSystem();
			*g.done = 1;
		}
		leave();
	}
};

extern "C" __global__ void __launch_bounds__(THREADS, 1) bfsHubs(u32 root) {
	Search s;
	s.run(root);
}

// The default search: one persistent kernel a search, direction-optimizing
// (Beamer, Asanović, Patterson, SC 2012), steered on the device.
//
// Everything is in original labels, so that no parent is translated: a label
// finds its row by counting bits (Index), rows exist for vertices with a
// neighbour only. The arrays that dense passes stream are indexed by label,
// isolated ones included, because whole sectors of parents can then be written.
#include "../ptx.cuh"
#include "../counted.cuh"
#include "bottomup.cuh"
#include "topdown.cuh"

constexpr u32 alpha = 30;       // bottom-up once the frontier has more than 1/alpha of the unexplored arcs
constexpr u32 alphaHubs = 50;   // or of these where its hubs would be looked for alone
constexpr u32 beta = 32;        // and more than one arc for so many labels, what a dense pass costs at least
constexpr u32 filterShare = 2;  // the filter serves a frontier that sets at most one of so many of its bits
constexpr u32 besideShare = 32; // parents go beside the queue where a level has more than one arc for so many labels
constexpr u32 orderShare = 256; // and are put in order where it found more than one of so many
constexpr u32 fewShare = 128;   // a frontier has few vertices if at most one of so many is in it
constexpr u32 pollEvery = 256;  // levels between two looks at the host's flag, which costs 2 µs

struct Run {
	Meeting meeting;
	u32 level;
	u64 frontier;
	u32 left; // vertices with a row that are not visited

	// meet returns the sum of a number of every thread, and in rows whether a
	// long row waits.
	__device__ u32 meet(u32 found, bool &rows) {
		__syncthreads(); // the block's other warps may still count long rows
		const u64 sum = add(found, shared<BottomUp>().longRows);
		rows = sum >> 32;
		return u32(sum);
	}

	// add is Meeting's sum, and adds up what the warps looked at; with an atomic
	// of every warp on that one counter a search took 1 µs longer (scale 24).
	__device__ u64 add(u32 found, u32 ofBlock) {
		return meeting.sum(found, ofBlock, [&] {
			const u32 lane = threadIdx.x & 31;
			u32 *looked = shared<BottomUp>().examined;
			const u32 sum = __reduce_add_sync(~0u, lane < warps ? looked[lane] : 0);
			if (lane < warps)
				looked[lane] = 0;
			if (lane == 0 && sum)
				atomicAdd(&g.control->examined[level & 3], sum);
		});
	}

	// stopAsked looks at the host's flag from time to time, in one thread.
	__device__ u32 stopAsked() const {
		return blockIdx.x == 0 && threadIdx.x == 0 && level % pollEvery == pollEvery - 1 && *g.stop;
	}

	// ended enters a level in the record; the caller goes on with the next one.
	__device__ void ended(Direction direction, u32 found, u64 implied) {
		if (blockIdx.x == 0 && threadIdx.x == 32) {
			Control *c = g.control;
			if (level < g.levelRoom) {
				Level l;
				l.direction = direction;
				l.found = found;
				l.frontier = frontier;
				l.examined = implied + __ldcg(&c->examined[level & 3]);
				l.end = now();
				g.levels[level] = l;
			}
			c->levelCount = level + 1;
			c->examined[(level + 2) & 3] = 0;
			c->queued[(level + 3) & 3] = 0;
			c->ticket[(level + 2) & 3] = 0;
		}
		level++;
		frontier = found;
		left -= found;
	}
};

// begin starts a search: it empties the filter and the bins and marks all labels without a row,
// root and, where its row is short enough, root's neighbours as visited. Every
// block reads that row for itself and marks what lies in its own part of the
// bitmap, so that the first level needs no queue and no meeting. It returns the
// row's length, and in v this thread's neighbour or none; the length is 0 if the
// row is too long.
__device__ inline u32 begin(u32 root, u32 &v) {
	const u32 tid = threadIdx.x;
	const u64 began = now();
	const uint2 index = streamIf(true, reinterpret_cast<const uint2 *>(g.index) + (root >> 5), uint2{}); // on its way while the bitmap is made
	const u32 words = g.tasks * taskWords, part = (words / 4 + gridDim.x - 1) / gridDim.x * 4;
	const u32 lo = min(words, part * blockIdx.x), hi = min(words, lo + part);
#pragma unroll 4
	for (u32 w = lo + 4 * tid; w < hi; w += 4 * THREADS) {
		const uint4 x = __ldg(reinterpret_cast<const uint4 *>(g.present + w));
		*reinterpret_cast<uint4 *>(g.visited[0] + w) = make_uint4(~x.x, ~x.y, ~x.z, ~x.w);
	}
	for (u32 i = blockIdx.x * THREADS + tid; i < g.filterBits / 128; i += gridDim.x * THREADS)
		reinterpret_cast<uint4 *>(g.filter)[i] = uint4{};
	for (u32 b = blockIdx.x * THREADS + tid; b < g.bins; b += gridDim.x * THREADS)
		g.binEnds[b * binStride] = binStart(b);
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
			c->queued[i] = 0, c->ticket[i] = 0, c->examined[i] = 0;
		c->listed = c->relisted = 0;
		c->longRows = 0;
		c->levelCount = 0;
		c->begin = began;
	}
	if (v != none && v / 32 >= lo && v / 32 < hi) {
		atomicOr(g.visited[0] + v / 32, 1u << (v & 31));
		g.parents[v] = root;
	}
	return all ? row.degree : 0;
}

__device__ inline void swap(u32 *&a, u32 *&b) {
	u32 *t = a;
	a = b;
	b = t;
}

// visitedAmong looks at n neighbours from start on, with the whole warp, and returns one
// that probe holds, or none.
__device__ inline u32 visitedAmong(const u32 *probe, u64 start, u32 n) {
	const u32 lane = threadIdx.x & 31;
	u32 parent = none;
	for (u32 i = lane; i - lane < n && !__any_sync(~0u, parent != none); i += 32)
		if (i < n) {
			const u32 p = __ldg(g.neighbors + start + i);
			if (bitOf(probe, p))
				parent = p;
		}
	const u32 got = __ballot_sync(~0u, parent != none);
	return __shfl_sync(~0u, parent, got ? __ffs(got) - 1 : 0);
}

// listLevel goes through one level with a list of unvisited vertices that threads cannot
// keep: what is found in the bitmap probe is marked in the other one, as by tail, and the
// rest listed again in relist. A pass over all labels instead took 490 for 150 to 250 µs
// at scale 28. It returns what the thread found.
__device__ __noinline__ u32 listLevel(u32 listed, const u32 *probe, u32 *mark, uint2 *relist) {
	constexpr int at = 4;
	const u32 all = gridDim.x * THREADS, lane = threadIdx.x & 31;
	u32 found = 0, examined = 0;
	for (u32 base = blockIdx.x * THREADS + threadIdx.x; base - threadIdx.x < listed; base += at * all) {
		uint2 x[at];
		u32 word[at];
#pragma unroll
		for (int k = 0; k < at; k++)
			x[k] = loadIf(base + k * all < listed, g.list + base + k * all, make_uint2(none, 0));
#pragma unroll
		for (int k = 0; k < at; k++)
			word[k] = loadIf(x[k].x != none, probe + ((x[k].y & ~moreFlag) >> 5), 0);
#pragma unroll
		for (int k = 0; k < at; k++) {
			u32 parent = word[k] >> (x[k].y & 31) & 1 ? x[k].y & ~moreFlag : none;
			for (u32 ballot = __ballot_sync(~0u, parent == none && x[k].y & moreFlag); ballot; ballot &= ballot - 1) {
				const int owner = __ffs(ballot) - 1;
				const Row row = rowOf(__shfl_sync(~0u, x[k].x, owner));
				const u32 p = visitedAmong(probe, row.start + 1, row.degree - 1);
				if (lane == owner)
					parent = p;
				examined += row.degree - 1;
			}
			if (parent != none) {
				settle(x[k].x, parent, mark);
				found++;
			}
			const bool stays = x[k].x != none && parent == none;
			const u32 left = __ballot_sync(~0u, stays);
			if (left) {
				u32 place;
				if (lane == 0)
					place = atomicAdd(&g.control->relisted, __popc(left));
				place = __shfl_sync(~0u, place, 0) + __popc(left & ((1u << lane) - 1));
				if (stays)
					relist[place] = x[k];
			}
		}
	}
	if (lane == 0)
		shared<BottomUp>().examined[threadIdx.x / 32] += examined;
	return found;
}

// tail goes through the levels that are left once few vertices are unvisited:
// each thread keeps its part of the list in registers, looks up the neighbours in
// one bitmap and marks what it finds in the other, so that one meeting a level is
// enough. The bitmap marked lacks what the level before found, which does not
// matter: every vertex still open has looked for that, so it can touch only what
// is found in the level before it is found itself. The last level is the one that
// finds only vertices with one neighbour, through which there is no way on. It
// returns whether the host stopped it.
__device__ __noinline__ bool tail(Run run, const uint2 *list, u32 listed, u32 *probe, u32 *mark) {
	const u32 thread = blockIdx.x * THREADS + threadIdx.x, all = gridDim.x * THREADS, lane = threadIdx.x & 31;
	u64 from[kept];
	u32 rest[kept];
	u32 v[kept], first[kept], open = 0, more = 0;
#pragma unroll
	for (int k = 0; k < kept; k++) {
		const u32 i = thread + k * all;
		const uint2 x = i < listed ? __ldcg(list + i) : make_uint2(none, 0);
		v[k] = x.x;
		first[k] = x.y & ~moreFlag;
		more |= (x.y >> 31) << k;
		open |= (i < listed) << k;
		rest[k] = 0;
		if (x.y & moreFlag) {
			const Row row = rowOf(x.x);
			from[k] = row.start + 1;
			rest[k] = row.degree - 1;
		}
	}
	bool ways = run.frontier; // the frontier may lead further
	while (ways && run.left) {
		u32 word[kept], hits = 0, examined = 0;
#pragma unroll
		for (int k = 0; k < kept; k++)
			word[k] = loadIf(open >> k & 1, probe + (first[k] >> 5), 0);
#pragma unroll
		for (int k = 0; k < kept; k++)
			if (word[k] >> (first[k] & 31) & 1) {
				hits |= 1 << k;
				__stcs(g.parents + v[k], first[k]);
			}
		// Few have more neighbours: the warp goes through one row at a time.
#pragma unroll
		for (int k = 0; k < kept; k++)
			for (u32 ballot = __ballot_sync(~0u, (open & ~hits & more) >> k & 1); ballot; ballot &= ballot - 1) {
				const int owner = __ffs(ballot) - 1;
				const u64 start = __shfl_sync(~0u, from[k], owner);
				const u32 n = __shfl_sync(~0u, rest[k], owner), parent = visitedAmong(probe, start, n);
				if (parent != none && lane == owner) {
					hits |= 1 << k;
					g.parents[v[k]] = parent;
				}
				examined += n;
			}
		if (lane == 0)
			shared<BottomUp>().examined[threadIdx.x / 32] += examined;
#pragma unroll
		for (int k = 0; k < kept; k++)
			if (hits >> k & 1)
				atomicOr(mark + (v[k] >> 5), 1u << (v[k] & 31));
		open &= ~hits;
		constexpr u32 stop = 1 << 12; // above the number of blocks
		const u64 sum = run.add(__popc(hits), (__syncthreads_or(hits & more) ? 1 : 0) + run.stopAsked() * stop);
		run.ended(bottomUp, u32(sum), run.left);
		const u32 flags = sum >> 32;
		if (flags >= stop)
			return true;
		ways = flags;
		swap(probe, mark);
	}
	return false;
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

// bottomUpPays decides the direction.
__device__ bool bottomUpPays(u64 arcs, u64 unexplored, bool hubsAlone) { return arcs * (hubsAlone ? alphaHubs : alpha) > unexplored && arcs > g.vertices / beta; }

// allVisited returns whether all hubs are visited, after a meeting.
__device__ bool allVisited(Meeting &meeting, const u32 *visited) {
	u32 left = 0;
	for (u32 h = blockIdx.x * THREADS + threadIdx.x; h < g.hubCount; h += gridDim.x * THREADS)
		left += !bitOf(visited, __ldg(g.hubs + h));
	return !u32(meeting.sum(left, 0, [] {}));
}

__host__ __device__ constexpr u32 most(u32 a, u32 b) { return a > b ? a : b; }

// search is the whole of it. How many vertices there are decides whether hubs may be
// looked for alone, whether parents may be put in order, and how they are written.
template <Size size> __device__ __forceinline__ void search(u32 root) {
	constexpr bool orders = size == many, hubs = size != few;
	const u32 tid = threadIdx.x;
	Run run{{0}, 0, 1, g.connected - 1};
	u32 *here = g.visited[0], *after = g.visited[1];
	u64 unexplored = g.arcs, before = 0, arcs = 0;
	u32 turn = 0; // which of the two queues holds the frontier
	bool stopped = false, gathered = false; // gathered: the bitmap of hubs is that of here
	bool beside = false; // the parents of the frontier stand beside the queue
	bool empty = true;    // the filter is, in which the frontier may be entered once
	u64 others = 0;       // arcs of a large frontier's vertices that are no hubs, from a sample

	u32 v;
	Row row{0, 0, none};
	bool measured = false;
	const u32 degree = begin(root, v);
	if (degree) {
		arcs = measureSmall(v, row, before);
		measured = true;
	}
	run.meeting.meet(0);
	if (degree) {
		unexplored -= degree;
		run.ended(topDown, degree, degree);
	}
	while (true) {
		// Top-down, while the frontier is small.
		while (run.frontier && run.left) {
			const u32 count = u32(run.frontier);
			const u32 *queue = g.queue[turn & 1];
			const bool small = count <= THREADS;
			gathered = count > 16 * THREADS;
			others = 0;
			const bool hubsAlone = hubs && g.hubsShare && !beside && count <= g.vertices / fewShare && (run.level > 1 || !degree);
			if (gathered) {
				const u64 all = estimate<hubs>(queue, count, here, others);
				if (bottomUpPays(all, unexplored, hubsAlone && others < g.vertices / g.hubsShare))
					break;
			}
			if (orders && beside) {
				scatter(queue, count);
				beside = false;
				run.meeting.meet(0); // measure writes over them
			}
			if (!small)
				arcs = run.meeting.meet(measure(queue, count, ofAll));
			else if (!measured)
				arcs = measureSmall(tid < count ? __ldcg(queue + tid) : none, row, before);
			measured = false;
			if (bottomUpPays(arcs, unexplored, hubsAlone && !gathered))
				break;
			unexplored -= min(arcs, unexplored);
			beside = orders && g.bins && arcs > g.vertices / besideShare && count <= g.connected / 2;
			const Frontier<orders> to{here, g.queue[++turn & 1], &g.control->queued[(run.level + 1) & 3], beside, arcs > gridDim.x * step};
			if (small)
				expandSmall(to, row, before, arcs);
			else
				expand(to, count, arcs);
			const u64 sum = run.meeting.meet(shared<TopDown>().claimed + (u64(run.stopAsked()) << 32));
			stopped = sum >> 32;
			run.ended(topDown, u32(sum), arcs);
			if (stopped)
				break;
		}
		if (!run.frontier || !run.left || stopped)
			break;

		// Bottom-up, on graphs of small diameter to the end. Root's neighbours are in
		// no queue that could fill the filter or be followed.
		const bool queued = run.level > 1 || !degree;
		// Where few arcs of a small frontier are not of hubs, they are followed top-down
		// after a pass that looks for hubs only, at rows as far as they begin with them;
		// once all hubs are visited, only beyond the hubs of their own rows. A level that
		// keeps parents beside its queue finds too many for that.
		const u32 count = u32(run.frontier);
		u64 otherArcs = 0;
		bool hubsOnly = hubs && g.hubsShare && !beside && run.frontier <= g.vertices / fewShare && queued && others < g.vertices / g.hubsShare;
		if (hubs && hubsOnly) {
			otherArcs = run.meeting.meet(measureOthers(g.queue[turn & 1], count, true));
			hubsOnly = otherArcs < g.vertices / g.hubsShare;
		}
		bool filtered = !hubsOnly && empty && run.frontier <= g.filterBits / filterShare && queued;
		empty &= !filtered;
		if (filtered)
			fillFilter(g.queue[turn & 1], u32(run.frontier));
		u32 *ordered = nullptr; // parents in the order of labels
		if (orders && beside && run.frontier > g.vertices / orderShare) {
			ordered = g.queue[(turn + 1) & 1];
			deal(g.queue[turn & 1], u32(run.frontier));
		} else if (orders && beside)
			scatter(g.queue[turn & 1], u32(run.frontier));
		bool toOrder = ordered;
		beside = false;
		bool pending = false; // byFirst holds parents that are not written
		do {
			if (!gathered)
				gatherHubs(here, [] {}, [] {});
			gathered = false;
			if (!hubsOnly)
				gatherMinors(here);
			run.meeting.meet(0);
			if (orders && toOrder)
				order(ordered);
			toOrder = false;
			u64 looked = run.left;
			u32 found;
			if (hubs && hubsOnly)
				found = firstNeighbors<hubs ? byHubs : byNeighbors, size>(here, after, !pending);
			else if (hubs && filtered)
				found = firstNeighbors<hubs ? byNeighborsFiltered : byNeighbors, size>(here, after, !pending);
			else
				found = firstNeighbors<byNeighbors, size>(here, after, !pending);
			filtered = false;
			bool rows;
			found = run.meet(found, rows);
			if (rows)
				found += walkLong(run.meeting, here, after);
			if (hubs && hubsOnly) {
				if (!allVisited(run.meeting, after))
					otherArcs = run.meeting.meet(measureOthers(g.queue[turn & 1], count, false));
				found += u32(run.meeting.meet(followOthers<orders>(after, g.queue[(turn + 1) & 1], &g.control->queued[(run.level + 1) & 3], count, otherArcs)));
				looked += otherArcs;
				hubsOnly = false;
			}
			run.ended(bottomUp, found, looked);
			pending = true;
			swap(here, after);
		} while (run.left > g.connected / 4 * 3 && run.frontier * 16 > run.left);
		u32 listed;
		bool rows;
		do {
			const u32 looked = run.left;
			u32 found = emit<size>(&g.control->ticket[run.level & 3], here, after, pending, ordered);
			pending = false;
			ordered = nullptr;
			found = run.meet(found, rows);
			if (rows)
				found += walkLong(run.meeting, here, after);
			run.ended(bottomUp, found, looked);
			swap(here, after);
			listed = __ldcg(&g.control->listed);
			if (rows || listed <= g.listRoom || run.frontier * 16 <= run.left)
				break;
			run.meeting.meet(0); // all have read it
			if (blockIdx.x == 0 && tid == 0)
				g.control->listed = 0;
			run.meeting.meet(0);
		} while (true);
		if (!run.frontier || !run.left)
			break;
		const u32 keptByAll = kept * gridDim.x * THREADS;
		const uint2 *list = g.list;
		if (size == many && !rows && listed > keptByAll && listed <= g.listRoom && run.frontier * 16 > run.left) {
			uint2 *relist = reinterpret_cast<uint2 *>(g.items);
			const u32 looked = run.left, found = run.meet(listLevel(listed, here, after, relist), rows);
			run.ended(bottomUp, found, looked);
			swap(here, after);
			list = relist;
			listed = __ldcg(&g.control->relisted);
			if (!run.frontier || !run.left)
				break;
		}
		if (!rows && listed <= keptByAll) {
			stopped = tail(run, list, listed, here, after);
			break;
		}
		// Back to top-down with what the last level found.
		unexplored = u64(double(g.arcs) * run.left / g.connected);
		const u32 words = g.tasks * taskWords;
		run.meeting.meet(0);
		if (blockIdx.x == 0 && tid == 0)
			g.control->listed = g.control->relisted = 0;
		for (u32 w = blockIdx.x * THREADS + tid; w < words; w += gridDim.x * THREADS) {
			const u32 seen = __ldcg(here + w), before = __ldcg(after + w);
			u32 fresh = seen & ~before;
			if (size == many && before & ~seen) // listLevel marked only what it found
				here[w] = seen | before;
			const u32 n = __popc(fresh);
			if (n) {
				u32 at = atomicAdd(&g.control->queued[run.level & 3], n);
				for (; fresh; fresh &= fresh - 1)
					g.queue[turn & 1][at++] = w * 32 + __ffs(fresh) - 1;
			}
		}
		run.meeting.meet(0);
	}
	if (orders && beside && !stopped) {
		scatter(g.queue[turn & 1], u32(run.frontier));
		run.meeting.meet(0);
	}
	// The last meeting came after every parent was written, so the host need not
	// wait until the kernel has left the device, which takes 2 µs more.
	if (blockIdx.x == 0 && tid == 0)
		*g.done = 1;
	leave();
}

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

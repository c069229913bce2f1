// The default search: one persistent kernel a search, direction-optimizing
// (Beamer, Asanović, Patterson, SC 2012), steered on the device.
//
// Everything is in original labels, so that no parent is translated: a label
// finds its row by counting bits (Index), rows exist for vertices with a
// neighbour only. The arrays that dense passes stream are indexed by label,
// isolated ones included, because whole sectors of parents can then be written.
#include "ptx.cuh"
#include "counted.cuh"
#include "search_bottomup.cuh"
#include "search_topdown.cuh"

constexpr u32 alpha = 30;       // bottom-up once the frontier has more than 1/alpha of the unexplored arcs
constexpr u32 beta = 32;        // and more than one arc for so many labels, what a dense pass costs at least
constexpr u32 filterShare = 4;  // the filter serves a frontier that sets at most one of so many of its bits
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
				atomicAdd((unsigned long long *)&g.control->examined[level & 3], (unsigned long long)sum);
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
		c->listed = 0;
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

// tail goes through the levels that are left once few vertices are unvisited:
// each thread keeps its part of the list in registers, looks up the neighbours in
// one bitmap and marks what it finds in the other, so that one meeting a level is
// enough. The bitmap marked lacks what the level before found, which does not
// matter: every vertex still open has looked for that, so it can touch only what
// is found in the level before it is found itself. The last level is the one that
// finds only vertices with one neighbour, through which there is no way on. It
// returns whether the host stopped it.
__device__ __noinline__ bool tail(Run run, u32 listed, u32 *probe, u32 *mark) {
	const u32 thread = blockIdx.x * THREADS + threadIdx.x, all = gridDim.x * THREADS, lane = threadIdx.x & 31;
	u64 from[kept];
	u32 rest[kept];
	u32 v[kept], first[kept], open = 0, more = 0;
#pragma unroll
	for (int k = 0; k < kept; k++) {
		const u32 i = thread + k * all;
		const uint2 x = i < listed ? __ldcg(g.list + i) : make_uint2(none, 0);
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
				const u32 n = __shfl_sync(~0u, rest[k], owner);
				u32 parent = none;
				for (u32 i = lane; i - lane < n && !__any_sync(~0u, parent != none); i += 32)
					if (i < n) {
						const u32 p = __ldg(g.neighbors + start + i);
						if (bitOf(probe, p))
							parent = p;
					}
				const u32 got = __ballot_sync(~0u, parent != none);
				parent = __shfl_sync(~0u, parent, got ? __ffs(got) - 1 : 0);
				if (got && lane == owner) {
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
// slice, and leaves their rows for followOthers. Both are functions of their own for
// the sake of the registers of their caller.
__device__ __noinline__ u64 measureOthers(const u32 *queue, u32 count) { return measure(queue, count, true); }

// followOthers goes through these rows and returns what the block found; it writes
// them to queue, which nothing reads.
template <bool orders> __device__ __noinline__ u32 followOthers(u32 *visited, u32 *queue, u32 *queued, u32 count, u64 arcs) {
	const Frontier<orders> to{visited, queue, queued, false, true};
	expand(to, count, arcs);
	return shared<TopDown>().claimed;
}

// bottomUpPays decides the direction.
__device__ bool bottomUpPays(u64 arcs, u64 unexplored) { return arcs * alpha > unexplored && arcs > g.vertices / beta; }

template <bool orders, bool hubs> __device__ __forceinline__ void search(u32 root) {
	const u32 tid = threadIdx.x;
	Run run{{0}, 0, 1, g.connected - 1};
	u32 *here = g.visited[0], *after = g.visited[1];
	u64 unexplored = g.arcs, before = 0, arcs = 0;
	u32 turn = 0; // which of the two queues holds the frontier
	bool stopped = false, gathered = false; // gathered: the bitmap of hubs is that of here
	bool beside = false; // the parents of the frontier stand beside the queue
	bool empty = true;    // the filter is, in which the frontier may be entered once

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
			if (gathered && bottomUpPays(estimate(queue, count, here), unexplored))
				break;
			if (orders && beside) {
				scatter(queue, count);
				beside = false;
				run.meeting.meet(0); // measure writes over them
			}
			if (!small)
				arcs = run.meeting.meet(measure(queue, count, false));
			else if (!measured)
				arcs = measureSmall(tid < count ? __ldcg(queue + tid) : none, row, before);
			measured = false;
			if (bottomUpPays(arcs, unexplored))
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
		// after a pass that looks for hubs only: at first neighbours that are hubs, at
		// rows as far as they begin with them, and in the bitmap of all labels only for
		// rows of more than five. A level that keeps parents beside its queue finds too
		// many for that.
		const u32 others = u32(run.frontier);
		u64 otherArcs = 0;
		bool hubsOnly = hubs && g.hubsShare && !beside && run.frontier <= g.vertices / fewShare && queued;
		if (hubs && hubsOnly) {
			otherArcs = run.meeting.meet(measureOthers(g.queue[turn & 1], others));
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
			run.meeting.meet(0);
			if (orders && toOrder)
				order(ordered);
			toOrder = false;
			u64 looked = run.left;
			u32 found = hubs && hubsOnly ? firstNeighbors<hubs ? byHubs : byNeighbors>(here, after, !pending, false)
			                             : firstNeighbors<byNeighbors>(here, after, !pending, filtered);
			filtered = false;
			bool rows;
			found = run.meet(found, rows);
			if (rows)
				found += walkLong(run.meeting, here, after);
			if (hubs && hubsOnly) {
				found += u32(run.meeting.meet(followOthers<orders>(after, g.queue[(turn + 1) & 1], &g.control->queued[(run.level + 1) & 3], others, otherArcs)));
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
			u32 found = emit<orders>(&g.control->ticket[run.level & 3], here, after, pending, ordered);
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
		if (!rows && listed <= g.listRoom) {
			stopped = tail(run, listed, here, after);
			break;
		}
		// Back to top-down with what the last level found.
		unexplored = u64(double(g.arcs) * run.left / g.connected);
		const u32 words = g.tasks * taskWords;
		run.meeting.meet(0);
		if (blockIdx.x == 0 && tid == 0)
			g.control->listed = 0;
		for (u32 w = blockIdx.x * THREADS + tid; w < words; w += gridDim.x * THREADS) {
			u32 fresh = __ldcg(here + w) & ~__ldcg(after + w);
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

// The search for more vertices than bfsFew is for: two blocks an SM. With three, or six of 256
// threads, more loads are in flight but registers spill, and it is a quarter
// slower.
extern "C" __global__ void __launch_bounds__(THREADS, 2) bfs(u32 root) { search<false, true>(root); }

// The search for so many vertices that the parents of large top-down levels are put
// in order: 3,379 for 3,609 µs a search at scale 28, but 714 for 711 at 26.
extern "C" __global__ void __launch_bounds__(THREADS, 2) bfsMany(u32 root) { search<true, true>(root); }

// The search for few vertices: one block an SM, whose threads have twice the
// registers. Where there is little to do for each warp, what counts is how soon
// one is done: 351 for 292 GTEPS at scale 20 and 754 for 671 at 22, but 1,017 for
// 1,056 at 24.
extern "C" __global__ void __launch_bounds__(THREADS, 1) bfsFew(u32 root) { search<false, false>(root); }

// The kernels of the search of shortest paths on devices that cannot access each other's
// memory (paths.go).
//
// A device has the rows of a range of labels with arcs in the order of the weights, and the
// distances of all vertices: those of its own range are results, of the others it knows the
// least that it has sent or received. Distances are bits, which as unsigned numbers are in the
// order of the distances; that of an unreached vertex is above all.
//
// The thread that lowers the distance of a vertex writes a pair of distance and parent. Each
// distance of a vertex is in one pair only, so the least pair has the parent that belongs to the
// least distance. A vertex whose pair was empty goes to the queue, if it is one of the device's,
// else to the list for the other devices. So it is there once, and no list can run full. Parents
// come from strict improvements only, so they form no cycle, even with weights of zero.
#include <cub/block/block_scan.cuh>

#include "../distances.cuh"
#include "pathlayout.cuh"
#include "warp.cuh"

__constant__ PathState g;

namespace {

constexpr u64 noPair = ~0ull;

// add returns the sum rounded to float, as on the host.
__device__ inline u32 add(u32 distance, u32 weight) {
	return __float_as_uint(__fadd_rn(__uint_as_float(distance), __uint_as_float(weight)));
}

__device__ inline bool isOwn(u32 v) { return v - g.firstLabel < g.endLabel - g.firstLabel; }
__device__ inline bool hasRow(u32 v) { return g.index[v >> 5] >> (v & 31) & 1; } // of an own vertex

// Range is the place of a row's arcs in g.arcs.
struct Range {
	u64 start;
	u32 degree;
};

__device__ inline Range rangeOf(u64 row) { return Range{g.starts[row], u32(g.starts[row + 1] - g.starts[row])}; }

// relax lowers the distance of v to t, for a lane that is on, and puts the vertex in the next
// queue, of which length is the length, or in the list for the others. All lanes of the warp must
// call it.
__device__ void relax(bool on, u32 v, u32 t, u32 parent, u32 *queue, u32 *length) {
	on = on && t < __ldcg(g.distances + v);
	if (!__any_sync(~0u, on)) return;
	const u32 old = on ? atomicMin(g.distances + v, t) : 0;
	on = on && t < old;
	const bool isNew = on && atomicMin(g.pairs + v, u64(t) << 32 | parent) == noPair;
	const bool own = on && isOwn(v), first = own && old >= infinite;
	const u32 inQueue = append(isNew && own, length);
	if (isNew && own) queue[inQueue] = v;
	const u32 inList = append(isNew && !own, &g.counts->outgoing);
	if (isNew && !own) g.outgoing[inList] = v;
	const u32 inLog = append(first, &g.counts->logged);
	if (first) g.log[inLog] = v;
}

// take empties the pair of an own vertex, sets the parent and returns the distance, or none if
// a smaller one has its own pair.
__device__ u32 take(u32 v) {
	const u64 pair = atomicExch(g.pairs + v, noPair);
	__threadfence(); // read before, a distance could be older than the pair: the vertex would be lost
	const u32 distance = u32(pair >> 32);
	if (distance != __ldcg(g.distances + v)) return none;
	g.parents[v] = u32(pair);
	return distance;
}

// arcAt returns arc i of a row with this head.
__device__ inline uint2 arcAt(const Range &row, const uint4 &head, u32 i) {
	return i == 0 ? make_uint2(head.x, head.y) : i == 1 ? make_uint2(head.z, head.w) : g.arcs[row.start + i];
}

// reaches returns the first of the arcs from lo on of a row that ends at limit or above, from a
// vertex with a distance; the degree if there is none.
__device__ u32 reaches(const Range &row, const uint4 &head, u32 lo, u32 distance, u32 limit) {
	u32 hi = lo;
	for (u32 step = 1; hi < row.degree && add(distance, arcAt(row, head, hi).y) < limit; step *= 2) {
		lo = hi + 1;
		hi += min(step, row.degree - hi);
	}
	while (lo < hi) {
		const u32 middle = lo + (hi - lo) / 2;
		if (add(distance, arcAt(row, head, middle).y) < limit) lo = middle + 1;
		else hi = middle;
	}
	return lo;
}

// findNext lowers next to the least end of the arcs from i on that would improve a vertex. After
// some arcs that would not, it takes the end of one that it does not look at.
__device__ void findNext(const Range &row, const uint4 &head, u32 i, u32 distance, u32 &next) {
	for (u32 last = i + nextArcs; i < row.degree; i++) {
		const uint2 arc = arcAt(row, head, i);
		const u32 t = add(distance, arc.y);
		if (t >= next) return;
		if (i == last || t < __ldcg(g.distances + arc.x)) {
			next = t;
			return;
		}
	}
}

// lowerNext lowers the least distance behind the bound to those of the lanes. All lanes of the
// warp must call it.
__device__ void lowerNext(u32 distance) {
	distance = __reduce_min_sync(~0u, distance);
	if ((threadIdx.x & 31) == 0 && distance < __ldcg(&g.counts->next)) atomicMin(&g.counts->next, distance);
}

// changedIn returns the bitmap of the vertices that became nearer before sweep number sweep of the
// tail and after the one before, null if the sweep must look at all.
__device__ inline u32 *changedIn(u32 sweep) { return sweep < 2 ? nullptr : g.changed[sweep & 1]; }

// mark notes for the sweep after number sweep that a vertex became nearer.
__device__ inline void mark(u32 sweep, u32 v) { atomicOr(g.changed[sweep + 1 & 1] + (v >> 5), 1u << (v & 31)); }

// bucketOf returns the range of a distance below the bound.
__device__ inline u32 bucketOf(u32 distance, u32 firstBucket) {
	return (distance >> bucketShift) - min(distance >> bucketShift, firstBucket);
}

} // namespace

// paths_start reaches the root. The distances of the device's own vertices, which are results,
// are empty already.
extern "C" __global__ void __launch_bounds__(blockThreads) paths_start(u32 root) {
	for (u64 v = firstThread(); v < g.vertices; v += allThreads())
		if (!isOwn(v)) g.distances[v] = v == root ? 0 : unreached;
	if (firstThread() > 0 || !isOwn(root)) return;
	g.distances[root] = 0;
	g.parents[root] = root;
	g.log[0] = root;
	g.counts->logged = 1;
}

// paths_open begins rounds, with the queue that is left from the last ones. One thread.
extern "C" __global__ void paths_open(u32 newBound) {
	PathCounts &c = *g.counts;
	c.queued[0] = c.queued[localRounds];
	for (u32 k = 1; k <= localRounds; k++) c.queued[k] = 0;
	c.before = c.logged;
	c.examined = 0;
	c.outgoing = c.found = c.asked = c.decided = 0;
	if (newBound) c.next = infinite;
}

// paths_push is a round: it relaxes the arcs that end at from or above, and below to, from the
// queued vertices, or from all reached ones, with distances below hi. A block takes some vertices
// and shares their arcs among its threads.
extern "C" __global__ void __launch_bounds__(blockThreads) paths_push(u32 fromLog, u32 round, u32 hi, u32 from, u32 to) {
	using Scan = cub::BlockScan<u64, blockThreads>;
	__shared__ Scan::TempStorage storage;
	__shared__ u64 starts[blockThreads], before[blockThreads]; // of the arcs, and arcs of the vertices before
	__shared__ u32 labels[blockThreads], distances[blockThreads];
	const u32 tid = threadIdx.x, lane = tid & 31;
	const u32 *list = fromLog ? g.log : g.queues[round & 1];
	const u32 count = fromLog ? g.counts->before : g.counts->queued[round];
	u32 *queue = g.queues[(round + 1) & 1], *length = &g.counts->queued[round + 1];
	const u32 each = min(blockThreads, (count + gridDim.x - 1) / gridDim.x); // so that all blocks have some
	u32 next = __ldcg(&g.counts->next);
	u64 examined = 0;
	for (u64 base = u64(blockIdx.x) * each; base < count; base += u64(gridDim.x) * each) {
		u32 v = 0, distance = none, begin = 0, end = 0;
		Range row{};
		if (tid < each && base + tid < count) {
			v = list[base + tid];
			distance = fromLog ? __ldcg(g.distances + v) : take(v);
		}
		if (distance < hi) {
			const u64 number = construct::rowNumber(g.index[v >> 5], v);
			const uint4 head = g.heads[number];
			row = rangeOf(number);
			begin = from <= distance ? 0 : reaches(row, head, 0, distance, from);
			end = reaches(row, head, begin, distance, to);
			findNext(row, head, end, distance, next);
		} else {
			next = min(next, distance);
		}
		u64 sum, arcs;
		Scan(storage).ExclusiveSum(u64(end - begin), sum, arcs);
		starts[tid] = row.start + begin, before[tid] = sum, labels[tid] = v, distances[tid] = distance;
		__syncthreads();
		for (u64 arc = tid; arc - lane < arcs; arc += blockThreads) {
			u32 at = 0;
			uint2 x{};
			if (arc < arcs) {
				for (u32 step = blockThreads / 2; step; step /= 2) // the last vertex whose arcs begin at or before arc
					if (before[at + step] <= arc) at += step;
				x = g.arcs[starts[at] + (arc - before[at])];
				examined++;
			}
			relax(arc < arcs, x.x, add(distances[at], x.y), labels[at], queue, length);
		}
		__syncthreads();
	}
	lowerNext(next);
	addUp(examined, &g.counts->examined);
}

// paths_list lists the reached vertices below the bound for the other devices.
extern "C" __global__ void __launch_bounds__(blockThreads) paths_list(u32 bound) {
	const u32 lane = threadIdx.x & 31, count = g.counts->before;
	for (u64 i = firstThread(); i - lane < count; i += allThreads()) {
		const u32 v = i < count ? g.log[i] : 0;
		const bool on = i < count && __ldcg(g.distances + v) < bound;
		const u32 at = append(on, &g.counts->outgoing);
		if (on) g.outgoing[at] = v;
	}
}

// paths_pack writes count entries of the list for the others, from number first on, to the
// buffer, from index at on.
extern "C" __global__ void __launch_bounds__(blockThreads) paths_pack(u64 first, u64 count, u64 at) {
	for (u64 i = firstThread(); i < count; i += allThreads()) {
		const u32 v = g.outgoing[first + i];
		u64 pair = u64(__ldcg(g.distances + v)) << 32 | none;
		if (!isOwn(v)) {
			pair = g.pairs[v];
			g.pairs[v] = noPair;
		}
		g.buffer[at + i] = Improvement{v, u32(pair), u32(pair >> 32)};
	}
}

// paths_take takes count entries of all devices from the buffer, after pushes or after a sweep of
// the tail, from number 1 on. If the exchange failed, they are any: those of no vertex are left
// out, and the host ends the search.
extern "C" __global__ void __launch_bounds__(blockThreads) paths_take(u64 count, u32 sweep) {
	const u32 lane = threadIdx.x & 31;
	for (u64 i = firstThread(); i - lane < count; i += allThreads()) {
		const Improvement x = i < count ? g.buffer[i] : Improvement{none, none, infinite};
		const bool on = x.vertex < g.vertices && x.distance < infinite;
		if (on && !isOwn(x.vertex) && x.distance < __ldcg(g.distances + x.vertex)) {
			atomicMin(g.distances + x.vertex, x.distance);
			if (sweep > 0) mark(sweep, x.vertex);
		}
		relax(on && isOwn(x.vertex) && hasRow(x.vertex), x.vertex, x.distance, x.parent, g.queues[0], &g.counts->queued[localRounds]);
	}
}

// paths_degrees adds up the degrees of the reached vertices below the bound, by the ranges of
// their distances.
extern "C" __global__ void __launch_bounds__(blockThreads) paths_degrees(u32 bound, u32 firstBucket) {
	const u32 count = g.counts->logged;
	for (u64 i = firstThread(); i < count; i += allThreads()) {
		const u32 v = g.log[i], distance = __ldcg(g.distances + v);
		if (distance >= bound) continue;
		const Range row = rangeOf(construct::rowNumber(g.index[v >> 5], v));
		atomicAdd(g.degrees + bucketOf(distance, firstBucket), u64(row.degree));
	}
}

// paths_sample counts, in a sample of the rows, the vertices at the bound or above it, and those
// of them with a source below the bound at their first two arcs.
extern "C" __global__ void __launch_bounds__(blockThreads) paths_sample(u32 bound) {
	const u32 words = (g.endLabel + 31) / 32, lane = threadIdx.x & 31;
	u32 asked = 0, decided = 0;
	for (u64 w = g.firstLabel / 32 + firstThread() * g.sampleStride; w < words; w += allThreads() * g.sampleStride) {
		const u64 word = g.index[w];
		if (u32(word) == 0 || __ldcg(g.distances + 32 * w + __ffs(u32(word)) - 1) < bound) continue;
		const uint4 head = g.heads[word >> 32];
		asked++;
		decided += __ldcg(g.distances + head.x) < bound || __ldcg(g.distances + head.z) < bound;
	}
	asked = __reduce_add_sync(~0u, asked);
	decided = __reduce_add_sync(~0u, decided);
	if (lane == 0 && asked) atomicAdd(&g.counts->asked, asked);
	if (lane == 0 && decided) atomicAdd(&g.counts->decided, decided);
}

namespace {

// Pull is the pull of a vertex by a lane: it relaxes the vertex's own arcs, lightest first, as
// far as sources at distance least could improve the vertex. Sources below the bound are final.
struct Pull {
	u32 least, bound;
	const u32 *changed; // bitmap of the sources to look at; null: all
	u32 best, parent = none;  // parent is none as long as best is the old distance
	u32 lightest = infinite;  // weight of the lightest arc whose source may become nearer
	u32 examined = 0;

	__device__ bool looksAt(u32 from) const { return changed == nullptr || __ldcg(changed + (from >> 5)) >> (from & 31) & 1; }

	// examine relaxes an arc. It returns false if neither this arc nor a heavier one can improve
	// the vertex.
	__device__ bool examine(u32 from, u32 weight) {
		if (add(least, weight) >= best) return false;
		if (!looksAt(from)) return true;
		examined++;
		const u32 source = __ldcg(g.distances + from);
		if (source >= bound) lightest = min(lightest, weight);
		if (source < infinite && add(source, weight) < best) best = add(source, weight), parent = from;
		return true;
	}

	// examineRest relaxes the arcs behind the first ownArcs of the vertex of lane j, with all lanes.
	__device__ void examineRest(u32 j, const Range &range) {
		const u64 start = __shfl_sync(~0u, range.start, j);
		const u32 degree = __shfl_sync(~0u, range.degree, j), lane = threadIdx.x & 31;
		u32 nearest = __shfl_sync(~0u, best, j), from = none, weight = infinite;
		bool more = true;
		for (u32 base = ownArcs; more && base < degree; base += 32) {
			const uint2 arc = base + lane < degree ? g.arcs[start + base + lane] : make_uint2(0, infinite);
			more = __all_sync(~0u, add(least, arc.y) < nearest);
			const bool on = add(least, arc.y) < nearest && looksAt(arc.x);
			examined += on;
			const u32 source = on ? __ldcg(g.distances + arc.x) : infinite;
			weight = min(weight, __reduce_min_sync(~0u, on && source >= bound ? arc.y : infinite));
			const u32 t = source < infinite ? add(source, arc.y) : infinite, lowest = __reduce_min_sync(~0u, t);
			if (lowest >= nearest) continue;
			nearest = lowest;
			from = __shfl_sync(~0u, arc.x, __ffs(__ballot_sync(~0u, t == lowest)) - 1);
		}
		if (lane != j) return;
		lightest = min(lightest, weight);
		if (from != none) best = nearest, parent = from;
	}

	// isOpen returns whether an arc that was examined could still improve the vertex, once its
	// source is nearer.
	__device__ bool isOpen() const { return add(bound, lightest) < best; }
};

} // namespace

// paths_pull pulls all vertices of the device at the bound or above it, and lists those that are
// open; or it is a sweep of the tail, from number 1 on: it pulls these again and lists those that
// became nearer for the other devices.
extern "C" __global__ void __launch_bounds__(blockThreads) paths_pull(u32 sweep, u32 least, u32 bound) {
	const bool again = sweep > 0;
	const u32 lane = threadIdx.x & 31, count = again ? g.counts->open : g.endLabel - g.firstLabel;
	u64 examined = 0;
	u32 found = 0;
	for (u64 i = firstThread(); i - lane < count; i += allThreads()) {
		const u32 v = i >= count ? g.firstLabel : again ? g.queues[1][i] : g.firstLabel + u32(i);
		const u32 distance = __ldcg(g.distances + v);
		const bool on = i < count && hasRow(v) && distance >= bound;
		Pull pull{least, bound, changedIn(sweep), min(distance, infinite)};
		Range range{};
		if (on) {
			const u64 row = construct::rowNumber(g.index[v >> 5], v);
			const uint4 head = g.heads[row];
			bool more = pull.examine(head.x, head.y) && pull.examine(head.z, head.w);
			if (more) range = rangeOf(row);
			for (u32 k = 2; more && k < min(range.degree, ownArcs); k++) more = pull.examine(g.arcs[range.start + k].x, g.arcs[range.start + k].y);
			if (!more) range = Range{};
		}
		for (u32 rest = __ballot_sync(~0u, range.degree > ownArcs); rest; rest &= rest - 1) pull.examineRest(__ffs(rest) - 1, range);
		const bool isNearer = pull.parent != none;
		if (isNearer) {
			g.distances[v] = pull.best;
			g.parents[v] = pull.parent;
			found++;
			if (again) mark(sweep, v);
		}
		const bool listed = again ? isNearer : on && pull.isOpen();
		const u32 at = append(listed, again ? &g.counts->outgoing : &g.counts->open);
		if (listed) (again ? g.outgoing : g.queues[1])[at] = v;
		examined += pull.examined;
	}
	found = __reduce_add_sync(~0u, found);
	if (lane == 0 && found) atomicAdd(&g.counts->found, found);
	addUp(examined, &g.counts->examined);
}

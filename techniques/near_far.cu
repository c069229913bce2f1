// near-far: a pile below a splitting distance, and one above (Davidson, Baxter, Garland and
// Owens, "Work-efficient parallel GPU methods for single-source shortest paths", IPDPS
// 2014).
//
// What it does: rounds as in bellman-ford, but only over vertices with a distance below a
// split (the near pile). A vertex that gets a distance above goes to the far pile. When no
// vertex is near, the split rises by delta and the far pile is compacted: vertices below the
// new split become near, vertices that an improvement has made near since are dropped. If
// none is below, the split rises at once beyond the least distance in the pile. It is
// delta-stepping with two buckets and without the distinction of light and heavy arcs.
//
// What it costs: far fewer arcs than bellman-ford, because most distances are final when
// their vertices are relaxed; more rounds, and for each rise of the split a pass over the
// far pile. A small delta is near to the order of Dijkstra, a large one to bellman-ford.
//
// Bottleneck: rounds with few vertices, which cost two launches and a transfer to the host
// whatever their size.
#include "paths.cuh"

// near_far_relax relaxes the arcs number begin..end-1 of a queue of count vertices. logged
// must be zero.
extern "C" __global__ void near_far_relax(const WeightedRow *rows, const Arc *arcs, u32 *distances, u8 *marks,
	u32 *vertices, u64 *firsts, u32 count, u64 begin, u64 end, Improvement *log, u32 *logged) {
	relaxPortion(arcs, distances, marks, queued, Queue{vertices, firsts, 0}, count, begin, end, Log{log, logged},
		[=](u32 u) { return startOf(rows[u]); });
}

// put puts v, whose distance has these bits, into the near queue or the far pile, unless it
// is there, for each lane with on.
__device__ static void put(bool on, u32 v, u32 bits, const WeightedRow *rows, u8 *marks, const Queue &near, Tally *tally,
	u32 split, u32 *far, u32 base) {
	const bool below = bits < split;
	const u8 mark = on ? marks[v] : 0;
	if (on)
		marks[v] = below ? queued : later;
	const bool toNear = on && below && !(mark & queued), toFar = on && !below && !(mark & later);
	append(near, &tally->next, toNear, v, toNear ? rows[v].degree : 0);
	appendLater(far, base, tally, toFar, v);
}

// near_far_resolve writes the parents of the logged vertices and puts the vertices into the
// near queue or the far pile, which has base entries.
extern "C" __global__ void near_far_resolve(const WeightedRow *rows, const u32 *distances, u32 *parents, u8 *marks,
	Improvement *log, u32 *logged, u32 *vertices, u64 *firsts, Tally *tally, u32 split, u32 *far, u32 base) {
	resolveLog(Log{log, logged}, distances, parents, tally, [=](bool on, u32 v, u32 bits) {
		put(on, v, bits, rows, marks, Queue{vertices, firsts, 0}, tally, split, far, base);
	});
}

// near_far_collect distributes the count vertices of the far pile over the near queue and
// the next far pile, which is empty.
extern "C" __global__ void near_far_collect(const WeightedRow *rows, const u32 *distances, u8 *marks, const u32 *far,
	u32 count, u32 *vertices, u64 *firsts, Tally *tally, u32 split, u32 *nextFar) {
	collectPile(far, count, distances, marks, split, tally, [=](bool on, u32 v, u32 bits) {
		put(on, v, bits, rows, marks, Queue{vertices, firsts, 0}, tally, split, nextFar, 0);
	});
}

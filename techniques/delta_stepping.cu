// delta-stepping: buckets of width delta, light arcs before heavy ones (Meyer and Sanders,
// "Delta-stepping: a parallelizable shortest path algorithm", J. Algorithms 49, 2003).
//
// What it does: the buckets of width delta are settled one after the other. Rounds relax the
// light arcs, of a weight below delta, of the vertices in the bucket whose distance became
// smaller, until none does: only light arcs lead to a vertex of the same bucket. The heavy
// arcs of all vertices that were in the bucket follow once, when the distances are final. A
// row is in the order of the weights, so its light arcs are a prefix. All buckets beyond the
// current one share a pile, from which each is collected when its turn comes, because
// vertices change their buckets. A bucket that turns out to be empty is skipped together
// with all up to that of the least distance in the pile.
//
// What it costs: fewer arcs than near-far, since a vertex that is relaxed several times
// repeats its light arcs only; in exchange a round of heavy arcs per bucket, and a search of
// the prefix of each row when the search is prepared.
//
// Bottleneck: rounds with few vertices, as for near-far. With the weights of the Graph500
// most heavy arcs are examined in vain, too.
#include "paths.cuh"

// delta_stepping_split stores the number of light arcs of each row, one thread per row.
extern "C" __global__ void delta_stepping_split(const WeightedRow *rows, u32 count, const Arc *arcs, float delta, u32 *light) {
	const u64 i = thread();
	if (i >= count)
		return;
	const Arc *row = arcs + startOf(rows[i]);
	u32 low = 0, high = rows[i].degree;
	while (low < high) {
		const u32 middle = low + (high - low) / 2;
		if (row[middle].weight < delta)
			low = middle + 1;
		else
			high = middle;
	}
	light[i] = low;
}

// The next two kernels relax the arcs number begin..end-1 of a queue of count vertices.
// logged must be zero.

extern "C" __global__ void delta_stepping_light(const WeightedRow *rows, const Arc *arcs, u32 *distances, u8 *marks,
	u32 *vertices, u64 *firsts, u32 count, u64 begin, u64 end, Improvement *log, u32 *logged) {
	relaxPortion(arcs, distances, marks, queued, Queue{vertices, firsts, 0}, count, begin, end, Log{log, logged},
		[=](u32 u) { return startOf(rows[u]); });
}

extern "C" __global__ void delta_stepping_heavy(const WeightedRow *rows, const Arc *arcs, u32 *distances, u8 *marks,
	u32 *vertices, u64 *firsts, u32 count, u64 begin, u64 end, Improvement *log, u32 *logged, const u32 *light) {
	relaxPortion(arcs, distances, marks, settled, Queue{vertices, firsts, 0}, count, begin, end, Log{log, logged},
		[=](u32 u) { return startOf(rows[u]) + light[u]; });
}

// Buckets has the arguments that say where a vertex belongs: into the queue of the bucket if
// it has light arcs, into that of the settled vertices if it has heavy ones, or into the
// pile if its distance is bound or more.
struct Buckets {
	const WeightedRow *rows;
	const u32 *light;
	u8 *marks;
	Queue next, settled;
	Tally *tally;
	u32 bound;
	u32 *pile;
	u32 base; // length of the pile

	// put puts v, whose distance has these bits, where it belongs unless it is there, for each
	// lane with on.
	__device__ void put(bool on, u32 v, u32 bits) const {
		const bool inside = on && bits < bound, outside = on && !inside;
		const u32 lightArcs = inside ? light[v] : 0;
		const u32 heavyArcs = inside ? rows[v].degree - lightArcs : 0;
		const u8 mark = on ? marks[v] : 0;
		if (inside)
			marks[v] = (mark & ~later) | (lightArcs ? queued : 0) | (heavyArcs ? ::settled : 0);
		if (outside)
			marks[v] = mark | later;
		append(next, &tally->next, lightArcs && !(mark & queued), v, lightArcs);
		append(settled, &tally->settled, heavyArcs && !(mark & ::settled), v, heavyArcs);
		appendLater(pile, base, tally, outside && !(mark & later), v);
	}
};

// delta_stepping_resolve writes the parents of the logged vertices and puts the vertices
// where they belong.
extern "C" __global__ void delta_stepping_resolve(const WeightedRow *rows, const u32 *distances, u32 *parents,
	u8 *marks, Improvement *log, u32 *logged, u32 *vertices, u64 *firsts, Tally *tally, u32 bound, u32 *pile,
	u32 base, const u32 *light, u32 *settledVertices, u64 *settledFirsts, u64 settledLength) {
	const Buckets to = {rows, light, marks, Queue{vertices, firsts, 0}, Queue{settledVertices, settledFirsts, settledLength},
		tally, bound, pile, base};
	resolveLog(Log{log, logged}, distances, parents, tally, [=](bool on, u32 v, u32 bits) { to.put(on, v, bits); });
}

// delta_stepping_collect distributes the count vertices of the pile over the queues of the
// bucket, which are empty, and the next pile, which is, too.
extern "C" __global__ void delta_stepping_collect(const WeightedRow *rows, const u32 *distances, u8 *marks, const u32 *pile,
	u32 count, u32 *vertices, u64 *firsts, Tally *tally, u32 bound, u32 *nextPile, const u32 *light,
	u32 *settledVertices, u64 *settledFirsts) {
	const Buckets to = {rows, light, marks, Queue{vertices, firsts, 0}, Queue{settledVertices, settledFirsts, 0},
		tally, bound, nextPile, 0};
	collectPile(pile, count, distances, marks, bound, tally, [=](bool on, u32 v, u32 bits) { to.put(on, v, bits); });
}

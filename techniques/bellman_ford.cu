// bellman-ford: rounds over a queue of changed vertices (Bellman 1958; on a GPU: Harish and
// Narayanan 2007; with a queue: workfront sweep, Davidson et al. 2014).
//
// What it does: a round relaxes all arcs of the vertices whose distance became smaller in
// the round before, with an atomic minimum on the distance of the end. Vertices with a new
// distance are the next queue. The search ends with an empty queue.
//
// What it costs: one round per arc of the longest least path, few for a Kronecker graph. But
// a vertex is relaxed again whenever its distance becomes smaller, which happens several
// times: first paths have few arcs, shorter ones have more.
//
// Bottleneck: arcs examined in vain. With the weights of the Graph500 they are a multiple of
// the arcs of the graph, and each is an access to a distance: most to those of the vertices
// of high degree, which are side by side, the others at random places.
#include "paths.cuh"

// bellman_ford_relax relaxes the arcs number begin..end-1 of a queue of count vertices.
// logged must be zero.
extern "C" __global__ void bellman_ford_relax(const WeightedRow *rows, const Arc *arcs, u32 *distances, u8 *marks,
	u32 *vertices, u64 *firsts, u32 count, u64 begin, u64 end, Improvement *log, u32 *logged) {
	relaxPortion(arcs, distances, marks, queued, Queue{vertices, firsts, 0}, count, begin, end, Log{log, logged},
		[=](u32 u) { return startOf(rows[u]); });
}

// bellman_ford_resolve writes the parents of the logged vertices and appends the vertices to
// the next queue.
extern "C" __global__ void bellman_ford_resolve(const WeightedRow *rows, const u32 *distances, u32 *parents, u8 *marks,
	Improvement *log, u32 *logged, u32 *vertices, u64 *firsts, Tally *tally) {
	const Queue next = {vertices, firsts, 0};
	resolveLog(Log{log, logged}, distances, parents, tally, [=](bool on, u32 v, u32) {
		on = on && !(marks[v] & queued);
		if (on)
			marks[v] |= queued;
		append(next, &tally->next, on, v, on ? rows[v].degree : 0);
	});
}

// Helpers of the techniques for shortest paths: queues of vertices whose arcs are numbered,
// rounds that relax them, and the log of improvements from which parents and the next queue
// follow.
//
// In a search the number of its row stands for a vertex, as in the arcs, and all working
// arrays are by row. Only the root comes as a label, and the results are by label.
//
// Distances are compared as their bits: for numbers of 0 or more the order is the same, and
// none, the distance of unreached vertices, is above the bits of every distance.
#pragma once
#include "technique.cuh"

// Marks of a vertex. A round changes the mark of a vertex in one thread only, so that no
// atomics are needed.
constexpr u8 queued = 1;  // in the queue of the current or of the next round
constexpr u8 later = 2;   // in the pile of vertices beyond the bound
constexpr u8 settled = 4; // in the queue of vertices whose heavy arcs follow

// Improvement is an entry of the log: an arc from parent gave vertex a smaller distance.
struct Improvement {
	u32 vertex, parent;
	u32 bits; // of the distance
};

// Tally is the result of the kernels of a round. Lengths are those of the appended parts.
// The length of a queue has the number of vertices in the low lengthBits bits and the
// number of arcs above. Queues have fewer than 2^lengthBits vertices, because a root never
// returns to one.
struct Tally {
	u64 next;     // length of the queue of the next round
	u64 settled;  // length of the queue of settled vertices
	u32 later;    // length of the pile
	u32 least;    // complement of the least distance in the pile, of a collection
	u32 improved; // vertices with a smaller distance
	u32 unused;
};
constexpr u32 lengthBits = 30;

// Log is the log of a portion of a round.
struct Log {
	Improvement *entries;
	u32 *length;
};

// Queue is a queue of vertices, each with a part of its row. firsts has the number of the
// first arc of each vertex: the arcs of all parts are numbered in the order of the queue.
// Each part has at least one arc. base is the length before the current round.
struct Queue {
	u32 *vertices;
	u64 *firsts;
	u64 base;
};

// startOf returns the offset of a row in the arcs: the low 40 bits of its start.
__device__ inline u64 startOf(const WeightedRow &row) { return row.start & ((1ull << 40) - 1); }

// place returns the position of the lane's entry among those of the lanes with on, after
// the entries that *length counts. All lanes of the warp must call it.
__device__ inline u32 place(u32 *length, bool on) {
	const u32 lane = threadIdx.x % 32, lanes = __ballot_sync(~0u, on);
	u32 first = 0;
	if (lane == 0 && lanes)
		first = reserve(length, __popc(lanes));
	return __shfl_sync(~0u, first, 0) + __popc(lanes & ((1u << lane) - 1));
}

// append appends vertex v with the given number of arcs to a queue, for each lane with on.
// All lanes of the warp must call it. Positions and numbers of arcs come from one atomic, so
// both ascend together.
__device__ inline void append(const Queue &to, u64 *length, bool on, u32 v, u32 arcs) {
	const u32 lane = threadIdx.x % 32, lanes = __ballot_sync(~0u, on);
	if (!lanes)
		return;
	const u64 own = on ? (u64)arcs << lengthBits | 1 : 0;
	u64 sum = own;
	for (u32 d = 1; d < 32; d *= 2) {
		const u64 before = __shfl_up_sync(~0u, sum, d);
		if (lane >= d)
			sum += before;
	}
	u64 first = 0;
	if (lane == 31)
		first = to.base + atomicAdd(length, sum);
	first = __shfl_sync(~0u, first, 31) + sum - own;
	if (on) {
		const u64 at = first & ((1ull << lengthBits) - 1);
		to.vertices[at] = v;
		to.firsts[at] = first >> lengthBits;
	}
}

// find returns the last of the positions low..high of a queue whose first arc has at most
// number arc. The first arc of position low has.
__device__ inline u32 find(const u64 *firsts, u32 low, u32 high, u64 arc) {
	while (low < high) {
		const u32 middle = low + (high - low + 1) / 2;
		if (firsts[middle] <= arc)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

// relax relaxes the arc from u and returns whether the distance of its end became smaller,
// and then the entry for the log. Of several equal distances only the first is smaller. The
// test before the atomic costs less than an atomic in vain.
__device__ inline bool relax(u32 *distances, u32 u, const Arc &arc, Improvement &better) {
	examined(1);
	const float sum = __fadd_rn(__uint_as_float(__ldcg(distances + u)), arc.weight);
	better = Improvement{arc.to, u, __float_as_uint(sum)};
	return better.bits < __ldcg(distances + arc.to) && better.bits < atomicMin(distances + arc.to, better.bits);
}

// relaxPortion relaxes the arcs number begin..end-1 of a queue of count vertices and logs
// the improvements. start returns the offset of the part of a vertex's row in arcs. The
// thread with the first arc of a vertex clears its mark: an improvement from now on puts it
// into a queue again.
//
// Each warp processes an equal range of the arcs, 32 at a time, whatever the rows to which
// they belong (edge partitioning, Davidson et al. 2014). A binary search in the queue
// finds the vertex of the first arc; since each vertex has an arc or more, the vertex of the
// arc of each lane is among the next 32 or 33.
template <typename Start>
__device__ void relaxPortion(const Arc *arcs, u32 *distances, u8 *marks, u8 mark, const Queue &queue, u32 count, u64 begin,
	u64 end, const Log &log, Start start) {
	const u32 lane = threadIdx.x % 32;
	const u64 warps = (u64)gridDim.x * (blockDim.x / 32);
	const u64 share = (end - begin + 32 * warps - 1) / (32 * warps) * 32;
	const u64 low = begin + thread() / 32 * share, high = low + share < end ? low + share : end;
	if (low >= high)
		return;
	u32 item = find(queue.firsts, 0, count - 1, low);
	for (u64 at = low; at < high; at += 32) {
		const u64 k = at + lane;
		Improvement better;
		bool found = false;
		if (k < high) {
			item = find(queue.firsts, item, item + lane + 1 < count ? item + lane + 1 : count - 1, k);
			const u32 u = queue.vertices[item];
			const u64 first = queue.firsts[item];
			if (k == first)
				marks[u] &= ~mark;
			found = relax(distances, u, arcs[start(u) + (k - first)], better);
		}
		const u32 position = place(log.length, found);
		if (found)
			log.entries[position] = better;
		item = __shfl_sync(~0u, item, 31);
	}
}

// resolveLog writes the parents of the logged vertices and calls to(on, v, bits) in all
// lanes of a warp, with on for a vertex that must be relaxed. An entry counts only if its
// distance is still that of the vertex. There is exactly one such entry for each vertex,
// since only smaller distances are logged: the last improvement names the parent, and with
// weights that change no distance parents make no cycle either.
template <typename To>
__device__ void resolveLog(const Log &log, const u32 *distances, u32 *parents, Tally *tally, To to) {
	const u32 lane = threadIdx.x % 32, length = *log.length;
	for (u64 at = thread() - lane; at < length; at += (u64)gridDim.x * blockDim.x) {
		Improvement entry = {};
		bool on = false;
		if (at + lane < length) {
			entry = log.entries[at + lane];
			on = distances[entry.vertex] == entry.bits;
		}
		if (on)
			parents[entry.vertex] = entry.parent;
		place(&tally->improved, on);
		to(on, entry.vertex, entry.bits);
	}
}

// collectPile takes count vertices from a pile and calls to(on, v, bits) for them, which
// sorts them by a larger bound: into a queue, or into the next pile. A vertex that has left
// the pile by an improvement since has no mark. The least distance in the next pile is
// stored.
template <typename To>
__device__ void collectPile(const u32 *pile, u32 count, const u32 *distances, u8 *marks, u32 bound, Tally *tally, To to) {
	const u32 lane = threadIdx.x % 32;
	for (u64 at = thread() - lane; at < count; at += (u64)gridDim.x * blockDim.x) {
		u32 v = 0, bits = none;
		bool on = false;
		if (at + lane < count) {
			v = pile[at + lane];
			on = marks[v] & later;
		}
		if (on) {
			bits = distances[v];
			marks[v] &= ~later;
		}
		to(on, v, bits);
		const u32 least = __reduce_min_sync(~0u, bits < bound ? none : bits);
		if (lane == 0 && least != none)
			atomicMax(&tally->least, ~least);
	}
}

// appendLater appends v to the pile of vertices beyond the bound for each lane with on. All
// lanes of the warp must call it.
__device__ inline void appendLater(u32 *pile, u32 base, Tally *tally, bool on, u32 v) {
	const u32 position = base + place(&tally->later, on);
	if (on)
		pile[position] = v;
}

// paths_start gives the root, a label, its distance and logs it as its own parent. A third
// is a weight and the number of a row. One thread.
extern "C" __global__ void paths_start(const u64 *index, const uint2 *thirds, u32 *distances, Improvement *log, u32 *logged,
	u32 label) {
	const u32 root = rowOf(index, thirds, label).y;
	distances[root] = 0;
	log[0] = Improvement{root, root, 0};
	*logged = 1;
}

// paths_results writes the distances and parents of the reached vertices by label. One
// thread for each of count rows.
extern "C" __global__ void paths_results(const u32 *labels, u32 count, const u32 *distances, const u32 *parents,
	u32 *distancesByLabel, u32 *parentsByLabel) {
	const u64 v = thread();
	if (v >= count || distances[v] == none)
		return;
	distancesByLabel[labels[v]] = distances[v];
	parentsByLabel[labels[v]] = labels[parents[v]];
}

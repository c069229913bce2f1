// The pull of the hubs, the rows of the highest degrees, before that of all other rows. Most
// arcs lead to them, so most arcs of the other rows then come from rows whose distances are
// final.
#pragma once
#include "pull.cuh"

constexpr int hubArcs = 4; // arcs of a hub that a lane relaxes at a time

// HubPull relaxes the arcs of the hubs, lightest first. A kept arc has the rows of its ends
// here: to, from, weight, and the distance of from when the tail relaxed it the last time, or noRow.
struct HubPull {
	u32 bound; // bits
	u32 least; // bits: all arcs from rows below it are relaxed already
	Kept &kept;
	u32 examined = 0;

	// all pulls for all hubs, one per lane. All threads of all blocks must call it.
	__device__ void all() {
		const u32 step = gridDim.x * THREADS, n = ownHubs();
		u32 i = blockIdx.x * THREADS + threadIdx.x;
		Hub next = load(i < n, ownRow(i));
		for (; i < n; i += step) {
			const Hub hub = next;
			next = load(i + step < n, ownRow(i + step)); // in flight meanwhile
			pull(ownRow(i), hub);
		}
	}

private:
	struct Hub {
		u64 entry; // in g.best
		RowOf row;
	};

	__device__ Hub load(bool on, u32 row) const {
		return Hub{loadIf(on, g.best + row, 0), loadRow(on, row)};
	}

	struct Reached {
		u32 best, parent;
		u32 waiting; // bits of arcs that are kept if they could lead to less than the least distance
		u32 kept;    // arcs
		bool isOpen;
	};

	// pull relaxes the arcs of a hub. All lanes of the warp must call it.
	__device__ void pull(u32 row, const Hub &hub) {
		Reached v{min(u32(hub.entry >> 32), infinite), u32(hub.entry), 0, 0, false};
		const bool pulls = v.best >= bound;
		const Arcs arcs{hub.row.start};
		const uint2 first = make_uint2(hub.row.head.x, hub.row.head.y), second = make_uint2(hub.row.head.z, hub.row.head.w);
		bool on = pulls && asks(first.y, v.best);
		// Most arcs come from final rows, so the first arc is expected to end below this limit.
		const u32 limit = add(bound, __uint_as_float(first.y));
		const u32 one = loadIf(on, sourceDistance(first.x), noRow);
		arcs.prefetchIf(on && hub.row.degree > 2 && asks(hub.row.third, min(v.best, limit)), 2); // for others
		u32 two = loadIf(on && asks(second.y, min(v.best, limit)), sourceDistance(second.x), noRow);
		const bool isLoaded = asks(second.y, min(v.best, limit));
		relax(on, row, 0, first, one, v);
		on = on && asks(second.y, v.best);
		two = loadIf(on && !isLoaded, sourceDistance(second.x), two);
		relax(on, row, 1, second, two, v);
		on = on && hub.row.degree > 2 && asks(hub.row.third, v.best);
		if (__any_sync(~0u, on))
			others(on, row, arcs, hub.row.degree, v);
		while (__any_sync(~0u, v.waiting)) {
			const u32 i = v.waiting ? __ffs(v.waiting) - 1 : 0;
			const uint2 arc = arcs.cachedIf(i > 1, i, i == 0 ? first : second);
			keep(v.waiting, row, arc, v);
			v.waiting &= v.waiting - 1;
		}
		if (pulls && v.best < infinite)
			g.best[row] = u64(v.best) << 32 | v.parent;
		if (several)
			__syncwarp(); // whole lines are written
		tellHub(row, v.best | (v.kept > 0 ? openHub : 0));
		if (v.kept > 0)
			markTarget(row, v.kept);
		if (v.isOpen)
			markOpen(row);
	}

	// others relaxes the arcs of a hub behind the first two. All lanes of the warp must call it.
	__device__ void others(bool on, u32 row, const Arcs &arcs, u32 degree, Reached &v) {
		for (u32 at = 2; __any_sync(~0u, on); at += hubArcs) {
			uint2 arc[hubArcs];
			u32 distance[hubArcs];
#pragma unroll
			for (int k = 0; k < hubArcs; k++)
				arc[k] = arcs.cachedIf(on && at + k < degree, u64(at) + k, make_uint2(0, infinite));
#pragma unroll
			for (int k = 0; k < hubArcs; k++)
				distance[k] = loadIf(on && asks(arc[k].y, v.best), sourceDistance(arc[k].x), noRow);
#pragma unroll
			for (int k = 0; k < hubArcs; k++) {
				on = on && asks(arc[k].y, v.best);
				relax(on, row, at + k, arc[k], distance[k], v);
			}
		}
	}

	// asks reports whether an arc with that weight could end below a distance.
	__device__ bool asks(u32 weight, u32 distance) const { return add(least, __uint_as_float(weight)) < distance; }

	// relax relaxes arc number i, from a row with the given distance. If that may become smaller, the
	// arc is kept too. All lanes of the warp must call it.
	__device__ void relax(bool on, u32 row, u32 i, uint2 arc, u32 distance, Reached &v) {
		const float weight = __uint_as_float(arc.y);
		const bool isFinal = distance < (arc.x < g.hubs ? openHub : bound);
		// The owner of a row may not have this device's distance at the bound or above it.
		const bool isKnown = isFinal || arc.x < g.hubs || isOwn(arc.x);
		const u32 t = add(isKnown ? distance & ~openHub : noRow, weight); // not a number, above infinite, if there is no distance
		examined += on;
		if (on && t < v.best) {
			v.best = t;
			v.parent = arc.x;
		}
		const bool may = on && !isFinal && add(bound, weight) < v.best;
		if (may && i < 32)
			v.waiting |= 1u << i;
		prefetchIf(may && arc.x >= g.hubs, g.rows + 2 * u64(arc.x)); // for keep
		const bool now = may && i >= 32;
		if (__any_sync(~0u, now))
			keep(now, row, arc, v);
	}

	// keep keeps an arc from a row that is not final, if it could lead to less than the least
	// distance. All lanes of the warp must call it.
	__device__ void keep(bool on, u32 row, uint2 arc, Reached &v) {
		const float weight = __uint_as_float(arc.y);
		on = on && add(bound, weight) < v.best;
		const bool isOther = on && arc.x >= g.hubs;
		if (__any_sync(~0u, isOther)) {
			// The path to the other row comes over one of its other arcs, or it is reached already.
			const uint4 head = loadIf(isOther, g.rows + 2 * u64(arc.x), uint4{});
			const u32 distance = loadIf(isOther, distanceOf(arc.x), noRow);
			const u32 over = add(least, __uint_as_float(head.x == row ? head.w : head.y));
			const bool isClose = add(max(bound, min(distance, over)), weight) < v.best;
			on = on && (!isOther || isClose);
			v.isOpen |= isOther && isClose;
		}
		v.kept += on;
		kept.append(on, make_uint4(row, arc.x, arc.y, noRow));
	}
};

// HubTail relaxes the kept arcs of hubs until none changes a distance, and finds the open
// hubs: those whose distance may still become smaller over an arc from a row that is no hub.
struct HubTail {
	u32 bound; // bits
	Kept &kept;
	u32 *spilled; // number of hubs that the block has appended to the list, or more (tellChanged), in shared memory
	u32 list = 0; // number of the list of changed hubs that the sweep writes
	bool tells = several; // the sweep writes the list
	u32 examined = 0;

	// first relaxes all kept arcs from hubs. It leaves those arcs in the list whose source may
	// change, and marks their ends in g.marks[2].
	__device__ bool first() {
		const u32 n = kept.length;
		bool any = false;
		kept.length = 0;
		for (u32 base = 0; base < n; base += 32) {
			uint4 arc = load(base, n);
			const bool on = base + (threadIdx.x & 31) < n, fromHub = on && arc.y < g.hubs;
			const u32 word = loadIf(fromHub, g.targets + arc.y / 16, 0), arcs = word >> 2 * (arc.y % 16) & 3;
			const u32 distance = hubDistance(fromHub, arc.y), before = hubDistance(fromHub, arc.x);
			any |= relax(isNews(fromHub, arc, distance), arc, distance, before);
			// A source with one kept arc, from the hub that this arc leads to, changes no more by
			// way of another row.
			const bool isMutual = arcs == 1 && add(bound, __uint_as_float(arc.z)) < distance;
			const bool stays = on && (!fromHub || arcs > 0 && !isMutual);
			if (stays)
				setBit(g.marks[2], arc.x);
			kept.append(stays, arc);
		}
		return any;
	}

	// again relaxes the kept arcs whose source has changed. The first time, it leaves only
	// those in the list that come from a row that is no hub or to whose source another one
	// leads.
	__device__ bool again(bool first) {
		const u32 n = kept.length;
		bool any = false;
		__syncwarp(); // the list is written
		if (first)
			kept.length = 0;
		for (u32 base = 0; base < n; base += 32) {
			uint4 arc = load(base, n);
			const u32 last = arc.w;
			const bool on = base + (threadIdx.x & 31) < n, fromHub = on && arc.y < g.hubs;
			const u32 distance = hubDistance(fromHub, arc.y);
			const u32 open = loadIf(fromHub, g.open + (arc.y >> 5), 0);
			const u32 staying = loadIf(fromHub && first, g.marks[2] + (arc.y >> 5), 0);
			const bool opens = open >> (arc.y & 31) & 1 && !isBit(g.open, arc.x) && matters(arc);
			if (opens)
				markOpen(arc.x);
			const bool isNew = isNews(fromHub, arc, distance);
			any |= relax(isNew, arc, distance, hubDistance(isNew, arc.x), opens) || opens;
			if (first)
				kept.append(on && (!fromHub || staying >> (arc.y & 31) & 1), arc);
			else if (arc.w != last)
				kept.list[base + (threadIdx.x & 31)] = arc;
		}
		return any;
	}

	// leave leaves the arcs in the list that the tail must relax, with labels.
	__device__ void leave() {
		const u32 n = kept.length;
		kept.length = 0;
		for (u32 base = 0; base < n; base += 32) {
			uint4 arc = load(base, n);
			const bool on = base + (threadIdx.x & 31) < n;
			const bool stays = on && (arc.y >= g.hubs || isBit(g.open, arc.y)) && matters(arc);
			if (stays)
				arc = make_uint4(__ldg(g.labels + arc.x), __ldg(g.labels + arc.y), arc.z, arc.y);
			kept.append(stays, arc);
		}
	}

private:
	__device__ static u32 hubDistance(bool on, u32 hub) { return loadIf(on, g.hubBest + hub, noRow) & ~openHub; }

	__device__ uint4 load(u32 base, u32 n) const {
		const u32 i = base + (threadIdx.x & 31);
		return loadIf(i < n, kept.list + i, uint4{});
	}

	// matters reports whether an arc from a row at the bound or above it can lower the
	// distance of its hub.
	__device__ bool matters(const uint4 &arc) const {
		return add(bound, __uint_as_float(arc.z)) < min(hubDistance(true, arc.x), infinite);
	}

	// isNews reports whether the distance of an arc's source has changed.
	__device__ static bool isNews(bool on, const uint4 &arc, u32 distance) { return on && distance < min(arc.w, infinite); }

	// relax relaxes, for a lane that is on, an arc from a hub at that distance, which has changed, to one with the distance
	// before. opens: its end has become open. No other warp has kept arcs to this hub. All lanes of the warp must call it.
	__device__ bool relax(bool on, uint4 &arc, u32 distance, u32 before, bool opens = false) {
		const u32 t = add(distance, __uint_as_float(arc.z));
		arc.w = on ? distance : arc.w;
		examined += on;
		bool won = on && t < before;
		if (__any_sync(~0u, won)) {
			won = isLeast(won, arc.x, t);
			if (won) {
				g.best[arc.x] = u64(t) << 32 | arc.y;
				g.hubBest[arc.x] = t | openHub;
			}
			__syncwarp(); // before the distance is loaded again
		}
		if (tells)
			tellChanged(list, won, opens, arc.x, t, spilled);
		return won;
	}
};

// lowerHub lowers the distance of a hub to t, if on, and returns whether it was larger.
__device__ inline bool lowerHub(bool on, u32 hub, u32 t, u32 parent) {
	const u64 old = minIf(on, g.best + hub, u64(t) << 32 | parent, 0);
	minIf(on, g.hubBest + hub, t | openHub, 0);
	return t < u32(old >> 32);
}

// pushHubs relaxes the arcs from the n changed hubs in a queue, 1 to mostPushed, and appends the hubs that it changes to the
// other queue: counted in *spilled, in shared memory. Arcs between hubs that are not kept lower nothing. It returns the
// number of arcs that the thread has examined. All threads of all blocks must call it. It is a function of its own, which
// leaves the pull its registers.
__device__ __noinline__ u32 pushHubs(u32 bound, u32 queue, u32 n, u32 *spilled) {
	const u32 each = gridDim.x * warps / n; // warps for a hub
	const u32 i = blockIdx.x * warps + threadIdx.x / 32, lane = threadIdx.x & 31;
	if (i >= n * each)
		return 0;
	const u32 hub = __ldcg(g.queues[queue] + i % n).x, distance = __ldcg(g.hubBest + hub) & ~openHub;
	const bool isOpen = isBit(g.open, hub);
	const RowOf row = loadRow(true, hub);
	const Arcs arcs{row.start};
	u32 examined = 0;
	for (u32 at = i / n * 32 * hubArcs; at < row.degree; at += each * 32 * hubArcs) {
		uint2 arc[hubArcs];
		u32 now[hubArcs];
#pragma unroll
		for (int k = 0; k < hubArcs; k++) {
			const u32 j = at + k * 32 + lane;
			arc[k] = arcs.cachedIf(j < row.degree, j, make_uint2(noRow, infinite));
		}
#pragma unroll
		for (int k = 0; k < hubArcs; k++)
			now[k] = min(loadIf(arc[k].x < g.hubs, g.hubBest + arc[k].x, 0) & ~openHub, infinite);
#pragma unroll
		for (int k = 0; k < hubArcs; k++) {
			const float weight = __uint_as_float(arc[k].y);
			const u32 t = add(distance, weight);
			const bool won = lowerHub(t < now[k], arc[k].x, t, hub);
			const bool opens = isOpen && add(bound, weight) < now[k] && !isBit(g.open, arc[k].x);
			if (opens)
				markOpen(arc[k].x);
			examined += now[k] > 0;
			tellChanged(queue ^ 1, won, opens, arc[k].x, t, spilled);
		}
	}
	return examined;
}

// The pull: every row that is not below the bound relaxes its arcs from rows below the
// bound, lightest first, until the lower bound of all other distances ends it. An arc from
// a row above the bound is kept if it could lead to less. Rows are taken in the order of the
// labels, so that the results are written one after the other.
#pragma once
#include "arcs.cuh"

constexpr u32 warps = THREADS / 32;
constexpr int openArcs = 4; // arcs of an open row that a lane relaxes at a time

// Open is a row with more arcs to relax, with the least distance so far.
struct Open {
	u32 label; // fromFirst: none of the arcs is relaxed yet, else the first two are
	u32 row;   // and above rowBits the number of its arcs that are kept
	u32 best;
	static constexpr u32 fromFirst = 1u << 31, rowBits = 30;
};

struct PullShared {
	Open open[warps][64]; // by warp
};

// Kept is the list of a warp's kept arcs. All kept arcs to a row are in one list, because
// one warp relaxes all arcs of the row. They must stay there: so only that warp changes the row's results later.
struct Kept {
	uint4 *list;
	u32 length; // or more than g.keptCapacity

	// append appends an arc of each lane that is on. All lanes of the warp must call it.
	__device__ void append(bool on, const uint4 &arc) {
		const u32 all = __ballot_sync(~0u, on), at = length + __popc(all & ((1u << (threadIdx.x & 31)) - 1));
		if (on && at < g.keptCapacity)
			list[at] = arc;
		length += __popc(all);
	}
};

// markTarget marks a row that count kept arcs lead to.
__device__ inline void markTarget(u32 row, u32 count) {
	atomicOr(g.targets + row / 16, (count > 1 ? 3u : 1u) << 2 * (row % 16));
}

// Pull is the state of the pull, for one thread.
struct Pull {
	PullShared &s;
	u32 bound; // bits
	u32 least; // bits: all arcs from rows below it are relaxed already
	Kept kept;
	u32 examined = 0;
	u32 found = 0;
	u32 waiting = 0; // open rows of the warp

	// all pulls for all rows. All threads of all blocks must call it.
	__device__ void all() {
		const u32 step = gridDim.x * THREADS;
		for (u32 first = blockIdx.x * THREADS + (threadIdx.x & ~31u); first < g.rowCount; first += step) {
			prefetch(first + step);
			pull(load(first));
		}
		finish();
	}

private:
	// Place is what the lane must know of the row at a place.
	struct Place {
		bool on;
		u32 touched; // of 32 places
		uint4 head;
		uint2 labels; // of the neighbours in head
		uint2 third;
		u32 label;
		u32 end; // the first label of the next 32 places
	};

	// Reached is the least distance of a row so far, and its parent.
	struct Reached {
		u32 best, parent;
		bool isKept; // the last arc must be kept
	};

	// load loads the lane's place of the 32 from first on.
	__device__ Place load(u32 first) const {
		const u32 i = first + (threadIdx.x & 31);
		const bool on = i < g.rowCount;
		const u32 touched = loadIf(on, g.touched + (i >> 5), 0);
		const uint4 head = onceIf(on, g.heads + i, make_uint4(0, infinite, 0, infinite));
		const uint2 labels = onceIf(on, g.headLabels + i, uint2{});
		const uint2 third = onceIf(on, g.thirds + i, make_uint2(infinite, noRow));
		const u32 label = onceIf(on, g.order + i, 0), end = loadIf(first + 32 < g.rowCount, g.order + first + 32, g.vertices);
		return Place{on, touched, head, labels, third, label, end};
	}

	// prefetch brings what load needs of the 32 places from first on into the second-level cache: a line of 128 bytes by
	// each of nine lanes. The compiler has too few registers to load all of a place before its look-ups, so that some
	// loads would wait for the memory after them.
	__device__ static void prefetch(u32 first) {
		const u32 lane = threadIdx.x & 31;
		const char *line = reinterpret_cast<const char *>(g.heads + first) + 128 * lane;
		if (lane >= 4)
			line = reinterpret_cast<const char *>(g.headLabels + first) + 128 * (lane - 4);
		if (lane >= 6)
			line = reinterpret_cast<const char *>(g.thirds + first) + 128 * (lane - 6);
		if (lane >= 8)
			line = reinterpret_cast<const char *>(g.order + first);
		prefetchIf(lane < 9 && u64(first) + 32 <= g.rowCount, line);
	}

	// use relaxes an arc from a row with the given distance.
	__device__ void use(bool on, Reached &v, u32 row, u32 from, float weight, u32 distance) {
		const bool isFinal = distance < (row < g.hubs ? infinite : bound);
		const u32 t = add(isFinal ? distance : bound, weight);
		const bool better = on && t < v.best;
		examined += on;
		v.isKept = better && !isFinal;
		v.best = better && isFinal ? t : v.best;
		v.parent = better && isFinal ? from : v.parent;
	}

	// asks reports whether an arc of that weight could lower the distance.
	__device__ bool asks(bool on, const Reached &v, float weight) const { return on && add(least, weight) < v.best; }

	// pull relaxes the first two arcs of the row at the lane's place. All lanes of the warp
	// must call it.
	__device__ void pull(const Place &p) {
		const bool isHub = p.third.y < g.hubs;
		const bool touched = isHub || p.touched >> (threadIdx.x & 31) & 1;
		const u64 own = cachedIf(touched, g.best + p.third.y, ~0ull);
		const u32 near = cachedIf(p.on && !touched, sourceDistance(p.head.x), noRow);
		// The second distance is looked up at once where it is probably needed: if the first source is no hub, or if the
		// first arc may end, from a final row, behind the least end of the second one.
		const u32 limit = add(bound, __uint_as_float(p.head.y));
		const bool both = g.looksTwo && p.on && !touched && (p.head.x >= g.hubs || add(least, __uint_as_float(p.head.w)) < limit);
		const u32 two = cachedIf(both, sourceDistance(p.head.z), noRow);
		Reached v{min(u32(own >> 32), infinite), cachedIf(own != ~0ull, g.labels + u32(own), noRow), false};
		const bool fromFirst = touched && !isHub && v.best >= bound;
		bool on = p.on && !touched;
		use(on, v, p.head.x, p.labels.x, __uint_as_float(p.head.y), near);
		bool first = v.isKept;
		on = asks(on, v, __uint_as_float(p.head.w));
		const u32 distance = cachedIf(on && !both, sourceDistance(p.head.z), two);
		use(on, v, p.head.z, p.labels.y, __uint_as_float(p.head.w), distance);
		const bool open = asks(on, v, __uint_as_float(p.third.x)) || fromFirst;
		first = first && add(bound, __uint_as_float(p.head.y)) < v.best; // the second arc may be better
		kept.append(first, make_uint4(p.label, p.labels.x, p.head.y, p.head.x));
		kept.append(v.isKept, make_uint4(p.label, p.labels.y, p.head.w, p.head.z));
		const u32 count = first + v.isKept;
		if (!open && count > 0)
			markTarget(p.third.y, count);
		storeAll(p, v.best, v.parent);
		leaveOpen(open, Open{p.label | (fromFirst ? Open::fromFirst : 0), p.third.y | count << Open::rowBits, v.best});
	}

	// store stores the results of a label.
	__device__ void store(u32 label, u32 best, u32 parent) {
		storeOnce(g.distances + label, best);
		storeOnce(g.parents + label, parent);
	}

	// storeAll stores the results at the lanes' places. Most labels between them have no row.
	// Their results are stored again, because that writes whole sectors of the memory: for
	// sectors in part, it would have to read the other part first. All lanes of the warp must
	// call it.
	__device__ void storeAll(const Place &p, u32 best, u32 parent) {
		const u32 lane = threadIdx.x & 31, begin = __shfl_sync(~0u, p.label, 0);
		best = parent == noRow ? unreached : best;
		found += parent != noRow;
		for (u32 open = __ballot_sync(~0u, p.on); open;) {
			const u32 from = __ffs(open) - 1, base = __shfl_sync(~0u, p.label, from) & ~31u;
			const bool in = p.on && (p.label & ~31u) == base;
			open &= ~__ballot_sync(~0u, in);
			const u32 rows = __reduce_or_sync(~0u, in ? 1u << (p.label & 31) : 0);
			const u32 source = from + __popc(rows & ((1u << lane) - 1)) & 31;
			const u32 distance = __shfl_sync(~0u, best, source), row = __shfl_sync(~0u, parent, source);
			const bool isRow = rows >> lane & 1;
			const u32 label = base + lane;
			if (rows >> (lane & 24) & 0xff && label >= begin && label < p.end)
				store(label, isRow ? distance : unreached, isRow ? row : noRow);
		}
	}

	// leaveOpen adds the rows of the lanes that are on to the warp's open rows, and finishes
	// 32 of them when there are that many.
	__device__ void leaveOpen(bool on, const Open &row) {
		const u32 all = __ballot_sync(~0u, on), lane = threadIdx.x & 31;
		if (all == 0)
			return;
		if (on)
			s.open[threadIdx.x / 32][waiting + __popc(all & ((1u << lane) - 1))] = row;
		waiting += __popc(all);
		if (waiting >= 32)
			finish();
	}

	// finish relaxes the other arcs of up to 32 open rows, one per lane. All lanes of the warp
	// must call it.
	__device__ void finish() {
		__syncwarp();
		const u32 lane = threadIdx.x & 31, n = min(waiting, 32);
		bool on = lane < n;
		const Open open = on ? s.open[threadIdx.x / 32][waiting - n + lane] : Open{};
		waiting -= n;
		__syncwarp();
		const u32 label = open.label & ~Open::fromFirst;
		const u32 row = open.row & (1u << Open::rowBits) - 1;
		u32 count = open.row >> Open::rowBits;
		const uint4 rest = loadIf(on, g.rows + 2 * u64(row) + 1, uint4{});
		const Arcs arcs{startOf(rest)};
		Reached v{open.best, noRow, false};
		for (u32 at = open.label & Open::fromFirst ? 0 : 2; __any_sync(~0u, on); at += openArcs) {
			uint2 arc[openArcs];
			u32 distance[openArcs];
#pragma unroll
			for (int k = 0; k < openArcs; k++)
				arc[k] = arcs.cachedIf(on && at + k < rest.z, u64(at) + k, make_uint2(0, infinite));
#pragma unroll
			for (int k = 0; k < openArcs; k++)
				distance[k] = cachedIf(asks(on, v, __uint_as_float(arc[k].y)), sourceDistance(arc[k].x), noRow);
#pragma unroll
			for (int k = 0; k < openArcs; k++) {
				const float weight = __uint_as_float(arc[k].y);
				on = asks(on, v, weight);
				use(on, v, arc[k].x, arc[k].x, weight, distance[k]);
				count += v.isKept;
				const u32 from = cachedIf(v.isKept, g.labels + arc[k].x, 0);
				kept.append(v.isKept, make_uint4(label, from, arc[k].y, arc[k].x));
			}
		}
		const u32 parent = cachedIf(v.parent != noRow, g.labels + v.parent, noRow);
		if (parent != noRow) {
			store(label, v.best, parent);
			found += open.best == infinite;
		}
		if (count > 0)
			markTarget(row, count);
	}
};

// The pull: every row that is not below the bound relaxes its arcs from rows below the
// bound, lightest first, until the lower bound of all other distances ends it. An arc from
// a row above the bound is kept if it could lead to less. Rows are taken in the order of the
// labels, so that the results are written one after the other.
#pragma once
#include "search.cuh"

constexpr u32 warps = THREADS / 32;
constexpr int openArcs = 4; // arcs of an open row that a lane relaxes at a time

// Open is a row with more arcs to relax, with the least distance so far and the label of its
// parent.
struct Open {
	u32 label; // fromFirst: none of the arcs is relaxed yet, else the first two are
	u32 row, best, parent;
	static constexpr u32 fromFirst = 1u << 31;
};

struct PullShared {
	Open open[warps][64]; // by warp
};

// Kept is the list of a warp's kept arcs. All kept arcs to a row are in one list, because
// one warp relaxes all arcs of the row.
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
	};

	// Reached is the least distance of a row so far, and its parent.
	struct Reached {
		u32 best, parent;
		bool isKept; // the last arc must be kept
	};

	// prefetch prefetches what load loads of the 32 places from first on.
	__device__ void prefetch(u32 first) const {
		const u32 lane = threadIdx.x & 31;
		const char *at = reinterpret_cast<const char *>(g.heads + first) + 128 * lane;
		at = lane < 4 ? at : reinterpret_cast<const char *>(g.headLabels + first) + 128 * (lane - 4);
		at = lane < 6 ? at : reinterpret_cast<const char *>(g.thirds + first) + 128 * (lane - 6);
		at = lane < 8 ? at : reinterpret_cast<const char *>(g.order + first);
		prefetchIf(lane < 9 && first + 32 <= g.rowCount, at);
	}

	// load loads the lane's place of the 32 from first on.
	__device__ Place load(u32 first) const {
		const u32 i = first + (threadIdx.x & 31);
		const bool on = i < g.rowCount;
		const u32 touched = loadIf(on, g.touched + (i >> 5), 0);
		const uint4 head = loadIf(on, g.heads + i, make_uint4(0, infinite, 0, infinite));
		const uint2 labels = loadIf(on, g.headLabels + i, uint2{});
		const uint2 third = loadIf(on, g.thirds + i, make_uint2(infinite, 0));
		return Place{on, touched, head, labels, third, loadIf(on, g.order + i, 0)};
	}

	// use relaxes an arc from a row with the given distance.
	__device__ void use(bool on, Reached &v, u32 from, float weight, u32 distance) {
		const bool isFinal = distance < bound;
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
		const bool touched = p.touched >> (threadIdx.x & 31) & 1;
		// The row's own entry if it is touched, else that of the first neighbour.
		const u64 one = cachedIf(p.on, g.best + (touched ? p.third.y : p.head.x), ~0ull);
		Reached v{touched ? u32(one >> 32) : infinite, cachedIf(touched, g.labels + u32(one), noRow), false};
		const bool fromFirst = touched && v.best >= bound;
		bool on = p.on && !touched;
		use(on, v, p.labels.x, __uint_as_float(p.head.y), u32(one >> 32));
		const bool first = v.isKept;
		on = asks(on, v, __uint_as_float(p.head.w));
		const u32 distance = cachedIf(on, distanceOf(p.head.z), noRow);
		use(on, v, p.labels.y, __uint_as_float(p.head.w), distance);
		const bool open = asks(on, v, __uint_as_float(p.third.x)) || fromFirst;
		kept.append(first, make_uint4(p.label, p.labels.x, p.head.y, p.head.x));
		kept.append(v.isKept, make_uint4(p.label, p.labels.y, p.head.w, p.head.z));
		if (first || v.isKept)
			setBit(g.targets, p.third.y);
		if (!open && v.parent != noRow)
			store(p.label, v.best, v.parent);
		leaveOpen(open, Open{p.label | (fromFirst ? Open::fromFirst : 0), p.third.y, v.best, v.parent});
	}

	// store stores the results of a label.
	__device__ void store(u32 label, u32 best, u32 parent) {
		g.distances[label] = best;
		g.parents[label] = parent;
		found++;
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
		bool on = lane < n, isTarget = false;
		const Open open = on ? s.open[threadIdx.x / 32][waiting - n + lane] : Open{0, 0, 0, noRow};
		waiting -= n;
		__syncwarp();
		const u32 label = open.label & ~Open::fromFirst;
		const uint4 rest = loadIf(on, g.rows + 2 * u64(open.row) + 1, uint4{});
		const u64 start = startOf(rest);
		Reached v{open.best, noRow, false};
		for (u32 at = open.label & Open::fromFirst ? 0 : 2; __any_sync(~0u, on); at += openArcs) {
			uint2 arc[openArcs];
			u32 distance[openArcs];
#pragma unroll
			for (int k = 0; k < openArcs; k++)
				arc[k] = loadIf(on && at + k < rest.z, g.arcs + start + at + k, make_uint2(0, infinite));
#pragma unroll
			for (int k = 0; k < openArcs; k++)
				distance[k] = cachedIf(asks(on, v, __uint_as_float(arc[k].y)), distanceOf(arc[k].x), noRow);
#pragma unroll
			for (int k = 0; k < openArcs; k++) {
				const float weight = __uint_as_float(arc[k].y);
				on = asks(on, v, weight);
				use(on, v, arc[k].x, weight, distance[k]);
				isTarget |= v.isKept;
				const u32 from = cachedIf(v.isKept, g.labels + arc[k].x, 0);
				kept.append(v.isKept, make_uint4(label, from, arc[k].y, arc[k].x));
			}
		}
		const u32 parent = cachedIf(v.parent != noRow, g.labels + v.parent, open.parent);
		if (parent != noRow)
			store(label, v.best, parent);
		if (isTarget)
			setBit(g.targets, open.row);
	}
};

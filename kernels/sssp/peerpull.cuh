// The pull on several devices: each vertex of the device's range whose distance is not final
// relaxes its own arcs, lightest first.
#pragma once
#include "peers.cuh"

// Pull is the pull, for one thread. All sources below the bound are final. Others may become
// nearer later, so the arcs from them that could then improve the vertex are kept. With keeps
// not set, the bound must be 0, so that all vertices relax all arcs that are lighter than
// their distances.
template <bool keeps> struct Pull {
	PeerParts &p;
	u32 least, bound;
	u32 found = 0;
	u32 at = 0, end = 0; // rest of the claimed places of kept arcs; the same in all lanes

	// all pulls all vertices. It returns how many of the block found a smaller distance, in
	// thread 0. All threads of all blocks must call it.
	__device__ u32 all() {
		const u32 lane = threadIdx.x & 31;
		for (u32 base = g.firstLabel + firstThread() - lane; base < g.endLabel; base += allThreads())
			pullLabels(base + lane);
		if (keeps)
			fill();
		__shared__ u32 sum;
		if (threadIdx.x == 0)
			sum = 0;
		__syncthreads();
		found = __reduce_add_sync(~0u, found);
		if (lane == 0 && found)
			atomicAdd(&sum, found);
		__syncthreads();
		return sum;
	}

private:
	// Pulled is what a lane knows of its vertex.
	struct Pulled {
		u32 best, parent; // parent is none as long as best is the old distance
		u32 unsettled;    // bits of the first two arcs: their source is not final
	};

	// pullLabels pulls the vertex of each lane, if it has a row.
	__device__ void pullLabels(u32 label) {
		const bool inside = label < g.endLabel;
		const uint2 word = inside ? __ldg(g.index + (label >> 5)) : uint2{};
		const bool has = inside && word.x >> (label & 31) & 1;
		const u32 distance = loadIf(has, g.distances + label, 0);
		const bool open = has && distance >= bound;
		if (!__any_sync(~0u, open))
			return;
		const u32 row = open ? rowOf(word, label) : 0;
		const uint4 head = streamIf(open, g.heads + row, make_uint4(0, infinite, 0, infinite));
		Pulled v{min(distance, infinite), none, 0};
		bool more = open && examine(v, 0, make_uint2(head.x, head.y));
		more = more && examine(v, 1, make_uint2(head.z, head.w));
		const Range range = more ? rangeOf(row) : Range{};
		more = more && range.degree > 2;
		const u32 all = __ballot_sync(~0u, more);
		u32 length = 2; // arcs that have been looked at
		pullGroups(v, more, range, length);
		for (u32 rest = __ballot_sync(~0u, more); rest; rest &= rest - 1)
			pullRest(v, __ffs(rest) - 1, range, length);
		for (u32 rest = keeps ? all : 0; rest; rest &= rest - 1)
			keepRest(v, __ffs(rest) - 1, label, range, length);
		if (keeps) {
			keep(open && v.unsettled & 1 && add(bound, head.y) < v.best, label, make_uint2(head.x, head.y));
			keep(open && v.unsettled & 2 && add(bound, head.w) < v.best, label, make_uint2(head.z, head.w));
		}
		if (v.parent != none) {
			g.distances[label] = v.best;
			g.parents[label] = v.parent;
			found++;
		}
	}

	// examine relaxes arc number k of the first two. It returns false if neither this arc nor
	// a later one can improve the vertex.
	__device__ bool examine(Pulled &v, u32 k, uint2 arc) {
		if (add(least, arc.y) >= v.best)
			return false;
		p.examined++;
		const u32 source = __ldcg(g.distances + arc.x), t = add(source, arc.y);
		v.unsettled |= u32(source >= bound) << k;
		if (source < infinite && t < v.best)
			v.best = t, v.parent = arc.x;
		return true;
	}

	// pullGroups relaxes arcs from the third one on of the vertices of the lanes with more, with
	// rowLanes lanes each. It adds to length what it has looked at, and leaves more where others
	// are left that could improve the vertex.
	__device__ void pullGroups(Pulled &v, bool &more, const Range &range, u32 &length) {
		const u32 lane = threadIdx.x & 31, i = lane % rowLanes, group = lane / rowLanes;
		for (u32 open = __ballot_sync(~0u, more); open;) {
			u32 source = 32; // of the group
#pragma unroll
			for (u32 k = 0; k < 32 / rowLanes; k++) {
				if (k == group && open)
					source = __ffs(open) - 1;
				open &= open - 1;
			}
			const u64 start = __shfl_sync(~0u, range.start, source & 31);
			const u32 ofSource = __shfl_sync(~0u, range.degree, source & 31), degree = source < 32 ? ofSource : 0;
			u32 best = __shfl_sync(~0u, v.best, source & 31), parent = none, base = 2;
			bool goesOn = base < degree;
			while (__any_sync(~0u, goesOn && base < firstArcs)) {
				const bool on = goesOn && base < firstArcs;
				const bool whole = relaxGroup(on && base + i < degree, start, base + i, best, parent);
				if (on) {
					base = min(base + rowLanes, degree);
					goesOn = whole && base < degree;
				}
			}
			for (u32 k = 0; k < 32 / rowLanes; k++) { // the results of each group for its vertex
				const u32 first = k * rowLanes, to = __shfl_sync(~0u, source, first);
				const u32 least = __shfl_sync(~0u, best, first), from = __shfl_sync(~0u, parent, first), end = __shfl_sync(~0u, base, first);
				const bool left = __shfl_sync(~0u, goesOn, first);
				if (lane != to)
					continue;
				length = end, more = left;
				if (from != none)
					v.best = least, v.parent = from;
			}
		}
	}

	// relaxGroup relaxes arc i of the row of the lane's group, for a lane that is there. It
	// updates best and parent, the same in all lanes of the group, and returns whether all its
	// lanes had an arc that could improve the vertex. All lanes of the warp must call it.
	__device__ bool relaxGroup(bool there, u64 start, u32 i, u32 &best, u32 &parent) {
		constexpr u32 every = (1u << rowLanes) - 1;
		const u32 first = (threadIdx.x & 31) / rowLanes * rowLanes;
		const uint2 arc = arcAt(there, start, i);
		const bool on = there && add(least, arc.y) < best;
		p.examined += on;
		const u32 source = loadIf(on, g.distances + arc.x, infinite);
		const u32 t = on && source < infinite ? add(source, arc.y) : infinite;
		u32 nearest = t;
#pragma unroll
		for (u32 d = rowLanes / 2; d; d /= 2)
			nearest = min(nearest, __shfl_xor_sync(~0u, nearest, d));
		const u32 winners = __ballot_sync(~0u, t == nearest && t < best) >> first & every;
		const u32 from = __shfl_sync(~0u, arc.x, first + (winners ? __ffs(winners) - 1 : 0));
		if (winners)
			best = nearest, parent = from;
		return (__ballot_sync(~0u, on) >> first & every) == every;
	}

	// pullRest relaxes the arcs of the vertex of lane j behind the length that it has looked at,
	// with all lanes, and updates the length.
	__device__ void pullRest(Pulled &v, u32 j, const Range &range, u32 &length) {
		const u64 start = __shfl_sync(~0u, range.start, j);
		const u32 degree = __shfl_sync(~0u, range.degree, j), lane = threadIdx.x & 31;
		u32 best = __shfl_sync(~0u, v.best, j), parent = none, base = __shfl_sync(~0u, length, j);
		for (bool more = true; more && base < degree; base += 32) {
			const uint2 arc = arcAt(base + lane < degree, start, base + lane);
			const bool on = add(least, arc.y) < best;
			more = __all_sync(~0u, on);
			p.examined += on;
			const u32 source = loadIf(on, g.distances + arc.x, infinite);
			const u32 t = on && source < infinite ? add(source, arc.y) : infinite;
			const u32 nearest = __reduce_min_sync(~0u, t);
			if (nearest < best) {
				best = nearest;
				parent = __shfl_sync(~0u, arc.x, __ffs(__ballot_sync(~0u, t == nearest)) - 1);
			}
		}
		if (lane != j)
			return;
		length = min(base, degree);
		if (parent != none)
			v.best = best, v.parent = parent;
	}

	// keepRest keeps arcs from the third one on of the vertex of lane j, as far as they have been
	// looked at.
	__device__ void keepRest(const Pulled &v, u32 j, u32 label, const Range &range, u32 looked) {
		const u64 start = __shfl_sync(~0u, range.start, j);
		const u32 length = __shfl_sync(~0u, looked, j), best = __shfl_sync(~0u, v.best, j), to = __shfl_sync(~0u, label, j), lane = threadIdx.x & 31;
		for (u32 base = 2; base < length; base += 32) {
			const uint2 arc = arcAt(base + lane < length, start, base + lane);
			const bool on = base + lane < length && add(bound, arc.y) < best;
			if (!__any_sync(~0u, on))
				return;
			keep(on && loadIf(on, g.distances + arc.x, 0) >= bound, to, arc);
		}
	}

	// keep keeps an arc to a vertex, for a lane that is on. All lanes of the warp must call it.
	__device__ void keep(bool on, u32 to, uint2 arc) {
		const u32 all = __ballot_sync(~0u, on), n = __popc(all), lane = threadIdx.x & 31;
		if (n == 0)
			return;
		if (on)
			setBit(g.wanted, arc.x);
		if (n > end - at) {
			fill();
			at = __shfl_sync(~0u, lane == 0 ? atomicAdd(&m.control->keptLength, keptClaim) : 0, 0);
			end = at + keptClaim;
		}
		const u32 place = at + __popc(all & ((1u << lane) - 1));
		at += n;
		if (on && place < g.keptCapacity)
			g.kept[place] = make_uint4(to, arc.x, arc.y, 0);
		if (on && place >= g.keptCapacity)
			p.overfull = true;
	}

	// fill leaves no arc in the rest of the claimed places.
	__device__ void fill() {
		for (u32 i = at + (threadIdx.x & 31); i < min(end, g.keptCapacity); i += 32)
			g.kept[i] = make_uint4(none, 0, 0, 0);
		at = end;
	}
};

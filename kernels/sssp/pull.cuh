// The pull: every vertex at the bound or above it relaxes its arcs from vertices below the
// bound, lightest first, until the lower bound of all other distances ends it. An arc from
// a vertex above the bound is kept if it could lead to less.
#pragma once
#include "search.cuh"

constexpr u32 warps = THREADS / 32;

struct PullShared {
	u32 open[warps][64]; // by warp: vertices that need more than two arcs
	u32 kept;            // kept arcs of the block, or more than g.keptCapacity
	u32 left;            // kept arcs after the first sweep
	u32 found;           // vertices that the pull has lowered
};

// Pull is the state of the pull, for one thread.
struct Pull {
	PullShared &s;
	u32 bound; // bits
	u32 least; // bits: all arcs from vertices below it are relaxed already
	u32 examined = 0;
	u32 found = 0;
	u32 waiting = 0; // open vertices of the warp

	static constexpr int each = 4; // words of 32 labels that a warp handles at a time

	// all pulls for the labels of all words. All threads of all blocks must call it.
	__device__ void all() {
		const u32 words = (g.vertices + 31) / 32, warp = threadIdx.x / 32;
		for (u32 first = (blockIdx.x * warps + warp) * each; first < words; first += gridDim.x * warps * each)
			wordsFrom(first, words);
		rest();
	}

private:
	// Arc is the state of a vertex whose arcs a lane relaxes.
	struct Vertex {
		u32 best, parent;
		bool isKept; // the last arc must be kept
	};

	// use relaxes an arc from a vertex with the given distance.
	__device__ void use(bool on, Vertex &v, u32 from, float weight, u32 distance) {
		v.isKept = false;
		if (!on)
			return;
		examined++;
		if (distance >= bound) {
			v.isKept = add(bound, weight) < v.best;
			return;
		}
		const u32 t = add(distance, weight);
		if (t < v.best) {
			v.best = t;
			v.parent = from;
		}
	}

	// asks reports whether an arc of that weight could lower the distance.
	__device__ bool asks(bool on, const Vertex &v, float weight) const { return on && add(least, weight) < v.best; }

	// keep appends an arc of each lane that is on to the block's kept arcs. All lanes of the
	// warp must call it.
	__device__ void keep(bool on, u32 to, u32 from, float weight) {
		const u32 all = __ballot_sync(~0u, on), lane = threadIdx.x & 31;
		if (all == 0)
			return;
		u32 at = lane == 0 ? atomicAdd(&s.kept, u32(__popc(all))) : 0;
		at = __shfl_sync(~0u, at, 0) + __popc(all & ((1u << lane) - 1));
		if (on && at < g.keptCapacity)
			g.kept[u64(blockIdx.x) * g.keptCapacity + at] = make_uint4(to, from, __float_as_uint(weight), 0);
	}

	// store stores what the lane has found for a vertex.
	__device__ void store(u32 label, const Vertex &v) {
		if (v.parent == ~0u)
			return;
		g.distances[label] = v.best;
		g.parents[label] = v.parent;
		found++;
	}

	__device__ void wordsFrom(u32 first, u32 words) {
		const u32 lane = threadIdx.x & 31;
		u32 number[each], old[each];
		bool on[each];
#pragma unroll
		for (int k = 0; k < each; k++) {
			const uint2 word = first + k < words ? __ldg(reinterpret_cast<const uint2 *>(g.index) + first + k) : uint2{};
			on[k] = word.x >> lane & 1;
			number[k] = word.y + __popc(word.x & ((1u << lane) - 1));
			old[k] = loadIf(on[k], g.distances + (first + k) * 32 + lane, 0);
		}
		uint4 head[each];
		float third[each];
#pragma unroll
		for (int k = 0; k < each; k++) {
			on[k] = on[k] && old[k] >= bound;
			head[k] = streamIf(on[k], g.heads + number[k], make_uint4(0, infinite, 0, infinite));
			third[k] = __uint_as_float(streamIf(on[k], reinterpret_cast<const u32 *>(g.thirds) + number[k], u32(infinite)));
		}
		Vertex v[each];
		u32 distance[each];
		bool kept[each];
#pragma unroll
		for (int k = 0; k < each; k++) {
			v[k] = Vertex{min(old[k], infinite), ~0u, false};
			distance[k] = loadIf(asks(on[k], v[k], __uint_as_float(head[k].y)), g.distances + head[k].x, ~0u);
		}
#pragma unroll
		for (int k = 0; k < each; k++) {
			const float weight = __uint_as_float(head[k].y);
			use(asks(on[k], v[k], weight), v[k], head[k].x, weight, distance[k]);
			kept[k] = v[k].isKept;
			distance[k] = loadIf(asks(on[k], v[k], __uint_as_float(head[k].w)), g.distances + head[k].z, ~0u);
		}
#pragma unroll
		for (int k = 0; k < each; k++) {
			const u32 label = (first + k) * 32 + lane;
			const float weight = __uint_as_float(head[k].w);
			const bool wanted = asks(on[k], v[k], weight);
			use(wanted, v[k], head[k].z, weight, distance[k]);
			keep(kept[k], label, head[k].x, __uint_as_float(head[k].y));
			keep(v[k].isKept, label, head[k].z, weight);
			store(label, v[k]);
			const u32 targets = __ballot_sync(~0u, kept[k] || v[k].isKept);
			if (lane == 0 && first + k < words)
				g.targets[first + k] = targets;
			leaveOpen(wanted && asks(on[k], v[k], third[k]), label);
		}
	}

	// leaveOpen adds the labels of the lanes that are on to the warp's open vertices, and
	// handles 32 of them when there are that many.
	__device__ void leaveOpen(bool on, u32 label) {
		u32 *open = s.open[threadIdx.x / 32];
		const u32 all = __ballot_sync(~0u, on), lane = threadIdx.x & 31;
		if (all == 0)
			return;
		if (on)
			open[waiting + __popc(all & ((1u << lane) - 1))] = label;
		waiting += __popc(all);
		__syncwarp();
		if (waiting >= 32) {
			waiting -= 32;
			finish(true, open[waiting + lane]);
			__syncwarp();
		}
	}

	// rest handles the open vertices that are left. All lanes of the warp must call it.
	__device__ void rest() {
		const u32 lane = threadIdx.x & 31;
		const bool on = lane < waiting;
		finish(on, on ? s.open[threadIdx.x / 32][lane] : 0);
	}

	// finish relaxes the arcs of a vertex from the third on, two at a time. All lanes of the
	// warp must call it.
	__device__ void finish(bool on, u32 label) {
		const u32 before = loadIf(on, g.distances + label, 0);
		Vertex v{min(before, infinite), ~0u, false};
		const WeightedRowOf row = on ? loadRow(rowNumber(label)) : WeightedRowOf{};
		bool isTarget = false;
		for (u32 at = 2; __any_sync(~0u, on); at += 2) {
			uint2 arc[2];
			u32 distance[2];
#pragma unroll
			for (int k = 0; k < 2; k++)
				arc[k] = on && at + k < row.degree ? __ldg(g.arcs + row.start + at + k) : make_uint2(0, infinite);
#pragma unroll
			for (int k = 0; k < 2; k++)
				distance[k] = loadIf(asks(on, v, __uint_as_float(arc[k].y)), g.distances + arc[k].x, ~0u);
#pragma unroll
			for (int k = 0; k < 2; k++) {
				const float weight = __uint_as_float(arc[k].y);
				on = asks(on, v, weight);
				use(on, v, arc[k].x, weight, distance[k]);
				isTarget |= v.isKept;
				keep(v.isKept, label, arc[k].x, weight);
			}
		}
		store(label, v);
		if (isTarget)
			atomicOr(g.targets + label / 32, 1u << (label & 31));
	}
};

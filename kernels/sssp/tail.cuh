// The tail: the kept arcs are relaxed until none changes a distance. Every block sweeps its
// own arcs.
#pragma once
#include "pull.cuh"

__device__ inline bool bitOf(const u32 *bitmap, u32 v) { return __ldcg(bitmap + (v >> 5)) >> (v & 31) & 1; }

// Tail is the state of the tail, for one thread.
struct Tail {
	PullShared &s;
	u32 examined = 0;
	u32 found = 0;

	// first relaxes all kept arcs of the block. It leaves those in the list that have won,
	// and those from a vertex that kept arcs lead to: the distances of all other vertices
	// are final. It returns whether the thread has changed a distance.
	__device__ bool first() {
		uint4 *list = g.kept + u64(blockIdx.x) * g.keptCapacity;
		bool changed = false;
		for (u32 base = 0; base < s.kept; base += THREADS) {
			const u32 i = base + threadIdx.x;
			const bool on = i < s.kept;
			uint4 arc = on ? __ldcg(list + i) : uint4{};
			const bool won = relax(on, arc, g.marks[0]);
			changed |= won;
			const bool stays = on && (won || bitOf(g.targets, arc.y));
			__syncthreads(); // all have read, so the beginning of the list may be overwritten
			if (stays)
				list[atomicAdd(&s.left, 1u)] = arc;
		}
		__syncthreads();
		return changed;
	}

	// again relaxes the arcs that are left from the vertices marked in changed, and marks the
	// vertices that it changes in next.
	__device__ bool again(const u32 *changed, u32 *next) {
		uint4 *list = g.kept + u64(blockIdx.x) * g.keptCapacity;
		bool any = false;
		for (u32 i = threadIdx.x; i < s.left; i += THREADS) {
			uint4 arc = list[i];
			if (!bitOf(changed, arc.y))
				continue;
			if (relax(true, arc, next)) {
				list[i].w = arc.w;
				any = true;
			}
		}
		return any;
	}

	// parents sets the parents of the vertices whose distances the arcs that are left have
	// led to.
	__device__ void parents() {
		const uint4 *list = g.kept + u64(blockIdx.x) * g.keptCapacity;
		for (u32 i = threadIdx.x; i < s.left; i += THREADS) {
			const uint4 arc = list[i];
			if (arc.w != 0 && __ldcg(g.distances + arc.x) == arc.w)
				g.parents[arc.x] = arc.y;
		}
	}

private:
	__device__ bool relax(bool on, uint4 &arc, u32 *marks) {
		const u32 distance = loadIf(on, g.distances + arc.y, ~0u);
		if (distance >= infinite)
			return false;
		examined++;
		const u32 t = add(distance, __uint_as_float(arc.z));
		if (!lower(true, arc.x, t))
			return false;
		found++;
		arc.w = t;
		atomicOr(marks + (arc.x >> 5), 1u << (arc.x & 31));
		return true;
	}
};

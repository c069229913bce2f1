// The tail: the kept arcs are relaxed until none changes a distance. Every warp sweeps its
// own arcs. All kept arcs to a vertex are in one list, so no other warp changes its results, and they
// are written without atomic operations.
#pragma once
#include "pull.cuh"

// Tail is the state of the tail, for one thread.
struct Tail {
	Kept kept;
	u32 bound; // bits
	u32 examined = 0;

	// first relaxes all kept arcs of the warp. It leaves those in the list whose source may
	// change, and marks their ends in g.staying. It returns whether the thread has changed a
	// distance.
	__device__ bool first() {
		const u32 n = min(kept.length, g.keptCapacity);
		bool changed = false;
		kept.length = 0;
		uint4 next = load(0, n), second = load(32, n);
		u32 about = aboutSource(next, 0, n);
		for (u32 base = 0; base < n; base += 32) {
			const uint4 arc = next;
			const u32 word = about;
			next = second; // the next arcs are in flight meanwhile
			second = load(base + 64, n);
			about = aboutSource(next, base + 32, n);
			const bool on = base + (threadIdx.x & 31) < n, asked = isAsked(arc.w);
			const u32 distance = loadIf(on && !asked, g.distances + arc.y, asked ? word & ~finalBit : noRow);
			const u32 before = loadIf(on, g.distances + arc.x, 0);
			const bool stays = on && (asked ? !(word & finalBit) : mayChange(word, arc, distance, bound));
			changed |= relax(on, arc, distance, before, g.marks[0]);
			if (stays)
				setBit(g.staying, arc.x);
			kept.append(stays, arc); // behind what has been read
		}
		return changed;
	}

	// again relaxes the arcs that are left from the vertices marked in changed, or with news of the last
	// sweep, and marks the vertices that it changes in next. The first time, it leaves only those
	// arcs in the list to whose source another one leads, and asked ones.
	__device__ bool again(const u32 *changed, u32 *next, u32 lastSweep, bool first) {
		const u32 n = kept.length;
		bool any = false;
		__syncwarp(); // the list is written
		if (first)
			kept.length = 0;
		for (u32 base = 0; base < n; base += 32) {
			const uint4 arc = load(base, n);
			const bool in = base + (threadIdx.x & 31) < n, asked = isAsked(arc.w);
			const u32 word = loadIf(in, asked ? newsOf(arc.w, lastSweep) : changed + (arc.y >> 5), 0);
			const u32 staying = loadIf(in && first && !asked, g.staying + (arc.y >> 5), 0);
			const bool on = asked ? word & newsBit : word >> (arc.y & 31) & 1;
			if (__any_sync(~0u, on)) {
				if (several && on && asked)
					*newsOf(arc.w, lastSweep) = 0;
				const u32 distance = loadIf(on && !asked, g.distances + arc.y, asked ? word & ~newsBit : noRow);
				any |= relax(on, arc, distance, loadIf(on, g.distances + arc.x, 0), next);
			}
			if (first)
				kept.append(in && (asked || staying >> (arc.y & 31) & 1), arc);
		}
		return any;
	}

private:
	// load loads the lane's arc of the 32 from base on, of n.
	__device__ uint4 load(u32 base, u32 n) const {
		const u32 i = base + (threadIdx.x & 31);
		return loadIf(i < n, kept.list + i, uint4{});
	}

	// aboutSource returns the word of g.targets with the row that the lane's arc from base on
	// comes from, or the answer of the row's device.
	__device__ u32 aboutSource(const uint4 &arc, u32 base, u32 n) const {
		return loadIf(base + (threadIdx.x & 31) < n, isAsked(arc.w) ? answerTo(arc.w) : g.targets + arc.w / 16, 0);
	}

	// relax relaxes the arc of each lane that is on, from a vertex at that distance to one with the distance before. It
	// returns whether this became smaller. All lanes of the warp must call it.
	__device__ bool relax(bool on, const uint4 &arc, u32 distance, u32 before, u32 *marks) {
		on = on && distance < infinite;
		examined += on;
		const u32 t = add(distance, __uint_as_float(arc.z));
		on = on && t < before;
		if (!__any_sync(~0u, on))
			return false;
		on = isLeast(on, arc.x, t);
		if (on) {
			g.distances[arc.x] = t;
			g.parents[arc.x] = arc.y;
			setBit(marks, arc.x);
		}
		__syncwarp(); // before the distance is loaded again
		return on;
	}
};

// The levels of a search: what is known of the one under way, and the record of those
// that have ended.
#pragma once
#include "lookup.cuh"
#include "policy.cuh"

struct Run {
	Meeting meeting;
	u32 level;
	u32 frontier;
	u32 left; // vertices with a row that are not visited

	// meet returns the sum of a number of every thread, and in rows whether a
	// long row waits.
	__device__ u32 meet(u32 found, bool &rows) {
		__syncthreads(); // the block's other warps may still count long rows
		const u64 sum = add(found, shared<BottomUp>().longRows);
		rows = sum >> 32;
		return u32(sum);
	}

	// add is Meeting's sum, and adds up what the warps counted; with an atomic of every
	// warp on one counter a search took 1 µs longer (scale 24).
	__device__ u64 add(u32 found, u32 ofBlock) {
		return meeting.sum(found, ofBlock, [&] {
			const u32 lane = threadIdx.x & 31;
			BottomUp &s = shared<BottomUp>();
			const u32 looked = __reduce_add_sync(~0u, lane < warps ? s.looked[lane] : 0);
			const u32 moved = __reduce_add_sync(~0u, lane < warps ? s.moved[lane] : 0);
			if (lane < warps)
				s.looked[lane] = s.moved[lane] = 0;
			if (lane == 0 && looked)
				atomicAdd(&record()->looked, looked);
			if (lane == 0 && moved)
				atomicAdd(&record()->moved, moved);
		});
	}

	// stopAsked looks at the host's flag from time to time, in one thread.
	__device__ u32 stopAsked() const {
		return blockIdx.x == 0 && threadIdx.x == 0 && level % pollEvery == pollEvery - 1 && *g.stop;
	}

	// begin begins the first level.
	__device__ static void begin() {
		if (threadIdx.x == recorder)
			extras() = extraBegin;
	}

	// did notes what the level does in addition to its step. One thread keeps it: a register
	// of every thread would be spilled.
	__device__ static void did(u32 extra) {
		if (threadIdx.x == recorder)
			extras() |= extra;
	}

	// measured notes that the level copies the rows of the frontier.
	__device__ static void measured() {
		if (threadIdx.x == recorder)
			extras() += extraMeasure;
	}

	// ended enters a level in the record; the caller goes on with the next one. Of the
	// neighbours looked at, implied ones are not counted by the warps; followed are those
	// of them that a level which looks for hubs only followed top-down. The warps have added
	// what they counted to the record, which nobody waits for: to read it here and write it
	// there would take a round trip to the second-level cache at each level.
	__device__ void ended(Step step, u32 found, u64 implied, u64 followed = 0) {
		if (blockIdx.x == 0 && threadIdx.x == recorder) {
			Control *c = g.control;
			const u64 end = now();
			if (level < g.levelRoom) {
				Level *l = record();
				l->step = step;
				l->extra = extras();
				l->frontier = frontier;
				l->found = found;
				if (step == stepEmit || step == stepList)
					l->listed = __ldcg(step == stepList ? &c->relisted : &c->listed);
				l->implied = implied;
				l->followed = followed;
				l->end = end;
			} else
				atomicAdd(&c->impliedBeyond, implied);
			if (level + 2 <= g.levelRoom)
				g.levels[level + 2].looked = g.levels[level + 2].moved = 0;
			extras() = 0;
			c->end = end;
			c->levelCount = level + 1;
			c->queued[(level + 3) & 3] = 0;
			c->ticket[(level + 2) & 3] = 0;
		}
		level++;
		frontier = found;
		left -= found;
	}

private:
	// recorder is the thread that keeps records, in a warp that has nothing else to do then.
	static constexpr u32 recorder = 32;

	__device__ Level *record() const { return g.levels + min(level, g.levelRoom); }

	__device__ static u32 &extras() {
		__shared__ u32 bits; // of Extra, of the level under way
		return bits;
	}
};

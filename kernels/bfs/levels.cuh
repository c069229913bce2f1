// The current level of a search, and the records of the levels that have ended.
#pragma once
#include "../hostreads.cuh"
#include "lookup.cuh"
#include "policy.cuh"

// Progress is the current level, the same in every thread.
struct Progress {
	GridBarrier barrier;
	u32 level;
	u32 frontier;
	u32 unvisited; // vertices with a row that are not visited

	// waitFound waits for all blocks and returns the sum of found over all threads.
	// It sets longRows if a block has stored a long row. All threads of all blocks
	// must call it.
	__device__ u32 waitFound(u32 found, bool &longRows) {
		__syncthreads(); // other warps of the block may still count long rows
		const u64 sum = waitCounted(found, shared<BottomUp>().longRows);
		longRows = sum >> 32;
		return u32(sum);
	}

	// waitCounted is GridBarrier.waitSum. It also adds the counts of the block's
	// warps to the record of the level, after the block has arrived: the fence of the
	// arrival would wait for these atomics. With one atomic per warp on one counter a
	// search took 1 µs longer (scale 24).
	__device__ u64 waitCounted(u32 found, u32 ofBlock) { return waitCounted(barrier, found, ofBlock); }

	template <typename Barrier> __device__ u64 waitCounted(Barrier &barrier, u32 found, u32 ofBlock) {
		return barrier.waitSum(found, ofBlock, [&] {
			const u32 lane = threadIdx.x & 31;
			BottomUp &s = shared<BottomUp>();
			const u32 examined = __reduce_add_sync(~0u, lane < warps ? s.examined[lane] : 0);
			const u32 moved = __reduce_add_sync(~0u, lane < warps ? s.moved[lane] : 0);
			if (lane < warps)
				s.examined[lane] = s.moved[lane] = 0;
			if (lane == 0 && examined)
				atomicAdd(&record()->examined, examined);
			if (lane == 0 && moved)
				atomicAdd(&record()->moved, moved);
		});
	}

	// waitTail is the wait of a level of the tail, and markTail marks a vertex that it
	// found.
	__device__ u64 waitTail(u32 found, u32 ofBlock) { return waitCounted(found, ofBlock); }
	__device__ static void markTail(u32 *bitmap, u32 v) { atomicOr(bitmap + (v >> 5), 1u << (v & 31)); }

	// stopRequested returns 1 in one thread of the grid if the host has set the stop
	// flag, else 0. It reads the flag every pollEvery levels.
	__device__ u32 stopRequested() const {
		return blockIdx.x == 0 && threadIdx.x == 0 && level % pollEvery == pollEvery - 1 && *g.stop;
	}

	// beginFirstLevel sets the extras of the first level.
	__device__ static void beginFirstLevel() {
		recordBegins(0);
		if (threadIdx.x == recorder)
			extras() = extraBegin;
	}

	// addExtra records that the level does some extra work. The bits are in shared
	// memory and belong to one thread: a register of every thread would be spilled.
	__device__ static void addExtra(u32 extra) {
		if (threadIdx.x == recorder)
			extras() |= extra;
	}

	// addMeasure records that the level copies the rows of the frontier.
	__device__ static void addMeasure() {
		if (threadIdx.x == recorder)
			extras() += extraMeasure;
	}

	// addMoved adds words of 4 bytes to those that the warps of the level count. All
	// threads of all blocks must call it.
	__device__ void addMoved(u32 words) const {
		if (blockIdx.x == 0 && threadIdx.x == recorder)
			atomicAdd(&record()->moved, words);
	}

	// endLevel writes the record of the level and begins the next level. implied is
	// the number of examined neighbours that warps do not count. followed is the part
	// of them that a level which looks for hubs only has examined top-down. All
	// threads of all blocks must call it.
	//
	// Warps have added their counts to the record, and nothing waits for these
	// atomics. To read the counts here and store them would take a round trip to the
	// second-level cache per level.
	__device__ void endLevel(Step step, u32 found, u64 implied, u64 followed = 0) {
		if (blockIdx.x == 0 && threadIdx.x == recorder) {
			Control *c = g.control;
			const u64 end = now();
			if (level < g.levelCapacity) {
				Level *l = record();
				l->step = step;
				l->extra = extras();
				l->frontier = frontier;
				l->found = found;
				if (step == stepDenseParents || step == stepList)
					l->listed = __ldcg(step == stepList ? &c->relisted : &c->listed);
				l->implied = implied;
				l->followed = followed;
				l->end = end;
			} else
				atomicAdd(&c->impliedBeyond, implied);
			if (level + 2 <= g.levelCapacity)
				g.levels[level + 2].examined = g.levels[level + 2].moved = 0;
			extras() = 0;
			c->end = end;
			c->levelCount = level + 1;
			c->queueLength[(level + 3) & 3] = 0;
			c->ticket[(level + 2) & 3] = 0;
		}
		recordBegins(++level);
		frontier = found;
		unvisited -= found;
	}

private:
	// recorder is the thread that writes records. Its warp has no other work at that
	// point.
	static constexpr u32 recorder = 32;

	__device__ Level *record() const { return g.levels + min(level, g.levelCapacity); }

	__device__ static u32 &extras() {
		__shared__ u32 bits; // bits of Extra, of the current level
		return bits;
	}
};

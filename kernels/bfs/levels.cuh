// The levels of a search: what is known of the one under way, and the record of those
// that have ended.
#pragma once
#include "lookup.cuh"
#include "policy.cuh"

struct Run {
	Meeting meeting;
	u32 level;
	u64 frontier;
	u32 left;  // vertices with a row that are not visited
	u32 extra; // what the level did in addition to its step: bits of Extra

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
			u32 mine = 0; // lane i has tally i
#pragma unroll
			for (u32 i = 0; i < tallies; i++) {
				const u32 all = __reduce_add_sync(~0u, lane < warps ? s.tally[i][lane] : 0);
				mine = lane == i ? all : mine;
				if (lane < warps)
					s.tally[i][lane] = 0;
			}
			if (mine)
				atomicAdd(&g.control->tally[level & 3][lane], mine);
			__syncwarp(); // before lane 0 says that the block has come
		});
	}

	// stopAsked looks at the host's flag from time to time, in one thread.
	__device__ u32 stopAsked() const {
		return blockIdx.x == 0 && threadIdx.x == 0 && level % pollEvery == pollEvery - 1 && *g.stop;
	}

	// ended enters a level in the record; the caller goes on with the next one. Of the
	// neighbours looked at, implied ones are not counted by the warps; followed are those
	// of them that a level which looks for hubs only followed top-down.
	__device__ void ended(Step step, u32 found, u64 implied, u64 followed = 0) {
		if (blockIdx.x == 0 && threadIdx.x == 32) {
			Control *c = g.control;
			Level l;
			l.step = step;
			l.extra = extra;
			l.found = found;
			l.frontier = frontier;
			l.followed = followed;
			l.listed = __ldcg(step == stepList ? &c->relisted : &c->listed);
			for (u32 i = 0; i < tallies; i++) {
				l.tally[i] = __ldcg(&c->tally[level & 3][i]);
				c->tally[(level + 2) & 3][i] = 0;
			}
			l.examined = implied + l.tally[tallyNear] + l.tally[tallyWalked];
			l.end = c->end = now();
			if (level < g.levelRoom)
				g.levels[level] = l;
			else
				c->examinedBeyond += l.examined;
			c->levelCount = level + 1;
			c->queued[(level + 3) & 3] = 0;
			c->ticket[(level + 2) & 3] = 0;
		}
		level++;
		frontier = found;
		left -= found;
		extra = 0;
	}
};

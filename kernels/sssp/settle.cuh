// What follows the pushes: the pull of all rows that are not below the bound, and the tail.
#pragma once
#include "hubs.cuh"
#include "parts.cuh"
#include "pull.cuh"
#include "tail.cuh"

// maxSweeps is the number of sweeps of kept arcs after which a search counts as full.
// Official graphs need about ten.
constexpr u32 maxSweeps = 200;

// Settling is the second kernel of a search.
struct Settling : Parts {
	// run makes the pull and the tail. It returns statusFull if a list was full.
	__device__ Status run(PullShared &s) {
		const u64 warp = blockIdx.x * warps + threadIdx.x / 32;
		Kept kept{g.kept + warp * g.keptCapacity, 0};
		if (g.hubs > 0 && !pullHubs(kept))
			return statusFull;
		Pull pull{s, bound, least, kept};
		pull.all();
		count(pull.examined, pull.found);
		bool isFull = pull.kept.length > g.keptCapacity;
		if (!isFull)
			isFull = !askOthers(pull.kept.list, pull.kept.length);
		if (meet(isFull) > 0)
			return statusFull;
		endPart(stepPull, 0);
		return tail(pull.kept) ? statusDone : statusFull;
	}

private:
	// pullHubs pulls the hubs first. It returns false if a list was full.
	__device__ bool pullHubs(Kept &kept) {
		HubPull pull{bound, least, kept};
		pull.all();
		count(pull.examined, 0);
		if (meet(kept.length > g.keptCapacity) > 0)
			return false;
		takeTargets();
		waitOwn(barrier);
		HubTail t{bound, kept, spilled};
		u32 blocks = meet(t.first());
		takeStaying();
		// One sweep is due anyway: it also passes on which hubs are open.
		for (u32 sweep = 0; (sweep == 0 || blocks > 0) && !stopped; sweep++) {
			if (sweep == maxSweeps || several && items > g.queueCapacity / 2) // a list of changed hubs may be full
				return false;
			takeChanged(sweep & 1);
			waitOwn(barrier);
			t.list = ~sweep & 1;
			bool any = false;
			// Late sweeps change so few hubs that to look at their rows takes less time. Early ones change too many to list them.
			const bool pushes = t.tells && pushPays(items);
			if (pushes) {
				t.examined += pushHubs(bound, sweep & 1, items, spilled);
			} else {
				t.tells = several || sweep > 1 && g.leastPushed != noRow;
				any = t.again(sweep == 0);
				if (kept.length <= 64) // another sweep takes less time than a barrier
					any |= t.again(false);
			}
			if (!several && isFirst())
				g.control->queued[sweep & 1] = 0; // for the next sweep
			blocks = meet(any, sweep % 16 == 15);
			if (pushes)
				blocks = items;
		}
		t.leave();
		closeHubs();
		count(t.examined, 0);
		meet(false);
		endPart(stepHubs, 0);
		return true;
	}

	// closeHubs takes openHub from the distances of hubs that will not change, four at a time.
	__device__ void closeHubs() {
		uint4 *const hubs = reinterpret_cast<uint4 *>(g.hubBest);
		for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < g.hubs / 4; i += gridDim.x * THREADS) {
			const uint4 d = __ldcg(hubs + i);
			const u32 open = __ldcg(g.open + i / 8) >> i % 8 * 4;
			const u32 kept[4] = {open & 1 ? ~0u : ~openHub, open & 2 ? ~0u : ~openHub, open & 4 ? ~0u : ~openHub, open & 8 ? ~0u : ~openHub};
			if ((d.x | d.y | d.z | d.w) & openHub)
				hubs[i] = make_uint4(d.x & kept[0], d.y & kept[1], d.z & kept[2], d.w & kept[3]);
		}
	}

	// tail relaxes the kept arcs until none changes a distance. It returns false if that takes
	// too long.
	__device__ bool tail(const Kept &kept) {
		answerOthers(bound);
		if (several)
			meet(false);
		Tail t{kept, bound};
		const bool changed = t.first();
		emptyBest();
		clearTouched();
		count(t.examined, 0);
		waitOwn(barrier);
		tellNews(g.marks[0], 0);
		u32 blocks = meet(changed);
		for (u32 sweep = 1; blocks > 0 && sweep <= maxSweeps && !stopped; sweep++) {
			const Words words = ownLabelWords();
			u32 *unused = g.marks[(sweep + 1) % 3];
			for (u32 i = words.first + blockIdx.x * THREADS + threadIdx.x; i < words.end; i += gridDim.x * THREADS)
				unused[i] = 0;
			t.examined = 0;
			bool any = t.again(g.marks[(sweep - 1) % 3], g.marks[sweep % 3], sweep - 1, sweep == 1);
			// Two more sweeps take less time than a barrier, and find some of what would need
			// another one.
			for (u32 i = 0; i < 2 && t.kept.length <= 128; i++)
				any |= t.again(g.marks[sweep % 3], g.marks[sweep % 3], sweep - 1, false);
			count(t.examined, 0);
			waitOwn(barrier);
			tellNews(g.marks[sweep % 3], sweep);
			blocks = meet(any);
		}
		endPart(stepTail, 0);
		return blocks == 0;
	}

	// emptyBest empties g.best.
	__device__ void emptyBest() {
		eachLogged(logLength(), [](const auto &row) {
			for (u32 r : row)
				if (r != noRow && r >= g.hubs)
					g.best[r] = ~0ull;
		});
		for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < g.hubs; i += gridDim.x * THREADS)
			g.best[i] = ~0ull;
	}

};

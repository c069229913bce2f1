// The search on several devices of one host: one persistent kernel on each.
//
// Each device makes the near step and the pushes for itself: they reach few vertices, over few arcs. To
// share one device's results took as long as a third of them. Light arcs are copied to each device
// before, others are read from the memory of their device. Then each device makes the pull and the tail
// of its own rows, as the other kernel does. The devices exchange the distances of the hubs, and in the
// sweeps those that have changed.
//
// After the pushes, a row's distance and parent are lowered by its own device only, from a distance that
// the source has. So parents form no cycle (see also settleTies).
//
// If a list runs full, the first device makes the search again without lists.
#include "peerowners.cuh"

#include "fallback.cuh"
#include "pushing.cuh"
#include "settle.cuh"

namespace {

// Together is the second part of a search, on all devices.
struct Together : Settling {
	// run makes the second part.
	__device__ Status run(PullShared &s, u32 root, Status status) {
		if (stopped)
			return statusStopped;
		Status result = status == statusSettle ? Settling::run(s) : status;
		if (result == statusFull && !stopped) {
			withoutLists(root);
			result = statusDone;
		}
		return result;
	}

private:
	// withoutLists is the search without lists.
	__device__ void withoutLists(u32 label) {
		empty();
		meet(false);
		barrier.alone = true;
		if (m.own == 0)
			relaxAllRows(rowOfLabel(label));
		barrier.alone = false;
		meet(false, true); // all devices know whether the first one was stopped
		for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < g.rowCount && !stopped; i += gridDim.x * THREADS) {
			const u64 entry = loadIf(true, m.peers[0].best + __ldg(g.thirds + i).y, 0);
			const u32 to = __ldg(g.order + i);
			g.distances[to] = entry == ~0ull ? unreached : u32(entry >> 32);
			g.parents[to] = entry == ~0ull ? noRow : __ldg(g.labels + u32(entry));
		}
		meet(false);
		empty();
		meet(false);
		endPart(stepDense, 0);
	}

	// empty empties g.best, g.touched and the bitmaps of changed rows.
	__device__ void empty() {
		for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < numbers(); i += gridDim.x * THREADS) {
			g.best[i] = ~0ull;
			if (i % 32 == 0)
				g.marks[0][i / 32] = g.marks[1][i / 32] = 0;
		}
		clearTouched();
	}

	// relaxAllRows relaxes all arcs of changed rows until none changes. The first device makes it.
	__device__ void relaxAllRows(u32 root) {
		if (isFirst()) {
			g.best[root] = root;
			setBit(g.marks[0], root);
		}
		meet(false);
		for (u32 round = 0; !stopped; round++)
			if (meet(relaxChanged(numbers() / 32, round & 1, ~round & 1), round % 16 == 15) == 0)
				return;
	}
};

// Arena is the dynamic shared memory of a block, for one part of the search after the other: what it
// does not take is first-level cache.
union Arena {
	Shared pushing;
	PullShared pull;
};

} // namespace

// sharedBytes is the size of the dynamic shared memory of a block.
__device__ u32 sharedBytes = sizeof(Arena);

extern __shared__ uint4 arena[];

extern "C" __global__ void __launch_bounds__(THREADS, 2) ssspPeers(u32 root) {
	if (tellsWithoutRoot(root, g.done))
		return;
	__shared__ Counts counts;
	Arena &shared = *reinterpret_cast<Arena *>(arena);
	Pushing pushing{parts(counts, 0, 0, 0)};
	const Status status = pushing.run(shared.pushing, root);
	Together together{{pushing}};
	together.barrier.alone = false;
	const Status result = together.run(shared.pull, root, status);
	if (together.isFirst())
		m.control->round = together.barrier.all.round;
	together.finish(result);
	leave();
}

#include "light.cu"

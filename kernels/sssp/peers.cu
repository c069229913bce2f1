// The search on several devices of one host: one persistent kernel on each.
//
// The first device makes the near step and the pushes alone, as one kernel of search.cu does.
// They reach few vertices, over few arcs: those of light arcs are copied to it before, others
// it reads from the memory of their device. Then each device gets the distances of the reached
// rows, and makes the pull and the tail of its own rows, as the other kernel does. The devices
// exchange the distances of the hubs, and in the sweeps those that have changed.
//
// A row's distance and parent are lowered by its own device only, or before by the first one,
// from a distance that the source has. So parents form no cycle.
//
// If a list runs full, the first device makes the search again without lists.
#include "peerowners.cuh"

#include "fallback.cuh"
#include "pushing.cuh"
#include "settle.cuh"

namespace {

// Together is the second part of a search, on all devices.
struct Together : Settling {
	Status status; // of the first device

	// run makes the second part.
	__device__ Status run(PullShared &s, u32 root) {
		Status result = stopped ? statusStopped : status;
		if (result == statusSettle || result == statusDone) {
			takeLog(result == statusDone);
			meet(false);
			endPart(stepShare, 0);
			if (result == statusSettle)
				result = Settling::run(s);
			else
				leaveLog();
		}
		if (result == statusFull && !stopped) {
			withoutLists(root);
			result = statusDone;
		}
		return result;
	}

private:
	// takeLog copies the log of the first device. With isEnd, the thread writes the results of
	// the rows of this device, else the device takes the distances and notes which of its rows
	// have one.
	__device__ void takeLog(bool isEnd) {
		constexpr int each = 4; // entries of a thread in flight
		__shared__ u32 lengths[maxPeers];
		numbersOfPeers(lengths, [](const Control *c) { return &c->logLength; });
		const u32 n = m.own > 0 ? lengths[0] : logLength(), all = gridDim.x * THREADS;
		for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < n; i += each * all) {
			u32 row[each];
			u64 entry[each];
#pragma unroll
			for (int k = 0; k < each; k++) {
				row[k] = loadIf(i + k * all < n, m.peers[0].log + i + k * all, noRow);
				entry[k] = loadIf(i + k * all < n, reinterpret_cast<const u64 *>(m.peers[0].queues[0]) + i + k * all, 0);
			}
#pragma unroll
			for (int k = 0; k < each; k++) {
				if (m.own > 0 && i + k * all < n)
					g.log[i + k * all] = row[k];
				if (row[k] != noRow)
					take(row[k], entry[k], isEnd);
			}
		}
		if (m.own > 0 && isFirst())
			g.control->logLength = n;
	}

	// take takes an entry of the log of the first device.
	__device__ void take(u32 row, u64 entry, bool isEnd) {
		if (m.own > 0)
			g.best[row] = entry;
		if (!isOwn(row))
			return;
		if (!isEnd && row >= g.hubs)
			setBit(g.touched, __ldg(g.rows + 2 * u64(row) + 1).w);
		if (isEnd) {
			const u32 label = __ldg(g.labels + row);
			g.distances[label] = u32(entry >> 32);
			g.parents[label] = __ldg(g.labels + u32(entry));
		}
	}

	// leaveLog empties g.best at the end of a search without a pull.
	__device__ void leaveLog() {
		for (u32 i = blockIdx.x * THREADS + threadIdx.x, n = logLength(); i < n; i += gridDim.x * THREADS)
			if (__ldcg(g.log + i) != noRow)
				g.best[__ldcg(g.log + i)] = ~0ull;
		meet(false);
		endPart(stepTail, 0);
	}

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

// offerLog writes the entries of the rows in the log, for the other devices.
__device__ void offerLog() {
	const u32 n = min(*const_cast<const volatile u32 *>(&g.control->logLength), g.logCapacity);
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
		const u32 row = __ldcg(g.log + i);
		if (row != noRow)
			reinterpret_cast<u64 *>(g.queues[0])[i] = __ldcg(g.best + row);
	}
}

// Handed is what the first device hands to all others, as the sums of a barrier.
struct Handed {
	u64 first, second;

	static constexpr int boundShift = 3, partShift = 34, stopShift = 52;

	__device__ Status status() const { return Status(first & 7); }
	__device__ u32 bound() const { return u32(first >> boundShift) & 0x7fffffff; }
	__device__ u32 part() const { return u32(first >> partShift) & 0xffff; }
	__device__ bool stopped() const { return first >> stopShift > 0; }
};

// hand waits for the first device. All threads of all blocks must call it.
__device__ Handed hand(Pushing &pushing, Status status) {
	Handed mine{};
	if (pushing.isFirst()) {
		if (m.own == 0) {
			mine.first = u64(status) | u64(pushing.bound) << Handed::boundShift | u64(min(pushing.part, 0xffffu)) << Handed::partShift;
			mine.second = pushing.least;
		}
		mine.first += u64(pushing.stopped || *g.stop) << Handed::stopShift;
	}
	Handed all;
	all.first = pushing.barrier.all.waitTwo(mine.first, mine.second, all.second, [&] { pushing.recordEnded(); });
	return all;
}

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
	__shared__ Counts counts;
	Arena &shared = *reinterpret_cast<Arena *>(arena);
	Pushing pushing{parts(counts, 0, 0, 0)};
	Status status = statusDone;
	if (m.own == 0) {
		status = pushing.run(shared.pushing, root);
		if (status == statusSettle || status == statusDone)
			offerLog();
	} else {
		pushing.clear();
		for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < maxRecords; i += gridDim.x * THREADS)
			g.rounds[i] = RoundRecord{};
		if (pushing.isFirst())
			g.control->begin = now();
	}
	const Handed handed = hand(pushing, status);
	Together together{{parts(counts, u32(handed.second), handed.bound(), handed.part())}, handed.status()};
	together.barrier = pushing.barrier;
	together.barrier.alone = false;
	together.stopped = handed.stopped();
	const Status result = together.run(shared.pull, root);
	if (together.isFirst())
		m.control->round = together.barrier.all.round;
	together.finish(result);
	leave();
}

#include "light.cu"

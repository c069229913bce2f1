// The first kernel of a search: the near step and the pushes.
#pragma once
#include "light.cuh"
#include "near.cuh"
#include "parts.cuh"
#include "push.cuh"

union Shared {
	NearShared near;
	PushShared push;
};

// Pushing is the first kernel of a search.
struct Pushing : Parts {
	Log log{};
	bool full = false;
	u32 found = 0; // vertices that all blocks, of several devices those of the first, have found in the last pushes
	u32 logged = 0; // length of the log then
	bool lightSeen = false; // this search has relaxed light arcs

	// run makes the near step and the pushes. It returns statusSettle if the second kernel
	// must go on, and statusFull if a list was full or the search was stopped.
	__device__ Status run(Shared &s, u32 root) {
		begin(s, root);
		float step = g.step;
		u64 reached = 0, pullAt = g.pullAt;
		Pushes pushes{s.push, log, spilled};
		pushes.prepare();
		for (u32 bump = 0;; bump++) {
			if (several && bump == 1)
				step = g.laterStep;
			if (bump >= 3) // this graph is not like a Kronecker graph: fewer and longer steps
				step *= 2;
			pushes.from = bump > 0 ? bound : 0;
			raise(step);
			bool pending;
			pushAll(pushes, bump > 0, pending);
			agree(*this, pending);
			if (full || stopped) {
				meet(false); // all blocks know it
				return statusFull;
			}
			if (!pending || bound == infinite) {
				settleTies();
				waitAll(barrier); // before the first device empties g.best
				resultsOfLog();
				return statusDone;
			}
			reached += found;
			if (reached < pullAt)
				continue;
			settleTies();
			touch();
			if (pullPays())
				return statusSettle;
			pullAt = 2 * reached;
		}
	}

	// clear empties what the second kernel uses. Block 0 has the near step before it, so the
	// other blocks do it, if there are any.
	__device__ void clear() {
		if (blockIdx.x == 0 && gridDim.x > 1)
			return;
		const u32 all = max(gridDim.x - 1, 1) * THREADS, mine = (blockIdx.x - (gridDim.x > 1)) * THREADS + threadIdx.x;
		const Words words = ownLabelWords();
		for (u32 i = words.first + mine; i < words.end; i += all)
			g.marks[0][i] = g.marks[1][i] = g.marks[2][i] = g.staying[i] = 0;
		for (u32 i = mine; i < ownTargetWords(); i += all)
			g.targets[ownTargetWord(i)] = 0;
		for (u32 i = mine; i < g.hubs / 32; i += all) {
			g.open[i] = 0;
			if (several)
				g.marks[2][i] = 0;
		}
	}

private:
	// countOnce is count, but of several devices, which all push, for one only.
	__device__ void countOnce(u32 arcs, u32 vertices) {
		if (isFirstDevice())
			count(arcs, vertices);
	}

	// begin expands the root and the nearest vertices.
	__device__ void begin(Shared &s, u32 label) {
		clear();
		const u32 root = rowOfLabel(label);
		const RowOf row = loadRow(true, root);
		if (isFirst()) {
			g.control->begin = now();
			g.best[root] = root;
		}
		u32 rows = 1, arcs = row.degree;
		const bool alone = row.degree > g.nearArcs || row.degree >= nearCapacity;
		if (alone) {
			least = row.head.y; // arcs are in the order of the weights
			expandRoot(root, row, log, spilled);
		} else if (blockIdx.x == 0) {
			rows = arcs = 0;
			__syncthreads(); // the entry of the root is written
			const u32 next = expandNear(s.near, root, log, spilled, arcs, rows);
			if (threadIdx.x == 0)
				g.control->least = next;
		}
		countOnce(isFirst() ? arcs : 0, 0);
		meet(false);
		if (!alone)
			least = leastOfAll(barrier, *reinterpret_cast<volatile u32 *>(&g.control->least));
		bound = least;
		endPart(stepNear, rows);
	}

	// raise raises the bound by the step, or to the next distance.
	__device__ void raise(float step) {
		const float to = __fadd_rn(__uint_as_float(bound), step);
		bound = max(__float_as_uint(to), bound + 1); // the next larger number
		bound = min(bound, infinite);
	}

	// pushAll makes rounds until no distance below the bound changes. In the first call, the
	// items are those of queue 0. Later, all items of the log are pushed again, from the
	// arcs on that end at the last bound. It reports in pending whether there may be anything
	// at the bound or above it.
	__device__ void pushAll(Pushes &pushes, bool again, bool &pending) {
		u32 queue = 0, vertices = 0, blocks = 0, rounds = 0;
		if (again) {
			const u32 n = logLength();
			meet(false); // all blocks have read it before one claims more
			items = n;
		}
		pushes.least = least;
		pushes.bound = bound;
		const bool isLight = lightSuffices(pushes.from);
		pushes.light = isLight;
		do {
			const bool all = again && rounds == 0;
			const u32 n = all ? items : min(items, g.queueCapacity);
			if (isFirst())
				g.control->queued[queue] = 0;
			pushes.queue = queue ^= 1;
			// Light arcs do all that follows what the items find, and in later calls what that
			// finds: a row with one light arc passes nothing on that came over this arc.
			pushes.round(all ? nullptr : g.queues[queue ^ 1], n, isLight ? all : ~0u);
			countOnce(pushes.relaxed, log.found);
			vertices += n;
			pushes.relaxed = log.found = 0;
			rounds++;
			if (isLight && !again && rounds == 1)
				items = relaxLight(pushes.from); // without waiting for the blocks that have items
			else
				blocks += meet(pushes.pending, rounds % 16 == 0);
			full |= items > g.queueCapacity;
		} while (items > 0 && !stopped);
		if (isLight && (again || rounds > 1))
			relaxLight(pushes.from);
		blocks += isLight;
		logged = logLength();
		found = foundNow();
		full |= logged > g.logCapacity;
		endPart(stepPush, vertices);
		pushes.pending = false;
		pending = blocks > 0;
	}

	// lightSuffices reports whether every arc between two rows at distance from or the least
	// one or above, and below the bound, is among the light arcs.
	__device__ bool lightSuffices(u32 from) const {
		const u32 low = max(from, least);
		const float width = __fadd_rn(__uint_as_float(bound + 1), -__uint_as_float(low));
		return g.segmentCount > 0 && bound < infinite && width < g.lightWidth * 0.9999f; // for the rounding
	}

	// relaxLight relaxes the light arcs until no distance below the bound changes, and logs
	// the rows that they reach. Arcs that end below from are relaxed already. It returns the
	// number of items that all blocks had spilled before.
	__device__ u32 relaxLight(u32 from) {
		Light light{max(least, from), bound, log};
		const bool first = !lightSeen;
		lightSeen = true;
		u32 blocks = 1, before = 0;
		for (u32 i = 0; blocks > 0 && !stopped; i++) {
			const bool any = light.sweeps(i, first && i == 0);
			countOnce(light.relaxed, log.found);
			light.relaxed = log.found = 0;
			// The blocks with items may have changed distances after the last sweep of others.
			blocks = meet(any || first && i == 0, i % 16 == 15);
			before += items;
		}
		return before;
	}

	// pullPays reports whether the pull would decide at least half of a sample of the
	// vertices that are not reached with their first two arcs.
	__device__ bool pullPays() {
		u32 asked = 0, decided = 0;
		const u32 block = gridDim.x - 1 - blockIdx.x; // the first blocks are still in touch
		for (u64 i = u64(block * THREADS + threadIdx.x) * g.sampleStride; i < g.rowCount; i += u64(gridDim.x) * THREADS * g.sampleStride) {
			const u32 row = __ldg(g.thirds + i).y;
			const uint4 head = __ldg(g.heads + i);
			const u32 own = __ldcg(distanceOf(row)), first = __ldcg(distanceOf(head.x)), second = __ldcg(distanceOf(head.z));
			asked += own == noRow;
			decided += own == noRow && min(first, second) < bound;
		}
		const u32 all = __syncthreads_count(asked > decided);
		const u32 yes = __syncthreads_count(decided > 0);
		const u64 sum = sumOfAll(barrier, u64(all) << 24 | yes, [&] { recordEnded(); });
		const u64 decisive = sum & 0xffffff;
		return decisive > 0 && decisive >= sum >> 24;
	}

	// resultsOfLog writes the results of all own rows of the log, and empties g.best.
	__device__ void resultsOfLog() {
		eachLogged(logLength(), [](const auto &rows) {
			for (u32 row : rows) {
				const u64 best = loadIf(row != noRow, g.best + row, ~0ull);
				if (best == ~0ull) // or the row is in the log twice
					continue;
				g.best[row] = ~0ull;
				if (!isOwn(row))
					continue;
				const u32 label = __ldg(g.labels + row);
				g.distances[label] = u32(best >> 32);
				g.parents[label] = __ldg(g.labels + u32(best));
			}
		});
		clearTouched();
		meet(false);
		endPart(stepTail, 0);
	}

	// touch sets the bits of the places of all own reached rows but hubs in g.touched, and the
	// distances of all hubs. Other devices may not have this one's distances at the bound or above it:
	// their hubs have none until they tell them.
	__device__ void touch() {
		for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < g.hubs / 4; i += gridDim.x * THREADS) {
			const uint4 *entries = reinterpret_cast<const uint4 *>(g.best + 4 * i);
			const uint4 a = __ldcg(entries), b = __ldcg(entries + 1);
			const auto of = [=](u32 distance) { return distance < bound ? distance : isOwn(4 * i) ? distance | openHub : noRow; };
			reinterpret_cast<uint4 *>(g.hubBest)[i] = make_uint4(of(a.y), of(a.w), of(b.y), of(b.w));
		}
		eachLogged(logged, [](const auto &row) {
			constexpr int each = sizeof(row) / sizeof(u32);
			u32 place[each];
			bool on[each];
#pragma unroll
			for (int k = 0; k < each; k++) {
				on[k] = row[k] != noRow && row[k] >= g.hubs && isOwn(row[k]);
				place[k] = loadIf(on[k], &g.rows[2 * u64(on[k] ? row[k] : 0) + 1].w, 0);
			}
#pragma unroll
			for (int k = 0; k < each; k++)
				if (on[k])
					setBit(g.touched, place[k]);
		});
	}
};

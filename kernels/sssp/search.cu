// The default search: one persistent kernel per search, steered on the device.
//
//  1. near: the root and the nearest vertices are expanded. The least distance that is not
//     expanded is a lower bound for what follows.
//  2. push: arcs that end below a bound are relaxed until none changes a distance: all arcs
//     of what the near step has found, then light arcs as long as these are enough, or else
//     all arcs of what is found. The bound rises until enough vertices are reached.
//  3. pull, once: every other vertex relaxes its own arcs, lightest first.
//  4. tail: the arcs that the pull has kept are relaxed until none changes a distance.
//
// Every parent comes from the strict improvement that led to the distance, so parents never
// form a cycle. A search whose lists run full ends with statusFull; the host makes it again
// without lists.
#include "../ptx.cuh"
#include "../counted.cuh"
#include "light.cuh"
#include "near.cuh"
#include "pull.cuh"
#include "push.cuh"
#include "tail.cuh"

namespace {

union Shared {
	NearShared near;
	PushShared push;
	PullShared pull;
};

// maxSweeps is the number of sweeps of the tail after which a search counts as full.
// Official graphs need about ten.
constexpr u32 maxSweeps = 200;

// Search is the state of a search that all blocks agree on, as each thread holds it.
struct Search {
	Shared &s;
	u32 *spilled;      // items that the block has left to the queue since the last barrier, in shared memory
	u64 *examinedHere; // arcs that the block has examined since the last barrier
	u32 *foundHere;    // vertices that the block has found since the last barrier
	GridBarrier barrier{0};
	u32 items = 0; // length of the queue of the next round
	u32 least = 0, bound = 0;
	u64 examined = 0; // arcs that all blocks have examined in the last part of the search
	u32 found = 0;    // vertices that they have found
	u32 part = 0;
	bool stopped = false, full = false;

	// Bits of the number that a block passes to a barrier, besides the spilled items.
	static constexpr u64 flagUnit = 1ull << 33;
	static constexpr u64 stopFlag = 1ull << 45;

	// count adds the arcs that the thread has examined and the vertices that it has found.
	__device__ void count(u32 arcs, u32 vertices) {
		arcs = __reduce_add_sync(~0u, arcs);
		vertices = __reduce_add_sync(~0u, vertices);
		if ((threadIdx.x & 31) == 0 && arcs > 0)
			atomicAdd(examinedHere, u64(arcs));
		if ((threadIdx.x & 31) == 0 && vertices > 0)
			atomicAdd(foundHere, vertices);
	}

	// meet waits for all blocks. It sets items to the number of items that they have spilled,
	// and adds up what they have examined and found. It returns the number of blocks with a
	// thread whose flag is set. The host's wish to stop is looked up if asked for: that takes
	// longer than the barrier.
	__device__ u32 meet(bool flag, bool askHost = false) {
		const bool any = __syncthreads_or(flag);
		u64 mine = 0;
		if (threadIdx.x == 0) {
			mine = *spilled + (any ? flagUnit : 0);
			if (*examinedHere > 0)
				atomicAdd(&g.control->examined[part & 3], *examinedHere);
			if (*foundHere > 0)
				atomicAdd(&g.control->found[part & 3], u64(*foundHere));
			if (askHost && blockIdx.x == 0 && *g.stop)
				mine += stopFlag;
			*spilled = *foundHere = 0;
			*examinedHere = 0;
		}
		const u64 sum = barrier.wait(mine);
		items = u32(sum);
		stopped |= sum >= stopFlag;
		return u32(sum / flagUnit) & 0xfff;
	}

	// endPart ends a part of the search, after a barrier: it sets examined and found and
	// writes the record of the part.
	__device__ void endPart(Step step, u32 frontier) {
		examined = *reinterpret_cast<volatile u64 *>(&g.control->examined[part & 3]);
		found = *reinterpret_cast<volatile u64 *>(&g.control->found[part & 3]);
		if (isFirst()) {
			// All blocks have read these words, and none writes them before the next barrier.
			g.control->examined[part + 2 & 3] = g.control->found[part + 2 & 3] = 0;
			record(part, step, frontier, found, examined);
		}
		part++;
	}

	__device__ u32 logLength() const { return *reinterpret_cast<volatile u32 *>(&g.control->logLength); }

	__device__ bool isFirst() const { return blockIdx.x == 0 && threadIdx.x == 0; }

	// begin expands the root and the nearest vertices.
	__device__ void begin(u32 label) {
		const u32 words = (g.vertices + 31) / 32;
		for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < words; i += gridDim.x * THREADS)
			g.marks[0][i] = g.marks[1][i] = 0;
		for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < (g.rowCount + 31) / 32; i += gridDim.x * THREADS)
			g.targets[i] = 0;
		const uint2 word = __ldg(g.index + (label >> 5));
		const u32 root = __ldg(thirdOf(word, label)).y;
		const RowOf row = loadRow(true, root);
		if (isFirst()) {
			g.control->begin = now();
			g.best[root] = root;
		}
		u32 rows = 1, arcs = row.degree;
		const bool alone = row.degree > g.nearArcs || row.degree >= nearCapacity;
		if (alone) {
			least = row.head.y; // arcs are in the order of the weights
			expandRoot(root, row, spilled);
		} else if (blockIdx.x == 0) {
			rows = arcs = 0;
			__syncthreads(); // the entry of the root is written
			const u32 next = expandNear(s.near, root, spilled, arcs, rows);
			if (threadIdx.x == 0)
				g.control->least = next;
		}
		count(isFirst() ? arcs : 0, 0);
		meet(false);
		if (!alone)
			least = *reinterpret_cast<volatile u32 *>(&g.control->least);
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
		do {
			const bool log = again && rounds == 0;
			const u32 n = log ? items : min(items, g.queueCapacity);
			if (isFirst())
				g.control->queued[queue] = 0;
			pushes.queue = queue ^= 1;
			// Light arcs do all that follows what the items find, and in later calls what that
			// finds: a row with one light arc passes nothing on that came over this arc.
			pushes.round(log ? g.log : g.queues[queue ^ 1], n, !log, isLight ? log : ~0u);
			count(pushes.relaxed, pushes.found);
			vertices += n;
			pushes.relaxed = pushes.found = 0;
			rounds++;
			blocks += meet(pushes.pending, rounds % 16 == 0);
			full |= items > g.queueCapacity;
		} while (items > 0 && !stopped);
		if (isLight) {
			relaxLight(pushes, !again);
			blocks = 1;
		}
		full |= logLength() > g.logCapacity;
		endPart(stepPush, vertices);
		pushes.pending = false;
		pending = blocks > 0;
	}

	// lightSuffices reports whether every arc between two rows at distance from or the least
	// one or above, and below the bound, is among the light arcs.
	__device__ bool lightSuffices(u32 from) const {
		const u32 low = max(from, least);
		const float width = __fadd_rn(__uint_as_float(bound + 1), -__uint_as_float(low));
		return g.lightCount > 0 && bound < infinite && width < g.lightWidth * 0.9999f; // for the rounding
	}

	// relaxLight relaxes the light arcs until no distance below the bound changes, and logs
	// the rows that they reach.
	__device__ void relaxLight(Pushes &pushes, bool first) {
		Light light{bound};
		u32 blocks = 1;
		for (u32 i = 0; blocks > 0 && !stopped; i++) {
			const bool any = light.sweeps(i == 0 ? Light::firstSweeps : Light::laterSweeps, first && i == 0);
			count(light.relaxed, 0);
			light.relaxed = 0;
			blocks = meet(any, i % 16 == 15);
		}
		pushes.prepare();
		for (u32 base = blockIdx.x * THREADS; base < g.lightCount; base += gridDim.x * THREADS)
			pushes.push(light.reached(base + threadIdx.x, pushes.from), true, false);
		count(0, pushes.found);
		pushes.found = 0;
		meet(false);
	}

	// pullPays reports whether the pull would decide at least half of a sample of the
	// vertices that are not reached with their first two arcs.
	__device__ bool pullPays() {
		u32 asked = 0, decided = 0;
		for (u64 i = u64(blockIdx.x * THREADS + threadIdx.x) * g.sampleStride; i < g.rowCount; i += u64(gridDim.x) * THREADS * g.sampleStride) {
			if (isBit(g.touched, i))
				continue;
			asked++;
			const uint4 head = __ldg(g.heads + i);
			decided += __ldcg(distanceOf(head.x)) < bound || __ldcg(distanceOf(head.z)) < bound;
		}
		const u32 all = __syncthreads_count(asked > decided);
		const u32 yes = __syncthreads_count(decided > 0);
		const u64 sum = barrier.wait(u64(all) << 24 | yes);
		const u64 decisive = sum & 0xffffff;
		return decisive > 0 && decisive >= sum >> 24;
	}

	// resultsOfLog writes the results of all items of the log, and empties g.best and
	// g.touched.
	__device__ void resultsOfLog() {
		for (u32 i = blockIdx.x * THREADS + threadIdx.x, n = logLength(); i < n; i += gridDim.x * THREADS) {
			const uint2 item = __ldcg(g.log + i);
			if (item.x == noRow)
				continue;
			const u64 best = __ldcg(g.best + item.x);
			if (best >> 32 != item.y) // an earlier improvement of the row, or empty again
				continue;
			g.best[item.x] = ~0ull;
			const u32 label = __ldg(g.labels + item.x);
			g.distances[label] = item.y;
			g.parents[label] = __ldg(g.labels + u32(best));
		}
		clearTouched();
		endPart(stepTail, 0);
	}

	// emptyBest empties g.best.
	__device__ void emptyBest() {
		for (u32 i = blockIdx.x * THREADS + threadIdx.x, n = logLength(); i < n; i += gridDim.x * THREADS) {
			const u32 row = __ldcg(g.log + i).x;
			if (row != noRow)
				g.best[row] = ~0ull;
		}
	}

	__device__ void clearTouched() {
		for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < (g.rowCount + 31) / 32; i += gridDim.x * THREADS)
			g.touched[i] = 0;
	}

	// pullAndTail makes the pull and the tail. It returns false if a list was full.
	__device__ bool pullAndTail() {
		__syncthreads();
		const u64 warp = blockIdx.x * warps + threadIdx.x / 32;
		Pull pull{s.pull, bound, least, Kept{g.kept + warp * g.keptCapacity, 0}};
		pull.all();
		count(pull.examined, pull.found);
		if (meet(pull.kept.length > g.keptCapacity) > 0)
			return false;
		endPart(stepPull, 0);
		return tail(pull.kept);
	}

	__device__ bool tail(const Kept &kept) {
		Tail t{kept};
		const bool changed = t.first();
		emptyBest();
		clearTouched();
		count(t.examined, 0);
		u32 blocks = meet(changed);
		for (u32 sweep = 1; blocks > 0 && sweep <= maxSweeps && !stopped; sweep++) {
			const u32 words = (g.vertices + 31) / 32;
			u32 *unused = g.marks[(sweep + 1) % 3];
			for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < words; i += gridDim.x * THREADS)
				unused[i] = 0;
			t.examined = 0;
			bool any = t.again(g.marks[(sweep - 1) % 3], g.marks[sweep % 3]);
			// Two more sweeps take less time than a barrier, and find some of what would need
			// another one.
			for (u32 i = 0; i < 2 && t.kept.length <= 128; i++)
				any |= t.again(g.marks[sweep % 3], g.marks[sweep % 3]);
			count(t.examined, 0);
			blocks = meet(any);
		}
		endPart(stepTail, 0);
		return blocks == 0;
	}

	// finish publishes the status and resets the control block for the next search.
	__device__ void finish(Status status) {
		meet(false);
		if (!isFirst())
			return;
		Control *c = g.control;
		c->status = stopped ? u32(statusStopped) : u32(status);
		c->logLength = c->queued[0] = c->queued[1] = 0;
		c->records = part;
		for (int i = 0; i < 4; i++)
			c->examined[i] = c->found[i] = 0;
		__threadfence_system();
		*g.done = 1 + c->status;
	}

	__device__ Status run(u32 root) {
		begin(root);
		float step = g.step;
		u64 reached = 0, pullAt = g.pullAt;
		Pushes pushes{s.push, spilled};
		pushes.prepare();
		for (u32 bump = 0;; bump++) {
			if (bump >= 3) // this graph is not like a Kronecker graph: fewer and longer steps
				step *= 2;
			pushes.from = bump > 0 ? bound : 0;
			raise(step);
			bool pending;
			pushAll(pushes, bump > 0, pending);
			if (full || stopped)
				return statusFull;
			if (!pending || bound == infinite) {
				resultsOfLog();
				return statusDone;
			}
			reached += found;
			if (reached < pullAt)
				continue;
			if (pullPays())
				return pullAndTail() ? statusDone : statusFull;
			pullAt = 2 * reached;
		}
	}
};

} // namespace

// sharedBytes is the size of the dynamic shared memory of a block.
__device__ u32 sharedBytes = sizeof(Shared);

extern __shared__ uint4 arena[];

extern "C" __global__ void __launch_bounds__(THREADS, 2) sssp(u32 root) {
	__shared__ u32 spilled, found;
	__shared__ u64 examined;
	if (threadIdx.x == 0) {
		spilled = found = 0;
		examined = 0;
	}
	__syncthreads();
	Search search{*reinterpret_cast<Shared *>(arena), &spilled, &examined, &found};
	search.finish(search.run(root));
	leave();
}

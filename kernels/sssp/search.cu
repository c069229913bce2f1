// The default search: one persistent kernel per search, steered on the device.
//
//  1. near: the root is expanded by all blocks, the nearest vertices by one. The least
//     distance that is not expanded is a lower bound for what follows.
//  2. push: arcs that end below a bound are relaxed until none changes a distance. The
//     bound rises until enough arcs are pushed.
//  3. pull, once: every other vertex relaxes its own arcs, lightest first.
//  4. tail: the arcs that the pull has kept are relaxed until none changes a distance.
//
// The results are indexed by original labels and hold original labels. Every parent comes
// from the strict improvement that led to the distance, so parents never form a cycle. A
// search whose lists run full ends with statusFull; the host makes it again without lists.
#include "../ptx.cuh"
#include "../counted.cuh"
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
	u32 *found;          // improvements of the block since the last barrier, in shared memory
	u64 *examinedHere;   // arcs that the block has examined since the last barrier
	GridBarrier barrier{0};
	u32 total = 0;       // length of the log
	u32 near = 0;        // length of the log after the near step
	u32 least = 0, bound = 0;
	u64 examined = 0;    // arcs that all blocks have examined in the last part of the search
	u32 part = 0, records = 0;
	bool stopped = false;

	// Bits of the number that a block passes to a barrier, besides the found improvements.
	static constexpr u64 flagUnit = 1ull << 33;
	static constexpr u64 stopFlag = 1ull << 45;

	__device__ Log log() { return Log{found}; }

	// count adds the arcs that the thread has examined.
	__device__ void count(u32 arcs) {
		arcs = __reduce_add_sync(~0u, arcs);
		if ((threadIdx.x & 31) == 0 && arcs > 0)
			atomicAdd(examinedHere, u64(arcs));
	}

	// meet waits for all blocks. It adds their improvements to total, and their examined
	// arcs to examined. It returns the number of blocks with a thread whose flag is set.
	// The host's wish to stop is looked up if asked for: that takes longer than the barrier.
	__device__ u32 meet(bool flag, bool askHost = false) {
		const bool any = __syncthreads_or(flag);
		u64 mine = 0;
		if (threadIdx.x == 0) {
			mine = *found + (any ? flagUnit : 0);
			if (*examinedHere > 0)
				atomicAdd(&g.control->examined[part & 3], *examinedHere);
			if (askHost && blockIdx.x == 0 && *g.stop)
				mine += stopFlag;
			*found = 0;
			*examinedHere = 0;
		}
		const u64 sum = barrier.wait(mine);
		total += u32(sum);
		stopped |= sum >= stopFlag;
		return u32(sum / flagUnit) & 0xfff;
	}

	// endPart ends a part of the search, after a barrier: it sets examined and writes the
	// record of the part.
	__device__ void endPart(Step step, u32 frontier, u32 foundIn) {
		examined = *reinterpret_cast<volatile u64 *>(&g.control->examined[part & 3]);
		if (isFirst()) {
			// All blocks have read this word, and none writes it before the next barrier.
			g.control->examined[part + 2 & 3] = 0;
			record(records, step, frontier, foundIn, examined);
		}
		part++;
		records++;
	}

	__device__ bool isFull() const { return total > g.logCapacity; }

	__device__ bool isFirst() const { return blockIdx.x == 0 && threadIdx.x == 0; }

	// begin expands the root and the nearest vertices. It returns false if that was the whole
	// component.
	__device__ bool begin(u32 root) {
		const u32 words = (g.vertices + 31) / 32;
		for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < words; i += gridDim.x * THREADS)
			g.marks[0][i] = g.marks[1][i] = 0;
		const WeightedRowOf row = loadRow(rowNumber(root));
		if (isFirst()) {
			g.control->begin = now();
			g.distances[root] = 0;
			g.parents[root] = root;
		}
		expandRoot(root, row, log());
		if (blockIdx.x == 0)
			count(threadIdx.x == 0 ? row.degree : 0);
		meet(false);
		u32 vertices = 1;
		if (row.degree > g.nearArcs || row.degree > nearCapacity) {
			least = __ldg(&g.arcs[row.start].y); // arcs are in the order of the weights
		} else {
			if (blockIdx.x == 0) {
				u32 arcs = row.degree;
				const u32 next = expandNear(s.near, total, arcs, vertices);
				count(threadIdx.x == 0 ? arcs - row.degree : 0);
				__syncthreads();
				if (threadIdx.x == 0) {
					*found = s.near.count - total;
					g.control->logLength = s.near.count;
					g.control->least = next;
				}
			}
			meet(false);
			least = *reinterpret_cast<volatile u32 *>(&g.control->least);
		}
		near = total;
		bound = least;
		endPart(stepNear, vertices, total);
		return least != infinite;
	}

	// raise raises the bound by the step, or to the next distance.
	__device__ void raise(float step) {
		const float to = __fadd_rn(__uint_as_float(bound), step);
		bound = max(__float_as_uint(to), bound + 1); // the next larger number
		bound = min(bound, infinite);
	}

	// pushAll makes rounds until no distance below the bound changes. It returns the number
	// of pushed arcs, and in pending whether there is anything at the bound or above it.
	__device__ u64 pushAll(bool &pending) {
		u32 from = 0, to = total;
		const u32 before = total;
		u32 vertices = 0, blocks = 0;
		for (u32 rounds = 0; from < to && !isFull() && !stopped; rounds++) {
			Pushes round{s.push, log(), least, bound};
			vertices += to - from;
			u32 next = to;
			const bool solo = to - from <= soloItems;
			if (!solo)
				round.range(from, to, blockIdx.x, gridDim.x);
			else if (blockIdx.x == 0)
				next = pushSolo(round, from, to);
			count(round.relaxed);
			if (solo && isFirst())
				g.control->segment = next;
			blocks += meet(round.pending, solo || rounds % 16 == 15);
			from = solo ? *reinterpret_cast<volatile u32 *>(&g.control->segment) : to;
			to = total;
		}
		endPart(stepPush, vertices, total - before);
		pending = blocks > 0;
		return examined;
	}

	// pushSolo makes rounds with block 0 alone, until one would have more than soloItems
	// vertices or none, or for some milliseconds. It returns the first entry of the log that
	// it has not pushed.
	__device__ u32 pushSolo(Pushes &round, u32 from, u32 to) {
		for (u32 rounds = 0; rounds < 1000 && from < to && to - from <= soloItems && to <= g.logCapacity; rounds++) {
			round.range(from, to, 0, 1);
			__syncthreads();
			from = to;
			to = total + *found;
			__syncthreads();
		}
		return from;
	}

	// pullPays reports whether the pull would decide at least half of a sample of the
	// vertices at the bound or above it with their first three arcs.
	__device__ bool pullPays() {
		const u32 words = (g.vertices + 31) / 32, i = blockIdx.x * THREADS + threadIdx.x;
		u32 asked = 0, decided = 0;
		for (u64 w = u64(i) * g.sampleStride; w < words; w += u64(gridDim.x) * THREADS * g.sampleStride) {
			const uint2 word = __ldg(reinterpret_cast<const uint2 *>(g.index) + w);
			if (word.x == 0)
				continue;
			const u32 v = u32(w) * 32 + __ffs(word.x) - 1;
			if (__ldcg(g.distances + v) < bound)
				continue;
			asked++;
			const uint4 head = __ldg(g.heads + word.y);
			decided += __ldcg(g.distances + head.x) < bound || __ldcg(g.distances + head.z) < bound;
		}
		const u32 all = __syncthreads_count(asked > decided);
		const u32 yes = __syncthreads_count(decided > 0);
		const u64 sum = barrier.wait(u64(all) << 24 | yes);
		return (sum & 0xffffff) >= sum >> 24;
	}

	// parentsOfLog sets the parents of the vertices of log entries from..to-1 whose distance
	// is the one of the entry, and below or not below the bound.
	__device__ void parentsOfLog(u32 to, bool below) {
		for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < to; i += gridDim.x * THREADS) {
			const uint4 x = __ldcg(g.log + i);
			if ((x.z < bound) == below && __ldcg(g.distances + x.x) == x.z)
				g.parents[x.x] = x.y;
		}
	}

	// pullAndTail makes the pull and the tail. It returns false if a list was full.
	__device__ bool pullAndTail() {
		if (threadIdx.x == 0)
			s.pull.kept = s.pull.left = s.pull.found = 0;
		__syncthreads();
		Pull pull{s.pull, bound, least};
		pull.all();
		parentsOfLog(total, true);
		count(pull.examined);
		addFound(pull.found);
		__syncthreads();
		const bool full = s.pull.kept > g.keptCapacity;
		if (threadIdx.x == 0)
			atomicAdd(&g.control->pulled, s.pull.found);
		if (meet(full) > 0)
			return false;
		endPart(stepPull, 0, *reinterpret_cast<volatile u32 *>(&g.control->pulled));
		return tail();
	}

	__device__ bool tail() {
		Tail t{s.pull};
		bool changed = t.first();
		count(t.examined);
		u32 blocks = meet(changed);
		for (u32 sweep = 1; blocks > 0 && sweep <= maxSweeps && !stopped; sweep++) {
			const u32 words = (g.vertices + 31) / 32;
			u32 *unused = g.marks[(sweep + 1) % 3];
			for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < words; i += gridDim.x * THREADS)
				unused[i] = 0;
			t.examined = 0;
			changed = t.again(g.marks[(sweep - 1) % 3], g.marks[sweep % 3]);
			count(t.examined);
			blocks = meet(changed);
		}
		t.parents();
		parentsOfLog(near, false);
		endPart(stepTail, 0, 0);
		return blocks == 0;
	}

	// addFound adds up the vertices that the threads of the block have found.
	__device__ void addFound(u32 n) {
		n = __reduce_add_sync(~0u, n);
		if ((threadIdx.x & 31) == 0 && n > 0)
			atomicAdd(&s.pull.found, n);
	}

	// finish publishes the status and resets the control block for the next search.
	__device__ void finish(Status status) {
		meet(false);
		if (!isFirst())
			return;
		Control *c = g.control;
		c->status = stopped ? u32(statusStopped) : u32(status);
		c->logLength = c->pulled = 0;
		c->records = records;
		for (int i = 0; i < 4; i++)
			c->examined[i] = 0;
		__threadfence_system();
		*g.done = 1 + c->status;
	}

	__device__ Status run(u32 root) {
		if (!begin(root)) {
			parentsOfLog(total, true);
			return statusDone;
		}
		float step = g.step;
		u64 pushed = 0, pullAt = g.pullArcs;
		for (u32 bump = 0;; bump++) {
			if (bump >= 3) // this graph is not like a Kronecker graph: fewer and longer steps
				step *= 2;
			raise(step);
			bool pending;
			pushed += pushAll(pending);
			if (isFull() || stopped)
				return statusFull;
			if (!pending || bound == infinite) {
				bound = infinite;
				parentsOfLog(total, true);
				return statusDone;
			}
			if (pushed < pullAt)
				continue;
			if (pullPays())
				return pullAndTail() ? statusDone : statusFull;
			pullAt = 2 * pushed;
		}
	}
};

} // namespace

// sharedBytes is the size of the dynamic shared memory of a block.
__device__ u32 sharedBytes = sizeof(Shared);

extern __shared__ uint4 arena[];

extern "C" __global__ void __launch_bounds__(THREADS, 2) sssp(u32 root) {
	__shared__ u32 found;
	__shared__ u64 examinedHere;
	if (threadIdx.x == 0) {
		found = 0;
		examinedHere = 0;
	}
	__syncthreads();
	Search search{*reinterpret_cast<Shared *>(arena), &found, &examinedHere};
	search.finish(search.run(root));
	leave();
}

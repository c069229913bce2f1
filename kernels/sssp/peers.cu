// The search of shortest paths on several devices of one host: one persistent kernel on each,
// with the vertices divided among them.
//
//  1. near: the nearest vertices are expanded one after the other, until a long row comes.
//  2. push: arcs that end below a bound are relaxed until none changes a distance. The bound
//     rises until enough vertices are reached. Improvements of the vertices of another device
//     are lists, which that device reads after each round.
//  3. pull, once: all devices get the distances below the bound, which are final, and relax
//     the arcs of all their other vertices, lightest first.
//  4. tail: the arcs that the pull has kept are relaxed until none changes a distance. The
//     devices get the distances of their sources, and after each sweep those that changed.
//
// Every parent comes from the strict improvement that led to the distance, so parents never
// form a cycle. If a list runs full, all devices begin again: they pull all their vertices,
// and exchange all distances, until nothing changes.
#include "peerpull.cuh"
#include "peerpush.cuh"
#include "peertail.cuh"

namespace {

// Search is the state of one search. What decides its way is the same on all devices.
struct Search {
	PeerParts p;

	__device__ void run(u32 root) {
		begin(root);
		const bool pulls = near() && pushUntilPull();
		if (pulls && !p.ends())
			pullAndTail();
		if (p.full && !p.stopped)
			dense(root);
		end();
	}

private:
	// begin empties the working memory and reaches the root.
	__device__ void begin(u32 root) {
		for (u32 w = firstThread(); w < (g.vertices + 31) / 32; w += allThreads())
			g.wanted[w] = g.changed[0][w] = g.changed[1][w] = 0;
		for (u32 v = firstThread(); v < g.vertices; v += allThreads())
			if (!isOwn(v)) // those of the own range are results, which are empty
				g.distances[v] = v == root ? 0 : unreached;
		if (isFirst()) {
			PeerControl *c = m.control;
			c->begin = now();
			c->pieceCount = c->keptLength = c->parts = 0;
			c->least = ~0ull;
			*g.counts = PeerCounts{};
			for (u32 i = 0; i < maxRecords; i++)
				g.records[i] = RoundRecord{};
			c->listLength[0] = c->listLength[1] = 0;
			if (isOwn(root)) {
				g.distances[root] = 0;
				g.lists[0][0] = make_uint4(root, root, 0, 0);
				g.log[0] = root;
				c->listLength[0] = g.counts->logged = 1;
			}
		}
		p.reached = 1;
		p.meet(0);
	}

	// near expands the nearest vertices. It returns false if nothing is left.
	__device__ bool near() {
		u64 arcs = 0, rows = 0;
		u32 next = 0, steps = 0;
		for (;; steps++) {
			const u32 at = next;
			bool fromLog = steps > 0;
			while (Push{p, at, at + 1, 0, infinite}.run(fromLog) > 0 && !p.ends())
				fromLog = false;
			u32 degree;
			rows++;
			if (p.ends() || !findNearest(at, next, degree)) {
				p.endPart(stepNear, rows, p.reached - 1);
				return false;
			}
			arcs += degree;
			if (arcs > g.nearArcs || steps + 1 == nearSteps)
				break;
		}
		p.least = p.bound = next;
		p.endPart(stepNear, rows, p.reached - 1);
		return true;
	}

	// findNearest finds the distance of the nearest vertex behind a distance, and the degree
	// of such a vertex. It returns false if there is none.
	__device__ bool findNearest(u32 behind, u32 &distance, u32 &degree) {
		const u32 n = lengthOf(&g.counts->logged, g.rowCount);
		u64 nearest = ~0ull;
		for (u32 i = firstThread(); i < n; i += allThreads()) {
			const u32 v = __ldcg(g.log + i), d = __ldcg(g.distances + v);
			if (d > behind)
				nearest = min(nearest, u64(d) << 32 | v);
		}
		if (nearest != ~0ull)
			atomicMin(&m.control->least, nearest);
		p.grid.wait(0);
		constexpr int degreeBits = 23;
		constexpr u64 nothing = (1ull << 31 + degreeBits) - 1;
		u64 mine = 0;
		if (isFirst()) {
			const u64 found = *const_cast<volatile u64 *>(&m.control->least);
			mine = nothing;
			if (found != ~0ull)
				mine = found >> 32 << degreeBits | min(rangeOfLabel(true, u32(found)).degree, (1u << degreeBits) - 1);
			m.control->least = ~0ull;
		}
		p.all.wait(mine);
		u64 least = nothing;
		for (u32 k = 0; k < m.count; k++)
			least = min(least, PeerBarrier::ofPeer(k));
		__syncthreads(); // before the next barrier writes the sums
		distance = u32(least >> degreeBits), degree = u32(least) & ((1u << degreeBits) - 1);
		return least != nothing;
	}

	// pushUntilPull pushes until the pull pays. It returns false if nothing is left for it.
	__device__ bool pushUntilPull() {
		float step = g.step;
		u64 pullAt = g.pullAt;
		for (u32 bump = 0; !p.ends(); bump++) {
			if (bump >= 3) // this graph is not like a Kronecker graph: fewer and longer steps
				step *= 2;
			const u32 from = bump > 0 ? p.bound : 0;
			raise(step);
			pushAll(from);
			if (p.ends() || !p.cut && !isLeft() || p.bound == infinite)
				return false;
			if (p.reached < pullAt)
				continue;
			shareSettled();
			if (pullPays())
				return true;
			pullAt = 2 * p.reached;
		}
		return false;
	}

	// raise raises the bound by the step, or to the next distance.
	__device__ void raise(float step) {
		const u32 to = __float_as_uint(__fadd_rn(__uint_as_float(p.bound), step));
		p.bound = min(max(to, p.bound + 1), infinite);
	}

	// pushAll makes rounds until no distance below the bound changes. The arcs that end below
	// from have been relaxed before.
	__device__ void pushAll(u32 from) {
		const u64 before = p.reached;
		p.cut = false;
		u64 found = Push{p, p.least, p.bound, from, p.bound}.run(true);
		while (found > 0 && !p.ends())
			found = Push{p, 0, p.bound, 0, p.bound}.run(false);
		p.endPart(stepPush, before, p.reached - before);
	}

	// isLeft returns whether a reached vertex of any device is at the bound or above it.
	__device__ bool isLeft() {
		u32 distance, degree;
		return findNearest(p.bound - 1, distance, degree);
	}

	// shareSettled gives all devices the distances of all reached vertices.
	__device__ void shareSettled() {
		for (u32 i = firstThread(), n = lengthOf(&g.counts->logged, g.rowCount); i < n; i += allThreads())
			g.logDistances[i] = __ldcg(g.distances + __ldcg(g.log + i));
		p.meet(0);
		for (u32 k = 0; k < m.count; k++) {
			if (k == m.own)
				continue;
			const Peer &other = m.peers[k];
			for (u32 i = firstThread(), n = lengthOf(&other.counts->logged, ~0u); i < n; i += allThreads())
				g.distances[loadIf(true, other.log + i, 0)] = loadIf(true, other.logDistances + i, 0);
		}
		p.meet(0);
	}

	// pullPays returns whether at least half of the vertices at the bound or above it have a
	// final source at their first two arcs, from a sample.
	__device__ bool pullPays() {
		constexpr int askedShift = 26;
		const u32 words = (g.endLabel + 31) / 32;
		u64 sample = 0;
		for (u32 w = g.firstLabel / 32 + firstThread() * g.sampleStride; w < words; w += allThreads() * g.sampleStride) {
			const uint2 word = __ldg(g.index + w);
			if (word.x == 0 || __ldcg(g.distances + w * 32 + __ffs(word.x) - 1) < p.bound)
				continue;
			const uint4 head = __ldg(g.heads + word.y);
			sample += 1ull << askedShift;
			sample += __ldcg(g.distances + head.x) < p.bound || __ldcg(g.distances + head.z) < p.bound;
		}
		__shared__ u64 ofBlock;
		if (threadIdx.x == 0)
			ofBlock = 0;
		__syncthreads();
		if (sample)
			atomicAdd(&ofBlock, sample);
		__syncthreads();
		const u64 all = p.all.wait(ofBlock), decided = all & ((1ull << askedShift) - 1);
		return 2 * decided >= all >> askedShift;
	}

	__device__ void pullAndTail() {
		Pull<true> pull{p, p.least, p.bound};
		const u64 found = p.meet(pull.all());
		p.endPart(stepPull, 0, found);
		if (p.ends())
			return;
		Tail tail{p};
		tail.run();
		p.endPart(stepTail, 0, tail.found);
	}

	// dense is the search without lists: it pulls all vertices until nothing changes.
	__device__ void dense(u32 root) {
		for (u32 v = firstThread(); v < g.vertices; v += allThreads()) {
			g.distances[v] = v == root ? 0 : unreached;
			if (isOwn(v))
				g.parents[v] = v == root ? root : none;
		}
		p.full = false;
		u64 rounds = 0, found = 0;
		for (u64 changed = 1; changed > 0 && !p.stopped; rounds++) {
			p.meet(0);
			Pull<false> pull{p, 0, 0};
			changed = p.meet(pull.all());
			found += changed;
			if (changed > 0) copyDistances();
		}
		p.endPart(stepDense, rounds, found);
	}

	// copyDistances copies the distances of the other ranges from their devices.
	__device__ void copyDistances() {
		for (u32 k = 0, first = 0; k < m.count; first = m.peers[k++].endLabel)
			for (u32 v = first + firstThread(); k != m.own && v < m.peers[k].endLabel; v += allThreads())
				g.distances[v] = loadIf(true, m.peers[k].distances + v, 0);
	}

	__device__ void end() {
		if (isFirst()) {
			m.control->round = p.all.round;
			*g.done = 1;
		}
		leave();
	}
};

} // namespace

// sharedBytes is the size of the dynamic shared memory of a block.
__device__ u32 sharedBytes = 0;

extern "C" __global__ void __launch_bounds__(THREADS, 2) ssspPeers(u32 root) {
	__shared__ Shared here;
	if (threadIdx.x == 0)
		here = Shared{};
	Search s{PeerParts{&here, PeerBarrier{__ldcg(&m.control->round)}}};
	s.run(root);
}

// The parts of a search, and how its blocks meet between them.
#pragma once
#include "owners.cuh"

// Ended is a part that has ended.
struct Ended {
	bool waits; // for its record
	Step step;
	u32 frontier;
	u64 end; // ns
};

// Parts is what all blocks agree on, as each thread holds it.
struct Parts {
	u32 *spilled;      // items that the block has left to the queue since the last barrier, in shared memory
	u64 *examinedHere; // arcs that the block has examined since the last barrier
	u32 *foundHere;    // vertices that the block has found since the last barrier
	Ended *ended;      // in shared memory of the first block
	u32 least, bound;  // bits: rows below least are expanded, and distances below bound are final
	u32 part;          // number of the part
	Meeting barrier = newMeeting();
	u32 items = 0;    // that all blocks have spilled before the last barrier
	bool stopped = false;

	__device__ bool isFirst() const { return blockIdx.x == 0 && threadIdx.x == 0; }

	__device__ u32 logLength() const { return *reinterpret_cast<volatile u32 *>(&g.control->logLength); }

	// Bits of the number that a block passes to a barrier, besides the spilled items.
	static constexpr u64 flagUnit = 1ull << 33;
	static constexpr u64 stopFlag = 1ull << 47; // above the blocks of all devices

	// count adds the arcs that the thread has examined and the vertices that it has found.
	__device__ void count(u32 arcs, u32 vertices) {
		arcs = __reduce_add_sync(~0u, arcs);
		vertices = __reduce_add_sync(~0u, vertices);
		if ((threadIdx.x & 31) == 0 && arcs > 0)
			atomicAdd(examinedHere, u64(arcs));
		if ((threadIdx.x & 31) == 0 && vertices > 0)
			atomicAdd(foundHere, vertices);
	}

	// wait waits for all blocks and returns the sum of mine over them. The first thread writes
	// the record of the last part meanwhile.
	__device__ u64 wait(u64 mine) {
		return barrier.wait(mine, [&] { recordEnded(); });
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
		const u64 sum = wait(mine);
		items = u32(sum);
		stopped |= sum >= stopFlag;
		return u32(sum / flagUnit) & 0x3fff;
	}

	// foundNow returns the number of vertices that all blocks have found in this part. It
	// must be called after a barrier, and before the next one.
	__device__ u32 foundNow() const { return *reinterpret_cast<volatile u64 *>(&g.control->found[part & 3]); }

	// endPart ends a part of the search, after a barrier. Its record is written while the first
	// thread waits at the next barrier: now, all blocks would wait for it, 2 µs.
	__device__ void endPart(Step step, u32 frontier) {
		if (isFirst()) {
			*ended = Ended{true, step, frontier, now()};
			// The record of part - 2 is written, and no block uses these words before the next
			// barrier.
			g.control->examined[part + 2 & 3] = g.control->found[part + 2 & 3] = 0;
		}
		part++;
	}

	// recordEnded writes the record of the part that has ended, if there is one.
	__device__ void recordEnded() {
		if (!ended->waits)
			return;
		ended->waits = false;
		const u32 last = part - 1;
		const u64 examined = *reinterpret_cast<volatile u64 *>(&g.control->examined[last & 3]);
		const u64 found = *reinterpret_cast<volatile u64 *>(&g.control->found[last & 3]);
		record(last, ended->step, ended->frontier, u32(found), examined, ended->end);
	}

	__device__ void clearTouched() {
		for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < (g.rowCount + 31) / 32; i += gridDim.x * THREADS)
			g.touched[i] = 0;
	}

	// leaveToSettle leaves the search to the second kernel.
	__device__ void leaveToSettle() {
		if (!isFirst())
			return;
		recordEnded();
		Control *c = g.control;
		c->status = statusSettle;
		c->least = least;
		c->bound = bound;
		c->records = part;
		c->queued[0] = c->queued[1] = 0;
	}

	// finish publishes the status, writes the last record and resets the control block for the
	// next search. The host reads records after the end of the kernel only. It must
	// be called after a barrier that follows the last use of what it resets by other threads
	// than the first.
	__device__ void finish(Status status) {
		if (!isFirst())
			return;
		__threadfence_system();
		*g.done = 1 + (stopped ? statusStopped : status);
		recordEnded();
		Control *c = g.control;
		c->status = statusDone;
		c->logLength = c->queued[0] = c->queued[1] = 0;
		c->records = part;
		for (int i = 0; i < 4; i++)
			c->examined[i] = c->found[i] = 0;
		resetExchange(c);
	}
};

// Counts are the numbers of a block in Parts.
struct alignas(16) Counts {
	u64 examined;
	u32 spilled, found;
	Ended ended;
};

// parts returns the parts of a search from part on. All threads of the block must call it.
__device__ Parts parts(Counts &c, u32 least, u32 bound, u32 part) {
	if (threadIdx.x == 0)
		c = {};
	__syncthreads();
	return Parts{&c.spilled, &c.examined, &c.found, &c.ended, least, bound, part};
}

// The state of a search on several devices, and what all its steps use. A device has the rows
// of a range of labels. Vertices are labels everywhere.
//
// Every device has an array of the distances of all vertices. Those of its own range are the
// ones that count. Of the others it knows the least that it has sent or received: it sends
// nothing that leads to more. Random access to the memory of another device is 10 to 25 times
// slower than to the own, so that devices read from each other only lists, in order.
#pragma once
#include "../construct/layout.cuh"
#include "peerlayout.cuh"

#include "../barrier.cuh"

// The state is in constant memory, so that each use is an operand of an instruction.
__constant__ PeerState g;
__constant__ Peers m;

#include "../peerbarrier.cuh"

__device__ inline u64 *barrierWords() { return m.control->barrier; }
__device__ inline u32 *finishedBlocks() { return &m.control->finishedBlocks; }

constexpr u32 infinite = 0x7f800000;  // bits of +Inf: above the bits of every distance
constexpr u32 unreached = 0xbf800000; // bits of engine.Unreached: above infinite as an unsigned number
constexpr u32 none = ~0u;             // engine.None

// Step is a part of a search in the records, as in search.cuh.
enum Step : u32 { stepNear, stepPush, stepPull = 3, stepTail, stepDense };

// add is that of search.cuh: the sum is rounded to float, as on the host.
__device__ inline u32 add(u32 distance, u32 weight) {
	return __float_as_uint(__fadd_rn(__uint_as_float(distance), __uint_as_float(weight)));
}

__device__ inline bool isOwn(u32 v) { return v - g.firstLabel < g.endLabel - g.firstLabel; }

// isFirst returns whether this is thread 0 of the device.
__device__ inline bool isFirst() { return blockIdx.x == 0 && threadIdx.x == 0; }

__device__ inline u32 firstThread() { return blockIdx.x * THREADS + threadIdx.x; }
__device__ inline u32 allThreads() { return gridDim.x * THREADS; }

__device__ inline bool isBit(const u32 *bitmap, u32 i) { return __ldcg(bitmap + (i >> 5)) >> (i & 31) & 1; }
__device__ inline void setBit(u32 *bitmap, u32 i) { atomicOr(bitmap + (i >> 5), 1u << (i & 31)); }

// lengthOf returns a length that threads of this device count, or that another device has
// counted before a barrier.
__device__ inline u32 lengthOf(const u32 *length, u32 capacity) { return min(*const_cast<const volatile u32 *>(length), capacity); }

// Range is the place of a row's arcs in g.arcs.
struct Range {
	u64 start;
	u32 degree;
};

// rowOf returns the number of the row of an own label that has one, from the label's word of
// the index.
__device__ inline u32 rowOf(uint2 word, u32 label) { return word.y + __popc(word.x & ((1u << (label & 31)) - 1)); }

__device__ inline Range rangeOf(u32 row) {
	const u64 start = __ldg(g.starts + row);
	return Range{start, u32(__ldg(g.starts + row + 1) - start)};
}

// rangeOfLabel returns the arcs of an own label, for a lane that is on.
__device__ inline Range rangeOfLabel(bool on, u32 label) {
	if (!on)
		return Range{};
	return rangeOf(rowOf(__ldg(g.index + (label >> 5)), label));
}

// arcAt returns arc i of a row, or one of infinite weight for a lane that is not on.
__device__ inline uint2 arcAt(bool on, u64 start, u32 i) { return cachedIf(on, g.arcs + start + i, make_uint2(0, infinite)); }

// claimed returns the place of the lane among the lanes that are on, after the entries that
// *length counts, and counts them. All lanes of the warp must call it.
__device__ inline u32 claimed(u32 *length, bool on) {
	const u32 lane = threadIdx.x & 31, all = __ballot_sync(~0u, on);
	if (all == 0)
		return 0;
	const u32 first = lane == 0 ? atomicAdd(length, u32(__popc(all))) : 0;
	return __shfl_sync(~0u, first, 0) + __popc(all & ((1u << lane) - 1));
}

// Shared is what the threads of a block count until the next barrier of all devices.
struct Shared {
	u32 found;   // improvements of own vertices
	u32 reached; // own vertices that had no distance before
};

// PeerParts is what all threads of all devices agree on, and how they meet.
struct PeerParts {
	Shared *here;
	PeerBarrier all;
	GridBarrier grid{0};
	u32 least, bound;  // bits: vertices below least are expanded, and distances below bound are final
	u32 side = 0;      // list with the improvements of the last round
	u32 turn = 0;      // of what a device has for the others
	u32 part = 0;      // number of the part
	u64 reached = 0;   // vertices of all devices
	u32 examined = 0;  // arcs that the thread has examined in this part
	bool full = false, stopped = false;
	bool cut = false;                          // an arc beyond the bound was left since pushes began
	bool overfull = false, leavesArcs = false; // the thread has found a list full, or left an arc, since the last barrier

	// Bits of the sums of meet above the number of improvements. Blocks of all devices: below
	// 2^14.
	static constexpr int fullShift = 35, stopShift = 49;
	static constexpr u64 cutUnit = 1ull << 36;

	// meet waits for all devices. It returns the sum of mine over thread 0 of each block,
	// below 2^35, and takes up what the blocks have counted.
	__device__ u64 meet(u64 mine) {
		const bool blockFull = __syncthreads_or(overfull), blockLeaves = __syncthreads_or(leavesArcs);
		overfull = leavesArcs = false;
		u64 second = 0;
		if (threadIdx.x == 0) {
			mine |= u64(blockFull) << fullShift | u64(blockIdx.x == 0 && *g.stop) << stopShift;
			second = here->reached + (blockLeaves ? cutUnit : 0);
			*here = Shared{};
		}
		u64 counted;
		const u64 sum = all.waitTwo(mine, second, counted);
		full |= sum >> fullShift & ((1u << stopShift - fullShift) - 1);
		stopped |= sum >> stopShift > 0;
		cut |= counted / cutUnit > 0;
		reached += counted % cutUnit;
		return sum & ((1ull << fullShift) - 1);
	}

	// meetFound returns the number of improvements that all devices have found since the last
	// call.
	__device__ u64 meetFound() {
		__syncthreads();
		return meet(threadIdx.x == 0 ? here->found : 0);
	}

	__device__ bool ends() const { return full || stopped; }

	// endPart ends a part of the search, after a barrier.
	__device__ void endPart(Step step, u64 frontier, u64 found) {
		RoundRecord *r = g.records + min(part, maxRecords - 1); // the last record is shared
		const u32 sum = __reduce_add_sync(~0u, examined);
		if ((threadIdx.x & 31) == 0 && sum)
			atomicAdd(&r->examined, u64(sum));
		examined = 0;
		if (isFirst()) {
			r->step = step;
			r->frontier += u32(frontier);
			r->found += u32(found);
			r->end = m.control->end = now();
			m.control->parts = part + 1;
		}
		part++;
	}

	// relax lowers the distance of v to t, for a lane that is on. It appends an improvement
	// to the next list, or to those for the owner of v. All lanes of the warp must call it.
	__device__ void relax(bool on, u32 v, u32 t, u32 parent) {
		const u32 before = loadIf(on, g.distances + v, 0);
		on = on && t < before;
		if (!__any_sync(~0u, on))
			return;
		const u32 old = minIf(on, g.distances + v, t, 0);
		on = on && t < old;
		const bool own = on && isOwn(v);
		appendOwn(own, make_uint4(v, parent, t, 0), old);
		if (__any_sync(~0u, on && !own))
			send(on && !own, make_uint4(v, parent, t, 0));
	}

	// appendOwn appends the improvement of an own vertex, whose distance was old before, to
	// the next list. Each pair of a vertex and a distance is in one entry only: that whose
	// thread has lowered the distance.
	__device__ void appendOwn(bool on, uint4 improvement, u32 old) {
		const u32 all = __ballot_sync(~0u, on);
		if (all == 0)
			return;
		const u32 at = claimed(&m.control->listLength[side ^ 1], on);
		if (on && at < g.listCapacity)
			g.lists[side ^ 1][at] = improvement;
		if (on && at >= g.listCapacity)
			overfull = true;
		const bool isNew = on && old >= infinite;
		const u32 news = __ballot_sync(~0u, isNew), place = claimed(&g.counts->logged, isNew);
		if (isNew)
			g.log[place] = improvement.x; // once for each row
		if ((threadIdx.x & 31) == 0) {
			atomicAdd(&here->found, u32(__popc(all)));
			if (news)
				atomicAdd(&here->reached, u32(__popc(news)));
		}
	}

	// send appends improvements to the lists for the owners of their vertices.
	__device__ void send(bool on, uint4 improvement) {
		u32 owner = 0;
		for (u32 p = 0; p + 1 < m.count; p++)
			owner += improvement.x >= m.peers[p].endLabel;
		for (u32 p = 0; p < m.count; p++) {
			const bool mine = on && owner == p;
			const u32 at = claimed(&g.counts->outgoing[turn][p], mine);
			if (mine && at < g.outgoingCapacity)
				g.outgoing[u64(p) * g.outgoingCapacity + at] = improvement;
			if (mine && at >= g.outgoingCapacity)
				overfull = true;
		}
	}
};

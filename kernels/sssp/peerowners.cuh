// Where the data of rows lie that a search on several devices divides among them: everything
// that belongs to a row is in the memory of its device, except that each device has the record
// of every row, its label, its light arcs and an entry of g.best. A source that includes this header before all
// others of the search is compiled for several devices.
#pragma once
#define SEVERAL_DEVICES
#include "search.cuh"

#include "peerlayout.cuh"

// The description of the devices is in constant memory, like g.
__constant__ Peers m;

#include "../peerbarrier.cuh"

constexpr bool several = true;

// ownerOf returns the device of a row.
__device__ inline u32 ownerOf(u32 row) { return (row >> 5) % m.count; }
__device__ inline bool isOwn(u32 row) { return ownerOf(row) == m.own; }

__device__ inline bool isFirstDevice() { return m.own == 0; }

// ownRow returns the number of row i of this device.
__device__ inline u32 ownRow(u32 i) { return ((i >> 5) * m.count + m.own) << 5 | (i & 31); }
__device__ inline u32 ownHubs() { return g.hubs / m.count; }

// numbers returns the number of rows of all devices, used or not.
__device__ inline u32 numbers() { return m.numbers; }

// arcsAt returns the address of the arcs at the start of a row.
__device__ inline const uint2 *arcsAt(u64 start) {
	return m.peers[start >> ownerShift].arcs + (start & (1ull << ownerShift) - 1);
}

// rowOfLabel returns the row of a label that has one.
__device__ inline u32 rowOfLabel(u32 label) {
	u32 owner = 0, first = 0;
	while (label >= m.peers[owner].endLabel)
		first = m.peers[owner++].endLabel;
	const uint2 word = __ldg(m.peers[owner].index + (label - first >> 5));
	return __ldg(m.peers[owner].thirds + word.y + __popc(word.x & ((1u << (label & 31)) - 1))).y;
}

// ownLabelWords returns the words of the own labels in a bitmap.
__device__ inline Words ownLabelWords() {
	return Words{(m.own > 0 ? m.peers[m.own - 1].endLabel : 0) / 32, (m.peers[m.own].endLabel + 31) / 32};
}

// ownTargetWord returns the number of a word in g.targets: word i of those of the own rows.
__device__ inline u32 ownTargetWords() { return numbers() / 16 / m.count; }
__device__ inline u32 ownTargetWord(u32 i) { return ((i >> 1) * m.count + m.own) << 1 | (i & 1); }

// A device reads or writes 4 bytes at random of another one 10 to 25 times more slowly than of its own.
// So what others need at random is written to them, or read from them, in order.

// peerNumber returns the number of a device that this one turns to as number k, from 1 on. If all
// turned to the same one, its link would be the bound.
__device__ inline u32 peerNumber(u32 k) { return (m.own + k) % m.count; }

// markOpen marks a hub as open on all devices. Few become open. Each word has hubs of one device
// only, so atomics of the scope of a device suffice.
__device__ inline void markOpen(u32 row) {
	for (u32 p = 0; p < m.count; p++)
		setBit(m.peers[p].open, row);
}

// tellHub writes the distance of an own hub to all devices. The lanes of a warp have consecutive hubs.
__device__ inline void tellHub(u32 row, u32 distance) {
	for (u32 p = 0; p < m.count; p++)
		m.peers[p].hubBest[row] = distance;
}

// takeStaying takes the bits of the hubs in g.marks[2] of all other devices.
__device__ inline void takeStaying() {
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < g.hubs / 32; i += gridDim.x * THREADS)
		if (!isOwn(32 * i))
			g.marks[2][i] = loadIf(true, m.peers[ownerOf(32 * i)].lastMarks + i, 0);
}

// takeTargets takes the numbers of kept arcs to the hubs of all other devices, after a barrier of all.
__device__ inline void takeTargets() {
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < g.hubs / 16; i += gridDim.x * THREADS)
		if (!isOwn(16 * i))
			g.targets[i] = loadIf(true, m.peers[ownerOf(16 * i)].targets + i, 0);
}

// numbersOfPeers reads a number of each other device into shared memory of the block, that of this
// device as 0. If all threads read it, they wait for one cache line of the other device. All threads of
// the block must call it, after a barrier of all devices.
template <typename Of> __device__ void numbersOfPeers(u32 (&numbers)[maxPeers], Of of) {
	__syncthreads(); // the last ones are used
	if (threadIdx.x < m.count)
		numbers[threadIdx.x] = threadIdx.x == m.own ? 0 : *const_cast<const volatile u32 *>(of(m.peers[threadIdx.x].control));
	__syncthreads();
}

// A tie is a row at the distance of its parent, which the sum with a small weight has rounded. If each
// device chose the parents of its rows itself, two rows at one distance could be the parents of each
// other. So ties have the parents that they have on the first device, and all other rows have parents at
// smaller distances. The list of ties is where the kept arcs will be.

__device__ inline u32 *ties() { return reinterpret_cast<u32 *>(g.kept); }
__device__ inline u32 tieCapacity() { return u32(min(u64(g.keptCapacity) * gridDim.x * (THREADS / 32 * 4), u64(~0u))); }

// noteTie appends a row to the list if on.
__device__ inline void noteTie(bool on, u32 row) {
	if (!on)
		return;
	const u32 at = atomicAdd(&g.control->ties, 1u);
	if (at < tieCapacity())
		ties()[at] = row;
}

__device__ inline u32 tiesNoted() { return *const_cast<const volatile u32 *>(&g.control->ties); }

// settleTies sets the parents of the ties among the own rows, after a barrier of all devices.
__device__ inline void settleTies() {
	for (u32 i = blockIdx.x * THREADS + threadIdx.x, n = tiesNoted(); i < n && m.own > 0; i += gridDim.x * THREADS) {
		const u32 row = __ldcg(ties() + i);
		if (isOwn(row))
			g.best[row] = loadIf(true, m.peers[0].best + row, 0);
	}
}

// The hubs whose distances a sweep lowers are in a list, in one of two halves of the second queue.

__device__ inline uint2 *changedHubs(uint2 *queue, u32 list) { return queue + list * (g.queueCapacity / 2); }

// Several devices have no pushHubs: a row is read by its owner, who is not the owner of the hubs that its arcs lead to.
__device__ inline bool pushPays(u32) { return false; }

// tellChanged appends an own hub that has a lower distance to a list, and counts it in *spilled. All
// lanes of the warp must call it.
__device__ inline void tellChanged(u32 list, bool on, bool, u32 row, u32 distance, u32 *spilled) {
	const u32 at = claimed(&g.control->changed[list], on);
	if (on && at < g.queueCapacity / 2)
		changedHubs(g.queues[1], list)[at] = make_uint2(row, distance);
	if (on)
		atomicAdd(spilled, 1u);
}

// takeChanged lowers the distances of the hubs in a list of all other devices, and empties the own
// other list, which they have taken before. It must follow the barrier that has added up their
// numbers, and a barrier of this device must follow it.
__device__ inline void takeChanged(u32 list) {
	const u32 first = blockIdx.x * THREADS + threadIdx.x, all = gridDim.x * THREADS;
	for (u32 k = 1; k < m.count; k++) {
		const u32 p = peerNumber(k), n = u32(PeerBarrier::ofPeer(p));
		for (u32 i = first; i < n; i += all) {
			const uint2 hub = loadIf(true, changedHubs(m.peers[p].queues[1], list) + i, uint2{});
			minIf(true, g.hubBest + hub.x, hub.y | openHub, 0);
		}
	}
	if (first == 0)
		g.control->changed[list ^ 1] = 0;
}

// A kept arc from a row of another device is asked for: the device of the row looks up what the tail
// must know of it, once, and then tells every new distance. A request is the arc, in the second queue
// of the device that asks. That device has two parts of its first queue for answers and news, which the
// other device writes in the order of the requests: those of one sweep in one part, of the next in the
// other, because a device that is ahead may write news while another one still reads the last ones. Such
// an arc has the number of its request, and a bit, in place of the row.

constexpr u32 askedBit = 1u << 31;

__device__ inline bool isAsked(u32 row) { return row & askedBit; }

// requestCapacity returns the largest number of requests of a device to another one.
__device__ inline u32 requestCapacity() { return g.queueCapacity / 4 * 2 / m.count; }

// A QueuePart is a part of the first queue, with a word for each request to or of each device.
enum QueuePart : u32 {
	partEven, // news of sweeps 0, 2, ...
	partOdd,  // answers, then news of sweeps 1, 3, ...
	partLabels, // of the rows that another device asks for and that may change, by warp
	partPlaces, // of their requests
};

// partOf returns the words for device p in a part of a first queue.
__device__ inline u32 *partOf(uint2 *queue, QueuePart part, u32 p) {
	return reinterpret_cast<u32 *>(queue + part * (g.queueCapacity / 4)) + p * requestCapacity();
}

__device__ inline QueuePart newsPart(u32 sweep) { return sweep & 1 ? partOdd : partEven; }

// answerTo and newsOf return the addresses of the answer and of the news of a sweep for an asked arc.
__device__ inline u32 *answerTo(u32 row) { return partOf(g.queues[0], partOdd, 0) + (row & ~askedBit); }
__device__ inline u32 *newsOf(u32 row, u32 sweep) { return partOf(g.queues[0], newsPart(sweep), 0) + (row & ~askedBit); }

// requestsHere are the numbers of requests of all devices to this one.
__device__ inline auto requestsHere() -> u32 (&)[maxPeers] {
	__shared__ u32 counts[maxPeers];
	return counts;
}

// resetExchange makes a control block that of a device that has not asked and told yet.
__device__ inline void resetExchange(Control *c) {
	for (u32 p = 0; p < maxPeers; p++)
		c->requests[p] = 0;
	c->changed[0] = c->changed[1] = c->ties = 0;
}

// askOthers makes requests of the kept arcs of the warp from rows of other devices. It returns
// false if they are too many. All lanes of the warp must call it.
__device__ inline bool askOthers(uint4 *list, u32 n) {
	constexpr int each = 4; // arcs of a lane in flight
	const u32 lane = threadIdx.x & 31, none = ownRow(0);
	u32 mine = 0; // requests to device number lane
	__syncwarp(); // the list is written
	for (u32 base = 0; base < n; base += each * 32) {
		u32 row[each];
#pragma unroll
		for (int k = 0; k < each; k++) {
			const u32 i = base + k * 32 + lane;
			row[k] = loadIf(i < n, reinterpret_cast<const u32 *>(list + i) + 3, none);
		}
#pragma unroll
		for (int k = 0; k < each; k++)
			for (u32 p = 0; p < m.count; p++) {
				const u32 to = __popc(__ballot_sync(~0u, ownerOf(row[k]) == p));
				mine += lane == p ? to : 0;
			}
	}
	mine = lane == m.own ? 0 : mine;
	u32 at = mine > 0 ? atomicAdd(&g.control->requests[lane], mine) : 0;
	if (!__all_sync(~0u, at + mine <= requestCapacity()))
		return false;
	for (u32 base = 0; base < n; base += each * 32) {
		uint4 arc[each];
#pragma unroll
		for (int k = 0; k < each; k++) {
			const u32 i = base + k * 32 + lane;
			arc[k] = loadIf(i < n, list + i, make_uint4(0, 0, 0, none));
		}
#pragma unroll
		for (int k = 0; k < each; k++) {
			const u32 owner = ownerOf(arc[k].w);
			u32 place = 0;
			for (u32 p = 0; p < m.count; p++) {
				const u32 all = __ballot_sync(~0u, owner == p), first = __shfl_sync(~0u, at, p);
				place = owner == p ? p * requestCapacity() + first + __popc(all & ((1u << lane) - 1)) : place;
				at += lane == p ? __popc(all) : 0;
			}
			if (owner == m.own)
				continue;
			reinterpret_cast<uint4 *>(g.queues[1])[place] = arc[k];
			partOf(g.queues[0], partEven, 0)[place] = 0;
			list[base + k * 32 + lane].w = askedBit | place;
		}
	}
	return true;
}

// Requests is a warp's share of the requests of a device to this one.
struct Requests {
	u32 begin, end;

	__device__ explicit Requests(u32 peer) {
		const u32 n = requestsHere()[peer], all = gridDim.x * (THREADS / 32);
		const u32 each = (n + 32 * all - 1) / (32 * all) * 32;
		begin = min((blockIdx.x * (THREADS / 32) + threadIdx.x / 32) * each, n);
		end = min(begin + each, n);
	}

	// told returns the number of those that must be told news.
	__device__ static u32 &told(u32 peer) {
		__shared__ u32 numbers[THREADS / 32][maxPeers];
		return numbers[threadIdx.x / 32][peer];
	}
};

// answerOthers answers the requests of all other devices. All threads of the block must call it,
// after a barrier of all devices.
__device__ inline void answerOthers(u32 bound) {
	constexpr int each = 2; // requests of a lane in flight
	const u32 lane = threadIdx.x & 31;
	numbersOfPeers(requestsHere(), [](const Control *c) { return &c->requests[m.own]; });
	for (u32 k = 1; k < m.count; k++) {
		const u32 p = peerNumber(k);
		const Requests r(p);
		const uint4 *requests = reinterpret_cast<const uint4 *>(m.peers[p].queues[1]) + m.own * requestCapacity();
		u32 told = 0;
		for (u32 base = r.begin; base < r.end; base += each * 32) {
			uint4 arc[each];
			u32 targets[each], distance[each];
#pragma unroll
			for (int j = 0; j < each; j++)
				arc[j] = loadIf(base + j * 32 + lane < r.end, requests + base + j * 32 + lane, uint4{});
#pragma unroll
			for (int j = 0; j < each; j++) {
				const bool on = base + j * 32 + lane < r.end;
				targets[j] = loadIf(on, g.targets + arc[j].w / 16, 0);
				distance[j] = loadIf(on, g.distances + arc[j].y, noRow);
			}
#pragma unroll
			for (int j = 0; j < each; j++) {
				const u32 i = base + j * 32 + lane;
				const bool on = i < r.end, changes = on && mayChange(targets[j], arc[j], distance[j], bound);
				if (on)
					partOf(m.peers[p].queues[0], partOdd, m.own)[i] = min(distance[j], infinite) | (changes ? 0 : finalBit);
				const u32 all = __ballot_sync(~0u, changes), at = r.begin + told + __popc(all & ((1u << lane) - 1));
				if (changes) {
					partOf(g.queues[0], partLabels, p)[at] = arc[j].y;
					partOf(g.queues[0], partPlaces, p)[at] = i;
				}
				told += __popc(all);
			}
		}
		if (lane == 0)
			r.told(p) = told;
	}
}

// tellNews tells the other devices the distances of the labels in a bitmap, which a sweep has changed,
// that they have asked for. All threads of the block must call it, after a barrier of this device.
__device__ inline void tellNews(const u32 *changed, u32 sweep) {
	for (u32 k = 1; k < m.count; k++) {
		const u32 p = peerNumber(k);
		const Requests r(p);
		for (u32 i = threadIdx.x & 31; i < r.told(p); i += 32) {
			const u32 label = __ldcg(partOf(g.queues[0], partLabels, p) + r.begin + i);
			if (!isBit(changed, label))
				continue;
			const u32 place = __ldcg(partOf(g.queues[0], partPlaces, p) + r.begin + i);
			partOf(m.peers[p].queues[0], newsPart(sweep), m.own)[place] = __ldcg(g.distances + label) | newsBit;
		}
	}
}

// Meeting is the barrier of the blocks of this device or, unless alone, of all devices.
struct Meeting {
	GridBarrier grid;
	PeerBarrier all;
	bool alone;

	template <typename After> __device__ u64 wait(u64 mine, After after) { return alone ? grid.wait(mine, after) : all.wait(mine, after); }
};

// waitAll waits for the blocks of all devices.
__device__ inline void waitAll(Meeting &b) { b.all.wait(0); }

// sumOfAll waits for the blocks of all devices, and returns the sum of mine over thread 0 of each.
template <typename After> __device__ u64 sumOfAll(Meeting &b, u64 mine, After after) { return b.all.wait(mine, after); }

// leastOfAll returns the least of the devices' bounds of the near step. The number of near rows that
// fit differs with the order of threads if a row has several arcs to one other.
__device__ inline u32 leastOfAll(Meeting &b, u32 least) {
	b.all.wait(blockIdx.x == 0 && threadIdx.x == 0 ? least : 0);
	for (u32 p = 0; p < m.count; p++)
		least = min(least, u32(PeerBarrier::ofPeer(p)));
	return least;
}

// waitOwn waits for the blocks of this device.
__device__ inline void waitOwn(Meeting &b) { b.grid.wait(0); }

__device__ inline Meeting newMeeting() { return Meeting{GridBarrier{0}, PeerBarrier{__ldcg(&m.control->round)}, true}; }

// agree makes the devices go on alike after their pushes, as the first one has found: the numbers of
// rows, and whether there are arcs above the bound, can differ with the order of threads. All are stopped,
// or make the search without lists, if one is or must.
template <typename Search> __device__ void agree(Search &search, bool &pending) {
	constexpr u64 pendingFlag = 1ull << 32, fullFlag = 1ull << 33, stopFlag = 1ull << 34;
	u64 mine = 0;
	if (search.isFirst()) {
		const bool isFull = search.full || tiesNoted() > tieCapacity();
		mine = search.found | (pending ? pendingFlag : 0) | (isFull ? fullFlag : 0);
		mine |= search.stopped || *g.stop ? stopFlag : 0;
	}
	search.barrier.all.wait(mine, [&] { search.recordEnded(); });
	search.found = u32(PeerBarrier::ofPeer(0));
	pending = PeerBarrier::ofPeer(0) & pendingFlag;
	for (u32 p = 0; p < m.count; p++) {
		search.full |= (PeerBarrier::ofPeer(p) & fullFlag) != 0;
		search.stopped |= (PeerBarrier::ofPeer(p) & stopFlag) != 0;
	}
}

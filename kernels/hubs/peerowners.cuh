// Where the data of rows, labels and hubs lie that a search on several devices divides among
// them. A device has a range of labels with its rows, their lists, bits and parents, and of each
// hub the rows among its own. It has the lists of hubs of all hubs, and follows a part of each.
// Bitmaps of rows have the words of all rows, of which only its own are always current.
//
// Devices learn what others have found between two barriers, in order: at random, a device reads
// another one's memory 10 to 25 times more slowly than its own.
//
// A source that includes this header before all others of the search is compiled for several
// devices.
#pragma once
#define SEVERAL_DEVICES
#include "search.cuh"

#include "peerlayout.cuh"

// The description of the devices is in constant memory, like g.
__constant__ Peers m;

#include "../peerbarrier.cuh"

constexpr bool several = true;

__device__ inline bool isOwnRow(u32 row) { return row - g.firstRow < g.rows - g.firstRow; }
__device__ inline bool isOwnLabel(u32 label) { return label - g.firstLabel < g.labels - g.firstLabel; }

// ownerOfRow and ownerOfLabel return the device of a row and of a label.
__device__ inline u32 ownerOfRow(u32 row) {
	u32 p = 0;
	while (row >= m.peers[p].rows)
		p++;
	return p;
}

__device__ inline u32 ownerOfLabel(u32 label) {
	u32 p = 0;
	while (label >= m.peers[p].labels)
		p++;
	return p;
}

__device__ inline u32 ownHubs() { return m.ownHubs; }
__device__ inline u32 ownHub(u32 i) { return __ldg(m.ownHubList + i); }

__device__ inline void ownPart(u32 &at, u32 &pieces) {
	const u32 from = u32(u64(pieces) * m.own / m.count), end = u32(u64(pieces) * (m.own + 1) / m.count);
	at += from;
	pieces = end - from;
}

__device__ inline u32 vertexOf(u32 label) { return __ldg(m.peers[ownerOfLabel(label)].vertices + label); }
__device__ inline u32 labelOfRow(u32 row) { return isOwnRow(row) ? __ldg(g.rowLabels + row) : __ldg(m.peers[ownerOfRow(row)].rowLabels + row); }
__device__ inline u32 *parentAt(u32 label) { return m.peers[ownerOfLabel(label)].parents + label; }
__device__ inline const u32 *beforeAt(u32 row) { return m.peers[ownerOfRow(row)].before + (row >> 5); }

__device__ inline u32 lateWord(bool on, u32 which, u32 row, u32 withHubs) {
	if (!on)
		return 0;
	const Peer &p = m.peers[ownerOfRow(row)];
	return loadIf(row >= p.singleEnd, p.late[which] + (row - p.singleEnd >> 5), withHubs);
}

__device__ inline u32 *frontier(u32) { return m.frontier; }
__device__ inline u32 *foundHubs(u32 level) { return g.frontiers + level % frontiers * hubWords; }
__device__ inline u32 *leftHubs() { return m.leftHubs; }

// offer writes to the list for the owner of another device's row, for a lane that is on. Each device
// has a place for each row of the others. turn is the number of the exchange. All lanes of the
// warp must call it.
__device__ inline void offer(bool on, u32 row, u32 parent, u32 turn) {
	if (!__any_sync(~0u, on))
		return;
	const u32 owner = on ? ownerOfRow(row) : none, lane = threadIdx.x & 31;
	const u32 same = __match_any_sync(~0u, owner), first = __ffs(same) - 1;
	u32 place = 0;
	if (on && lane == first)
		place = atomicAdd(&m.control->offered[turn & 1][owner], __popc(same));
	place = __shfl_sync(~0u, place, first) + __popc(same & (1u << lane) - 1);
	if (on)
		m.offers[m.peers[owner].firstRow + place] = make_uint2(row, parent);
}

// eachOther calls what(first word, end) for the words in a bitmap of the rows of the other
// devices.
template <typename What> __device__ inline void eachOther(What what) {
	for (u32 i = 1; i < m.count; i++) {
		const u32 p = m.own + i < m.count ? m.own + i : m.own + i - m.count; // not all devices read the same one
		what(p, m.peers[p].firstRow / 128, m.peers[p].rows / 128);
	}
}

// clearOthers empties the words of the others' rows in g.before. A barrier of the device must follow.
__device__ inline void clearOthers() {
	eachOther([](u32, u32 from, u32 end) {
		for (u32 i = from + blockIdx.x * THREADS + threadIdx.x; i < end; i += gridDim.x * THREADS)
			reinterpret_cast<uint4 *>(g.before)[i] = uint4{};
	});
}

// takeBitmap copies the words of the others' rows in g.before or, with visited, g.visited.
__device__ inline void takeBitmap(u32 *to, bool visited) {
	constexpr u32 each = 4;
	eachOther([=](u32 p, u32 from, u32 end) {
		const uint4 *other = reinterpret_cast<const uint4 *>(visited ? m.peers[p].visited : m.peers[p].before);
		const u32 all = gridDim.x * THREADS;
		for (u32 i = from + blockIdx.x * THREADS + threadIdx.x; i < end; i += each * all) {
			uint4 x[each];
#pragma unroll
			for (u32 k = 0; k < each; k++)
				x[k] = loadIf(i + k * all < end, other + i + k * all, uint4{});
#pragma unroll
			for (u32 k = 0; k < each; k++)
				if (i + k * all < end)
					reinterpret_cast<uint4 *>(to)[i + k * all] = x[k];
		}
	});
}

struct Meeting {
	GridBarrier own;
	PeerBarrier all;

	__device__ Meeting() : own{0}, all{__ldcg(&m.control->round)} {}

	__device__ u64 sum(u32 x, u32 ofBlock = 0) { return all.waitSum(x, ofBlock, [] {}); }

	// end notes the number of barriers for the next search.
	__device__ void end() {
		if (blockIdx.x == 0 && threadIdx.x == 0)
			m.control->round = all.round;
	}
};

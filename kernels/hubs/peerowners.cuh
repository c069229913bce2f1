// Where the data of rows, labels and hubs lie that a search on several devices divides among
// them. A device has a range of labels with its rows, their lists, bits and parents, and of each
// hub the rows among its own. It has the lists of hubs of all hubs, and follows a part of each where devices divide a level.
// Bitmaps of rows have the words of all rows, of which only its own are always current.
//
// Devices learn what others have found between two barriers, in order, or give it to them before a barrier: at random, a
// device reads another one's memory 10 to 25 times more slowly than its own.
//
// A source that includes this header before all others of the search is compiled for several
// devices.
#pragma once
#define SEVERAL_DEVICES
#include "pieces.cuh"

#include "peerlayout.cuh"

// The description of the devices is in constant memory, like g.
__constant__ Peers m;

#include "../peerbarrier.cuh"

// reachesRows is whether each device follows the lists of all devices' rows. Rows that are split have parts in host
// memory, which is not accessed by other devices than the row's.
constexpr bool several = true, reachesRows = !split;

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

__device__ inline u64 estimateOfHub(u32 hubPieces) { return u64(hubPieces) * m.hubPieces >> 8; }

template <typename What> __device__ __forceinline__ auto withRowsOf(u32 row, What what) {
	if (reachesRows && !isOwnRow(row))
		return what(m.peers[ownerOfRow(row)]);
	return what(g);
}

__device__ inline u32 vertexOf(u32 label) { return __ldg(m.peers[ownerOfLabel(label)].vertices + label); }
__device__ inline u32 labelOfRow(u32 row) { return isOwnRow(row) ? __ldg(g.rowLabels + row) : __ldg(m.peers[ownerOfRow(row)].rowLabels + row); }
__device__ inline void storeParentAt(u32 label, u32 parent) {
	const Peer &p = m.peers[ownerOfLabel(label)];
	storeParent(p.parents, p.wideParents, label, parent);
}
__device__ inline const u32 *beforeAt(u32 row) { return m.peers[ownerOfRow(row)].before + (row >> 5); }

struct Late {
	bool there;
	const u32 *at;

	__device__ Late(u32 which, u32 row) {
		const Peer &p = m.peers[ownerOfRow(row)];
		there = row >= p.singleEnd;
		at = p.late[which] + (row - p.singleEnd >> 5);
	}
};

__device__ inline u32 *frontier(u32 level) { return m.frontiers + level % frontiers * hubWords; }
__device__ inline u32 *foundHubs(u32 level) { return g.frontiers + level % frontiers * hubWords; }
__device__ inline u32 *leftHubs() { return m.leftHubs; }
__device__ inline u32 *foundLeft() { return m.foundHubs; }

// offer writes to the lists for the owners of other devices' rows, where on. Each device has a
// place for each row of the others. turn is the number of the exchange. All lanes of the warp
// must call it.
template <u32 count> __device__ inline void offer(const bool (&on)[count], const u32 (&row)[count], u32 parent, u32 turn) {
	bool any = false;
#pragma unroll
	for (u32 k = 0; k < count; k++)
		any |= on[k];
	if (!__any_sync(~0u, any))
		return;
	const u32 lane = threadIdx.x & 31, below = (1u << lane) - 1;
	u32 owner[count];
#pragma unroll
	for (u32 k = 0; k < count; k++)
		owner[k] = on[k] ? ownerOfRow(row[k]) : none;
	for (u32 p = 0; p < m.count; p++) {
		u32 bits[count], total = 0, place = 0;
#pragma unroll
		for (u32 k = 0; k < count; k++) {
			bits[k] = __ballot_sync(~0u, owner[k] == p);
			total += __popc(bits[k]);
		}
		if (!total)
			continue;
		if (lane == 0)
			place = atomicAdd(&m.control->offered[turn & 1][p], total);
		place = m.peers[p].firstRow + __shfl_sync(~0u, place, 0);
#pragma unroll
		for (u32 k = 0; k < count; k++) {
			if (owner[k] == p)
				m.offers[place + __popc(bits[k] & below)] = make_uint2(row[k], parent);
			place += __popc(bits[k]);
		}
	}
}

__device__ __noinline__ void giveLate(u32 bits, u32 place, u32 row) {
	const u32 lane = threadIdx.x & 31;
	if (lane == 0)
		atomicAdd(&fixed().left, __popc(bits));
	if (!reachesRows || !bitOf(bits, lane) || place >= mostAlone)
		return;
	const RowList list = rowListOf(g, row);
	const uint4 piece = !list.isEmpty() ? pieceInRow(row, 0, list.at) : noHubs();
	for (u32 p = 0; p < m.count; p++) {
		uint4 *const entry = m.peers[p].lateRows + 2 * (m.own * mostAlone + place);
		entry[0] = piece;
		entry[1] = make_uint4(row, list.at, list.end, 0);
	}
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

__device__ __forceinline__ void giveBefore(u32 w, u32 word) {
	for (u32 p = 0; p < m.count; p++)
		if (p != m.own)
			m.peers[p].before[w] = word;
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

// Where the data of rows lie that a search on several devices divides among them: everything
// that belongs to a row is in the memory of its device, except that each device has the record
// of every row, its label and an entry of g.best. A source that includes this header before all
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

// stayingAt and distanceAt return the addresses of the word of a label in g.staying, and of its
// distance. The label has the given row.
__device__ inline const u32 *stayingAt(u32 label, u32 row) { return m.peers[ownerOf(row)].staying + (label >> 5); }
__device__ inline const u32 *distanceAt(u32 label, u32 row) { return m.peers[ownerOf(row)].distances + label; }

// The following functions write to all devices, each word from one device only: bitmaps have
// 32 rows of a device, or labels of its range, in a word. So atomics of the scope of a device
// suffice.

// markOpen marks a hub as open on all devices.
__device__ inline void markOpen(u32 row) {
	for (u32 p = 0; p < m.count; p++)
		setBit(m.peers[p].open, row);
}

// markChanged marks a label in a bitmap of g.marks, on all devices.
__device__ inline void markChanged(u32 *marks, u32 label) {
	const u32 which = marks == g.marks[0] ? 0 : marks == g.marks[1] ? 1 : 2;
	for (u32 p = 0; p < m.count; p++)
		setBit(m.peers[p].marks[which], label);
}

// publish lowers the distance of an own row on the other devices, for a lane that is on. The
// parents in their entries mean nothing.
__device__ inline void publish(bool on, u32 row, u32 distance) {
	for (u32 p = 0; on && p < m.count; p++)
		minIf(p != m.own, m.peers[p].best + row, u64(distance) << 32);
}

// offerHubs writes the distances of the own hubs that the thread has pulled, for the others.
__device__ inline void offerHubs() {
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < ownHubs(); i += gridDim.x * THREADS)
		g.hubBest[ownRow(i)] = __ldcg(distanceOf(ownRow(i)));
}

// What belongs to the rows of other devices and is asked for at random is copied from them in
// order: a device reads 4 bytes at random of another one 10 to 25 times more slowly than of its
// own. The words of a bitmap of rows belong to one device each.

// takeTargets takes the numbers of kept arcs to the first rows of all other devices.
__device__ inline void takeTargets(u32 rows) {
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < rows / 16; i += gridDim.x * THREADS)
		if (!isOwn(16 * i))
			g.targets[i] = loadIf(true, m.peers[ownerOf(16 * i)].targets + i, 0);
}

// takeStaying takes the bits of the hubs in g.marks[2] of all other devices.
__device__ inline void takeStaying() {
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < g.hubs / 32; i += gridDim.x * THREADS)
		if (!isOwn(32 * i))
			g.marks[2][i] = loadIf(true, m.peers[ownerOf(32 * i)].marks[2] + i, 0);
}

// takeHubs takes the distances and the numbers of kept arcs of the hubs of all other devices.
// It must follow a barrier of all devices after offerHubs.
__device__ inline void takeHubs() {
	for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < g.hubs; i += gridDim.x * THREADS) {
		if (isOwn(i))
			continue;
		const u32 distance = loadIf(true, m.peers[ownerOf(i)].hubBest + i, 0);
		g.best[i] = distance == noRow ? ~0ull : u64(distance) << 32;
	}
	takeTargets(g.hubs);
}

// Meeting is the barrier of the blocks of this device or, unless alone, of all devices.
struct Meeting {
	GridBarrier grid;
	PeerBarrier all;
	bool alone;

	template <typename After> __device__ u64 wait(u64 mine, After after) { return alone ? grid.wait(mine, after) : all.wait(mine, after); }
};

// waitOwn waits for the blocks of this device.
__device__ inline void waitOwn(Meeting &b) { b.grid.wait(0); }

__device__ inline Meeting newMeeting() { return Meeting{GridBarrier{0}, PeerBarrier{__ldcg(&m.control->round)}, true}; }

// Where the data of rows lie that a search on several devices divides among them
// (peerowners.cuh). Compiled for one device, these functions do nothing but name the arrays.
#pragma once
#include "search.cuh"

#ifndef SEVERAL_DEVICES

constexpr bool several = false;

__device__ inline u32 ownRow(u32 i) { return i; }
__device__ inline u32 ownHubs() { return g.hubs; }
__device__ inline u32 numbers() { return g.rowCount; }
__device__ inline const uint2 *arcsAt(u64 start) { return g.arcs + start; }
__device__ inline u32 rowOfLabel(u32 label) { return __ldg(thirdOf(__ldg(g.index + (label >> 5)), label)).y; }
__device__ inline const u32 *stayingAt(u32 label, u32) { return g.staying + (label >> 5); }
__device__ inline const u32 *distanceAt(u32 label, u32) { return g.distances + label; }
__device__ inline void markOpen(u32 row) { setBit(g.open, row); }
__device__ inline void markChanged(u32 *marks, u32 label) { setBit(marks, label); }
__device__ inline void publish(bool, u32, u32) {}
__device__ inline void offerHubs() {}
__device__ inline void takeHubs() {}
__device__ inline void takeStaying() {}
__device__ inline void takeTargets(u32) {}

using Meeting = GridBarrier;
__device__ inline void waitOwn(Meeting &) {}
__device__ inline Meeting newMeeting() { return GridBarrier{0}; }

#endif

// loadRow loads a row, for a lane that is on.
__device__ inline RowOf loadRow(bool on, u32 row) {
	const uint4 *at = g.rows + 2 * u64(row);
	const uint4 head = streamIf(on, at, make_uint4(0, infinite, 0, infinite));
	const uint4 rest = streamIf(on, at + 1, uint4{});
	return RowOf{head, startOf(rest), rest.y >> 8 << 7, rest.z, rest.w};
}

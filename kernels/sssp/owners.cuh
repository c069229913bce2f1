// Where the data of rows lie that a search on several devices divides among them
// (peerowners.cuh). Compiled for one device, most of these functions do nothing but name the arrays.
#pragma once
#include "search.cuh"

#ifndef SEVERAL_DEVICES

constexpr bool several = false;

__device__ inline bool isFirstDevice() { return true; }
__device__ inline bool isOwn(u32) { return true; }
__device__ inline u32 ownRow(u32 i) { return i; }
__device__ inline u32 ownHubs() { return g.hubs; }
__device__ inline u32 numbers() { return g.rowCount; }
__device__ inline const uint2 *arcsAt(u64 start) { return g.arcs + start; }
__device__ inline u32 rowOfLabel(u32 label) { return __ldg(thirdOf(__ldg(g.index + (label >> 5)), label)).y; }
__device__ inline Words ownLabelWords() { return Words{0, (g.vertices + 31) / 32}; }
__device__ inline u32 ownTargetWords() { return (g.rowCount + 15) / 16; }
__device__ inline u32 ownTargetWord(u32 i) { return i; }
__device__ inline void noteTie(bool, u32) {}
__device__ inline void settleTies() {}
__device__ inline void markOpen(u32 row) { setBit(g.open, row); }
__device__ inline void tellHub(u32 row, u32 distance) { g.hubBest[row] = distance; }
__device__ inline void takeTargets() {}
__device__ inline void takeStaying() {}

// mostPushed returns the largest number of changed hubs that pushHubs takes.
__device__ inline u32 mostPushed() { return min(gridDim.x, g.queueCapacity); }

// pushPays returns whether pushHubs takes less time from that many changed hubs than a sweep over all kept arcs.
__device__ inline bool pushPays(u32 changed) { return changed <= mostPushed(); }

// tellChanged appends a hub that has a lower distance, or has become open, to a queue, and counts it in *spilled. A hub before
// g.leastPushed makes the number too large for pushHubs. All lanes of the warp must call it.
__device__ inline void tellChanged(u32 queue, bool lower, bool open, u32 row, u32 distance, u32 *spilled) {
	enqueue(queue, spilled, lower || open, make_uint2(row, distance));
	if ((lower || open) && row < g.leastPushed)
		atomicMax(spilled, mostPushed() + 1);
}

__device__ inline void takeChanged(u32) {}
__device__ inline bool isAsked(u32) { return false; }
__device__ inline bool askOthers(uint4 *, u32) { return true; }
__device__ inline void answerOthers(u32) {}
__device__ inline void tellNews(const u32 *, u32) {}
__device__ inline u32 *answerTo(u32) { return nullptr; }
__device__ inline u32 *newsOf(u32, u32) { return nullptr; }
__device__ inline void resetExchange(Control *) {}

using Meeting = GridBarrier;
__device__ inline void waitOwn(Meeting &) {}
__device__ inline void waitAll(Meeting &) {}
template <typename After> __device__ u64 sumOfAll(Meeting &b, u64 mine, After after) { return b.wait(mine, after); }
__device__ inline u32 leastOfAll(Meeting &, u32 least) { return least; }
template <typename Search> __device__ void agree(Search &, bool &) {}
__device__ inline Meeting newMeeting() { return GridBarrier{0}; }

#endif

// loadRow loads a row, for a lane that is on.
__device__ inline RowOf loadRow(bool on, u32 row) {
	const uint4 *at = g.rows + 2 * u64(row);
	const uint4 head = streamIf(on, at, make_uint4(0, infinite, 0, infinite));
	const uint4 rest = streamIf(on, at + 1, uint4{});
	return RowOf{head, startOf(rest), rest.y >> 8 << 7, rest.z, rest.w};
}

// Where the data of rows, labels and hubs lie that a search on several devices divides among
// them (peerowners.cuh). Compiled for one device, these functions do nothing but name the arrays.
#pragma once
#include "search.cuh"

#ifndef SEVERAL_DEVICES

constexpr bool several = false, reachesRows = false;

__device__ inline bool isOwnRow(u32) { return true; }
__device__ inline bool isOwnLabel(u32) { return true; }

// The hubs whose labels the device has.
__device__ inline u32 ownHubs() { return g.hubs; }
__device__ inline u32 ownHub(u32 i) { return i; }

// ownPart narrows a hub's list of hubs to the part that the device follows if the devices divide a level.
__device__ inline void ownPart(u32 &, u32 &) {}

// estimateOfHub returns about how many pieces all devices follow for a hub with so many pieces of hubs.
__device__ inline u64 estimateOfHub(u32) { return 0; }

// withRowsOf returns what(arrays of the neighbours of a row).
template <typename What> __device__ __forceinline__ auto withRowsOf(u32, What what) { return what(g); }

__device__ inline u32 vertexOf(u32 label) { return __ldg(g.vertices + label); }
__device__ inline u32 labelOfRow(u32 row) { return __ldg(g.rowLabels + row); }
__device__ inline void storeParentAt(u32 label, u32 parent) { storeParent(label, parent); }
__device__ inline const u32 *beforeAt(u32 row) { return g.before + (row >> 5); }

// Late is the word of a row in one of the bitmaps g.late, which those without hubs have.
struct Late {
	bool there;
	const u32 *at;

	__device__ Late(u32 which, u32 row) : there(row >= g.singleEnd), at(g.late[which] + (row - g.singleEnd >> 5)) {}
};

// frontier returns the bitmap of the hubs in the frontier of a level, foundHubs that of those
// which the device has found for it if the devices have divided the level before.
__device__ inline u32 *frontier(u32 level) { return g.frontiers + level % frontiers * hubWords; }
__device__ inline u32 *foundHubs(u32 level) { return frontier(level); }

// leftHubs is the bitmap of the hubs that the dense level has not found, foundLeft that of those which
// the device has found later. Its bits of other hubs mean nothing.
__device__ inline u32 *leftHubs() { return g.leftHubs; }
__device__ inline u32 *foundLeft() { return g.frontiers; }

// offer tells the owners of other devices' rows of a parent, where on.
template <u32 count> __device__ inline void offer(const bool (&)[count], const u32 (&)[count], u32, u32) {}

// giveLate tells all devices of entries of the own list for the late levels: rows, where on, with their places in the list.
__device__ inline void giveLate(u32, u32, u32) {}

__device__ inline void clearOthers() {}
__device__ inline void takeBitmap(u32 *, bool) {}

// giveBefore writes word w of g.before, of own rows, to the other devices' copies.
__device__ __forceinline__ void giveBefore(u32, u32) {}

// Meeting is the barriers of a search.
struct Meeting {
	GridBarrier own; // of the device

	__device__ Meeting() : own{0} {}

	// sum waits for all devices and returns the sum of x over all threads, plus 2^32 times the
	// sum of ofBlock over all blocks.
	__device__ u64 sum(u32 x, u32 ofBlock = 0) { return own.waitSum(x, ofBlock, [] {}); }

	__device__ void end() {}
};

#endif

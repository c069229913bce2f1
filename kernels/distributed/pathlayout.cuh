// Code generated from pathlayout.go by its test with -update; DO NOT EDIT.
#pragma once
#include "../types.cuh"

constexpr u32 localRounds = 4; // rounds of pushes between two exchanges
constexpr u32 distanceBuckets = 2048; // ranges of distances by which degrees are added up
constexpr u32 bucketShift = 15; // bits of a distance that do not decide on its range
constexpr u32 nextArcs = 4; // arcs behind the bound that a push looks at
constexpr u32 ownArcs = 8; // first arcs of a vertex that its own thread examines in the pull

// Improvement is a distance of a vertex that may be smaller than those before.
struct Improvement {
	u32 vertex;
	u32 parent;
	u32 distance; // bits
};

// PathCounts are the lengths of lists on a device, and the results of its kernels.
struct PathCounts {
	u64 examined; // arcs
	u32 queued[5]; // vertices in the queue before each round and after the last one
	u32 outgoing; // vertices whose distances the others must know
	u32 logged; // reached vertices of the device
	u32 before; // the same when the rounds began
	u32 next; // bits: least distance behind the bound to which an arc may lead
	u32 open; // vertices that the pull left open
	u32 found; // vertices that the pull has improved
	u32 asked; // vertices of the sample that are not settled
	u32 decided; // those with a settled source at their first arcs
	u32 reserved;
};

// PathState is the kernels' description of the graph and the search on a device, in constant
// memory. N is the number of labels, n that of rows of the whole graph, r that of the device.
struct PathState {
	u32 vertices; // N
	u32 firstLabel; // of the device's range, a multiple of 1024
	u32 endLabel; // of the device's range, a multiple of 1024 or N
	u32 sampleStride; // distance between the words of the index whose rows decide on the pull
	const u64 *index; // to be indexed by all labels
	const u64 *starts;
	const uint4 *heads;
	const uint2 *arcs;
	u64 *pairs; // N: distance and, in the low half, parent that wait for their vertex to be taken; all ones: none
	u32 *queues[2]; // r: vertices of the device with a pair, once each; the rounds take turns. The second one has the open vertices after the pull
	u32 *outgoing; // n
	u32 *log; // r: reached vertices of the device, once each
	u32 *changed[2]; // bitmaps of N: vertices that became nearer in a sweep of the tail; the sweeps take turns
	u64 *degrees; // of settled vertices, by range of their distances
	PathCounts *counts;
	u32 *parents;
	u32 *distances; // bits; of other devices the least that this one knows
	Improvement *buffer;
};

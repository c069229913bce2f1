// Code generated from peerlayout.go by its test with -update; DO NOT EDIT.
#pragma once
#include "../types.cuh"

constexpr u32 THREADS = 512; // threads of a block
constexpr u32 maxPeers = 16; // devices that search a graph together
constexpr u32 maxRecords = 64; // records of rounds
constexpr u32 rowLanes = 8; // lanes that look at the first arcs of a row
constexpr u32 firstArcs = 64; // arcs of a row that are looked at before it is divided into pieces
constexpr u32 pieceArcs = 512; // largest number of arcs in a piece of a row
constexpr u32 keptClaim = 64; // kept arcs whose places a warp claims at a time
constexpr u32 nearSteps = 16; // largest number of steps in which the nearest vertices are expanded

struct RoundRecord {
	u32 step;
	u32 frontier;
	u32 found;
	u32 reserved;
	u64 examined;
	u64 end;
};

// PeerControl is the state that the blocks of one device share.
struct PeerControl {
	u64 arrivals[4]; // arrivals << 54 | sum; each barrier of all devices uses the next word
	u64 second[4]; // second sum of the same barriers
	u32 round; // barriers of all searches so far
	u32 finishedBlocks;
	u64 barrier[4]; // see barrier.cuh
	u32 listLength[2]; // entries of each list, or more than its capacity
	u32 pieceCount; // likewise
	u32 keptLength; // likewise, with claimed places
	u32 parts; // records, or more than there are
	u64 least; // distance and label of the nearest vertex that is not expanded; all ones: none
	u64 begin; // of the search: ns, by the device's timer
	u64 end; // of the search: ns, by the device's timer
};

// PeerCounts are the lengths of what a device has for the others.
struct PeerCounts {
	u32 outgoing[2][16]; // improvements, by device; the rounds take turns
	u32 published[2]; // distances; the rounds take turns
	u32 logged; // reached vertices
};

// Peer is what all devices of a search know of one of them. It has the rows of the labels
// from the end of the device before to EndLabel.
struct Peer {
	u64 *totals; // sums of the last four barriers, by device (PeerBarrier)
	PeerCounts *counts;
	const uint4 *outgoing; // those for a device begin at its number times OutgoingCapacity
	const u32 *log; // reached vertices of the device
	const u32 *logDistances; // their distances before the pull
	const uint2 *published;
	const u32 *wanted; // bitmap of N labels: the device has a kept arc from the vertex
	const u32 *distances;
	u32 endLabel;
	u32 capacity; // OutgoingCapacity of the device
};

// Peers is the kernel's description of the devices of a search, in constant memory.
struct Peers {
	u32 count;
	u32 own; // number of this device
	PeerControl *control;
	Peer peers[16];
};

// PeerState is the kernel's description of the graph and the search on one device, in
// constant memory. N is the number of labels, n that of rows of the device.
struct PeerState {
	u32 vertices; // N
	u32 firstLabel; // of the device's range, a multiple of 1024
	u32 endLabel; // of the device's range, a multiple of 1024 or N
	u32 rowCount; // n
	u32 listCapacity; // of each list
	u32 outgoingCapacity; // improvements for each device
	u32 pieceCapacity;
	u32 keptCapacity;
	u32 sampleStride; // distance between the words of the index whose rows decide on the pull
	float step; // by which the bound rises at first
	u64 nearArcs; // arcs that the near step may expand, of all devices
	u64 pullAt; // reached vertices of all devices after which the pull begins
	const uint2 *index; // to be indexed by all labels
	const u64 *starts;
	const uint4 *heads;
	const uint2 *arcs;
	u32 *log; // reached vertices of the device, once each: n
	u32 *logDistances; // n
	uint4 *lists[2]; // improvements of the device's vertices; the rounds take turns
	uint4 *outgoing;
	uint4 *pieces;
	uint4 *kept;
	uint2 *published; // n
	u32 *wanted; // bitmap of N labels, padded; in the device's range those that any device wants
	u32 *changed[2]; // bitmaps of N labels, padded: vertices that a sweep has changed; the sweeps take turns
	PeerCounts *counts;
	RoundRecord *records;
	u32 *parents;
	u32 *distances;
	const volatile u32 *stop;
	volatile u32 *done;
};

// Code generated from layout.go by its test with -update; DO NOT EDIT.
#pragma once
#include "../types.cuh"

constexpr u32 THREADS = 512; // threads of a block
constexpr u32 nearCapacity = 2048; // reached vertices that the near step can hold
constexpr u32 groupLanes = 8; // lanes that push a piece of a row
constexpr u32 pieceCapacity = 2048; // pieces of rows that a block can hold
constexpr u32 rowPieces = 128; // largest number of pieces of a row
constexpr u32 localItems = 1024; // found vertices that a block can keep for itself
constexpr u32 localRounds = 64; // rounds that a block makes with them before it meets the others
constexpr u32 segmentArcs = 8; // largest number of light arcs in a segment
constexpr u32 logClaim = 64; // entries of the log that a warp claims at a time
constexpr u32 maxRecords = 64; // records of rounds

// Step is a part of a search in the records.
enum Step : u32 {
	stepNear = 0,
	stepPush = 1,
	stepHubs = 2,
	stepPull = 3,
	stepTail = 4,
	stepDense = 5, // without lists, on several devices
};

// RoundRecord is the kernel's record of one round.
struct RoundRecord {
	u32 step;
	u32 frontier; // vertices whose arcs the round relaxes
	u32 found; // vertices that found a smaller distance, as far as counted
	u32 reserved;
	u64 examined; // arcs
	u64 end; // ns, by the device's timer
};

// Control is the state that the blocks of one search share.
struct Control {
	u64 barrier[4]; // see barrier.cuh
	u32 status; // of the search: Status in search.cuh. The second kernel reads four words from here on at once
	u32 least; // bits, for the second kernel: see Parts in parts.cuh
	u32 bound; // bits, for the second kernel: see Parts in parts.cuh
	u32 records;
	u32 finishedBlocks;
	u32 logLength; // claimed entries of the log, or more than its capacity
	u32 queued[2]; // entries of each queue, or more than its capacity
	u64 begin; // of the search: ns, by the device's timer
	u64 end; // of the search: ns, by the device's timer
	u64 examined[4]; // arcs examined in a part of the search; each part uses the next word
	u64 found[4]; // vertices found in a part of the search, likewise
	// Of several devices.
	u32 requests[16]; // to each other device, or more than their list holds
	u32 changed[2]; // hubs in the lists that sweeps write in turn, or more than they hold
	u32 ties; // rows in the list of ties, or more than it holds
	u32 reserved;
};

// State is the kernel's description of the graph and the search, in constant memory. N is
// the number of labels, n that of rows.
struct State {
	u32 vertices; // N
	u32 rowCount; // n
	u32 logCapacity;
	u32 queueCapacity; // of each queue
	u32 keptCapacity; // kept arcs of each warp
	u32 nearArcs; // arcs that the near step may expand
	u32 sampleStride; // distance between the rows that decide on the pull
	u32 hubs; // rows of the highest degrees, which are pulled first; a multiple of 32
	u64 pullAt; // reached rows after which the pull begins
	float step; // by which the bound rises at first
	float laterStep; // by which it rises then on several devices
	float arcScale; // expected arcs of a row of degree d within a distance x: d * x * ArcScale
	u32 segmentCount; // segments of light arcs; 0: the search does not use them
	float lightWidth; // a light arc has a weight below
	u32 leastPushed; // first hub with a row that is short enough for pushHubs; ^0: none
	u32 looksTwo; // 1: the pull looks up the distances of a row's first two sources at once
	u32 reserved;
	const uint4 *rows; // two words per row
	const u32 *labels;
	const uint2 *arcs;
	const uint2 *index;
	const uint4 *heads;
	const uint2 *headLabels;
	const uint2 *thirds;
	const u32 *order;
	u64 *best; // by row: bits of the distance, parent's row below; all ones: not reached
	u32 *touched; // bitmap of n places, padded: the row has an entry in Best
	u32 *log; // reached rows, with claimed places that have none: ^0
	uint2 *queues[2]; // improvements for the next round, later changed hubs; the queues take turns
	uint2 *light; // light arcs
	uint2 *segments; // of light arcs
	u32 *seen; // bits of the distances of the rows of segments when their arcs were relaxed
	uint4 *kept;
	u32 *open; // bitmap of hubs, padded: the tail may lower the distance
	u32 *hubBest; // by hub: bits of the distance, with openHub if it may become smaller
	u32 *targets; // two bits for each of n rows, padded: a kept arc leads to the row, more than one does
	u32 *staying; // bitmap of N labels, padded: a kept arc leads to the vertex whose source may change
	u32 *marks[3]; // bitmaps of N labels or n rows, padded: vertices that a sweep has changed; the sweeps take turns
	u32 *any; // 1: a round of the search without lists has changed something
	Control *control;
	RoundRecord *rounds;
	u32 *parents;
	u32 *distances;
	const volatile u32 *stop;
	volatile u32 *done;
};

// Tails is the kernel's description of split rows, in constant memory.
struct Tails {
	const uint2 *tails;
	u32 prefix; // construct.Graph.Prefix
};

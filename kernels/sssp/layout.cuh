// Code generated from layout.go by its test with -update; DO NOT EDIT.
#pragma once
#include "../types.cuh"

constexpr u32 THREADS = 512; // threads of a block
constexpr u32 nearCapacity = 2048; // reached vertices that the near step can hold
constexpr u32 chunkArcs = 64; // arcs in a piece of a row, which eight lanes push
constexpr u32 pieceCapacity = 1024; // pieces of rows that a block can hold
constexpr u32 soloItems = 512; // vertices up to which one block makes the rounds of a push alone
constexpr u32 maxRecords = 64; // records of rounds

// RoundRecord is the kernel's record of one round.
struct RoundRecord {
	u32 step;
	u32 frontier; // vertices whose arcs the round relaxes
	u32 found; // improvements of distances
	u32 reserved;
	u64 examined; // arcs
	u64 end; // ns, by the device's timer
};

// Control is the state that the blocks of one search share.
struct Control {
	u64 barrier[4]; // see barrier.cuh
	u32 finishedBlocks;
	u32 status; // of the search: Status in search.cuh
	u32 logLength; // entries of the log, or more than its capacity
	u32 segment; // first entry of the log that no round has pushed, after rounds of one block
	u32 least; // bits of the least distance that the near step has not expanded
	u32 pulled; // vertices whose distance the pull has lowered
	u32 records;
	u32 _;
	u64 begin; // of the search: ns, by the device's timer
	u64 end; // of the search: ns, by the device's timer
	u64 examined[4]; // arcs examined in a part of the search; each part uses the next word
};

// State is the kernel's description of the graph and the search, in constant memory. N is
// the number of labels, n that of rows.
struct State {
	u32 vertices; // N
	u32 rowCount; // n
	u32 logCapacity;
	u32 keptCapacity; // kept arcs of each block
	u32 nearArcs; // arcs that the near step may expand
	u32 sampleStride; // distance between the words of labels that decide on the pull
	u64 pullArcs; // pushed arcs after which the pull begins
	float step; // by which the bound rises at first
	float arcScale; // expected arcs of a row of degree d within a distance x: d * x * ArcScale
	const u64 *index;
	const uint4 *rows;
	const uint2 *arcs;
	const uint4 *heads;
	const float *thirds;
	uint4 *log;
	uint4 *kept;
	u32 *targets; // bitmap of N labels, padded: a kept arc leads to the vertex
	u32 *marks[3]; // bitmaps of N labels, padded: vertices that a sweep has changed; the sweeps take turns
	u32 *any; // 1: a round of the search without lists has changed something
	Control *control;
	RoundRecord *rounds;
	u32 *parents;
	u32 *distances;
	const volatile u32 *stop;
	volatile u32 *done;
};

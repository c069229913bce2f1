// Code generated from layout.go by its test with -update; DO NOT EDIT.
#pragma once
#include "../types.cuh"

constexpr u32 THREADS = 512; // of a block
constexpr u32 task = 512; // labels that a warp of a dense pass takes at a time
constexpr u32 hubWords = 2048; // of the bitmap of hubs, whose last two bits stay clear
constexpr u32 noSlot = 65535; // in slots: the neighbour is no hub
constexpr u32 noNeighbor = 65534; // in Further: the row has no such neighbour; in HubRow and hubArcs: no such hub
constexpr u32 minorShift = 11; // bits of a label below a minor hub's number in minors
constexpr u32 furtherDegree = 16777215; // largest degree in Further.row; a row as long as that says its own
constexpr u32 longRoom = 1024; // rows in one level that all blocks walk together
constexpr u32 maxBins = 2048; // of labels
constexpr u32 binStride = 8; // words from the end of one bin to that of the next, so that atomics spread
constexpr u32 orderedLabels = 131072; // that a block orders at a time
constexpr u32 kept = 4; // entries of the list that a thread keeps in registers at the end

// Further is what a search looks at once the first neighbour of a row failed, in
// one sector: the numbers of the second to fifth neighbours among the hubs, these
// neighbours, and start | degree << 40 of the row.
struct alignas(32) Further {
	u16 slots[4];
	u32 next[4];
	u64 row;
};

// HubRow is what a search that looks for hubs only looks at once the first neighbour
// of a row failed: the numbers of the second to sixth neighbours, noNeighbor for those
// that are no hubs, how many more hubs there are, and where they begin in HubArcs.
struct alignas(16) HubRow {
	u16 slots[5];
	u16 more;
	u32 start;
};

// LongRow is a row that no single warp should walk.
struct LongRow {
	u64 start;
	u32 rest;
	u32 vertex;
};

// Level is what the kernel notes of a level.
struct Level {
	u32 step;
	u32 extra; // what it did in addition: bits of Extra
	u32 frontier;
	u32 found;
	u32 listed; // entries of the list of unvisited vertices after stepEmit and stepList
	u64 implied; // neighbours looked at that the warps do not count
	u64 looked; // and those that they count, in a bottom-up step: beyond first neighbours
	u64 followed; // of those implied in stepHubs, from the frontier
	u64 moved; // words of 4 bytes that the warps counted, see BottomUp
	u64 end; // nanoseconds of the device's timer
};

// Control is what the blocks of one search share.
struct Control {
	u64 barrier[4]; // arrivals << 54 | sum, one word a meeting, used in turn
	u32 leavers;
	u32 levelCount;
	u64 begin; // of the search, nanoseconds of the device's timer
	u64 end; // of its last level
	u64 impliedBeyond; // of all levels that have no record
	u32 queued[4]; // entries of the next queue, one word a level, used in turn
	u32 ticket[4]; // pieces of a pass that emits handed out, likewise
	u32 listed; // entries of the list
	u32 relisted; // of the list that listLevel leaves
	u32 longRows;
};

// State is what the kernel knows of a search. N is the number of labels, P that of
// labels in whole tasks: what a dense pass walks through.
struct State {
	u32 vertices; // N
	u32 tasks; // P / taskLabels
	u32 connected; // rows
	u32 hubCount;
	u32 minorCount; // of the vertices with the next highest degrees, the minor hubs
	u32 listRoom; // entries of the list that are used
	u32 levelRoom; // records of levels; one more stands for all further levels
	u32 filterBits; // a power of two of at least 128, or 0: there is no filter
	u32 bins; // of 2^BinShift labels, in which parents are put in order, or 0: they never are
	u32 binShift;
	u32 hubsShare; // a bottom-up level looks for hubs only if the others of a small frontier have less than one arc for so many labels, or 0: never
	u32 ahead; // 1 if a pass that emits fetches the first neighbours of its next piece in time, or 0
	u64 arcs;
	u64 perBlock; // (2^64 - 1) / blocks
	const u64 *index;
	const Row *rows;
	const u32 *neighbors;
	const u32 *hubs; // then minor ones
	const u32 *present; // bitmap of P labels: which have a row
	const u32 *more; // which have a second neighbour
	const u32 *moreHubs; // whose second neighbour is a hub
	const u32 *isHub; // who is a hub
	// First is the first neighbour of each of P labels, 0 where there is none. By
	// row they would be half as many, but that a search would find the row of every
	// label made its second pass half as long again.
	const u32 *first;
	// Slots is the first neighbour's number among the hubs, for P labels; noHub
	// where it is no hub.
	const u16 *slots;
	// MinorStart says where those vertices of each task begin in Minors whose first
	// neighbour is a minor hub, with the end behind. They are in the order of
	// labels: the minor hub's number above the lowest bits of the label.
	const u32 *minorStart;
	const u32 *minors;
	// ExceptionStart and Exceptions are the same for the other vertices whose first
	// neighbour is no hub.
	const u32 *exceptionStart;
	const uint2 *exceptions;
	const Further *further; // by row
	// HubRows is by row, too; HubArcs holds the hubs of each row beyond its sixth
	// neighbour. Both may be empty.
	const HubRow *hubRows;
	const uint4 *hubArcs;
	u32 *visited[2]; // bitmaps of P labels
	u32 *byFirst; // likewise: parents that are owed
	u32 *queue[2]; // n entries
	uint4 *scratch; // n entries: rows of the frontier, queued parents, or vertices left (search.cuh)
	u64 *share; // arcs of the frontier, by block
	u32 *hubBits; // bitmap of visited hubs
	u32 *minorBits; // and of minor ones
	u32 *filter; // bit v % FilterBits is set for every v of a small frontier, and may be for others
	u32 *binEnds; // by bin
	u32 *orderedStart; // by task: where the ordered parents begin
	u32 *fresh; // bitmap of labels whose parents are there
	uint2 *list; // vertices left unvisited, with their first neighbours
	LongRow *longRows; // longRowRoom entries
	u32 *longParents;
	Control *control;
	Level *levels;
	u32 *parents;
	const volatile u32 *stop;
	volatile u32 *done;
};

// Code generated from layout.go by its test with -update; DO NOT EDIT.
#pragma once
#include "../types.cuh"

constexpr u32 THREADS = 1024; // threads of a block
constexpr u32 groupThreads = 128; // threads that work on a chunk together
constexpr u32 chunkWords = 64; // most words of a bitmap of the rows of a chunk
constexpr u32 warps = 32; // warps of a block
constexpr u32 singleEach = 4; // words of rows with one hub that a warp examines at a time
constexpr u32 wordsEach = 8; // words of rows without hubs that a block copies at a time
constexpr u32 hubWords = 2048; // words of a bitmap of hubs
constexpr u32 mostRangeRows = 131072; // most rows of a range
constexpr u32 mostNotes = 42496; // most rows of a small range with two hubs or more
constexpr u32 notedRows = 57344; // most rows of a small range
constexpr u32 mostAlone = 1024; // most rows of a device that one block finds in late levels
constexpr u32 lateEntries = 4096; // most rows of all devices that it finds
constexpr u32 mostToAll = 1024; // most rows, with unused entries, next to a row whose finds all devices take
constexpr u32 frontiers = 3; // bitmaps of hubs of a frontier
constexpr u32 queuedShift = 34; // low bits of Control.queued that count pieces

// Step is what a level, or a part of it, does.
enum Step : u32 {
	stepTopDown = 0, // expands the frontier
	stepDense = 1, // finds the hubs of a level, and the rows next to a hub of the frontier; writes all parents
	stepFollow = 2, // expands the rows of the frontier to rows
	stepLook = 3, // unvisited rows look for rows of the frontier
	stepFirst = 4, // rows without hubs look for a visited row
	stepLate = 5, // the last rows, level by level
};

// LevelRecord is the kernel's record of one level, or of a step of one.
struct LevelRecord {
	u32 step;
	u32 frontier; // hubs and rows
	u32 found; // hubs and rows, as far as counted
	u32 ofDevice; // 1: Found are those of the device, each hub on one device only; else those of all
	u64 pieces; // of lists that were examined, as far as counted
	u64 end; // ns, by the device's timer
};

// Control is the state that the blocks of one search share.
struct Control {
	u64 barrier[4]; // see barrier.cuh
	u32 finishedBlocks;
	u32 records;
	u64 queued[4]; // entries of the queue << queuedShift | pieces of their lists; each level uses the next word
	u64 estimated[4]; // pieces of the entries of the same queue that all devices have, after a level of all (Level.estimateOf)
	u32 left; // entries of the list of late rows, or of what is left with hubs (rest.cuh)
	u32 reserved;
	u64 begin; // of the search: ns, by the device's timer
	u64 end; // of the search: ns, by the device's timer
};

// Pieces are those of all lists of one kind, by number.
struct Pieces {
	const uint4 *onDevice; // the first ones
	const uint4 *onHost; // the others, in host memory
	u32 deviceEnd;
	u32 reserved;
};

// State is the kernel's description of the graph and the search, in constant memory. Rows and
// labels have the numbers of the whole graph.
struct State {
	u32 firstLabel; // of the device
	u32 labels; // end of the device's labels
	u32 chunkLabels;
	u32 chunks; // of the device
	u32 hubs;
	u32 firstRow; // of the device
	u32 hubRows; // end of the rows with two hubs or more
	u32 singleEnd; // end of the rows with hubs
	u32 rows; // end of the rows
	u32 groupBytes; // shared memory of a group
	u32 bulk; // 1: chunks are copied by bulk copies
	u32 lastPieces; // a frontier with more pieces is the last one that is expanded top-down
	u32 densePieces; // a frontier with more pieces is not expanded, the dense pass follows
	u32 lookHubs; // hubs in the frontier from which unvisited rows look for rows of the frontier
	u32 blockList; // entries of each block's list of rows
	u32 blockLong; // entries of each block's list of long rows
	u32 aloneRows; // unvisited rows of a device up to which one block makes the late levels, at most mostAlone
	u32 lateLevels; // late levels by all blocks, after which the search goes on from the frontier
	u32 rowPrefix; // most pieces of each row in RowLists, if rows are split
	u32 prefixWrap; // of RowPrefixAt (kernels/wraps.cuh)
	u32 tailWrap; // of the pieces in host memory before a row
	u32 recordLimit; // records of levels; one more is shared by all later levels
	u32 ranges; // of the device's rows with hubs, in which lists of rows of hubs are cut
	u32 rangeRows; // rows of a range with two hubs or more
	u32 rangeSingle; // rows of a range with one hub
	u32 noted; // 1: ranges are small, and blocks note the hubs of their rows in shared memory
	// Arrays by row begin at row 0 of all devices, those by label at label 0. The rows of a class
	// without an entry in an array are counted off.
	const u32 *chunkStart;
	const u32 *firstAt;
	const u16 *firstPlaces;
	const u32 *firsts;
	const u32 *heads;
	const uint2 *seconds;
	const u32 *furtherAt;
	Pieces further;
	const u16 *singleHub;
	const u32 *rowListAt;
	const uint4 *rowLists; // the first pieces of each row
	const u32 *rowPrefixAt;
	const uint4 *rowTails; // the others
	const u32 *firstRows;
	const u32 *hubListAt;
	Pieces hubLists;
	const u32 *hubRowAt;
	const u32 *hubRangeAt;
	Pieces hubRowList;
	const u32 *hubLabels;
	const u32 *rowLabels;
	const u32 *leavesAt;
	const u32 *leaves;
	const u32 *vertices;
	u32 *before; // bitmap of rows: visited before the level of the dense pass, later before this level
	u32 *visited; // bitmap of rows: visited, with the finds of this level
	u32 *late[2]; // bitmaps of rows without hubs, found by the last levels; these take turns
	u32 *leftHubs; // bitmap of hubs that neither the dense pass nor a level before has found; later finds are taken out
	u32 *hubsBefore; // bitmap of hubs: visited before the level of the dense pass, later before this level
	u32 *frontiers; // bitmaps of hubs: frontiers
	u32 *hubParents; // by hub: label of the parent
	u16 *markedBy; // by row with two hubs or more, from the first on: the last hub that has marked it in a level of last.cuh
	uint4 *queue; // found hubs and rows; what is left with hubs (rest.cuh)
	u32 *leftRows; // rows without hubs for the late levels
	u32 *list; // by block: rows that look for the frontier, or rows of the frontier
	u32 *longRows; // by block: rows whose further hubs must be examined
	Control *control;
	LevelRecord *levels;
	// One of both is there; the second begins at label 0, like arrays by label.
	u32 *parents;
	u64 *wideParents; // parents of 64 bits
	const volatile u32 *stop;
	volatile u32 *done;
};

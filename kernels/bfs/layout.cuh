// Code generated from layout.go by its test with -update; DO NOT EDIT.
#pragma once
#include "../types.cuh"

constexpr u32 THREADS = 512; // threads of a block
constexpr u32 taskLabels = 512; // labels of a task
constexpr u32 hubWords = 2048; // words of the bitmap of hubs, whose last two bits stay 0
constexpr u32 noHub = 65535; // hub number: the neighbour is not a hub
constexpr u32 noNeighbor = 65534; // hub number in Further: there is no such neighbour; in HubRow and hubArcs: no such hub
constexpr u32 minorShift = 11; // low bits of a label in an entry of minors, below the number of the minor hub
constexpr u32 maxFurtherDegree = 16777215; // largest degree in Further.row; such a row has its degree in g.rows only
constexpr u32 longRowCapacity = 1024; // rows per level that all blocks can walk together
constexpr u32 maxBins = 2048; // bins of labels
constexpr u32 binStride = 8; // words between the ends of two bins in binEnds
constexpr u32 orderedLabels = 131072; // labels that a block orders at a time
constexpr u32 frontierShare = 4; // with split rows: the largest frontier that is searched top-down is 1/frontierShare of the rows
constexpr u32 tailEntries = 4; // entries of the list per thread in registers, in the last levels
constexpr u32 maxPeers = 16; // devices that search a graph together
constexpr u32 alpha = 30; // bottom-up pays if the frontier has more than 1/alpha of the unexplored arcs

// Step is the way in which a level is searched. All steps but the first are bottom-up.
enum Step : u32 {
	stepTopDown = 0, // from a queue of the frontier to unvisited neighbours
	stepDense = 1, // marking pass over all labels; leaves the parents of first neighbours to stepDenseParents
	stepDenseHubs = 2, // stepDense for hubs only, then top-down from the frontier's other vertices
	stepDenseParents = 3, // writing pass over all labels; writes the parents and the list of unvisited vertices
	stepList = 4, // the list of unvisited vertices, in memory
	stepTail = 5, // the list of unvisited vertices, in registers
};

// Extra is work that a level does in addition to its step, one bit each.
enum Extra : u32 {
	extraBegin = 1, // starts the search
	extraScatter = 2, // writes queued parents to the array of parents
	extraOrder = 4, // puts queued parents in order
	extraOrdered = 8, // writes ordered parents to the array of parents
	extraFilter = 16, // fills the filter
	extraQueue = 32, // makes the queue from two bitmaps
	extraDeferred = 64, // writes the parents that stepDense and stepDenseHubs left
	extraFirstDense = 128, // is the first dense pass after a top-down level
	extraMeasure = 65536, // copies the rows of the frontier; the upper 16 bits count these copies
};

// Further is a row's record of further neighbours, one sector of 32 bytes. A search
// reads it once the first neighbour was not visited. HubNumbers and Next are the hub
// numbers and the labels of neighbours two to five. Row is start | degree << 40 of
// the row.
struct alignas(32) Further {
	u16 hubNumbers[4];
	u32 next[4];
	u64 row;
};

// HubRow is a row's record of hubs, 16 bytes. A search for hubs only reads it once
// the first neighbour was not visited. HubNumbers are the hub numbers of neighbours
// two to six, noNeighbor for those that are not hubs. More is the number of hubs
// after these, and Start is where their numbers begin in HubArcs.
struct alignas(16) HubRow {
	u16 hubNumbers[5];
	u16 more;
	u32 start;
};

// LongRow is the rest of a row that is too long for one warp.
struct LongRow {
	u64 start;
	u32 rest;
	u32 vertex;
};

// Level is the kernel's record of one level.
struct Level {
	u32 step;
	u32 extra; // what the level did in addition to Step: bits of Extra
	u32 frontier;
	u32 found;
	u32 listed; // entries of the list of unvisited vertices, after stepDenseParents and stepList
	u64 implied; // examined neighbours that warps do not count, because other numbers determine them
	u64 examined; // examined neighbours that warps count; in bottom-up steps those after the first neighbours
	u64 followed; // the part of Implied that stepDenseHubs examined top-down, from the frontier
	u64 moved; // words of 4 bytes that warps counted (BottomUp in lookup.cuh)
	u64 end; // ns, by the device's timer
};

// Control is the state that the blocks of one search share.
struct Control {
	u64 barrier[4]; // arrivals << 54 | sum; each grid barrier uses the next word
	u32 finishedBlocks;
	u32 levelCount;
	u64 begin; // of the search: ns, by the device's timer
	u64 end; // of the last level that has ended: ns
	u64 impliedBeyond; // sum of Implied over the levels that have no record of their own
	u32 queueLength[4]; // entries of the next queue; each level uses the next word
	u32 ticket[4]; // next piece of a writing pass; each level uses the next word
	u32 listed; // entries of the list
	u32 relisted; // entries of the list that listLevel writes
	u32 longRows;
};

// State is the kernel's description of the graph and the search, in constant memory.
// N is the number of labels. P is N padded to whole tasks.
struct State {
	u32 vertices; // N
	u32 tasks; // P / taskLabels
	u32 rowCount; // n, the number of vertices with a row
	u32 hubCount;
	u32 minorCount; // vertices of highest degree after the hubs
	u32 listCapacity; // entries of the list
	u32 levelCapacity; // records of levels; one more record is shared by all later levels
	u32 filterBits; // a power of two, at least 128; 0: no filter
	u32 bins; // bins of 2^BinShift labels for the ordering of parents; 0: parents are never put in order
	u32 binShift;
	u32 nonHubShare; // a bottom-up level looks for hubs only if the frontier's non-hubs have fewer than N / NonHubShare arcs; 0: never
	u32 prefetch; // 1: a writing pass prefetches the first neighbours of its next piece; 0: it does not
	u64 arcs;
	u64 perBlock; // (2^64 - 1) / blocks, see shareOf
	const u64 *index;
	const Row *rows;
	const u32 *neighbors;
	const u32 *hubs; // hubs, then minor hubs
	const u32 *hasRow; // bitmap of P labels: the vertex has a row
	const u32 *hasFurther; // bitmap of P labels: the vertex has further neighbours
	const u32 *secondIsHub; // bitmap of P labels: the second neighbour is a hub
	const u32 *isHub; // bitmap of P labels: the vertex is a hub
	// First is the first neighbour of each of P labels, 0 where there is no row. An
	// array by row would be half as long, but the writing pass took half as long
	// again with it, because it had to find the row of every label.
	const u32 *first;
	// FirstHub is the hub number of the first neighbour of each of P labels, noHub
	// where it is not a hub or there is no row.
	const u16 *firstHub;
	// Minors lists the vertices whose first neighbour is a minor hub, ordered by
	// label. An entry is the number of the minor hub << minorShift | the low bits of
	// the label. The entries of task t are those from MinorStart[t] to
	// MinorStart[t+1]-1.
	const u32 *minorStart;
	const u32 *minors;
	// Exceptions lists the exceptions, ordered by label. ExceptionStart is to it what
	// MinorStart is to Minors.
	const u32 *exceptionStart;
	const uint2 *exceptions;
	const Further *further; // by row
	// HubRows is indexed by row. HubArcs holds the hubs of each row after its sixth
	// neighbour. Both may be empty.
	const HubRow *hubRows;
	const uint4 *hubArcs;
	u32 *visited[2]; // bitmaps of P labels: before and after a bottom-up level
	u32 *deferred; // bitmap of P labels: found at the first neighbour, parent not written yet
	u32 *queue[2]; // n entries
	uint4 *scratch; // n entries, see search.cuh: rows of the frontier, queued parents, or the list after listLevel
	u64 *sliceArcs; // arcs of the frontier, by slice; each block measures one slice
	u32 *hubBits; // bitmap of visited hubs
	u32 *minorBits; // bitmap of visited minor hubs
	u32 *filter; // bit v % FilterBits is 1 for every v of a small frontier; other vertices share these bits
	u32 *binEnds; // by bin, binStride words apart: end of the bin's entries
	u32 *orderedStart; // by task: start of its ordered parents
	u32 *hasOrdered; // bitmap of P labels, within a task in the order of transposed (order.cuh): the vertex has an ordered parent
	uint2 *list; // unvisited vertices with their first neighbours
	LongRow *longRows; // longRowCapacity entries
	u32 *longParents;
	Control *control;
	Level *levels;
	u32 *parents;
	const volatile u32 *stop;
	volatile u32 *done;
};

// Tails is the kernel's description of split rows, in constant memory.
struct Tails {
	const u32 *tails;
	u32 prefix; // Graph.Prefix
	u32 alpha; // bottom-up pays if the frontier has more than 1/Alpha of the unexplored arcs
	u64 length; // of Tails, for the counted form
};

// PeerControl is the state that the blocks of one device share, in a search on several
// devices.
struct PeerControl {
	u64 arrivals[4]; // arrivals << 54 | sum; each barrier of all devices uses the next word
	u64 second[4]; // second sum of the same barriers
	u32 round; // barriers of all searches so far
	u32 foundLength[4]; // entries of Peer.Found; each level uses the next word
};

// Peer is what all devices of a search know of one of them. It has the rows of the
// labels from the end of the device before to EndTask * taskLabels.
struct Peer {
	const u64 *index; // to be indexed by all labels
	const Row *rows;
	const u32 *neighbors;
	u32 *visited[2]; // State.Visited
	u32 *filter; // State.Filter
	u32 *found; // vertices that the device found top-down, n entries
	u32 *foundParents; // their parents
	u64 *totals; // sums of the last four barriers, by device (PeerBarrier)
	u32 endTask;
	u32 listCapacity; // State.ListCapacity
};

// Peers is the kernel's description of the devices of a search, in constant memory.
struct Peers {
	u32 count;
	u32 own; // number of this device
	u32 firstTask; // of this device; State.Tasks is its end
	u32 allTasks; // tasks of all devices
	PeerControl *control;
	Peer peers[16];
};

//go:build cuda

package bfs

import (
	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

const (
	// taskLabels is the length of a task: the labels that one warp of a dense pass
	// handles at a time. Arrays indexed by label are padded to a multiple of it.
	taskLabels = 512
	// hubWords is the length of the bitmap of hubs in words of 32 bits. Its last two
	// bits stay 0.
	hubWords = 2048
	// usedHubs is the number of hubs. A hub has a number of 16 bits; the two
	// remaining values are noHub, "this neighbour is not a hub", and noNeighbor,
	// "there is no such neighbour".
	usedHubs   = 1<<16 - 2
	noHub      = 1<<16 - 1
	noNeighbor = 1<<16 - 2
	// minorShift is the number of low bits of a label in an entry of Minors; the
	// number of the minor hub is above them. The remaining 21 bits hold twice
	// maxMinors. maxMinors is the largest number of minor hubs, the vertices of
	// highest degree after the hubs.
	minorShift = 11
	maxMinors  = 1 << 20
	// maxFurtherDegree is the largest degree that fits in Further.Row. A row of this
	// length or longer has its degree in Rows only.
	maxFurtherDegree = 1<<24 - 1
	// longRowCapacity is the number of rows per level that all blocks can walk
	// together.
	longRowCapacity = 1024
	// Parents are put in order by bins of labels. maxBins is the largest number of
	// bins. A bin has at least 2^leastBinShift labels, which is the number that a
	// block orders at a time. binStride is the distance in words between the ends of
	// two bins in BinEnds: it spreads the atomics over sectors.
	maxBins       = 2048
	leastBinShift = 17
	binStride     = 8
	// frontierShare: with split rows, whose parents are not put in order, a frontier of
	// more than 1/frontierShare of the rows is searched bottom-up.
	frontierShare = 4
	// threads is the number of threads of a block.
	threads = 512
	// tailEntries is the number of entries of the list of unvisited vertices that
	// each thread holds in registers in the last levels (stepTail). listEntriesMany
	// is the capacity of the list per thread in the kernel bfsMany.
	tailEntries     = 4
	listEntriesMany = 16
)

// step is the way in which a level is searched. All steps but the first are bottom-up.
type step uint32

const (
	stepTopDown      step = iota // from a queue of the frontier to unvisited neighbours
	stepDense                    // marking pass over all labels; leaves the parents of first neighbours to stepDenseParents
	stepDenseHubs                // stepDense for hubs only, then top-down from the frontier's other vertices
	stepDenseParents             // writing pass over all labels; writes the parents and the list of unvisited vertices
	stepList                     // the list of unvisited vertices, in memory
	stepTail                     // the list of unvisited vertices, in registers
)

// extra is work that a level does in addition to its step, one bit each.
type extra uint32

const (
	extraBegin      extra = 1 << iota // starts the search
	extraScatter                      // writes queued parents to the array of parents
	extraOrder                        // puts queued parents in order
	extraOrdered                      // writes ordered parents to the array of parents
	extraFilter                       // fills the filter
	extraQueue                        // makes the queue from two bitmaps
	extraDeferred                     // writes the parents that stepDense and stepDenseHubs left
	extraFirstDense                   // is the first dense pass after a top-down level
	extraMeasure    extra = 1 << 16   // copies the rows of the frontier; the upper 16 bits count these copies
)

// Further is a row's record of further neighbours, one sector of 32 bytes. A search
// reads it once the first neighbour was not visited. HubNumbers and Next are the hub
// numbers and the labels of neighbours two to five. Row is start | degree << 40 of
// the row.
type Further struct {
	HubNumbers [4]uint16
	Next       [4]engine.Label
	Row        uint64
}

// Exception is a vertex whose first neighbour is neither a hub nor a minor hub. It is
// also an entry of the list of unvisited vertices, with furtherFlag (search.cuh) in
// First.
type Exception struct {
	Vertex, First engine.Label
}

// HubRow is a row's record of hubs, 16 bytes. A search for hubs only reads it once
// the first neighbour was not visited. HubNumbers are the hub numbers of neighbours
// two to six, noNeighbor for those that are not hubs. More is the number of hubs
// after these, and Start is where their numbers begin in HubArcs.
type HubRow struct {
	HubNumbers [5]uint16
	More       uint16
	Start      uint32
}

// HubArcs is eight hub numbers of one row. Unused ones at the end are noNeighbor.
type HubArcs [8]uint16

// longRow is the rest of a row that is too long for one warp.
type longRow struct {
	Start  uint64
	Rest   uint32
	Vertex engine.Label
}

// levelRecord is the kernel's record of one level.
type levelRecord struct {
	Step     step  `c:"u32"`
	Extra    extra `c:"u32"` // what the level did in addition to Step: bits of Extra
	Frontier uint32
	Found    uint32
	Listed   uint32 // entries of the list of unvisited vertices, after stepDenseParents and stepList
	Implied  uint64 // examined neighbours that warps do not count, because other numbers determine them
	Examined uint64 // examined neighbours that warps count; in bottom-up steps those after the first neighbours
	Followed uint64 // the part of Implied that stepDenseHubs examined top-down, from the frontier
	Moved    uint64 // words of 4 bytes that warps counted (BottomUp in lookup.cuh)
	End      uint64 // ns, by the device's timer
}

// control is the state that the blocks of one search share.
type control struct {
	Barrier        [4]uint64 // arrivals << 54 | sum; each grid barrier uses the next word
	FinishedBlocks uint32
	LevelCount     uint32
	Begin          uint64    // of the search: ns, by the device's timer
	End            uint64    // of the last level that has ended: ns
	ImpliedBeyond  uint64    // sum of Implied over the levels that have no record of their own
	QueueLength    [4]uint32 // entries of the next queue; each level uses the next word
	Ticket         [4]uint32 // next piece of a writing pass; each level uses the next word
	Listed         uint32    // entries of the list
	Relisted       uint32    // entries of the list that listLevel writes
	LongRows       uint32
}

// state is the kernel's description of the graph and the search, in constant memory.
// N is the number of labels. P is N padded to whole tasks.
type state struct {
	Vertices      uint32 // N
	Tasks         uint32 // P / taskLabels
	RowCount      uint32 // n, the number of vertices with a row
	HubCount      uint32
	MinorCount    uint32 // vertices of highest degree after the hubs
	ListCapacity  uint32 // entries of the list
	LevelCapacity uint32 // records of levels; one more record is shared by all later levels
	FilterBits    uint32 // a power of two, at least 128; 0: no filter
	Bins          uint32 // bins of 2^BinShift labels for the ordering of parents; 0: parents are never put in order
	BinShift      uint32
	NonHubShare   uint32 // a bottom-up level looks for hubs only if the frontier's non-hubs have fewer than N / NonHubShare arcs; 0: never
	Prefetch      uint32 // 1: a writing pass prefetches the first neighbours of its next piece; 0: it does not
	Arcs          uint64
	PerBlock      uint64 // (2^64 - 1) / blocks, see shareOf

	Index     device.Array[uint64]        `c:"const u64"`
	Rows      device.Array[construct.Row] `c:"const Row"`
	Neighbors device.Array[engine.Label]  `c:"const u32"`
	Hubs      device.Array[engine.Label]  `c:"const u32"` // hubs, then minor hubs

	packed
	searching

	Parents device.Array[engine.Label]
	Stop    *device.HostArray[uint32] `c:"const volatile u32"`
	Done    *device.HostArray[uint32] `c:"volatile u32"`
}

// tails is the kernel's description of split rows, in constant memory.
type tails struct {
	Tails  *device.HostArray[engine.Label] `c:"const u32"`
	Prefix uint32                          // Graph.Prefix
	Alpha  uint32                          // bottom-up pays if the frontier has more than 1/Alpha of the unexplored arcs
	Length uint64                          // of Tails, for the counted form
}

// packed is the packed graph: a copy of the graph in the form that dense passes read.
type packed struct {
	HasRow      device.Array[uint32] `c:"const u32"` // bitmap of P labels: the vertex has a row
	HasFurther  device.Array[uint32] `c:"const u32"` // bitmap of P labels: the vertex has further neighbours
	SecondIsHub device.Array[uint32] `c:"const u32"` // bitmap of P labels: the second neighbour is a hub
	IsHub       device.Array[uint32] `c:"const u32"` // bitmap of P labels: the vertex is a hub

	// First is the first neighbour of each of P labels, 0 where there is no row. An
	// array by row would be half as long, but the writing pass took half as long
	// again with it, because it had to find the row of every label.
	First device.Array[engine.Label] `c:"const u32"`

	// FirstHub is the hub number of the first neighbour of each of P labels, noHub
	// where it is not a hub or there is no row.
	FirstHub device.Array[uint16] `c:"const u16"`

	// Minors lists the vertices whose first neighbour is a minor hub, ordered by
	// label. An entry is the number of the minor hub << minorShift | the low bits of
	// the label. The entries of task t are those from MinorStart[t] to
	// MinorStart[t+1]-1.
	MinorStart device.Array[uint32] `c:"const u32"`
	Minors     device.Array[uint32] `c:"const u32"`

	// Exceptions lists the exceptions, ordered by label. ExceptionStart is to it what
	// MinorStart is to Minors.
	ExceptionStart device.Array[uint32]    `c:"const u32"`
	Exceptions     device.Array[Exception] `c:"const uint2"`

	Further device.Array[Further] `c:"const Further"` // by row

	// HubRows is indexed by row. HubArcs holds the hubs of each row after its sixth
	// neighbour. Both may be empty.
	HubRows device.Array[HubRow]  `c:"const HubRow"`
	HubArcs device.Array[HubArcs] `c:"const uint4"`
}

// searching is the working memory of a search.
type searching struct {
	Visited      [2]device.Array[uint32]       // bitmaps of P labels: before and after a bottom-up level
	Deferred     device.Array[uint32]          // bitmap of P labels: found at the first neighbour, parent not written yet
	Queue        [2]device.Array[engine.Label] // n entries
	Scratch      device.Array[[4]uint32]       `c:"uint4"` // n entries, see search.cuh: rows of the frontier, queued parents, or the list after listLevel
	SliceArcs    device.Array[uint64]          // arcs of the frontier, by slice; each block measures one slice
	HubBits      device.Array[uint32]          // bitmap of visited hubs
	MinorBits    device.Array[uint32]          // bitmap of visited minor hubs
	Filter       device.Array[uint32]          // bit v % FilterBits is 1 for every v of a small frontier; other vertices share these bits
	BinEnds      device.Array[uint32]          // by bin, binStride words apart: end of the bin's entries
	OrderedStart device.Array[uint32]          // by task: start of its ordered parents
	HasOrdered   device.Array[uint32]          // bitmap of P labels, within a task in the order of transposed (order.cuh): the vertex has an ordered parent
	List         device.Array[Exception]       `c:"uint2"` // unvisited vertices with their first neighbours
	LongRows     device.Array[longRow]         // longRowCapacity entries
	LongParents  device.Array[engine.Label]
	Control      device.Array[control]
	Levels       device.Array[levelRecord]
}

// peerControl is the state that the blocks of one device share, in a search on several
// devices.
type peerControl struct {
	Arrivals    [4]uint64 // arrivals << 54 | sum; each barrier of all devices uses the next word
	Second      [4]uint64 // second sum of the same barriers
	Round       uint32    // barriers of all searches so far
	FoundLength [4]uint32 // entries of Peer.Found; each level uses the next word
}

// peer is what all devices of a search know of one of them. It has the rows of the
// labels from the end of the device before to EndTask * taskLabels.
type peer struct {
	Index        device.Array[uint64]        `c:"const u64"` // to be indexed by all labels
	Rows         device.Array[construct.Row] `c:"const Row"`
	Neighbors    device.Array[engine.Label]  `c:"const u32"`
	Visited      [2]device.Array[uint32]     // State.Visited
	Filter       device.Array[uint32]        // State.Filter
	Found        device.Array[engine.Label]  // vertices that the device found top-down, n entries
	FoundParents device.Array[engine.Label]  // their parents
	Totals       device.Array[uint64]        // sums of the last four barriers, by device (PeerBarrier)
	EndTask      uint32
	ListCapacity uint32 // State.ListCapacity
}

// peers is the kernel's description of the devices of a search, in constant memory.
type peers struct {
	Count     uint32
	Own       uint32 // number of this device
	FirstTask uint32 // of this device; State.Tasks is its end
	AllTasks  uint32 // tasks of all devices
	Control   device.Array[peerControl]
	Peers     [device.MostTogether]peer
}

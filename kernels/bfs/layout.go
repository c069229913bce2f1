//go:build cuda

package bfs

import (
	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

const (
	// taskLabels is what a warp of a dense pass takes at a time: what is indexed by
	// label goes on to the next multiple of it.
	taskLabels = 512
	// hubWords is the length of the bitmap of hubs, whose last two bits stay clear.
	hubWords = 2048
	// usedHubs is the number of hubs that have a number of their own; the two
	// other values of 16 bits say that a neighbour is no hub, or that there is
	// none.
	usedHubs   = 1<<16 - 2
	noHub      = 1<<16 - 1
	noNeighbor = 1<<16 - 2
	// minorShift is the number of a label's lowest bits that stand below a minor
	// hub's number in minors. It leaves room for twice as many as maxMinors, the
	// vertices of highest degree after the hubs.
	minorShift = 11
	maxMinors  = 1 << 20
	// furtherDegree is the largest degree that Further.Row holds; a row as long as
	// that says its own.
	furtherDegree = 1<<24 - 1
	// longRowRoom is the number of rows in one level that all blocks walk together.
	longRowRoom = 1024
	// maxBins is the largest number of bins of labels in which parents are put in
	// order, of at least 2^leastBinShift labels, which a block orders at a time;
	// binStride is the number of words from the end of one bin to that of the next,
	// so that atomics spread.
	maxBins       = 2048
	leastBinShift = 17
	binStride     = 8
	// maxBlocks is the largest number of blocks: what the kernel's barriers can
	// count, and shares of a frontier that it can tell apart.
	maxBlocks = 1<<10 - 1
	// threads is the size of a block.
	threads = 512
	// kept is the number of entries of the list of unvisited vertices that a thread
	// keeps in registers at the end, and listedOfMany the number that the list has
	// room for where there are many vertices.
	kept         = 4
	listedOfMany = 16
)

// Further is what a search looks at once the first neighbour of a row failed, in
// one sector: the numbers of the second to fifth neighbours among the hubs, these
// neighbours, and start | degree << 40 of the row.
type Further struct {
	Slots [4]uint16
	Next  [4]engine.Local
	Row   uint64
}

// Exception is a vertex whose first neighbour is no hub, nor a minor one; or one
// that is listed as unvisited, with its first neighbour.
type Exception struct {
	Vertex, First engine.Local
}

// HubRow is what a search that looks for hubs only looks at once the first neighbour
// of a row failed: the numbers of the second to sixth neighbours, noNeighbor for those
// that are no hubs, how many more hubs there are, and where they begin in HubArcs.
type HubRow struct {
	Slots [5]uint16
	More  uint16
	Start uint32
}

// HubArcs is eight numbers of hubs, the last ones noNeighbor where there are fewer.
type HubArcs [8]uint16

// longRow is a row that no single warp should walk.
type longRow struct {
	Start  uint64
	Rest   uint32
	Vertex engine.Local
}

// levelRecord is what the kernel notes of a level.
type levelRecord struct {
	Step     uint32
	Extra    uint32 // what it did in addition: bits of Extra
	Frontier uint32
	Found    uint32
	Listed   uint32 // entries of the list of unvisited vertices after stepEmit and stepList
	Implied  uint64 // neighbours looked at that the warps do not count
	Looked   uint64 // and those that they count, in a bottom-up step: beyond first neighbours
	Followed uint64 // of those implied in stepHubs, from the frontier
	Moved    uint64 // words of 4 bytes that the warps counted, see BottomUp
	End      uint64 // nanoseconds of the device's timer
}

// control is what the blocks of one search share.
type control struct {
	Barrier       [4]uint64 // arrivals << 54 | sum, one word a meeting, used in turn
	Leavers       uint32
	LevelCount    uint32
	Begin         uint64    // of the search, nanoseconds of the device's timer
	End           uint64    // of its last level
	ImpliedBeyond uint64    // of all levels that have no record
	Queued        [4]uint32 // entries of the next queue, one word a level, used in turn
	Ticket        [4]uint32 // pieces of a pass that emits handed out, likewise
	Listed        uint32    // entries of the list
	Relisted      uint32    // of the list that listLevel leaves
	LongRows      uint32
}

// state is what the kernel knows of a search. N is the number of labels, P that of
// labels in whole tasks: what a dense pass walks through.
type state struct {
	Vertices   uint32 // N
	Tasks      uint32 // P / taskLabels
	Connected  uint32 // rows
	HubCount   uint32
	MinorCount uint32 // of the vertices with the next highest degrees, the minor hubs
	ListRoom   uint32 // entries of the list that are used
	LevelRoom  uint32 // records of levels; one more stands for all further levels
	FilterBits uint32 // a power of two of at least 128, or 0: there is no filter
	Bins       uint32 // of 2^BinShift labels, in which parents are put in order, or 0: they never are
	BinShift   uint32
	HubsShare  uint32 // a bottom-up level looks for hubs only if the others of a small frontier have less than one arc for so many labels, or 0: never
	Ahead      uint32 // 1 if a pass that emits fetches the first neighbours of its next piece in time, or 0
	Arcs       uint64
	PerBlock   uint64 // (2^64 - 1) / blocks

	Index     device.Array[uint64]        `c:"const u64"`
	Rows      device.Array[construct.Row] `c:"const Row"`
	Neighbors device.Array[engine.Local]  `c:"const u32"`
	Hubs      device.Array[engine.Local]  `c:"const u32"` // then minor ones

	packed
	searching

	Parents device.Array[engine.Local]
	Stop    *device.HostArray[uint32] `c:"const volatile u32"`
	Done    *device.HostArray[uint32] `c:"volatile u32"`
}

// packed is a graph once more, as the search streams it.
type packed struct {
	Present  device.Array[uint32] `c:"const u32"` // bitmap of P labels: which have a row
	More     device.Array[uint32] `c:"const u32"` // which have a second neighbour
	MoreHubs device.Array[uint32] `c:"const u32"` // whose second neighbour is a hub
	IsHub    device.Array[uint32] `c:"const u32"` // who is a hub

	// First is the first neighbour of each of P labels, 0 where there is none. By
	// row they would be half as many, but that a search would find the row of every
	// label made its second pass half as long again.
	First device.Array[engine.Local] `c:"const u32"`

	// Slots is the first neighbour's number among the hubs, for P labels; noHub
	// where it is no hub.
	Slots device.Array[uint16] `c:"const u16"`

	// MinorStart says where those vertices of each task begin in Minors whose first
	// neighbour is a minor hub, with the end behind. They are in the order of
	// labels: the minor hub's number above the lowest bits of the label.
	MinorStart device.Array[uint32] `c:"const u32"`
	Minors     device.Array[uint32] `c:"const u32"`

	// ExceptionStart and Exceptions are the same for the other vertices whose first
	// neighbour is no hub.
	ExceptionStart device.Array[uint32]    `c:"const u32"`
	Exceptions     device.Array[Exception] `c:"const uint2"`

	Further device.Array[Further] `c:"const Further"` // by row

	// HubRows is by row, too; HubArcs holds the hubs of each row beyond its sixth
	// neighbour. Both may be empty.
	HubRows device.Array[HubRow]  `c:"const HubRow"`
	HubArcs device.Array[HubArcs] `c:"const uint4"`
}

// searching is what a search works with.
type searching struct {
	Visited      [2]device.Array[uint32]       // bitmaps of P labels
	ByFirst      device.Array[uint32]          // likewise: parents that are owed
	Queue        [2]device.Array[engine.Local] // n entries
	Scratch      device.Array[[4]uint32]       `c:"uint4"` // n entries: rows of the frontier, queued parents, or vertices left (search.cuh)
	Share        device.Array[uint64]          // arcs of the frontier, by block
	HubBits      device.Array[uint32]          // bitmap of visited hubs
	MinorBits    device.Array[uint32]          // and of minor ones
	Filter       device.Array[uint32]          // bit v % FilterBits is set for every v of a small frontier, and may be for others
	BinEnds      device.Array[uint32]          // by bin
	OrderedStart device.Array[uint32]          // by task: where the ordered parents begin
	Fresh        device.Array[uint32]          // bitmap of labels whose parents are there
	List         device.Array[Exception]       `c:"uint2"` // vertices left unvisited, with their first neighbours
	LongRows     device.Array[longRow]         // longRowRoom entries
	LongParents  device.Array[engine.Local]
	Control      device.Array[control]
	Levels       device.Array[levelRecord]
}

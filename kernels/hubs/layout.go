//go:build cuda

package hubs

import (
	"graph500/device"
	"graph500/engine"
	"graph500/kernels/hubs/reference"
)

const (
	// threads is the number of threads of a block. There is one block on each multiprocessor.
	threads = 1024
	// groupThreads is the number of threads that work on one chunk together in the dense pass.
	groupThreads = 128
	warps        = threads / 32
	// chunkWords is the largest number of words of a bitmap of the rows of a chunk with two hubs or more.
	chunkWords = MostChunk / reference.RowAlign
	// singleEach is the number of words of rows with one hub that a warp examines at a time.
	singleEach = 4
	// wordsEach is the number of words of rows without hubs that a block copies at a time.
	wordsEach = 8
	// hubWords is the length of a bitmap of hubs in words of 32 bits.
	hubWords = 2048
	// frontiers is the number of bitmaps of hubs of a frontier. Levels use them in turns.
	frontiers = 3
)

// step is what a level, or a part of it, does.
type step uint32

const (
	stepTopDown step = iota // expands the frontier
	stepDense               // finds the hubs of a level, and the rows next to a hub of the frontier; writes all parents
	stepFollow              // expands the rows of the frontier to rows
	stepLook                // unvisited rows look for rows of the frontier
	stepFirst               // rows without hubs look for a visited row
	stepLate                // the last rows, level by level
)

// queued is an entry of the queue: a found hub or row.
type queued struct {
	Vertex uint32       // a reference.Vertex
	Pieces uint32       // of the lists of the entries of the same level before this one
	Parent engine.Label // label
	Label  engine.Label // of a row; None for a hub
}

// levelRecord is the kernel's record of one level, or of a step of one.
type levelRecord struct {
	Step     step   `c:"u32"`
	Frontier uint32 // hubs and rows
	Found    uint32 // hubs and rows, as far as counted
	OfDevice uint32 // 1: Found are those of the device, each hub on one device only; else those of all
	Pieces   uint64 // of lists that were examined, as far as counted
	End      uint64 // ns, by the device's timer
}

// control is the state that the blocks of one search share.
type control struct {
	Barrier        [4]uint64 // see barrier.cuh
	FinishedBlocks uint32
	Records        uint32
	Queued         [4]uint64 // entries of the queue << queuedShift | pieces of their lists; each level uses the next word
	Estimated      [4]uint64 // pieces of the entries of the same queue that all devices have, after a level of all (Level.estimateOf)
	Left           uint32    // entries of the list of late rows, or of what is left with hubs (rest.cuh)
	Reserved       uint32
	Begin, End     uint64 // of the search: ns, by the device's timer
}

// mostAlone is the largest number of rows of a device that one block of each device finds in late levels.
const mostAlone = threads

// lateEntries is the largest number of rows of all devices that this block finds.
const lateEntries = 4 * threads

// lateEntry is what other devices know of a row without hubs that is left for the late levels.
type lateEntry struct {
	Piece    [4]uint32 // the first piece of the row's list
	Row      uint32
	At, End  uint32 // numbers of the pieces of its list
	Reserved uint32
}

// mostToAll is the largest number of rows, with unused entries, next to a row whose finds all devices take. There is room
// for it and them in every device's queue.
const mostToAll = 1024

// queuedShift is the number of low bits of control.Queued that count pieces.
const queuedShift = 34

// pieces are those of all lists of one kind, by number.
type pieces struct {
	OnDevice  device.Array[[4]uint32] `c:"const uint4"` // the first ones
	OnHost    device.Array[[4]uint32] `c:"const uint4"` // the others, in host memory
	DeviceEnd uint32
	Reserved  uint32
}

// piecesOf returns the pieces of lists for the kernel.
func piecesOf[T any](l Lists[T]) pieces {
	end := uint64(l.OnDevice.Len())
	return pieces{device.As[[4]uint32](l.OnDevice), device.As[[4]uint32](l.OnHost).Based(end), uint32(end), 0}
}

// state is the kernel's description of the graph and the search, in constant memory. Rows and
// labels have the numbers of the whole graph.
type state struct {
	FirstLabel  uint32 // of the device
	Labels      uint32 // end of the device's labels
	ChunkLabels uint32
	Chunks      uint32 // of the device
	Hubs        uint32
	FirstRow    uint32 // of the device
	rowClasses
	GroupBytes  uint32 // shared memory of a group
	Bulk        uint32 // 1: chunks are copied by bulk copies
	LastPieces  uint32 // a frontier with more pieces is the last one that is expanded top-down
	DensePieces uint32 // a frontier with more pieces is not expanded, the dense pass follows
	LookHubs    uint32 // hubs in the frontier from which unvisited rows look for rows of the frontier
	BlockList   uint32 // entries of each block's list of rows
	BlockLong   uint32 // entries of each block's list of long rows
	AloneRows   uint32 // unvisited rows of a device up to which one block makes the late levels, at most mostAlone
	LateLevels  uint32 // late levels by all blocks, after which the search goes on from the frontier
	RowPrefix   uint32 // most pieces of each row in RowLists, if rows are split
	PrefixWrap  uint32 // of RowPrefixAt (kernels/wraps.cuh)
	TailWrap    uint32 // of the pieces in host memory before a row
	RecordLimit uint32 // records of levels; one more is shared by all later levels
	Ranges      uint32 // of the device's rows with hubs, in which lists of rows of hubs are cut
	RangeRows   uint32 // rows of a range with two hubs or more
	RangeSingle uint32 // rows of a range with one hub
	Noted       uint32 // 1: ranges are small, and blocks note the hubs of their rows in shared memory

	// Arrays by row begin at row 0 of all devices, those by label at label 0. The rows of a class
	// without an entry in an array are counted off.
	ChunkStart  device.Array[uint32]       `c:"const u32"`
	FirstAt     device.Array[uint32]       `c:"const u32"`
	FirstPlaces device.Array[uint16]       `c:"const u16"`
	Firsts      device.Array[engine.Label] `c:"const u32"`
	rowArrays
	RowPrefixAt device.Array[uint32]    `c:"const u32"`
	RowTails    device.Array[[4]uint32] `c:"const uint4"` // the others
	FirstRows   device.Array[uint32]    `c:"const u32"`
	HubListAt   device.Array[uint32]    `c:"const u32"`
	HubLists    pieces
	HubRowAt    device.Array[uint32] `c:"const u32"`
	HubRangeAt  device.Array[uint32] `c:"const u32"`
	HubRowList  pieces
	HubLabels   device.Array[engine.Label]     `c:"const u32"`
	RowLabels   device.Array[engine.Label]     `c:"const u32"`
	LeavesAt    device.Array[uint32]           `c:"const u32"`
	Leaves      device.Array[engine.Label]     `c:"const u32"`
	Vertices    device.Array[reference.Vertex] `c:"const u32"`

	searching

	// One of both is there; the second begins at label 0, like arrays by label.
	Parents     device.Array[engine.Label]
	WideParents device.Array[int64]       `c:"u64"` // parents of 64 bits
	Stop        *device.HostArray[uint32] `c:"const volatile u32"`
	Done        *device.HostArray[uint32] `c:"volatile u32"`
}

// rowClasses are the ends of the classes of a device's rows.
type rowClasses struct {
	HubRows   uint32 // end of the rows with two hubs or more
	SingleEnd uint32 // end of the rows with hubs
	Rows      uint32 // end of the rows
}

// rowArrays are the neighbours of a device's rows.
type rowArrays struct {
	Heads     device.Array[reference.Head] `c:"const u32"`
	Seconds   device.Array[[4]uint16]      `c:"const uint2"`
	FurtherAt device.Array[uint32]         `c:"const u32"`
	Further   pieces                       `c:"Pieces"`
	SingleHub device.Array[uint16]         `c:"const u16"`
	RowListAt device.Array[uint32]         `c:"const u32"`
	RowLists  device.Array[[4]uint32]      `c:"const uint4"` // the first pieces of each row
}

// searching is the working memory of a search.
type searching struct {
	Before     device.Array[uint32]       // bitmap of rows: visited before the level of the dense pass, later before this level
	Visited    device.Array[uint32]       // bitmap of rows: visited, with the finds of this level
	Late       [2]device.Array[uint32]    // bitmaps of rows without hubs, found by the last levels; these take turns
	LeftHubs   device.Array[uint32]       // bitmap of hubs that neither the dense pass nor a level before has found; later finds are taken out
	HubsBefore device.Array[uint32]       // bitmap of hubs: visited before the level of the dense pass, later before this level
	Frontiers  device.Array[uint32]       // bitmaps of hubs: frontiers
	HubParents device.Array[engine.Label] // by hub: label of the parent
	MarkedBy   device.Array[uint16]       `c:"u16"`   // by row with two hubs or more, from the first on: the last hub that has marked it in a level of last.cuh
	Queue      device.Array[queued]       `c:"uint4"` // found hubs and rows; what is left with hubs (rest.cuh)
	LeftRows   device.Array[uint32]       // rows without hubs for the late levels
	List       device.Array[uint32]       // by block: rows that look for the frontier, or rows of the frontier
	LongRows   device.Array[uint32]       // by block: rows whose further hubs must be examined
	Control    device.Array[control]
	Levels     device.Array[levelRecord]
}

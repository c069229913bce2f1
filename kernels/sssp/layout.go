//go:build cuda

package sssp

import (
	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

const (
	// threads is the number of threads of a block.
	threads = 512
	// nearCapacity is the number of reached vertices that the near step can hold.
	nearCapacity = 2048
	// groupLanes is the number of lanes that push a piece of a row. Pieces have as many arcs,
	// unless a row would have more than rowPieces of them. pieceCapacity is the number of
	// pieces that a block can hold.
	groupLanes    = 8
	rowPieces     = 128
	pieceCapacity = 2048
	// localItems is the number of found vertices that a block can keep for itself. A block
	// makes at most localRounds rounds with them before it meets the others.
	localItems  = 1024
	localRounds = 64
	// segmentArcs is the largest number of light arcs in a segment.
	segmentArcs = 8
	// logClaim is the number of entries of the log that a warp claims at a time.
	logClaim = 64
	// maxRecords is the number of records of rounds. The last one is shared by all later
	// rounds.
	maxRecords = 64
)

// step is a part of a search in the records.
type step uint32

const (
	stepNear step = iota
	stepPush
	stepHubs
	stepPull
	stepTail
	stepDense // without lists, on several devices
)

// item is a row with the distance that an improvement gave to it.
type item struct {
	Row      uint32 // ^0: no item
	Distance uint32 // bits
}

// keptArc is an arc to a vertex that the pull has handled, from a vertex whose distance
// was not final, with labels.
type keptArc struct {
	To, From engine.Label
	Weight   uint32 // bits
	Row      uint32 // that the arc comes from
}

// segment is up to segmentArcs light arcs of a row.
type segment struct {
	Row  uint32
	Arcs uint32 // number of the first one, and above it the number of arcs - 1
}

// roundRecord is the kernel's record of one round.
type roundRecord struct {
	Step     step   `c:"u32"`
	Frontier uint32 // vertices whose arcs the round relaxes
	Found    uint32 // vertices that found a smaller distance, as far as counted
	Reserved uint32
	Examined uint64 // arcs
	End      uint64 // ns, by the device's timer
}

// control is the state that the blocks of one search share.
type control struct {
	Barrier        [4]uint64 // see barrier.cuh
	Status         uint32    // of the search: Status in search.cuh. The second kernel reads four words from here on at once
	Least, Bound   uint32    // bits, for the second kernel: see Parts in parts.cuh
	Records        uint32
	FinishedBlocks uint32
	LogLength      uint32    // claimed entries of the log, or more than its capacity
	Queued         [2]uint32 // entries of each queue, or more than its capacity
	Begin, End     uint64    // of the search: ns, by the device's timer
	Examined       [4]uint64 // arcs examined in a part of the search; each part uses the next word
	Found          [4]uint64 // vertices found in a part of the search, likewise

	// Of several devices.
	Requests [device.MostTogether]uint32 // to each other device, or more than their list holds
	Changed  [2]uint32                   // hubs in the lists that sweeps write in turn, or more than they hold
	Ties     uint32                      // rows in the list of ties, or more than it holds
	Reserved uint32
}

// state is the kernel's description of the graph and the search, in constant memory. N is
// the number of labels, n that of rows.
type state struct {
	Vertices      uint32 // N
	RowCount      uint32 // n
	LogCapacity   uint32
	QueueCapacity uint32  // of each queue
	KeptCapacity  uint32  // kept arcs of each warp
	NearArcs      uint32  // arcs that the near step may expand
	SampleStride  uint32  // distance between the rows that decide on the pull
	Hubs          uint32  // rows of the highest degrees, which are pulled first; a multiple of 32
	PullAt        uint64  // reached rows after which the pull begins
	Step          float32 // by which the bound rises at first
	LaterStep     float32 // by which it rises then on several devices
	ArcScale      float32 // expected arcs of a row of degree d within a distance x: d * x * ArcScale

	SegmentCount uint32  // segments of light arcs; 0: the search does not use them
	LightWidth   float32 // a light arc has a weight below
	LeastPushed  uint32  // first hub with a row that is short enough for pushHubs; ^0: none
	LooksTwo     uint32  // 1: the pull looks up the distances of a row's first two sources at once
	Reserved     uint32

	Rows       device.Array[construct.WeightedRow] `c:"const uint4"` // two words per row
	Labels     device.Array[engine.Label]          `c:"const u32"`
	Arcs       device.Array[construct.Arc]         `c:"const uint2"`
	Index      device.Array[uint64]                `c:"const uint2"`
	Heads      device.Array[construct.Head]        `c:"const uint4"`
	HeadLabels device.Array[[2]engine.Label]       `c:"const uint2"`
	Thirds     device.Array[construct.Third]       `c:"const uint2"`
	Order      device.Array[engine.Label]          `c:"const u32"`

	searching

	Parents   device.Array[engine.Label]
	Distances device.Array[float32]     `c:"u32"`
	Stop      *device.HostArray[uint32] `c:"const volatile u32"`
	Done      *device.HostArray[uint32] `c:"volatile u32"`
}

// tails is the kernel's description of split rows, in constant memory.
type tails struct {
	Tails  *device.HostArray[construct.Arc] `c:"const uint2"`
	Prefix uint32                           // construct.Graph.Prefix
}

// searching is the working memory of a search. Best and Touched are empty between searches.
type searching struct {
	Best     device.Array[uint64]        // by row: bits of the distance, parent's row below; all ones: not reached
	Touched  device.Array[uint32]        // bitmap of n places, padded: the row has an entry in Best
	Log      device.Array[uint32]        // reached rows, with claimed places that have none: ^0
	Queues   [2]device.Array[item]       `c:"uint2"` // improvements for the next round, later changed hubs; the queues take turns
	Light    device.Array[construct.Arc] `c:"uint2"` // light arcs
	Segments device.Array[segment]       `c:"uint2"` // of light arcs
	Seen     device.Array[uint32]        // bits of the distances of the rows of segments when their arcs were relaxed
	Kept     device.Array[keptArc]       `c:"uint4"`
	Open     device.Array[uint32]        // bitmap of hubs, padded: the tail may lower the distance
	HubBest  device.Array[uint32]        // by hub: bits of the distance, with openHub if it may become smaller
	Targets  device.Array[uint32]        // two bits for each of n rows, padded: a kept arc leads to the row, more than one does
	Staying  device.Array[uint32]        // bitmap of N labels, padded: a kept arc leads to the vertex whose source may change
	Marks    [3]device.Array[uint32]     // bitmaps of N labels or n rows, padded: vertices that a sweep has changed; the sweeps take turns
	Any      device.Array[uint32]        // 1: a round of the search without lists has changed something
	Control  device.Array[control]
	Rounds   device.Array[roundRecord]
}

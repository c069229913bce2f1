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
	// chunkArcs is the number of arcs in a piece of a row, which eight lanes push.
	// pieceCapacity is the number of pieces that a block can hold.
	chunkArcs     = 64
	pieceCapacity = 1024
	// soloItems is the number of vertices up to which one block makes the rounds of a push
	// alone: the others would cost it a grid barrier per round.
	soloItems = threads
	// maxRecords is the number of records of rounds. The last one is shared by all later
	// rounds.
	maxRecords = 64
)

// improvement is a strict improvement of a distance.
type improvement struct {
	Vertex, Parent engine.Local
	Distance       uint32 // bits
	_              uint32
}

// keptArc is an arc to a vertex that the pull has handled, from a vertex whose distance
// was not final.
type keptArc struct {
	To, From engine.Local
	Weight   uint32 // bits
	Won      uint32 // bits of the distance that the arc has led to; 0: none
}

// roundRecord is the kernel's record of one round.
type roundRecord struct {
	Step     uint32
	Frontier uint32 // vertices whose arcs the round relaxes
	Found    uint32 // improvements of distances
	Reserved uint32
	Examined uint64 // arcs
	End      uint64 // ns, by the device's timer
}

// control is the state that the blocks of one search share.
type control struct {
	Barrier        [4]uint64 // see barrier.cuh
	FinishedBlocks uint32
	Status         uint32 // of the search: Status in search.cuh
	LogLength      uint32 // entries of the log, or more than its capacity
	Segment        uint32 // first entry of the log that no round has pushed, after rounds of one block
	Least          uint32 // bits of the least distance that the near step has not expanded
	Pulled         uint32 // vertices whose distance the pull has lowered
	Records        uint32
	_              uint32
	Begin, End     uint64    // of the search: ns, by the device's timer
	Examined       [4]uint64 // arcs examined in a part of the search; each part uses the next word
}

// state is the kernel's description of the graph and the search, in constant memory. N is
// the number of labels, n that of rows.
type state struct {
	Vertices     uint32 // N
	RowCount     uint32 // n
	LogCapacity  uint32
	KeptCapacity uint32  // kept arcs of each block
	NearArcs     uint32  // arcs that the near step may expand
	SampleStride uint32  // distance between the words of labels that decide on the pull
	PullArcs     uint64  // pushed arcs after which the pull begins
	Step         float32 // by which the bound rises at first
	ArcScale     float32 // expected arcs of a row of degree d within a distance x: d * x * ArcScale

	Index  device.Array[uint64]                `c:"const u64"`
	Rows   device.Array[construct.WeightedRow] `c:"const uint4"`
	Arcs   device.Array[construct.Arc]         `c:"const uint2"`
	Heads  device.Array[construct.Head]        `c:"const uint4"`
	Thirds device.Array[float32]               `c:"const float"`

	searching

	Parents   device.Array[engine.Local]
	Distances device.Array[float32]     `c:"u32"`
	Stop      *device.HostArray[uint32] `c:"const volatile u32"`
	Done      *device.HostArray[uint32] `c:"volatile u32"`
}

// searching is the working memory of a search.
type searching struct {
	Log     device.Array[improvement] `c:"uint4"`
	Kept    device.Array[keptArc]     `c:"uint4"`
	Targets device.Array[uint32]      // bitmap of N labels, padded: a kept arc leads to the vertex
	Marks   [3]device.Array[uint32]   // bitmaps of N labels, padded: vertices that a sweep has changed; the sweeps take turns
	Any     device.Array[uint32]      // 1: a round of the search without lists has changed something
	Control device.Array[control]
	Rounds  device.Array[roundRecord]
}

//go:build cuda

package sssp

import (
	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

const (
	// rowLanes is the number of lanes that look at the first arcs of a row. A row of more than
	// firstArcs arcs in a round is divided into pieces of up to pieceArcs.
	rowLanes  = 8
	firstArcs = 64
	pieceArcs = 512
	// keptClaim is the number of kept arcs whose places a warp claims at a time.
	keptClaim = 64
	// nearSteps is the largest number of steps in which the nearest vertices are expanded.
	nearSteps = 16
)

// peerImprovement is a distance of a vertex that is smaller than those before.
type peerImprovement struct {
	To, Parent engine.Local
	Distance   uint32 // bits
	Reserved   uint32
}

// peerKept is an arc that the pull has kept.
type peerKept struct {
	To, From engine.Local // To is ^0 in a place without an arc
	Weight   uint32       // bits
	Reserved uint32
}

// peerPiece is a part of the arcs of a row.
type peerPiece struct {
	Vertex     engine.Local
	Distance   uint32 // bits
	Begin, End uint32 // arcs of the row
}

// peerDistance is the distance of a vertex.
type peerDistance struct {
	Vertex   engine.Local
	Distance uint32 // bits
}

// peerControl is the state that the blocks of one device share.
type peerControl struct {
	Arrivals       [4]uint64 // arrivals << 54 | sum; each barrier of all devices uses the next word
	Second         [4]uint64 // second sum of the same barriers
	Round          uint32    // barriers of all searches so far
	FinishedBlocks uint32
	Barrier        [4]uint64 // see barrier.cuh
	ListLength     [2]uint32 // entries of each list, or more than its capacity
	PieceCount     uint32    // likewise
	KeptLength     uint32    // likewise, with claimed places
	Parts          uint32    // records, or more than there are
	Least          uint64    // distance and label of the nearest vertex that is not expanded; all ones: none
	Begin, End     uint64    // of the search: ns, by the device's timer
}

// peerCounts are the lengths of what a device has for the others.
type peerCounts struct {
	Outgoing  [2][device.MostTogether]uint32 // improvements, by device; the rounds take turns
	Published [2]uint32                      // distances; the rounds take turns
	Logged    uint32                         // reached vertices
}

// peer is what all devices of a search know of one of them. It has the rows of the labels
// from the end of the device before to EndLabel.
type peer struct {
	Totals       device.Array[uint64]          // sums of the last four barriers, by device (PeerBarrier)
	Counts       device.Array[peerCounts]      `c:"PeerCounts"`
	Outgoing     device.Array[peerImprovement] `c:"const uint4"` // those for a device begin at its number times OutgoingCapacity
	Log          device.Array[engine.Local]    `c:"const u32"`   // reached vertices of the device
	LogDistances device.Array[uint32]          `c:"const u32"`   // their distances before the pull
	Published    device.Array[peerDistance]    `c:"const uint2"`
	Wanted       device.Array[uint32]          `c:"const u32"` // bitmap of N labels: the device has a kept arc from the vertex
	Distances    device.Array[float32]         `c:"const u32"`
	EndLabel     uint32
	Capacity     uint32 // OutgoingCapacity of the device
}

// peers is the kernel's description of the devices of a search, in constant memory.
type peers struct {
	Count   uint32
	Own     uint32 // number of this device
	Control device.Array[peerControl]
	Peers   [device.MostTogether]peer
}

// peerState is the kernel's description of the graph and the search on one device, in
// constant memory. N is the number of labels, n that of rows of the device.
type peerState struct {
	Vertices         uint32 // N
	FirstLabel       uint32 // of the device's range, a multiple of 1024
	EndLabel         uint32 // of the device's range, a multiple of 1024 or N
	RowCount         uint32 // n
	ListCapacity     uint32 // of each list
	OutgoingCapacity uint32 // improvements for each device
	PieceCapacity    uint32
	KeptCapacity     uint32
	SampleStride     uint32  // distance between the words of the index whose rows decide on the pull
	Step             float32 // by which the bound rises at first
	NearArcs         uint64  // arcs that the near step may expand, of all devices
	PullAt           uint64  // reached vertices of all devices after which the pull begins

	Index  device.Array[uint64]         `c:"const uint2"` // to be indexed by all labels
	Starts device.Array[uint64]         `c:"const u64"`
	Heads  device.Array[construct.Head] `c:"const uint4"`
	Arcs   device.Array[construct.Arc]  `c:"const uint2"`

	peerMemory

	Parents   device.Array[engine.Local]
	Distances device.Array[float32]     `c:"u32"`
	Stop      *device.HostArray[uint32] `c:"const volatile u32"`
	Done      *device.HostArray[uint32] `c:"volatile u32"`
}

// peerMemory is the working memory of a search on one device.
type peerMemory struct {
	Log          device.Array[engine.Local]       // reached vertices of the device, once each: n
	LogDistances device.Array[uint32]             // n
	Lists        [2]device.Array[peerImprovement] `c:"uint4"` // improvements of the device's vertices; the rounds take turns
	Outgoing     device.Array[peerImprovement]    `c:"uint4"`
	Pieces       device.Array[peerPiece]          `c:"uint4"`
	Kept         device.Array[peerKept]           `c:"uint4"`
	Published    device.Array[peerDistance]       `c:"uint2"` // n
	Wanted       device.Array[uint32]             // bitmap of N labels, padded; in the device's range those that any device wants
	Changed      [2]device.Array[uint32]          // bitmaps of N labels, padded: vertices that a sweep has changed; the sweeps take turns
	Counts       device.Array[peerCounts]
	Records      device.Array[roundRecord] `c:"RoundRecord"`
}

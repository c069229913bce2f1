//go:build cuda

package distributed

import (
	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

const (
	// localRounds is the number of rounds of pushes between two exchanges, an even number: a
	// device goes on with what it has found in its own range, so that there are few exchanges.
	localRounds = 4
	// distanceBuckets is the number of ranges of distances by which degrees are added up. Each
	// has the distances with the same upper 32-bucketShift bits.
	distanceBuckets = 2048
	bucketShift     = 15
	// nextArcs is the number of arcs behind the bound that a push looks at for one that would
	// improve a vertex. Many lead back to where the search has come from.
	nextArcs = 4
	// ownArcs is the number of first arcs of a vertex that its own thread examines in the pull.
	// The warp examines the others together: at the same time, so more than needed.
	ownArcs = 8
)

// improvement is a distance of a vertex that may be smaller than those before.
type improvement struct {
	Vertex, Parent engine.Label
	Distance       uint32 // bits
}

// pathCounts are the lengths of lists on a device, and the results of its kernels.
type pathCounts struct {
	Examined uint64                  // arcs
	Queued   [localRounds + 1]uint32 // vertices in the queue before each round and after the last one
	Outgoing uint32                  // vertices whose distances the others must know
	Logged   uint32                  // reached vertices of the device
	Before   uint32                  // the same when the rounds began
	Next     uint32                  // bits: least distance behind the bound to which an arc may lead
	Open     uint32                  // vertices that the pull left open
	Found    uint32                  // vertices that the pull has improved
	Asked    uint32                  // vertices of the sample that are not settled
	Decided  uint32                  // those with a settled source at their first arcs
	Reserved uint32
}

// pathState is the kernels' description of the graph and the search on a device, in constant
// memory. N is the number of labels, n that of rows of the whole graph, r that of the device.
type pathState struct {
	Vertices     uint32 // N
	FirstLabel   uint32 // of the device's range, a multiple of 1024
	EndLabel     uint32 // of the device's range, a multiple of 1024 or N
	SampleStride uint32 // distance between the words of the index whose rows decide on the pull

	Index  device.Array[uint64]         `c:"const u64"` // to be indexed by all labels
	Starts device.Array[uint64]         `c:"const u64"`
	Heads  device.Array[construct.Head] `c:"const uint4"`
	Arcs   device.Array[construct.Arc]  `c:"const uint2"`

	pathMemory

	Parents   device.Array[engine.Label]
	Distances device.Array[float32]     `c:"u32"` // bits; of other devices the least that this one knows
	Buffer    device.Array[improvement] `c:"Improvement"`
}

// pathMemory is the working memory of a search on a device.
type pathMemory struct {
	Pairs    device.Array[uint64]          // N: distance and, in the low half, parent that wait for their vertex to be taken; all ones: none
	Queues   [2]device.Array[engine.Label] // r: vertices of the device with a pair, once each; the rounds take turns. The second one has the open vertices after the pull
	Outgoing device.Array[engine.Label]    // n
	Log      device.Array[engine.Label]    // r: reached vertices of the device, once each
	Changed  [2]device.Array[uint32]       // bitmaps of N: vertices that became nearer in a sweep of the tail; the sweeps take turns
	Degrees  device.Array[uint64]          // of settled vertices, by range of their distances
	Counts   device.Array[pathCounts]      `c:"PathCounts"`
}

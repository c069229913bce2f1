//go:build cuda

package distributed

import "graph500/engine"

// ownNeighbors is the number of first neighbours of an unvisited vertex that its own thread
// examines in a bottom-up level. The warp examines the others together.
const ownNeighbors = 32

// Pair is a vertex that a device found top-down, with its parent.
type Pair struct {
	Vertex, Parent engine.Label
}

// counts are the results of the kernels of a level on a device.
type counts struct {
	Found    uint32 // vertices that the device found, of any device top-down
	Queued   uint32 // vertices of the device in the next frontier
	Arcs     uint64 // of the rows of the device's vertices in the next frontier
	Examined uint64 // neighbours, in a bottom-up level
}

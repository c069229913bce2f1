// Package scaling is a model of breadth-first search over nodes with GPUs: it computes,
// level by level, what a search would take on 1 to 1,024 nodes from the rates of one
// machine and from levels that were counted. docs/scaling.md describes the formulas and
// has the tables.
//
// It runs no search and measures nothing. It knows no engine.
package scaling

// Machine holds the rates of nodes with GPUs and of one search on them. Times are in
// seconds, rates in bytes per second.
type Machine struct {
	// Node.
	GPUs       int     // of a node
	Memory     float64 // of a GPU, bytes
	GraphShare float64 // part of the memory that the graph may take; construction needs the rest
	Peer       float64 // rate into a GPU from the others of the node

	// Network.
	Network float64 // rate into a GPU from other nodes
	Latency float64 // of a message between nodes
	Start   float64 // of an exchange between nodes that the host starts: kernel, exchange, kernel
	Message float64 // of each further receiver, where a GPU sends to many

	// Search on a GPU.
	Launch    float64 // launch of the kernel and the wait for its end
	Level     float64 // latencies of a level
	PeerLevel float64 // the same of several GPUs, in addition
	Arc       float64 // an arc of a top-down level
	Label     float64 // a label in all dense passes of a search, without look-ups in bitmaps
	LookUps   float64 // look-ups in bitmaps for a label
	Hit, Miss float64 // a look-up in a bitmap that is in the cache or not
	Cache     float64 // bytes of the second-level cache
}

// H200 returns nodes of eight H200. Parameters says where the values come from.
func H200() Machine {
	const small, large = 1 / 157e9, 1 / 58e9 // random loads of tables of 16 and 128 MiB
	const cache, largeTable = 50e6, 128 << 20
	return Machine{
		GPUs: 8, Memory: 139 << 30, GraphShare: 0.7, Peer: 350e9,
		Network: 50e9, Latency: 5e-6, Start: 55e-6, Message: 1e-6,
		Launch: 8e-6, Level: 4.5e-6, PeerLevel: 7.6e-6, Arc: 16e-12, Label: 3.9e-12, LookUps: 0.6,
		Hit: small, Miss: (large - small*cache/largeTable) / (1 - cache/largeTable), Cache: cache,
	}
}

// lookUp returns the time of a look-up at a random place of a bitmap: its part that fits
// into the cache is hit there.
func (m Machine) lookUp(bitmap float64) float64 {
	hits := min(1, m.Cache/bitmap)
	return hits*m.Hit + (1-hits)*m.Miss
}

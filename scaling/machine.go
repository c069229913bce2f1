// Package scaling is a model of breadth-first search over nodes with GPUs: it computes,
// level by level, what a search would take on 1 to 1,024 nodes from the rates of one
// machine and from levels that were counted. docs/scaling.md has the results.
//
// N = 2^scale labels, m nodes with g GPUs each, P = m·g. A search is a launch and its levels
// in sequence; nothing overlaps.
//
//	latencies in the nodes  launch + levels · (latency of a level + that of several GPUs, if P > 1)
//	work                    N/P · (label + look-ups · look-up), and for each top-down level
//	                        N/P · arcs · imbalance · arc
//	look-up                 hits · (in the cache) + (1 − hits) · (in memory),
//	                        where hits = cache / bitmap, at most 1
//	exchange in a node      (found + parents / m) · (1 − 1/g) / peer rate, for each level
//	exchange between nodes  found over the network / (g · network rate)
//	                        + parents · (1 − 1/columns) / network rate + latencies, for each level
//
// Found are the vertices that a level found, which all GPUs need: the smaller of a bitmap (N/8
// bytes) and a list (4 bytes a vertex, 8 above scale 32). Parents are what a GPU receives for its
// own vertices: after top-down levels pairs of vertex and parent, in a grid also after bottom-up
// levels a parent for each vertex found. With ranges (1 − 1/m) of the found go over the network,
// in a grid of r rows and c columns (1 − 1/r)/c + (1 − 1/c)/r of them, and 1/r + 1/c reach a
// GPU. An exchange has the latencies start + log2 m · latency, in a grid log2 r, and bottom-up c ·
// (start + latency) more. Pairs go to the nodes of a row (ranges: to all): start + latency + a
// message for each further receiver. Bitmaps of a grid have N/8/c bytes for look-ups.
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

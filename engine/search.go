package engine

import (
	"context"
	"slices"
)

// Searcher searches the graph of an engine with one kernel and strategy. The
// driver measures the time and calls, for each root, Clear, Search (timed),
// Profile and Keep. When Capacity searches are kept, or after the last root, it
// calls Check and Drop. When the context ends, calls that can take long return
// its cause soon.
type Searcher interface {
	// Capacity is the number of searches that can be kept for one Check, at
	// least 1. Keep can lower it to the number of kept searches, until Drop.
	Capacity() int

	// Clear sets every parent to None and every distance to Unreached. The benchmark
	// does this before the clock starts. The work is complete when Clear returns. On a GPU
	// it also makes ready for the launch of a search (docs/performance.md, "What the clock contains").
	Clear() error

	// Search stores the results of every vertex reachable from root in the
	// engine's memory. Root must have an edge to another vertex, and the
	// results must be clear.
	Search(ctx context.Context, root Vertex) error

	// Profile returns the profile of the last search. It is valid until the
	// next search.
	Profile() (Profile, error)

	// Keep stores the results of the last search for Check. At most Capacity
	// searches can be kept.
	Keep() error

	// Drop discards the kept searches.
	Drop()

	// Set is Keep for a search from root whose results fill writes.
	Set(root Vertex, fill func(Results) error) error

	// Check validates the kept searches against the tuples and returns their
	// facts in the order of Keep. If a search breaks a rule, the error is a
	// *validate.Error, and the facts of the searches before it are returned.
	// With any other error the facts are undefined.
	Check(ctx context.Context) ([]Tree, error)

	// CountEdges returns the facts of the kept searches without validation.
	// Depth is 0.
	CountEdges(ctx context.Context) ([]Tree, error)

	// Results returns the results of kept search i in host memory: those of the
	// vertices of this rank. They belong to the engine and are valid until the next
	// call.
	Results(ctx context.Context, i int) (Results, error)

	// AllResults is Results for all vertices. An engine without access to the results
	// of other ranks returns an error.
	AllResults(ctx context.Context, i int) (Results, error)

	// CountWork does Clear and Search in a slow form that counts its work. It
	// returns nil if the strategy has no such form. Keep can store this search;
	// Profile does not describe it.
	CountWork(ctx context.Context, root Vertex) (*Counts, error)

	// Close frees all memory.
	Close() error
}

// Results holds the results of a search, one entry per vertex from First on.
type Results struct {
	First     Vertex    // 0 unless the results are of one of several ranks
	Parents   []Label   // None for an unvisited vertex
	Distances []float32 // of SSSP, Unreached for an unvisited vertex; nil for BFS
	Exact     []uint64  // with Job.Integers, instead of Distances; UnreachedExact for an unvisited vertex
}

// Unreached is the distance of an unvisited vertex, and UnreachedExact with Job.Integers.
const (
	Unreached      float32 = -1
	UnreachedExact uint64  = 1<<64 - 1
)

// The order of distances is that of their bits as unsigned numbers, in which these follow.
const (
	InfiniteBits  = 0x7f800000 // bits of +Inf, above those of every distance
	UnreachedBits = 0xbf800000 // bits of Unreached, above InfiniteBits
)

// MaxLevels is the number of levels or rounds that a profile records one by one. A
// BFS of an official graph has about ten levels. A path has one level per vertex; the
// records of 64 such searches would be larger than the graph.
const MaxLevels = 1000

// Profile holds the measurements of a search.
type Profile struct {
	LevelCount int64 // number of levels; of SSSP, of rounds
	Examined   int64 // neighbour entries read; 0 if not counted

	// seconds by the clock of the device, without the part of the host and without the
	// conversion to labels of 48 bits; 0 if unknown, or without a device
	DeviceSeconds float64

	HostBytes    int64 // sum over the levels
	HostRequests int64 // sum over the levels

	// bytes that the rank with most data sent or received, whichever is more, without sums
	// over ranks; on cores only
	RankBytes int64

	Levels []Level // the first 1000 levels or rounds

	Worklist *Worklist // of asynchronous strategies only
}

// Worklist counts the events of a search that takes its work from a worklist.
type Worklist struct {
	Items          int64 // vertices taken from the worklist
	Useful         int64 // updates of results
	StealsInGroup  int64 // chunks of vertices taken from a worker with the same last-level cache
	StealsInSocket int64 // the same, from another in the socket
	StealsBeyond   int64 // the same, from another socket
}

// Alpha is the usual limit of the direction of a breadth-first search: a level is searched
// bottom-up if its frontier has more than 1/Alpha of the unexplored arcs.
const Alpha = 30

// The limits of Beamer, Asanović and Patterson, SC 2012: BeamerAlpha in place of Alpha, and a level
// after a bottom-up one is top-down if its frontier has at most 1/BeamerBeta of the vertices.
const (
	BeamerAlpha = 14
	BeamerBeta  = 24
)

// Level describes one level of a BFS or one round of an SSSP search.
type Level struct {
	Direction Direction // of BFS: top-down or bottom-up; empty for SSSP
	Step      string    // form of the level or round; empty if the strategy has one
	Frontier  int64     // vertices of the frontier; of SSSP, vertices whose arcs the round relaxes
	Found     int64     // vertices reached for the first time; of SSSP, vertices whose distance became smaller
	Examined  int64     // neighbour entries read

	// bytes read and written, counted as often as the level needs them, whether a cache holds
	// them or not; with all neighbours in host memory, bytes over the bus. 0 if unknown
	Bytes   int64
	Seconds float64 // time of the level; 0 if levels overlap

	HostBytes    int64 // over the bus, for neighbours in host memory
	HostRequests int64 // lines of 128 bytes that the device read, or copies
}

// Direction is the traversal direction of a level of a BFS. Rounds of SSSP have none.
type Direction string

const (
	TopDown  Direction = "top-down"  // from the frontier to its neighbours
	BottomUp Direction = "bottom-up" // from unvisited vertices to the frontier
)

// AddHostReads adds what level number i, or the levels after the listed ones, read of host memory: bytes and
// requests.
func (p *Profile) AddHostReads(i int, bytes, requests int64) {
	p.HostBytes += bytes
	p.HostRequests += requests
	if i < len(p.Levels) {
		p.Levels[i].HostBytes, p.Levels[i].HostRequests = bytes, requests
	}
}

// Add records a completed level.
func (p *Profile) Add(l Level) {
	if len(p.Levels) < MaxLevels {
		p.Levels = append(p.Levels, l)
	}
	p.LevelCount++
	p.Examined += l.Examined
	p.HostBytes += l.HostBytes
	p.HostRequests += l.HostRequests
}

// Reset empties the profile and reuses the memory of its levels.
func (p *Profile) Reset() { *p = Profile{Levels: p.Levels[:0]} }

// Counts holds the work of a search, counted in a separate untimed search.
type Counts struct {
	Examined      int64    // neighbour entries read
	Atomics       int64    // read-modify-write operations of threads on the memory of the device
	SharedAtomics int64    // the same on the shared memory of blocks
	Launches      int64    // kernels launched
	HostBytes     int64    // over the bus, for neighbours in host memory
	HostRequests  int64    // lines of 128 bytes that the device read, or copies
	Profile       *Profile // of the counted search; nil if nothing went over the bus
}

// AddHost takes what went over the bus from the profile of the counted search.
func (c *Counts) AddHost(p Profile) {
	c.HostBytes, c.HostRequests = p.HostBytes, p.HostRequests
	if p.HostBytes > 0 {
		p.Levels = slices.Clone(p.Levels)
		c.Profile = &p
	}
}

// Tree holds the facts of a validated search tree.
type Tree struct {
	Visited     int64   // vertices of the tree, including the root
	Edges       int64   // tuples inside the component, with duplicates, without self loops
	SelfLoops   int64   // self-loop tuples inside the component
	Depth       int64   // largest number of tree edges from the root
	MaxDistance float32 // of SSSP: largest distance from the root; 0 for BFS
	MaxExact    uint64  // of SSSP with -weights=integer: max_distance before it is rounded
}

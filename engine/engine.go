// Package engine holds the few types that engines, the benchmark driver and
// the reports share. It imports nothing else of this module and knows no
// algorithm: it is the vocabulary, not the work.
package engine

import "time"

// Vertex is a vertex number in the original labelling of the input graph,
// 0..N-1. This is the one place that fixes the label width.
type Vertex = uint32

// LabelBits is the width of Vertex in bits; every machine-readable report
// states it because the Graph500 specification asks for 48.
const LabelBits = 32

// None is the parent of a vertex that was not reached. It is not a valid
// vertex number, so a graph holds at most 2^32-1 vertices.
const None Vertex = 1<<LabelBits - 1

// MaxScale is the largest scale whose 2^scale vertices leave None free.
const MaxScale = 31

// Edge is one input tuple: an undirected edge between U and V.
type Edge struct {
	U, V Vertex
}

// Direction is the way a level was expanded.
type Direction uint8

const (
	TopDown  Direction = iota // from the frontier to its neighbours
	BottomUp                  // from unvisited vertices to the frontier
)

func (d Direction) String() string {
	if d == BottomUp {
		return "bottom-up"
	}
	return "top-down"
}

// Level describes the expansion of one level of a search.
type Level struct {
	Direction Direction
	Frontier  int64         // vertices expanded from
	Found     int64         // vertices newly reached
	Examined  int64         // neighbour entries looked at
	Bytes     int64         // of memory traffic asked for, an estimate; 0 = unknown
	Time      time.Duration // wall clock
}

// Profile is what an engine noted of a search beside its parents.
type Profile struct {
	Levels []Level

	// LevelCount is the number of all levels, where Levels holds only the first
	// of them; else it may be 0.
	LevelCount int

	// Device is the search's time by the clock of the device that ran it,
	// without the host's part; 0 where there is no other device, or unknown.
	Device time.Duration
}

// Counts is what a search did, counted in a search apart from the timed ones.
type Counts struct {
	Examined      int64 // neighbour entries looked at
	Atomics       int64 // read-modify-write operations on global memory, each of one thread
	SharedAtomics int64 // likewise, on the shared memory of a block
	Launches      int64 // kernels launched
}

// Device describes a processor other than the host's.
type Device struct {
	Name            string
	Driver          string // version of the interface that the driver offers
	Architecture    string // compute capability
	BusID           string // PCI domain:bus:device.function
	Memory          uint64 // bytes
	Multiprocessors int
	ClockMHz        int // highest of the processor
	MemoryClockMHz  int // highest of the memory
}

// Graph describes what construction made of the tuples.
type Graph struct {
	Vertices   int64 // N, isolated ones included
	Connected  int64 // vertices with an edge other than a self loop
	Tuples     int64 // M, input tuples
	SelfLoops  int64 // tuples with equal ends, dropped
	Duplicates int64 // tuples that repeat an edge, dropped
	Arcs       int64 // stored directed edges
	MaxDegree  int64 // largest number of distinct neighbours

	// Regenerated says that the tuples had no room in memory: construction and
	// validation made them again.
	Regenerated bool
}

// Isolated returns the number of vertices without an edge to another vertex.
func (g Graph) Isolated() int64 { return g.Vertices - g.Connected }

// Tree holds the facts of a parent tree that passed validation.
type Tree struct {
	Visited   int64 // vertices in the tree, the root included
	Edges     int64 // nedge: tuples inside the component, self loops excluded
	SelfLoops int64 // self-loop tuples inside the component
	Depth     int64 // largest distance from the root
}

// Allocation is one line of a memory plan.
type Allocation struct {
	Name  string
	Bytes uint64
	Phase Phase // phase in which it is alive
	Place Place // memory that it is taken from
}

// Place is a memory that an allocation can lie in.
type Place uint8

const (
	HostMemory   Place = iota
	DeviceMemory       // the engine's device's own
)

func (p Place) String() string {
	if p == DeviceMemory {
		return "device"
	}
	return "host"
}

// Phase says when an allocation of a memory plan is alive.
type Phase uint8

const (
	Always       Phase = iota // from its making to the end of the run
	Construction              // only while the graph is built
	Searching                 // only after construction
	Loading                   // only until the tuples are in the engine
)

func (p Phase) String() string {
	switch p {
	case Construction:
		return "construction"
	case Searching:
		return "search"
	case Loading:
		return "loading"
	}
	return "whole run"
}

// Peak returns the largest number of bytes of a memory alive at once.
func Peak(plan []Allocation, place Place) uint64 {
	var sum [4]uint64
	for _, a := range plan {
		if a.Place == place {
			sum[a.Phase] += a.Bytes
		}
	}
	return sum[Always] + max(sum[Construction], sum[Searching], sum[Loading])
}

// Package engine holds the vocabulary that engines, the benchmark driver and
// the reports share: vertices and tuples, what an engine says of itself, what a
// search is, and the lines of a memory plan. It imports nothing else of this
// module and knows no algorithm.
package engine

// Kernel is a kernel of the benchmark that searches the graph which kernel 1
// constructed.
type Kernel string

// BFS is kernel 2, breadth-first search.
const BFS Kernel = "bfs"

// Info is what an engine says of itself before it has a graph.
type Info struct {
	Name     string // value of -engine
	Hardware string // one line for people
	Threads  int    // workers on the host

	// LabelBits is the width of a vertex number in the engine's arrays, and
	// MaxVertices the largest number of vertices that it can tell apart.
	LabelBits   int
	MaxVertices uint64

	Device *Device // nil for an engine without memory of its own
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

// Strategy is one way to search.
type Strategy struct {
	Kernel    Kernel
	Name      string // value of -strategy
	Doc       string // one line: what it does
	Source    string // where it is described
	Structure string // the form of the graph that it reads: CSR, CSC or COO

	// Memory lists what a search takes beyond graph and results, for so many
	// vertices and tuples.
	Memory func(vertices, tuples uint64) []Allocation
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

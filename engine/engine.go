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
	Name            string `json:"name"`
	Driver          string `json:"driver"`       // version of the interface that the driver offers
	Architecture    string `json:"architecture"` // compute capability
	BusID           string `json:"bus_id"`       // PCI domain:bus:device.function
	Memory          uint64 `json:"memory_bytes"`
	Multiprocessors int    `json:"multiprocessors"`
	ClockMHz        int    `json:"clock_mhz"`        // highest of the processor
	MemoryClockMHz  int    `json:"memory_clock_mhz"` // highest of the memory
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

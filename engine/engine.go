// Package engine defines the types that the engines, the benchmark driver and the reports share:
// vertices and tuples, descriptions of engines and graphs, the interface of a search, and memory
// plans. It contains no algorithm and imports no other package of this module.
//
// A Vertex has 64 bits: keys, roots, messages, reports. A Label has 32 bits: tuples, neighbours and
// parents inside an engine. With labels of 48 bits (Job.Wide) tuples are Edge48, and the result of
// a search has parents of 64 bits. Kernel 1 and validation read either width; most searches
// stay as they are: they clear parents of 32 bits, search, and convert them inside the clock. Files
// have widths of their own: an edge file is read in the width of the tuples (Job.LoadedWide).
package engine

import "strings"

// Kernel names a kernel of the benchmark that searches the graph that kernel 1
// constructs.
type Kernel string

const (
	BFS  Kernel = "bfs"  // kernel 2, breadth-first search
	SSSP Kernel = "sssp" // kernel 3, single-source shortest paths
)

// Kernels lists the kernels in the order of a run.
func Kernels() []Kernel { return []Kernel{BFS, SSSP} }

// Title returns the name of the kernel in texts.
func (k Kernel) Title() string { return strings.ToUpper(string(k)) }

// Info describes an engine, independent of a graph.
type Info struct {
	Name     string // value of -engine
	Hardware string // readable description, one line
	Threads  int    // workers on the host

	// LabelBits is the width of a vertex number in the engine's arrays, after Prepare in the
	// tuples and results of its jobs. MaxVertices is the largest number of vertices that
	// searches take.
	LabelBits   int
	MaxVertices uint64

	// Residency is where an engine with a device has the neighbours; "" before Prepare, and
	// without a device.
	Residency Residency

	Device  *Device  // the first one; nil for an engine without a device
	Devices []Device // all of them

	// Exchange is how several devices exchange data; "" for one or none. Problem says why
	// that is not what would be best; "" if it is.
	Exchange Exchange
	NCCL     string // version of the library, if it exchanges data
	Problem  string
}

// Exchange is how devices that search together get data of each other.
type Exchange string

const (
	PeerExchange Exchange = "peer" // each accesses the memory of the others
	NCCLExchange Exchange = "nccl" // collective operations of NCCL
	HostExchange Exchange = "host" // copies to and from the memory of the hosts, between these MPI
)

// Device describes an accelerator with its own memory.
type Device struct {
	Name            string // name of the model
	Driver          string // latest CUDA version that the driver supports
	Architecture    string // compute capability
	BusID           string // PCI domain:bus:device.function
	Memory          uint64 // bytes of its memory
	Multiprocessors int    // number of multiprocessors
	ClockMHz        int    // maximum clock of the processor
	MemoryClockMHz  int    // maximum clock of the memory
}

// Strategy describes one search algorithm.
type Strategy struct {
	Kernel    Kernel
	Name      string // value of -strategy
	Doc       string // one line: what it does
	Source    string // publication that describes it
	Structure string // graph format that it reads: CSR, CSC or COO
	UsesDelta bool   // its buckets have the width Job.Delta
	OverRanks bool   // it runs over several ranks, too

	// Memory lists the allocations of a search, without graph and results, for
	// a graph with the given numbers of vertices and tuples.
	Memory func(vertices, tuples uint64) []Allocation
}

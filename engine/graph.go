package engine

// Graph describes the constructed graph.
type Graph struct {
	Vertices   int64 // N, including isolated vertices
	Connected  int64 // vertices with an edge other than a self loop
	Tuples     int64 // M, input tuples
	SelfLoops  int64 // removed tuples with equal ends
	Duplicates int64 // removed tuples that repeat an edge
	Arcs       int64 // stored directed edges
	MaxDegree  int64 // largest number of distinct neighbours

	// Regenerated is true if the tuples did not fit in memory, so that
	// construction and validation generated them again.
	Regenerated bool

	// HostTuples is the kind of the host's memory from which construction and validation
	// copied loaded tuples, because these did not fit in the device's memory; else empty.
	HostTuples HostMemoryKind

	// Prefix is the number of first neighbours of each vertex in the device's memory, and
	// HostBytes the host memory that the others take. Both are 0 if all are on the device,
	// or if the engine has no device.
	Prefix    int64
	HostBytes int64
}

// Isolated returns the number of vertices without an edge to another vertex.
func (g Graph) Isolated() int64 { return g.Vertices - g.Connected }

// IsolatedShare returns Isolated / Vertices, 0 to 1. It is 0 for an empty graph.
func (g Graph) IsolatedShare() float64 {
	if g.Vertices == 0 {
		return 0
	}
	return float64(g.Isolated()) / float64(g.Vertices)
}

// HostMemoryKind is how a device can copy from memory of the host.
type HostMemoryKind string

const (
	PageLocked HostMemoryKind = "page-locked" // while kernels run, at the rate of the bus
	Pageable   HostMemoryKind = "pageable"    // slower
)

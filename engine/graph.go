package engine

// Graph describes the constructed graph.
type Graph struct {
	Vertices   int64 // N, including isolated vertices
	Connected  int64 // vertices with an edge to another vertex
	Tuples     int64 // M, input tuples
	SelfLoops  int64 // tuples with two equal vertices; removed
	Duplicates int64 // tuples that repeat an edge; removed
	Arcs       int64 // stored directed edges
	MaxDegree  int64 // largest number of distinct neighbours

	// the tuples did not fit: construction and validation generated them again
	Regenerated bool

	// tuples of a file that did not fit on the GPU were copied from memory of the host:
	// page-locked or, where the driver refused that, pageable
	HostTuples HostMemoryKind

	// first neighbours (SSSP: arcs) of each vertex on the GPU, with both kernels the smaller
	// number; 0 if all are there, or none, and of BFS by the depths of hubs, whose lists are divided
	// by kinds
	Prefix int64

	// bytes of the other neighbours in host memory, of all kernels
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

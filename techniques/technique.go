//go:build cuda

package techniques

import (
	"context"
	"embed"

	"graph500/engine"
	"graph500/kernels"
)

// images are the compiled forms, as in package kernels: .cubin and .ptx of each
// .cu, and a .counted.ptx that counts (counted.cuh).
//
//go:embed *.ptx *.cubin
var images embed.FS

// Technique is one way to search.
type Technique struct {
	Name      string
	Doc       string // one line: what it does
	Source    string // where it is described
	Structure string // the form of the graph that it needs: CSR, CSC or COO

	// Memory lists what a search takes beside graph and parents for N vertices,
	// n rows and the arcs, each edge in both directions.
	Memory func(vertices, rows, arcs uint64) []engine.Allocation

	// New returns a search of g, which has a row at least, that fills parents, N
	// entries. Both stay the caller's. A counted search is one for Counts, and
	// slow.
	New func(ctx context.Context, d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], counted bool) (Search, error)
}

// Search holds the state of one technique. Search writes the parent of every
// vertex reachable from root, which has a row, before it returns; all parents
// are engine.None before. The others tell of the last search, the profile valid
// until the next; Counts does so of counted searches only.
type Search interface {
	Search(ctx context.Context, root engine.Local) error
	Profile() (engine.Profile, error)
	Counts() (engine.Counts, error)
	Close() error
}

// All lists the techniques from the plainest on, in the order in which the
// literature adds one idea to the other. To add one, write its two files and
// name it here.
func All() []Technique {
	return []Technique{
		push(),
		pull(),
		edge(),
		spmv(),
		bitmapFrontier(),
		frontier(),
		privatized(),
		singleBlock(),
		degreeBuckets(),
		gatherSerial(),
		gatherWarp(),
		gatherScan(),
		gatherCta(),
		scanWarpCta(),
		directionHalf(),
		direction(),
	}
}

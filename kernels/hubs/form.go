//go:build cuda

package hubs

import (
	"math"
	"math/bits"

	"graph500/kernels/hubs/reference"
)

// Form is what can be chosen of the form of a graph.
type Form struct {
	Hubs   uint64 // at most
	Labels uint64 // of a chunk, a power of two
}

// MostChunk is the largest number of labels in a chunk of any Form.
const MostChunk = 2048

// FormOf returns the form in which a Kronecker graph of N vertices on that many devices is searched the
// fastest. With more hubs fewer rows have none, but it is more likely that one stays unvisited in the
// dense level: 16,384 hubs are best at scale 20, 32,768 at 22, all at 24. A device has at least 1,024
// chunks if it has 2^16 labels, so that each group of threads of its blocks has one, of 1,024 labels up to scale 22
// (docs/notebook.md).
func FormOf(vertices uint64, devices int) Form {
	const chunks, least, small = 1024, 64, 1 << 22
	f := Form{Hubs: min(reference.MostHubs, uint64(16*math.Sqrt(float64(vertices)))), Labels: MostChunk}
	if vertices <= small {
		f.Labels = MostChunk / 2
	}
	f.Labels = max(least, min(f.Labels, 1<<bits.Len64(vertices/uint64(devices)/chunks)>>1))
	return f
}
